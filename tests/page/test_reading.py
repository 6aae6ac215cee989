"""Which texts of a page are read, which of them are links, declared properties, and the walk."""

from __future__ import annotations

import random
from collections.abc import Iterator
from time import thread_time
from typing import Any

import pytest
from lxml import etree

from scrapy_boilerplate import extract
from scrapy_boilerplate.page.parsing import parse_html
from scrapy_boilerplate.page.reading import MAX_LXML_COMMENTS, MAX_NAME, NodeWalk, walk_nodes
from scrapy_boilerplate.site.page_records import find_content_paths
from tests.builders import block_texts, document, page_of

HIDDEN = [
    *(f"<{tag}>hidden</{tag}>" for tag in "script style canvas video audio iframe object".split()),
    "<svg><text>hidden</text></svg>",
    "<select><option>hidden<option>hidden</select>",
    "<datalist><option>hidden</datalist>",
    "<!-- hidden -->",
    '<img alt="hidden"><input value="hidden">',
]
SHOWN = [
    *(f"<{tag}>one</{tag}>" for tag in "noscript template button textarea form".split()),
    '<div hidden style="display:none">one</div>',
    "<custom-svg>one</custom-svg>",
    "<selection>one</selection>",
]


def test_hidden_text_is_left_out_and_other_text_is_kept() -> None:
    for hidden in HIDDEN:
        html = document(f"<div>one</div>{hidden}<div>two</div>")
        assert block_texts(html) == ["one", "two"], hidden
    for shown in SHOWN:
        assert block_texts(document(shown, title="hidden")) == ["one"], shown


def test_text_in_the_head_is_read() -> None:
    for head in ("one<title>T</title>", "<title>T</title>one", "<title>T</title><p>one</p>"):
        page = f"<html><head>{head}</head><body><p>two</p></body></html>"
        assert block_texts(etree.fromstring(page)) == ["one", "two"], head


def test_pronunciation_is_left_out_of_ruby() -> None:
    ruby = "<p>日本<ruby>語<rp>(</rp><rt>ご</rt><rp>)</rp></ruby>です</p>"
    assert block_texts(ruby) == ["日本語です"]


LINKED = {
    # XML, words in links
    "link": ("<p><a href='/x'>one two</a> three</p>", 2),
    "empty address": ("<p><a href=''>one two</a> three</p>", 2),
    "no address": ("<p><a>one two</a> three <b href='/x'>four</b></p>", 0),
    "tags in link": ("<p><a href='/x'>one <b>two <i>x</i></b></a> three</p>", 3),
    "nested": ("<p><a href='/x'>one <a name='y'>two</a> three</a> four</p>", 1),
    "link in a link": ("<p><a href='/x'>1 <a href='/y'>2</a> 3</a> 4</p>", 2),
    "link without end": ("<div><a href='/x'>1<p>2</p><p>3 <a href='/y'>4</a></p>5</a></div>", 2),
}


@pytest.mark.parametrize(("html", "linked"), LINKED.values(), ids=LINKED)
def test_linked_words(html: str, linked: int) -> None:
    assert page_of(etree.fromstring(html)).link_words.sum() == linked


def test_link_around_blocks() -> None:
    page = page_of("<a href='/x'><div>one two</div><div>three</div></a><div>four</div>")
    assert page.link_words.tolist() == [2, 1, 0]


def test_title() -> None:
    page = "<svg><title>Logo</title></svg>{}<p>x".format
    assert page_of(page("")).title == ""
    titles = "<title>\n One \n two </title><title>Two</title>"
    assert page_of(page(titles)).title == "One two", "the first of two"


LANGUAGES = {
    "<html lang=de-AT><p>x": "de",
    "<html lang=pt_BR><p>x": "pt",
    "<html lang=EN><p>x": "en",
    "<html lang='' xml:lang=fr><p>x": "fr",
    "<html><p lang=de>x": None,
    "<html lang=deutsch><p>x": None,
    "<html lang='{{ lang }}'><p>x": None,
    "<meta property=og:locale content=es_MX><p>x": "es",
    "<meta http-equiv=Content-Language content=it><p>x": "it",
    "<meta name=language content=nl><p>x": "nl",
    "<meta name=author content=nl><p>x": None,
    "<html lang=de><meta name=language content=nl>": "de",
}


@pytest.mark.parametrize(("html", "language"), LANGUAGES.items())
def test_language(html: str, language: str | None) -> None:
    assert extract(html).language == language


@pytest.mark.parametrize("end", ["</html>", "</body></html>"])
def test_text_after_the_end_of_the_document_is_kept(end: str) -> None:
    assert block_texts(f"<html><body><p>one</p>{end}<p>two</p>three") == ["one", "two", "three"]


def test_long_names_are_cut() -> None:
    long = "x" * MAX_NAME
    elements = page_of(f"<div class={long}y id={long}y role={long}y><p>Text</p></div>").elements
    for column in (elements.classes, elements.ids, elements.roles):
        assert max(column, key=len) == long


ENTRY = "<section><time datetime=2026-01-01T10:00Z>10:00</time><p>Words of an entry that counts"
LINES = {
    "lines with dates": "<span>January 5, 2026</span><p>By Jane Doe",
    "entries of a live blog": f"{ENTRY} for more than eight.</section>",
}


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_a_long_name_around_many_lines_costs_little(line: str) -> None:
    """It was read again for each of them, which took 15 s."""
    html = f"<title>Live</title><div class='{'x ' * 50_000}'>{line * 2_000}</div>"
    start = thread_time()
    document = extract(html, "https://a.example/live")
    assert find_content_paths(*document.get_page())
    assert document.entries is not None
    assert thread_time() - start < 4


PIECES = "<p>|</p>|<!-- c -->|text|<?x y?>|<b>|</b>|<br>|<svg><g></g></svg>|</body>".split("|")


def record_steps(walk: Any, skipped: tuple[str, ...]) -> Iterator[tuple[str, etree._Element]]:
    for event, node in walk:
        yield event, node
        if event == "start" and node.tag in skipped:
            walk.skip_subtree()


@pytest.mark.parametrize("skipped", [(), ("svg", "b")])
def test_steps_are_those_of_lxml(skipped: tuple[str, ...]) -> None:
    chance = random.Random(0)  # noqa: S311
    for _ in range(50):
        root = parse_html("".join(chance.choices(PIECES, k=30)))
        for top in (root, root[0]):
            theirs = etree.iterwalk(top, events=("start", "end", "comment", "pi"))
            ours = list(record_steps(NodeWalk(top), skipped))
            assert ours == list(record_steps(theirs, skipped))


def test_entities_are_elements_as_in_lxml() -> None:
    xml = "<!DOCTYPE a [<!ENTITY x 'y'>]><a>b&x;c<!-- d --><e>&x;</e></a>"
    root = etree.fromstring(xml, etree.XMLParser(resolve_entities=False))
    theirs = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
    assert list(NodeWalk(root)) == list(theirs)


def test_it_is_used_where_comments_are_many() -> None:
    assert isinstance(walk_nodes(parse_html("<p>x<!-- y -->" * MAX_LXML_COMMENTS)), etree.iterwalk)
    assert isinstance(walk_nodes(parse_html("<p>x<?y?>" * (MAX_LXML_COMMENTS + 1))), NodeWalk)


@pytest.mark.parametrize("node", ["<!-- x -->", "<?x y?>"])
def test_time_is_linear(node: str) -> None:
    seconds = []
    for times in (50_000, 200_000):
        root, measured = parse_html(f"<p>x{node * times}"), []
        for _ in range(3):
            begin = thread_time()
            assert sum(1 for _ in walk_nodes(root)) > times
            measured.append(thread_time() - begin)
        seconds.append(min(measured))
    assert seconds[1] < 8 * seconds[0]  # 4; quadratic: 16
