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


@pytest.mark.parametrize("tag", SPLITTING)
def test_block_level_tag_ends_a_block(tag: str) -> None:
    assert block_texts(f"<div>one <{tag}>two</{tag}> three</div>") == ["one", "two", "three"]


@pytest.mark.parametrize("tag", INLINE)
def test_inline_tag_does_not_end_a_block(tag: str) -> None:
    assert block_texts(f"<p>one <{tag}>two</{tag}> three</p>") == ["one two three"]


@pytest.mark.parametrize("tag", INLINE)
def test_inline_tag_adds_no_space(tag: str) -> None:
    assert block_texts(f"<p>o<{tag}>n</{tag}>e</p>") == ["one"]


@pytest.mark.parametrize("tag", ["script", "style", "svg", "rt"])
def test_invisible_inline_tag_does_not_break_a_paragraph(tag: str) -> None:
    assert block_texts(f"<p>one <{tag}>hidden</{tag}>two</p>") == ["one two"]


@pytest.mark.parametrize("tag", ["img", "input", "wbr", "link", "meta", "param", "source"])
def test_text_after_a_void_tag_is_kept(tag: str) -> None:
    assert "".join(block_texts(f"<p>one <{tag}>two</p>")).replace(" ", "") == "onetwo"


def test_text_after_an_embed_is_kept() -> None:
    assert block_texts("<div><embed src=x><p>one</p><p>two</p></div>") == ["one", "two"]


@pytest.mark.parametrize(
    ("inside", "texts"),
    [
        pytest.param("one<br>two", ["one", "two"], id="a br ends a block"),
        pytest.param("one<br><br>two", ["one", "two"], id="two br"),
        pytest.param("<br>one<br>", ["one"], id="a br at the ends makes no block"),
        pytest.param("o<b>n<br></b>e", ["on", "e"], id="a br in an inline tag"),
        pytest.param("one<p></p><p> </p>two", ["one", "two"], id="empty paragraphs"),
        pytest.param("one <span> </span> two", ["one two"], id="blank inline tag"),
        pytest.param("one<span> </span>two", ["one two"], id="blank text parts words"),
        pytest.param("o<!-- hidden -->ne", ["one"], id="comment in a word"),
        pytest.param("<!-- hidden -->one", ["one"], id="comment before text"),
        pytest.param("<p>one</p><!-- hidden -->two", ["one", "two"], id="comment between blocks"),
        pytest.param("o<?php hidden ?>ne", ["one"], id="processing instruction"),
        pytest.param("one<div>two</div>three<div>four</div>", ["one", "two", "three", "four"]),
        pytest.param("<b><div>one</div>two</b>", ["one", "two"], id="a div in an inline tag"),
        pytest.param("<ul><li>one<ul><li>two</ul>three</ul>", ["one", "two", "three"], id="lists"),
        pytest.param("<p>one<p>two", ["one", "two"], id="unclosed paragraphs"),
        pytest.param("<td>one<td>two", ["one", "two"], id="cells without a table"),
    ],
)
def test_blocks(inside: str, texts: list[str]) -> None:
    assert block_texts(f"<body><div>{inside}</div></body>") == texts


@pytest.mark.parametrize(
    ("between", "expected"),
    [
        pytest.param("", Break.NONE, id="nothing"),
        pytest.param("<!-- hidden -->", Break.NONE, id="comment"),
        pytest.param("<b></b>", Break.NONE, id="inline tag"),
        pytest.param("<br>", Break.LINE, id="br"),
        pytest.param("<i><br></i>", Break.LINE, id="br in an inline tag"),
        pytest.param("<br> ", Break.LINE, id="br and space"),
        pytest.param("<br><br>", Break.PARAGRAPH, id="two br"),
        pytest.param("<br> \n <br>", Break.PARAGRAPH, id="two br with space between"),
        pytest.param("<br><!-- hidden --><br>", Break.PARAGRAPH, id="two br around a comment"),
        pytest.param("<br><br><br>", Break.PARAGRAPH, id="three br"),
        pytest.param("<hr>", Break.PARAGRAPH, id="rule"),
        pytest.param("<div></div>", Break.PARAGRAPH, id="empty div"),
        pytest.param("<br><hr>", Break.PARAGRAPH, id="br then rule"),
        pytest.param("<hr><br>", Break.PARAGRAPH, id="rule then br"),
    ],
)
def test_break_between_two_texts(between: str, expected: Break) -> None:
    leaves = page_of(f"<div>one<i>{between}</i><b>two</b></div>").leaves
    assert leaves.breaks == [Break.PARAGRAPH, expected]


def test_block_stands_in_the_nearest_block_level_element() -> None:
    page = page_of("<div><p><b>one</b></p><a href=x>two</a></div>")
    assert page.tags == ["p", "div"]


def test_lines_stand_in_the_same_element() -> None:
    page = page_of("<td>one<br>two</td>")
    assert len(set(page.blocks.elements.tolist())) == 1


def test_tail_of_the_given_element_is_outside() -> None:
    body = etree.fromstring("<body>none<div>one</div>two</body>")
    div = body.find("div")
    assert div is not None
    assert block_texts(div) == ["one"]


def text_nodes(body: str) -> Page:
    return TextNodes()(read_tree(parse_html(f"<html><body>{body}</body></html>")))


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
