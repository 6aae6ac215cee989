"""Read the body of an article that JSON-LD declares, for pages that show almost no text.

One declared body in four is cut or wrong (docs/provenance.md).
"""

from __future__ import annotations

import re

from scrapy_boilerplate.metadata.json_ld import parse_json_ld, unescape_all
from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.parsing import parse_html
from scrapy_boilerplate.page.reading import read_tree
from scrapy_boilerplate.page.text import collapse, compose

_has_markup = re.compile(r"</?(?:p|br|div|h[1-6])\b", re.IGNORECASE).search


def find_hidden_body(page: Page) -> str:
    """Return the longest body that JSON-LD declares, or ""; blank lines between paragraphs."""
    bodies = [node.get("articleBody") for node in parse_json_ld(page.declared.json_ld)]
    return read_body(max((body for body in bodies if isinstance(body, str)), key=len, default=""))


def read_body(body: str) -> str:
    """Return the lines of a body as paragraphs, without markup and entities."""
    body = body if _has_markup(body) else unescape_all(body)
    if _has_markup(body):
        body = unescape_all(read_markup(body))
    lines = (collapse(line) for line in body.splitlines())
    return compose("\n\n".join(line for line in lines if line))


def read_markup(text: str) -> str:
    """Return the text of an HTML fragment, with blank lines between paragraphs."""
    shown = AtomicBlocks()(read_tree(parse_html(text)))
    return shown.join_blocks(range(len(shown)))
