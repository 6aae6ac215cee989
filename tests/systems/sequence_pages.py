"""Small pages in text nodes, and columns of features by name."""

from __future__ import annotations

from scrapy_boilerplate.extraction import load_page
from scrapy_boilerplate.page.blocks import TextNodes
from scrapy_boilerplate.page.page import Page


def text_nodes(body: str) -> Page:
    """The page around `body`, a block a text node."""
    return TextNodes()(load_page(f"<html><body>{body}</body></html>").page)
