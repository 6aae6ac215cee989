"""Text nodes as blocks, and the text that their parts make together."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from lxml import etree

from scrapy_boilerplate.extraction import load_page
from scrapy_boilerplate.page.blocks import TextNodes
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.parsing import parse_html
from scrapy_boilerplate.page.reading import read_tree
from tests.oracle import check_blocks
from tests.systems.test_block_fusion import HTML


def text_nodes(body: str) -> Page:
    return TextNodes()(load_page(f"<html><body>{body}</body></html>").page)


@pytest.mark.parametrize(
    ("html", "texts", "together"),
    [
        ("", [], ""),
        ("<p>one</p>", ["one"], "one"),
        ("<p>one <b>two</b> three</p>", ["one", "two", "three"], "one two three"),
        ("<p>cut<b>ting</b>.</p>", ["cut", "ting", "."], "cutting."),
        ("<a>one</a> <a>two</a>", ["one", "two"], "one two"),
        ("<p>one<br>two</p>", ["one", "two"], "one\ntwo"),
        ("<p>one</p><p>two <i>three</i></p>", ["one", "two", "three"], "one\n\ntwo three"),
        ("<p>one<!-- note --> two</p>", ["one", "two"], "one two"),
    ],
)
def test_every_text_node_is_a_block(html: str, texts: list[str], together: str) -> None:
    page = text_nodes(html)
    assert page.texts == texts
    assert page.joined(range(len(page))) == together


def test_what_was_left_out_parts_a_line() -> None:
    page = text_nodes("<p>one <b>two</b> three</p>")
    assert page.joined([0, 2]) == "one\n\nthree"


def test_a_block_stands_in_its_own_element() -> None:
    page = text_nodes("<p>one <b>two</b> three</p>")
    assert [path.rpartition("/")[2] for path in page.xpaths] == ["p[1]", "b[1]", "p[1]"]


@settings(max_examples=50, deadline=None)
@given(HTML)
def test_no_text_is_lost(html: str) -> None:
    root: etree._Element = parse_html(f"<html><body>{html}</body></html>")
    page = TextNodes()(read_tree(root))
    check_blocks(root, page)
    assert all(page.texts)
