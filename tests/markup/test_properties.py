"""What holds for the markup of every page."""

import pickle
import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from scrapy_boilerplate import Document, extract
from tests.builders import filler
from tests.markup.safety import ATTRIBUTES, check_html, check_markdown
from tests.markup.safety import TAGS as TAGS_WRITTEN

pytest.importorskip("html_to_markdown")

TAGS = (
    "div section p span a b i em strong code pre br h1 h2 h4 ul ol li dl dt dd menu blockquote q "
    "table caption thead tbody tr td th figure figcaption img picture iframe video object noscript "
    "aside nav header footer form button select option textarea template svg math center font u "
    "sub script style address details summary hr ruby rt my-tag listing xmp"
).split()
URLS_WRITTEN = "/x|//a.example/y z|javascript:1|data:,x|http://[|a:b||x.jpg#y|&".split("|")
WORDS = "one two~ three~four ~<b>~&amp;~[x](y)~`~```~1. x~# x~汉字~\u200b".split("~")
VOID = frozenset(("br", "img", "hr"))
TEXTS = st.sampled_from([*WORDS, filler(30)]) | st.text(
    st.characters(exclude_categories=["Cc", "Cs"], max_codepoint=0xFFFD), max_size=20
)


def build_element(tag: str, url: str, texts: tuple[str, str], below: list[Any]) -> etree._Element:
    node = etree.Element(tag, dict.fromkeys(("href", "src", "data-src", "onclick"), url))
    node.text, node.tail = texts
    if tag in VOID:
        node.text = None
    else:
        node.extend(below)
    return node


def build_elements(tags: Sequence[str], urls: Sequence[str], below: Any) -> Any:
    """Elements with one of these tags and URLs, any texts, and children from `below`."""
    choices = map(st.sampled_from, (tags, urls))
    return st.builds(build_element, *choices, st.tuples(TEXTS, TEXTS), below)


NODES = st.recursive(
    build_elements(TAGS, URLS_WRITTEN, st.just([])),
    lambda below: build_elements(TAGS, URLS_WRITTEN, st.lists(below, max_size=4)),
    max_leaves=30,
)
ROWS = "table tr tr td th tbody thead caption ul div p figure h2".split()
CELLS = st.recursive(
    build_elements(["td", "th", "p"], [""], st.just([])),
    lambda below: build_elements(ROWS, [""], st.lists(below, max_size=4)),
    max_leaves=20,
).map(lambda below: build_element("table", "", ("", ""), [below]))
NAMES = st.sampled_from(["keep-everything", "container", "block-fusion", "min-10-words"])
URLS = st.sampled_from(["https://news.example/a/b", None])


def build_page(below: etree._Element) -> etree._Element:
    root = etree.Element("html")
    etree.SubElement(root, "body").append(below)
    return root


def squeeze(text: str) -> str:
    """Only what can be seen, in order."""
    return re.sub(r"[\s\x00-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2060\ufeff\ufffe\uffff]+", "", text)


def check_document(extracted: Document) -> None:
    assert extracted.html is not None
    assert extracted.markdown is not None
    check_html(extracted.html)
    check_markdown(extracted.markdown)
    written = etree.HTML(f"<div>{extracted.html}</div>")
    for link in written.iter("a"):
        if link.text == link.get("href"):  # of an embed, which may be within a block
            link.text = ""
    seen, start = squeeze("".join(written.itertext())), 0
    for block in extracted.blocks:
        if block.label == "full_text":
            text = squeeze(block.text)
            at = seen.find(text, start)
            assert at >= 0, (block.text, extracted.html)
            start = at + len(text)


@settings(max_examples=150)
@given(NODES | CELLS, NAMES, URLS)
def test_any_tree_and_its_html(below: etree._Element, name: str, url: str | None) -> None:
    root = build_page(below)
    before = etree.tostring(root)
    extracted = extract(root, url, name)
    check_document(extracted)
    assert etree.tostring(root) == before
    assert pickle.loads(pickle.dumps(extracted)).html == extracted.html  # noqa: S301 - our own bytes
    check_document(extract(etree.tostring(root, encoding="unicode", method="html"), url, name))


@settings(max_examples=300)
@given(NODES | CELLS, URLS)
def test_a_sanitiser_changes_nothing(below: etree._Element, url: str | None) -> None:
    """nh3 parses as browsers do, so the tree is also the one that a browser would build."""
    html = extract(build_page(below), url, "keep-everything").html
    assert html == pytest.importorskip("nh3").clean(
        *(html, TAGS_WRITTEN),
        attributes=ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        link_rel=None,
    )
