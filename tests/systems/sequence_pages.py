"""Small pages in text nodes, and columns of features by name."""

from __future__ import annotations

from scrapy_boilerplate.page.blocks import TextNodes
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.parsing import tree_of
from scrapy_boilerplate.page.reading import read_page


def text_nodes(body: str) -> Page:
    """The page around `body`, a block a text node."""
    return TextNodes()(read_page(tree_of(f"<html><body>{body}</body></html>")))
