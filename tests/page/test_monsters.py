"""Pages of unusual size and depth end, with the right text."""

from __future__ import annotations

import json
from time import process_time
from typing import Any

import pytest
from lxml import etree
from parsel import Selector

from scrapy_boilerplate import EXTRACTORS, extract
from scrapy_boilerplate.page.blocks import TextNodes
from scrapy_boilerplate.page.declared import VALUE_LIMIT
from scrapy_boilerplate.page.parsing import parse_html
from scrapy_boilerplate.page.reading import read_in_python, read_tree
from tests.builders import filler, page_of

LEVELS = 5_000
LONG = 10.0
"""CPU seconds for 100 kB; with a search that is quadratic they are half a minute."""
MECHANISMS = {EXTRACTORS[name].steps[-1].name: name for name in EXTRACTORS}.values()
"""An extractor for each last step; the others differ in thresholds or models."""


def nested_tree(tag: str) -> etree._Element:
    """A tree of `LEVELS` elements in each other, with a text at the bottom."""
    root = element = etree.Element("html")
    for _ in range(LEVELS):
        element = etree.SubElement(element, tag, {"class": "x"})
    element.text = filler(100)
    return root


@pytest.mark.parametrize("name", MECHANISMS)
def test_every_mechanism_ends(name: str) -> None:
    for tag in ("div", "b"):
        document = extract(nested_tree(tag), extractor=name)
        assert [block.text for block in document.blocks] == [filler(100)]
        assert document.text in ("", filler(100))
        in_line = tag == "b" and EXTRACTORS[name].segmenter != TextNodes()
        assert document.blocks[0].xpath == ("/html[1]" if in_line else ""), "too deep for an XPath"
    empty = "<div><p></p><br></div>" * 20_000 + f"<p>{filler(100)}</p>"
    assert len(extract(empty, extractor=name).blocks) == 1
    for word in ("a", "1", "a-", "1.", "\u65e5", "a@", "-"):
        start = process_time()
        extract(f"<p>{word * (100_000 // len(word))}</p>", extractor=name)
        assert process_time() - start < LONG, word


@pytest.mark.parametrize("tag", ["div", "font", "ul><li"])
def test_deep_html_gives_the_tree_of_a_selector(tag: str) -> None:
    html = f"<p>{filler(100)}</p>" + f"<{tag}>" * LEVELS + filler(50)
    root = Selector(text=html, type="html").root
    assert [e.tag for e in parse_html(html).iter()] == [e.tag for e in root.iter()]
    assert page_of(html).texts == page_of(root).texts
    assert page_of(html).texts[0] == filler(100)


READERS = pytest.mark.parametrize("read", [read_tree, read_in_python])
PROPERTIES = 900
"""Fewer than MICRODATA_LIMIT."""


@READERS
def test_properties_in_each_other_are_searched_to_a_limit(read: Any) -> None:
    html = "<div itemprop=a>" * PROPERTIES + "<b></b>" * 30_000 + "<b>late</b>"
    root = parse_html(html)
    start = process_time()
    assert read(root).declared.microdata == ()
    assert process_time() - start < LONG / 4, "7 s if each searches everything"


@READERS
@pytest.mark.parametrize("attribute", ["itemprop", "itemtype"])
def test_a_long_scope_is_not_repeated(read: Any, attribute: str) -> None:
    html = f"<div itemscope {attribute}={'A' * 50_000}>" + "<b itemprop=x>y</b>" * PROPERTIES
    rows = read(parse_html(html)).declared.microdata
    assert len(rows) == PROPERTIES
    assert max(len(part) for row in rows for part in row) == VALUE_LIMIT, "9 GB of 10 MB"


@READERS
def test_a_long_text_is_cut_between_characters(read: Any) -> None:
    html = "<div itemprop=a><!-- x --><i>" + "\U0001f600é" * 9_000 + "</i></div>"
    ((_, value, _),) = read(parse_html(html)).declared.microdata
    assert value == "\U0001f600é" * (VALUE_LIMIT // 2)


@READERS
def test_titles_deep_in_an_image(read: Any) -> None:
    def measure(levels: int) -> float:
        tree = parse_html("<svg>" + "<g>" * levels + "<title></title>" * 20_000)
        start = process_time()
        assert read(tree).title == ""
        return process_time() - start

    assert measure(1_900) < 6 * max(measure(2), 0.01), "9 times: each looks for the image anew"


def test_metadata_of_repeated_parts_takes_linear_time() -> None:
    text = f"<p>{filler(100)}</p>"
    comments = "<div class=comment><p>six words of a comment here</p>" * 4_000
    sections = json.dumps(
        {"@type": "NewsArticle", "articleSection": [f"a:{n}" for n in range(9_000)]}
    )
    declared = f"<script type='application/ld+json'>{sections}</script>"
    pages = {
        "comment_list": f"{text}<div id=comments class=comments>{comments}",
        "section": f"{text}{'<p>a:00</p>' * 8_000}{declared}",
        "authors": f"<h1>Rain</h1><p class=author>{'<i>a</i><b>B</b>' * 20_000}</p>{text}",
        "tags": f"<h1>Rain</h1><a href='{'/tag' * 200_000}'>x</a>{text}",
    }
    for field, html in pages.items():
        document = extract(html, "http://a.example/tag/x")
        start = process_time()
        getattr(document, field)
        assert process_time() - start < LONG / 10, field
