"""Properties of every page, for any bytes, text or tree."""

import os
import subprocess
import sys
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from scrapy_boilerplate import EXTRACTORS, Document, Label
from scrapy_boilerplate.document import build_document
from scrapy_boilerplate.page.parsing import parse_html
from scrapy_boilerplate.page.reading import find_roots
from scrapy_boilerplate.page.text import compose
from tests.builders import page_of
from tests.conftest import REPO
from tests.oracle import check_blocks

TAGS = (
    "html head title body div p a b br hr li ul table tr td h1 h2 nav footer figcaption script "
    "style svg select option noscript template ruby rt pre form o:p my-tag blockquote"
).split()
NAMES = "comments related caption newsletter nav has-comments story x ads".split()
TEXTS = st.text(max_size=60) | st.sampled_from(
    ["word " * 30, "one two", " ", "Comments", "汉字" * 20, "12 comments", "\u200b", "."]
)
XML_TEXTS = st.text(st.characters(exclude_categories=["Cc", "Cs"], max_codepoint=0xFFFD))
MARKUP = st.one_of(
    TEXTS,
    st.sampled_from(TAGS).map("<{}>".format),
    st.sampled_from(TAGS).map("</{}>".format),
    st.sampled_from(NAMES).map("<div class='{}'>".format),
    st.sampled_from(["<a href='/x'>", "<!-- x -->", "<!--", "<?x y?>", "&nbsp;", "&#0;", "<"]),
)
SOUP = st.lists(MARKUP, max_size=40).map("".join)


def element(tag: str, name: str, text: str, tail: str, below: list[Any]) -> etree._Element:
    new = etree.Element(tag, {"class": name, "href": name})
    new.text, new.tail = text, tail
    new.extend(below)
    return new


def comment(text: str, tail: str) -> etree._Element:
    new = etree.Comment(text.replace("-", ""))
    new.tail = tail
    return new


TREES = st.recursive(
    st.builds(comment, XML_TEXTS, XML_TEXTS),
    lambda below: st.builds(
        element,
        st.sampled_from([tag for tag in TAGS if ":" not in tag]),
        st.sampled_from(NAMES),
        XML_TEXTS,
        XML_TEXTS,
        st.lists(below, max_size=4),
    ),
    max_leaves=25,
).map(lambda below: element("html", "", "", "", [below]))


def check_document(document: Document, name: str, n_blocks: int) -> None:
    assert document.extractor == name
    assert len(document.blocks) == n_blocks
    assert 0 <= document.confidence <= 1
    assert {block.label for block in document.blocks} <= {label.text for label in Label}
    content = [block.text for block in document.blocks if block.label == "full_text"]
    if "text" not in document.evidence:
        assert document.text.split() == compose(" ".join(content)).split()
    assert (document.error, document.headline) != (None, "")


def check_page(root: etree._Element) -> None:
    before = etree.tostring(root)
    page = page_of(root)
    check_blocks(root, page)
    for name, extractor in EXTRACTORS.items():
        labeling = extractor.label(page)
        lengths = {len(labeling.labels), len(labeling.scores), len(labeling.decided_by)}
        assert lengths == {len(page)}
        confidence = extractor.confidence(page, labeling)
        document = build_document(page, labeling, extractor=name, confidence=confidence)
        check_document(document, name, len(page))
    assert etree.tostring(root) == before


def check_html(html: str | bytes) -> None:
    check_page(parse_html(html))


UTF_16 = SOUP.map(lambda html: html.encode("utf-16", "surrogatepass"))


@settings(max_examples=100)
@given(SOUP | UTF_16 | st.binary(max_size=300) | st.text(max_size=300))
def test_every_promise_holds_for_any_page(html: str | bytes) -> None:
    check_html(html)


@given(TREES)
def test_every_promise_holds_for_any_tree(root: etree._Element) -> None:
    check_page(root)


@given(SOUP, st.sampled_from(["div", "section", "td", "article"]))
def test_text_of_a_page_does_not_depend_on_its_wrapper(html: str, tag: str) -> None:
    root = parse_html(html)
    wrapper = etree.Element(tag)
    wrapper.extend(find_roots(parse_html(html)))
    assert page_of(wrapper).leaves.texts == page_of(root).leaves.texts


SCRIPT = """
import hashlib
from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.extractors import EXTRACTORS
from tests.fuzz.seeds import OWN
documents = [extract(html, extractor=name) for html in OWN for name in EXTRACTORS]
values = [(d.text, d.headline, d.comments, d.confidence, d.blocks) for d in documents]
print(hashlib.sha256(repr(values).encode()).hexdigest())
"""


def test_documents_do_not_depend_on_the_hash_seed() -> None:
    digests = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=REPO,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert len(digests[0].strip()) == 64
    assert digests[0] == digests[1]
