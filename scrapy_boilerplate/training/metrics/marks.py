"""The kept blocks as CleanEval's scorer wants them: with a mark before each segment."""

from __future__ import annotations

from collections.abc import Sequence

from scrapy_boilerplate.page.page import Page

HEADING_TAGS = frozenset("h1 h2 h3 h4 h5 h6".split())
ITEM_TAGS = frozenset("li dt dd".split())
"""What CleanEval's marks ``<h>`` and ``<l>`` stand for; everything else is ``<p>``."""


def marked_text(page: Page, blocks: Sequence[int]) -> str:
    """The text of `blocks` as CleanEval wants it: ``<h>``, ``<l>`` or ``<p>`` before a segment."""
    headings, items = (page.in_tags(tags).tolist() for tags in (HEADING_TAGS, ITEM_TAGS))
    parts: list[str] = []
    before = -1
    for block in blocks:
        if not (parts and page.continues(block, before)):
            parts.append("<h>" if headings[block] else "<l>" if items[block] else "<p>")
        parts.append(page.texts[block])
        before = block
    return " ".join(parts)
