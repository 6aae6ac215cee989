"""The native walk and the walk in Python: pages, all kinds of trees, trees for Python only."""

import gc
import tracemalloc
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import fields
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import lxml.html
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from scrapy_boilerplate import native
from scrapy_boilerplate.page.columns import LEAF_COLUMNS
from scrapy_boilerplate.page.parsing import parse_html
from scrapy_boilerplate.page.reading import (
    ELEMENT_COLUMNS,
    MAX_LXML_COMMENTS,
    TreeColumns,
    build_native_walk,
    read_in_python,
    read_tree,
)
from tests.builders import read_corpus
from tests.fuzz.mutations import MARKUP

if native.walk is None:
    pytest.skip(native.obstacles["walk"], allow_module_level=True)
read = build_native_walk(native.walk)

XHTML, OTHER = "http://www.w3.org/1999/xhtml", "urn:other"


# an example of everything that the walk reads
EXAMPLE = (
    "<!DOCTYPE html><html lang=en-GB><head><title> Ferry\n sails </title><meta name=a content=b>"
    "<meta property=og:locale content=de><link rel=Canonical href=' /x '>"
    "<link rel='License up' type=application/rsl+xml href=/l><link rel='x next' href='?page=2'>"
    "<script type=application/ld+json>{}</script></head><body><svg><title>z</title></svg>"
    "<div class='a b' id=c role=main itemscope itemtype='//x/Y'><p>one <b>two</b><br><br>three"
    "<!-- no --> \u6f22 <a href=/y rel=author itemprop=author>four</a><img src=z></p> \xa0 "
    "<time datetime=2024-05-01>five</time><select><option>six</select></div></html><p>seven"
)


def describe_reading(reading: TreeColumns) -> tuple[Any, ...]:
    """Return what can be compared: each derived column that is there as in Python."""
    elements, leaves = reading[:2]
    columns = (
        [
            reading.element_columns.get(name, getattr(elements, name)).tolist()
            for name in ELEMENT_COLUMNS
        ],
        [reading.leaf_columns.get(name, getattr(leaves, name)).tolist() for name in LEAF_COLUMNS],
    )
    facts = (*(getattr(part, field.name) for part in reading[:3] for field in fields(part)),)
    return (*facts, reading.title, reading.languages, *columns)


def check_tree(root: etree._Element) -> bool:
    """Compare both walks; return whether the native one reads the tree."""
    compiled = read(root)
    if compiled is None:
        return False
    try:
        python = read_in_python(root)
    except UnicodeDecodeError:  # of a value that only Python's walk decodes
        return True
    assert describe_reading(compiled) == describe_reading(python)
    assert list(map(type, compiled.leaves.breaks)) == list(map(type, python.leaves.breaks))
    names, elements = compiled.element_columns["names"], compiled.elements
    assert list(names.numbers.items()) == [(name, n) for n, name in enumerate(names.strings)]
    for column, of_elements in zip(names[2:], (elements.tags, elements.classes), strict=False):
        assert [names.strings[number] for number in column] == of_elements
    assert list(map(type, compiled.leaves.in_link)) == list(map(type, python.leaves.in_link))
    return True


def check_parts(root: etree._Element, random: Random, n: int = 3) -> None:
    """Check some of the elements of a tree as roots, and a tree without one of them."""
    elements = [element for element in root.iter() if isinstance(element.tag, str)]
    for element in random.sample(elements, min(n, len(elements))):
        check_tree(element)
    element = random.choice(elements)
    if (parent := element.getparent()) is not None:
        parent.remove(element)
        check_tree(element)
        check_tree(root)


# --- trees made by lxml's own functions ---

TAGS = (
    *("html", "head", "body", "title", "meta", "link", "script", "svg", "div", "p", "a", "b"),
    *("br", "img", "time", "span", "select", "HEAD", "P", "x}y", "ü", "base", "noscript"),
    *(f"{{{XHTML}}}meta", f"{{{XHTML}}}a", f"{{{OTHER}}}title", f"{{{OTHER}}}head", "{}p"),
)
NAMES = (
    *("class", "id", "role", "href", "rel", "src", "datetime", "content", "property", "name"),
    *("http-equiv", "type", "itemprop", "itemtype", "itemscope", "lang", "style", "CLASS"),
    *(f"{{{OTHER}}}class", f"{{{OTHER}}}itemprop", "{http://www.w3.org/XML/1998/namespace}lang"),
)
VALUES = (
    *("", " ", "a", "author", "nofollow Author", "canonical", " Image_Src", "IMAGE_SRC", "\xa0"),
    *("application/LD+JSON", "og:locale", "Content-Language", "language", "LANGUAGE", "de-AT"),
    *("https://schema.org/NewsArticle/", "/x?y#z", "漢字", "x" * 3_000, "\U0001f600", "K", "ſ"),
)
TEXTS = (
    *("", " ", "\n\t", "one", " two ", "\xa0", "\u200b", "\xad\u2060", "\ufeff \u3000", "漢字"),
    *("\U0001f600", "\x7f", "\x85", "\u2028", "x" * 400, "]]>", "{}"),
)


def build_tree(random: Random, root: etree._Element, n: int) -> etree._Element:
    """Add `n` nodes of all kinds at random places."""
    elements = [root]
    for _ in range(n):
        parent = random.choice(elements[-6:] if random.random() < 0.7 else elements)
        kind = random.randrange(20)
        if kind == 0:
            node: Any = etree.Comment(random.choice(TEXTS).replace("-", ""))
        elif kind == 1:
            node = etree.ProcessingInstruction("x", "y")
        elif kind == 2 and random.random() < 0.1:
            node = etree.Entity("nbsp")
        elif kind == 3 and random.random() < 0.3:
            node = etree.fromstring("<a><b class='x'>y<![CDATA[z]]></b>t</a>")[0]
        else:
            try:
                node = root.makeelement(random.choice(TAGS))
            except ValueError:  # names that lxml refuses
                continue
            elements.append(node)
            for _ in range(random.randrange(4)):
                node.set(random.choice(NAMES), random.choice(VALUES))
            if random.random() < 0.7:
                text = random.choice(TEXTS)
                node.text = _write_text(text, random) if "\x7f" not in text else text
        if random.random() < 0.6:
            node.tail = random.choice(TEXTS)
        place = random.randint(0, len(parent))
        parent.insert(place, node)
    return root


def _write_text(text: str, random: Random) -> Any:
    return etree.CDATA(text) if text and "]]>" not in text and random.random() < 0.1 else text


def build_roots() -> Iterator[etree._Element]:
    """Yield trees of HTML to be filled, of one and of several roots, whole and inside of others."""
    yield etree.HTML("<html><head></head><body><p>x</p></body></html>")
    yield etree.HTML("<p>one</p></html><p>two<div>three")
    yield etree.HTML("<!-- a --><!DOCTYPE html><?x y?><p>b</p><!-- c -->")
    yield lxml.html.fragment_fromstring("<div>one<b>two</b></div>")
    yield lxml.html.Element("html")
    yield lxml.html.Element("title")
    yield deepcopy(etree.HTML("<body><div><a href=x>y</a></div>"))[0][0]
    yield etree.HTML("<svg><g><title>x</title></g></svg><p>y")[0]


PAGES = {
    "nothing": "",
    "the example": EXAMPLE,
    "deep": "<div>" * 1_900 + "x" + "</div>" * 1_900 + "y",
    "deeper than the parser reads": "<b>" * 3_000 + "x",
    "many comments": "<p>x<!-- y -->" * (MAX_LXML_COMMENTS + 9),
    "many names": "".join(f"<x{i} y{i}=z>" for i in range(1_500)),
    "several roots": "<p>one</html><b>two</b></html>three<a href=x>four</html><p>five",
    "no break space in the head": "<head><title>a</title>\xa0</head>b",
    "empty attributes": "<a href>x</a><a href=''>y</a><p class id='' role=''>z<time>",
    "attributes with prefixes": "<p x:class=a xml:lang=de xmlns:x=y>z",
    "json": "<script type='Application/LD+json'>{}</script>"
    "<script type=ld+json><!-- x --></script>",
    "json of all sizes": "".join(
        f"<script type=ld+json>{'x' * n}</script>" for n in (0, 499_000, 999, 2, 1, 0, 1)
    ),
    "long values": f"<meta name=' A ' content='{'x ' * 2_000}'>"
    f"<link rel=canonical href={'y' * 3_000}>",
    "blank values": "<meta name=a content=' '><meta name='' property=b content=c><meta content=d>"
    "<link rel=canonical href=''><link rel=canonical href=' '>",
    "two heads": "<head></head><body><div><head><meta name=language content=de>",
    "titles in images": "<svg><g><title>a</title><svg><title>b</title></svg><title>c</title></g>"
    "<title>d</title></svg><x}svg><title>e</title></x}svg><title>f</title>",
    "only titles in images": "<svg><select><title>a</title></select></svg><svg><title>b</title>",
    "microdata": "<div itemscope itemtype='//x/A/' itemprop=P><p itemprop=author itemscope>"
    "<b itemprop=Name>one<i>two</i>three</b><time itemprop=d datetime=x>y</time>"
    "<b itemprop=''>z</b><img itemprop=i src=j content=''></p><b itemprop=e> </b></div>",
    "much microdata": "<b itemprop=a content=b></b>" * 1_100
    + "</html>"
    + "<i itemprop=c>d</i>" * 9,
    "scopes too far away": "<div itemscope itemtype=x>" + "<b>" * 60 + "<i itemprop=a>b",
    "a property of many nodes": "<div itemprop=a>"
    + "<i></i><!-- x -->x" * 99
    + "<b>y</b>z<b>y</b><b>z",
    "properties in each other": "<div itemprop=a><!-- x --><?y?>z" * 300 + "<b></b>" * 99 + "<i>x",
    "long scopes": f"<div itemscope itemtype='//{'y' * 2_500}' itemprop=D><div itemscope "
    f"itemprop={'İ' * 1_999}><b itemprop={'Z' * 2_400}>{'漢é' * 1_500}<b itemprop=x>"
    f"{'x' * 1_998}漢字",
    "not Latin": "<p class=漢字 id=ü>漢字 <b>\U0001f600</b> &#xd800; &#0; &nbsp;</p><ü>x",
}


@pytest.mark.parametrize("html", PAGES.values(), ids=PAGES)
def test_pages(html: str) -> None:
    root = etree.HTML(html or "<html/>", etree.HTMLParser(huge_tree=True))
    assert check_tree(root)
    check_parts(root, Random(1))  # noqa: S311


@given(st.lists(st.sampled_from([piece.decode() for piece in MARKUP]) | st.text(), max_size=40))
def test_any_markup(pieces: list[str]) -> None:
    assert check_tree(parse_html("".join(pieces)))


@pytest.mark.parametrize("seed", range(0, 150, 50))
def test_trees_made_by_lxml(seed: int) -> None:
    native = []
    for number in range(seed, seed + 50):
        random = Random(number)  # noqa: S311
        for root in build_roots():
            build_tree(random, root, random.randrange(60))
            native.append(check_tree(root))
            check_parts(root, random)
    assert native.count(True) > native.count(False) > 0


def test_pages_of_the_corpora(corpora: Path) -> None:
    n = 0
    for path in sorted(corpora.glob("*.jsonl.xz")):
        for record in islice(read_corpus(path), 0, 60, 3):
            assert check_tree(parse_html(record["html"]))
            n += 1
    assert n > 100


LEFT_TO_PYTHON = {
    "XML": etree.fromstring("<html><p>x</p></html>"),
    "XHTML": etree.fromstring("<html xmlns='http://www.w3.org/1999/xhtml'><p>x</p></html>"),
    "an entity": etree.HTML("<p>x</p>"),
    "an attribute of several nodes": etree.fromstring(
        "<!DOCTYPE p [<!ENTITY e 'x'>]><p class='a&e;'>x</p>",
        etree.XMLParser(resolve_entities=False),
    ),
    "a comment": etree.Comment("x"),
    "an instruction": etree.ProcessingInstruction("x"),
}
LEFT_TO_PYTHON["an entity"][0].append(etree.Entity("nbsp"))


@pytest.mark.parametrize("root", LEFT_TO_PYTHON.values(), ids=LEFT_TO_PYTHON)
def test_left_to_python(root: etree._Element) -> None:
    assert read(root) is None
    if isinstance(root.tag, str):
        assert len(read_tree(root).elements) > 0


def test_no_elements() -> None:
    """lxml lets one make an element outside of all trees: only its repr does not crash."""
    outside = etree._Element.__new__(etree._Element)
    for source in (None, "x", object(), etree, etree._Element, outside):
        assert read(source) is None  # type: ignore[arg-type]


def test_elements_of_own_classes() -> None:
    class Own(etree.ElementBase):
        pass

    parser = etree.HTMLParser()
    parser.set_element_class_lookup(etree.ElementDefaultClassLookup(element=Own))
    root = etree.HTML(EXAMPLE, parser)
    assert isinstance(root, Own)
    assert check_tree(root)
    assert check_tree(lxml.html.fromstring(EXAMPLE))


def test_no_memory_is_lost() -> None:
    root = etree.HTML(EXAMPLE)
    xml = etree.fromstring("<p>x</p>")
    written = etree.tostring(root, with_tail=False)
    for _ in range(5):
        read(root)
    tracemalloc.start()
    try:
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(300):
            read(root)
            read(xml)
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] - before < 10_000
    finally:
        tracemalloc.stop()
    assert etree.tostring(root, with_tail=False) == written, "it is only read"


class Vandal:
    """Garbage that empties a tree when it is collected."""

    def __init__(self, root: etree._Element) -> None:
        self.root, self.itself = root, self

    def __del__(self) -> None:
        self.root.clear()


def test_the_collector_changes_no_tree_while_it_is_read() -> None:
    html = "<div>one<p>two</p></div>" * 90
    whole, empty = len(read_tree(etree.HTML(html)).elements), 1
    thresholds = gc.get_threshold()
    gc.set_threshold(1, 1, 1)
    try:
        for _ in range(50):
            root = etree.HTML(html)
            Vandal(root)
            native = read(root)
            assert native is not None
            assert len(native.elements) in {whole, empty}
    finally:
        gc.set_threshold(*thresholds)
