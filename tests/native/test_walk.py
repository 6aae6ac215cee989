"""The native walk and the walk in Python: pages, all kinds of trees, trees for Python only."""

from __future__ import annotations

import gc
import tracemalloc
from itertools import islice
from pathlib import Path
from random import Random

import lxml.html
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from scrapy_boilerplate.page.parsing import parse_html
from scrapy_boilerplate.page.reading import MANY_COMMENTS, read_tree
from scrapy_boilerplate.training.corpora import read_records
from tests.fuzz.mutations import MARKUP, mutate
from tests.fuzz.seeds import OWN
from tests.native.trees import EXAMPLE, build_roots, build_tree, check_parts, check_tree, read

PAGES = {
    "nothing": "",
    "the example": EXAMPLE,
    "deep": "<div>" * 1_900 + "x" + "</div>" * 1_900 + "y",
    "deeper than the parser reads": "<b>" * 3_000 + "x",
    "many comments": "<p>x<!-- y -->" * (MANY_COMMENTS + 9),
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


@pytest.mark.parametrize("first", range(0, 300, 100))
def test_mutated_pages(first: int) -> None:
    for seed in range(first, first + 100):
        random = Random(seed)  # noqa: S311
        data = mutate(b"\0" + random.choice(OWN).encode(), random.choice(OWN).encode(), random)
        root = parse_html(data[1:])
        assert check_tree(root), seed
        check_parts(root, random)


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
        for record in islice(read_records(path), 0, 60, 3):
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
