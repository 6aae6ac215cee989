"""Which texts of a page are read, which of them are links, and declared properties."""

from __future__ import annotations

from time import thread_time

import pytest
from lxml import etree

from scrapy_boilerplate.extraction import SiteExtraction, extract
from scrapy_boilerplate.page.reading import MAX_NAME
from scrapy_boilerplate.site.registry import SiteRegistry
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


@pytest.mark.parametrize(
    ("html", "linked"),
    [
        pytest.param("<p><a href='/x'>one two</a> three</p>", 2, id="link"),
        pytest.param("<p><a href=''>one two</a> three</p>", 2, id="empty address"),
        pytest.param("<p><a>one two</a> three</p>", 0, id="a without address"),
        pytest.param("<p><b href='/x'>one two</b> three</p>", 0, id="address on another tag"),
        pytest.param("<p><a href='/x'>one <b>two <i>x</i></b></a> three</p>", 3, id="tags in link"),
        pytest.param("<p><a href='/x'>one <a name='y'>two</a> three</a> four</p>", 3, id="nested"),
        pytest.param("<p><a href='/x'>1 <a href='/y'>2</a> 3</a> 4</p>", 3, id="link in a link"),
    ],
)
def test_linked_words(html: str, linked: int) -> None:
    assert page_of(etree.fromstring(html)).link_words.sum() == linked


def test_link_around_blocks() -> None:
    page = page_of("<a href='/x'><div>one two</div><div>three</div></a><div>four</div>")
    assert page.link_words.tolist() == [2, 1, 0]


@pytest.mark.parametrize(
    ("head", "title"),
    [
        pytest.param("<title>\n One \n two </title>", "One two", id="white space"),
        pytest.param("<svg><title>Logo</title></svg>", "", id="of an image"),
        pytest.param("<title>One</title><title>Two</title>", "One", id="the first of two"),
    ],
)
def test_title(head: str, title: str) -> None:
    assert page_of(f"<html><head>{head}</head><body>x</body></html>").title == title


@pytest.mark.parametrize(
    ("html", "language"),
    [
        pytest.param("<html lang=de-AT><p>x", "de", id="region"),
        pytest.param("<html lang=pt_BR><p>x", "pt", id="underscore"),
        pytest.param("<html lang=EN><p>x", "en", id="upper case"),
        pytest.param("<html lang='' xml:lang=fr><p>x", "fr", id="empty lang, then xml:lang"),
        pytest.param("<html><p lang=de>x", None, id="a paragraph's language is not the page's"),
        pytest.param("<html lang=deutsch><p>x", None, id="no language tag"),
        pytest.param("<html lang='{{ lang }}'><p>x", None, id="an unfilled template"),
        pytest.param("<meta property=og:locale content=es_MX><p>x", "es", id="og:locale"),
        pytest.param("<meta http-equiv=Content-Language content=it><p>x", "it", id="http-equiv"),
        pytest.param("<meta name=language content=nl><p>x", "nl", id="meta language"),
        pytest.param("<meta name=author content=nl><p>x", None, id="another meta element"),
        pytest.param("<html lang=de><meta name=language content=nl>", "de", id="lang before meta"),
        pytest.param("<p>x", None, id="none"),
    ],
)
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
    document = SiteExtraction(SiteRegistry()).extract(html, "https://a.example/live")
    assert document.entries is not None
    assert thread_time() - start < 4
