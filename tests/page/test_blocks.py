"""What cuts text into blocks, and what does not; text nodes as blocks."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from lxml import etree

from scrapy_boilerplate.page.blocks import TextNodes
from scrapy_boilerplate.page.columns import Break
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.parsing import parse_html
from scrapy_boilerplate.page.reading import read_tree
from tests.builders import block_texts, page_of
from tests.oracle import check_blocks
from tests.systems.test_block_fusion import HTML

SPLITTING = (
    "p div li td th tr h1 h6 section article header footer aside main nav blockquote pre figure "
    "figcaption dt dd address center fieldset legend details summary noscript template "
    "my-element o:p unknown"
).split()
INLINE = (
    "a abbr b bdi cite code del dfn em font i ins kbd label mark q s samp small span strong sub "
    "sup time tt u var"
).split()
INVISIBLE = ("script", "style", "svg", "rt")


def test_block_level_tags_end_a_block() -> None:
    for tag in SPLITTING:
        html = f"<div>one <{tag}>two</{tag}> three</div>"
        assert block_texts(html) == ["one", "two", "three"], tag


def test_inline_tags_neither_end_a_block_nor_add_a_space() -> None:
    for tag in INLINE:
        assert block_texts(f"<p>one <{tag}>two</{tag}> t<{tag}>hre</{tag}>e</p>") == [
            "one two three"
        ], tag
    for tag in INVISIBLE:
        assert block_texts(f"<p>one <{tag}>hidden</{tag}>two</p>") == ["one two"], tag


def test_text_after_a_void_tag_is_kept() -> None:
    for tag in ("img", "input", "wbr", "link", "meta", "param", "source"):
        assert "".join(block_texts(f"<p>one <{tag}>two</p>")).replace(" ", "") == "onetwo", tag
    assert block_texts("<div><embed src=x><p>one</p><p>two</p></div>") == ["one", "two"]


BLOCKS = {
    "one<br><br>two": ["one", "two"],
    "o<b>n<br></b>e": ["on", "e"],
    "one<p></p><p> </p>two": ["one", "two"],
    "one <span> </span> two": ["one two"],
    "o<!-- hidden -->n<?php hidden ?>e": ["one"],
    "<p>one</p><!-- hidden -->two": ["one", "two"],
    "<b><div>one</div>two</b>": ["one", "two"],
    "<ul><li>one<ul><li>two</ul>three</ul>": ["one", "two", "three"],
}


@pytest.mark.parametrize(("inside", "texts"), BLOCKS.items())
def test_blocks(inside: str, texts: list[str]) -> None:
    assert block_texts(f"<body><div>{inside}</div></body>") == texts


BREAKS = {
    Break.NONE: ("", "<!-- hidden -->"),
    Break.LINE: ("<br>", "<i><br></i>"),
    Break.PARAGRAPH: ("<br> \n <br>", "<br><!-- hidden --><br>", "<hr>", "<br><hr>", "<hr><br>"),
}


@pytest.mark.parametrize("expected", BREAKS)
def test_break_between_two_texts(expected: Break) -> None:
    for between in BREAKS[expected]:
        leaves = page_of(f"<div>one<i>{between}</i><b>two</b></div>").leaves
        assert leaves.breaks == [Break.PARAGRAPH, expected], between


def test_block_stands_in_the_nearest_block_level_element() -> None:
    assert page_of("<div><p><b>one</b></p><a href=x>two</a></div>").tags == ["p", "div"]
    assert len(set(page_of("<td>one<br>two</td>").blocks.elements.tolist())) == 1


def test_tail_of_the_given_element_is_outside() -> None:
    body = etree.fromstring("<body>none<div>one</div>two</body>")
    div = body.find("div")
    assert div is not None
    assert block_texts(div) == ["one"]


def text_nodes(body: str) -> Page:
    return TextNodes()(read_tree(parse_html(f"<html><body>{body}</body></html>")))


TEXT_NODES = {
    "": ([], ""),
    "<p>one <b>two</b> three</p>": (["one", "two", "three"], "one two three"),
    "<p>cut<b>ting</b>.</p>": (["cut", "ting", "."], "cutting."),
    "<p>one<br>two</p>": (["one", "two"], "one\ntwo"),
    "<p>one</p><p>two <i>three</i></p>": (["one", "two", "three"], "one\n\ntwo three"),
    "<p>one<!-- note --> two</p>": (["one", "two"], "one two"),
}


@pytest.mark.parametrize("html", TEXT_NODES)
def test_every_text_node_is_a_block(html: str) -> None:
    page = text_nodes(html)
    assert (page.texts, page.joined(range(len(page)))) == TEXT_NODES[html]


def test_text_nodes_stand_in_their_own_elements() -> None:
    page = text_nodes("<p>one <b>two</b> three</p>")
    assert page.joined([0, 2]) == "one\n\nthree"
    assert [path.rpartition("/")[2] for path in page.xpaths] == ["p[1]", "b[1]", "p[1]"]


@settings(max_examples=50, deadline=None)
@given(HTML)
def test_no_text_is_lost(html: str) -> None:
    root: etree._Element = parse_html(f"<html><body>{html}</body></html>")
    page = TextNodes()(read_tree(root))
    check_blocks(root, page)
    assert all(page.texts)
