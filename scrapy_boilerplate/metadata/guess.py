"""The day that htmldate finds (extra [dates]), for pages on which no source of ours has one.

It searches the whole page by pattern; see docs/evaluation.md for what that adds.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module

from lxml import etree

from scrapy_boilerplate.metadata.facts import Facts
from scrapy_boilerplate.text import without_controls

LONGEST_PAGE = 500_000
"""Characters of HTML that are searched; longer pages get no guess (our choice: a search takes
longer than all our other metadata, and pages of this size are rarely articles)."""
MOST_ELEMENTS = 20_000
"""Elements of a page that is written out at all: more are rarely as short as LONGEST_PAGE, and the
string would take more memory than all else."""

_logger = logging.getLogger(__name__)


def guessed(facts: Facts) -> Iterator[str | None]:
    """The day as ISO 8601; nothing without the package, or where the page's tree is gone."""
    find = _finder()
    large = len(facts.page.elements) > MOST_ELEMENTS
    if find is None or facts.tree is None or large:
        return
    # a string: htmldate takes no trees but lxml.html's, and would have to copy ours.
    # It begins with "<": what begins with "http" htmldate would download.
    html = etree.tostring(facts.tree, encoding="unicode", method="html", with_tail=False)
    if len(html) > LONGEST_PAGE:
        return
    html = without_controls(html)  # over which it would fail
    try:
        yield find(html, url=facts.page.url, original_date=True, extensive_search=False)
    except Exception as error:
        told = type(error).__name__
        _logger.warning("htmldate failed on %s: %s: %s", facts.page.url, told, error)
        _logger.debug("Where it failed:", exc_info=error)


@cache
def _finder() -> Callable[..., str | None] | None:
    try:
        find: Callable[..., str | None] = import_module("htmldate").find_date
    except ImportError:
        return None
    return find
