"""Small pages in text nodes, and columns of features by name."""

from __future__ import annotations

from scrapy_boilerplate.page import Page
from scrapy_boilerplate.segment.parse import tree_of
from scrapy_boilerplate.segment.read import read_page
from scrapy_boilerplate.segment.text_nodes import TextNodes


def text_nodes(body: str) -> Page:
    """The page around `body`, a block a text node."""
    return TextNodes()(read_page(tree_of(f"<html><body>{body}</body></html>")))
