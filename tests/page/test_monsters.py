"""Pages of unusual size and depth end, with the right text."""

import json

import pytest
from lxml import etree
from parsel import Selector

from scrapy_boilerplate import EXTRACTORS, Limits, extract
from tests.builders import filler, page_of, tree_of

LEVELS = 5_000
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
        in_line = tag == "b" and EXTRACTORS[name].segmenter != EXTRACTORS["web2text"].segmenter
        assert document.blocks[0].xpath == ("/html[1]" if in_line else ""), "too deep for an XPath"
    empty = "<div><p></p><br></div>" * 20_000 + f"<p>{filler(100)}</p>"
    assert len(extract(empty, extractor=name).blocks) == 1
    for word in ("a", "1", "a-", "1.", "\u65e5", "a@", "-"):
        extract(f"<p>{word * (100_000 // len(word))}</p>", extractor=name)


@pytest.mark.parametrize("tag", ["div", "font", "ul><li"])
def test_deep_html_gives_the_tree_of_a_selector(tag: str) -> None:
    html = f"<p>{filler(100)}</p>" + f"<{tag}>" * LEVELS + filler(50)
    root = Selector(text=html, type="html").root
    assert [e.tag for e in tree_of(html).iter()] == [e.tag for e in root.iter()]
    assert page_of(html).texts == page_of(root).texts
    assert page_of(html).texts[0] == filler(100)


# Properties with a value and a name in a scope, of which so many are read.
PROPERTIES = 900
# Characters of a value at most.
VALUE_LIMIT = 2_000


def test_properties_in_each_other_are_searched_to_a_limit() -> None:
    """Where each searches everything, this takes 7 s."""
    html = "<div itemprop=a>" * PROPERTIES + "<b></b>" * 30_000 + "<b>late</b>"
    assert page_of(html).declared.microdata == ()


@pytest.mark.parametrize("attribute", ["itemprop", "itemtype"])
def test_a_long_scope_is_not_repeated(attribute: str) -> None:
    html = f"<div itemscope {attribute}={'A' * 50_000}>" + "<b itemprop=x>y</b>" * PROPERTIES
    rows = page_of(html).declared.microdata
    assert len(rows) == PROPERTIES
    assert max(len(part) for row in rows for part in row) == VALUE_LIMIT, "9 GB of 10 MB"


def test_a_long_text_is_cut_between_characters() -> None:
    html = "<div itemprop=a><!-- x --><i>" + "\U0001f600é" * 9_000 + "</i></div>"
    ((_, value, _),) = page_of(html).declared.microdata
    assert value == "\U0001f600é" * (VALUE_LIMIT // 2)


def test_titles_deep_in_an_image() -> None:
    assert page_of("<svg>" + "<g>" * 1_900 + "<title></title>" * 20_000).title == ""


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
        document = extract(html, "http://a.example/tag/x", limits=Limits(milliseconds=30_000))
        getattr(document, field)
        assert not document.late, field
        assert document.partial != "milliseconds", field
