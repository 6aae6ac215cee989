"""Which texts of a page are read, which of them are links, and declared properties."""

from __future__ import annotations

from time import thread_time

import pytest
from lxml import etree

from scrapy_boilerplate.extraction import SiteExtraction, extract
from scrapy_boilerplate.page.reading import MAX_NAME
from scrapy_boilerplate.site.registry import SiteRegistry
from tests.builders import block_texts, document, page_of


@pytest.mark.parametrize(
    "hidden",
    [
        pytest.param("<script>hidden</script>", id="script"),
        pytest.param("<style>hidden</style>", id="style"),
        pytest.param("<svg><text>hidden</text></svg>", id="svg"),
        pytest.param("<canvas>hidden</canvas>", id="canvas"),
        pytest.param("<video>hidden</video>", id="video"),
        pytest.param("<audio>hidden</audio>", id="audio"),
        pytest.param("<iframe>hidden</iframe>", id="iframe"),
        pytest.param("<object>hidden</object>", id="object"),
        pytest.param("<select><option>hidden<option>hidden</select>", id="select"),
        pytest.param("<datalist><option>hidden</datalist>", id="datalist"),
        pytest.param("<!-- hidden -->", id="comment"),
        pytest.param('<img alt="hidden"><input value="hidden">', id="attributes"),
    ],
)
def test_hidden_text_is_left_out(hidden: str) -> None:
    html = document(f"<div>one</div>{hidden}<div>two</div>")
    assert block_texts(html) == ["one", "two"]


@pytest.mark.parametrize(
    "shown",
    [
        pytest.param("<noscript>one</noscript>", id="noscript"),
        pytest.param("<template>one</template>", id="template"),
        pytest.param("<button>one</button>", id="button"),
        pytest.param("<textarea>one</textarea>", id="textarea"),
        pytest.param("<form>one</form>", id="form"),
        pytest.param('<div hidden style="display:none">one</div>', id="hidden by style"),
        pytest.param("<custom-svg>one</custom-svg>", id="a name that only contains svg"),
        pytest.param("<selection>one</selection>", id="a name that only starts with select"),
    ],
)
def test_other_text_is_kept(shown: str) -> None:
    assert block_texts(document(shown)) == ["one"]


def test_head_is_left_out() -> None:
    assert block_texts(document("<p>one</p>", title="hidden")) == ["one"]


def test_pronunciation_is_left_out_of_ruby() -> None:
    ruby = "<p>日本<ruby>語<rp>(</rp><rt>ご</rt><rp>)</rp></ruby>です</p>"
    assert block_texts(ruby) == ["日本語です"]


def test_text_after_hidden_text_is_kept_once() -> None:
    assert block_texts("<p>one<script>x</script> two<style>y</style> three</p>") == [
        "one two three"
    ]


@pytest.mark.parametrize(
    ("html", "linked"),
    [
        pytest.param("<p><a href='/x'>one two</a> three</p>", 2, id="link"),
        pytest.param("<p><a href=''>one two</a> three</p>", 2, id="empty address"),
        pytest.param("<p><a name='x'>one two</a> three</p>", 0, id="anchor"),
        pytest.param("<p><a>one two</a> three</p>", 0, id="a without address"),
        pytest.param("<p><b href='/x'>one two</b> three</p>", 0, id="address on another tag"),
        pytest.param("<p><a href='/x'>one <b>two <i>x</i></b></a> three</p>", 3, id="tags in link"),
        pytest.param("<p><a href='/x'>one <a name='y'>two</a> three</a> four</p>", 3, id="nested"),
        pytest.param("<p><a href='/x'>1 <a href='/y'>2</a> 3</a> 4</p>", 3, id="link in a link"),
        pytest.param("<p><b><a href='/x'>one</a></b> two <a href='/y'>three</a></p>", 2, id="two"),
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
        pytest.param("<title>One</title>", "One", id="title"),
        pytest.param("<title>\n One \n two </title>", "One two", id="white space"),
        pytest.param("<title>One &amp; two</title>", "One & two", id="entity"),
        pytest.param("<title></title>", "", id="empty"),
        pytest.param("<meta charset=utf-8>", "", id="none"),
        pytest.param("<title>One</title><title>Two</title>", "One", id="the first of two"),
    ],
)
def test_title(head: str, title: str) -> None:
    assert page_of(f"<html><head>{head}</head><body>x</body></html>").title == title


def test_title_of_an_image_is_not_the_title_of_the_page() -> None:
    assert page_of("<body><svg><title>Logo</title></svg><p>one</p></body>").title == ""


@pytest.mark.parametrize(
    ("html", "language"),
    [
        pytest.param("<html lang=de><p>x", "de", id="lang"),
        pytest.param("<html lang=de-AT><p>x", "de", id="region"),
        pytest.param("<html lang=pt_BR><p>x", "pt", id="underscore"),
        pytest.param("<html lang=EN><p>x", "en", id="upper case"),
        pytest.param("<html xml:lang=fr><p>x", "fr", id="xml:lang"),
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


@pytest.mark.parametrize("name", ["class", "id", "role"])
def test_long_names_are_cut(name: str) -> None:
    elements = page_of(f"<div {name}='{'x' * MAX_NAME}y'><p>Text</p></div>").elements
    columns = {"class": elements.classes, "id": elements.ids, "role": elements.roles}
    assert max(columns[name], key=len) == "x" * MAX_NAME


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
