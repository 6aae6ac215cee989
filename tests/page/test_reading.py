"""Which texts of a page are read, which of them are links, declared properties, and the walk."""

import random

import pytest
from lxml import etree

from scrapy_boilerplate import extract
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
    "empty URL": ("<p><a href=''>one two</a> three</p>", 2),
    "no URL": ("<p><a>one two</a> three <b href='/x'>four</b></p>", 0),
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


# Characters of a name at most.
MAX_NAME = 1_000


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
    """Where it is read again for each of them, it takes minutes."""
    html = f"<title>Live</title><div class='{'x ' * 500_000}'>{line * 2_000}</div>"
    assert extract(html, "https://a.example/live").entries is not None


PIECES = "<p>|</p>|<!-- c -->|text|<?x y?>|<b>|</b>|<br>|<svg><g></g></svg>|</body>".split("|")


@pytest.mark.parametrize("node", ["<!-- c -->", "<?x y?>"])
def test_pages_with_many_comments_are_read_like_others(node: str) -> None:
    """From 10,000 comments on, elements are found by a walk of our own."""
    chance = random.Random(0)  # noqa: S311
    for _ in range(10):
        html = "".join(chance.choices(PIECES, k=30))
        assert block_texts(f"{node * 10_001}{html}") == block_texts(html)


def test_entities_are_elements_as_in_lxml() -> None:
    xml = "<!DOCTYPE a [<!ENTITY x 'y'>]><a>b&x;c{}<e>&x;</e></a>"
    parser = etree.XMLParser(resolve_entities=False)
    few, many = (etree.fromstring(xml.format("<!-- d -->" * n), parser) for n in (1, 10_001))
    assert block_texts(few) == block_texts(many)
