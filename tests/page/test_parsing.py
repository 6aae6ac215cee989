"""From the argument of the caller to the tree that Scrapy's selector would have."""

from __future__ import annotations

import encodings
from collections.abc import Callable
from encodings.aliases import aliases
from pkgutil import iter_modules
from time import process_time
from typing import Any

import pytest
from hypothesis import example, given
from lxml import etree
from parsel import Selector
from scrapy import version_info
from scrapy.http import HtmlResponse, Response, TextResponse

from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.page.limits import Limits
from scrapy_boilerplate.page.parsing import MAX_TITLE, parse_html
from tests.builders import block_texts, page_of
from tests.test_extraction_properties import SOUP

URL = "https://news.example/1"
LONG = 5.0
"""CPU seconds of four parses of 400 kB; punycode would take a minute for each."""


def html_response(body: bytes, **headers: str) -> HtmlResponse:
    return HtmlResponse(URL, body=body, headers=headers)


@given(SOUP.filter(lambda html: "<title" not in html))
@example("\x00")
@example("\u3000<p>one</p>\u2003")
@example("<meta charset=koi8-r><p>привет")
@example("<?xml version='1.0' encoding='latin-1'?><p>é")
@example("<script>a<b</script><style>c<d</style><p>x")
@example("<p>" + "<b>" * 300 + "one")
def test_text_gives_the_tree_of_a_selector(html: str) -> None:
    root = Selector(text=html, type="html").root
    assert etree.tostring(parse_html(html)) == etree.tostring(root)


DECODED = {
    "undeclared UTF-8": ("<p>naïve 日本".encode(), "naïve 日本"),
    "byte order mark": (b"\xef\xbb\xbf<p>na\xc3\xafve", "naïve"),
    "Latin-1 means Windows-1252": (b"<meta charset=iso-8859-1><p>\x93one\x94", "“one”"),
    "wrong bytes": (b"<meta charset=utf-8><p>na\xefve", "na\ufffdve"),
    "unknown encoding": (b"<meta charset=nonsense><p>na\xc3\xafve", "naïve"),
    "Cyrillic": ("<meta charset=windows-1251><p>привет".encode("cp1251"), "привет"),
    "Japanese": ("<meta charset=shift_jis><p>日本語".encode("shift_jis"), "日本語"),
}


@pytest.mark.parametrize(("body", "text"), DECODED.values(), ids=DECODED)
def test_bytes_give_the_tree_of_a_response(body: bytes, text: str) -> None:
    root = parse_html(body)
    assert etree.tostring(root) == etree.tostring(html_response(body).selector.root)
    assert block_texts(root) == [text]


def test_bytes_that_a_response_reads_otherwise() -> None:
    assert block_texts(b"<meta charset=hex><p>na\xc3\xafve") == ["naïve"]
    assert block_texts(b"<p>\x93one\x94") == ["“one”"], "undeclared, no UTF-8"


CODECS = sorted({*aliases.values(), *(module.name for module in iter_modules(encodings.__path__))})


def test_no_codec_of_python_gets_in_the_way() -> None:
    """Declared by the page, by the answer, of a page that is cut: none raises, none takes long."""
    for codec in CODECS:
        body = f"<meta charset={codec}><p>".encode() + b"a " * 100_000 + b"-" + b" b" * 100_000
        answer = html_response(body, **{"Content-Type": f"text/html; charset={codec}"})
        start = process_time()
        for source in (body, answer):
            parse_html(source)
            parse_html(source, Limits(bytes=300_000))
        assert process_time() - start < LONG, codec


@pytest.mark.parametrize("codec", ["hex", "punycode", "undefined"])
def test_answer_that_declares_no_encoding_of_text(codec: str) -> None:
    kind = {"Content-Type": f"text/html; charset={codec}"}
    assert extract(HtmlResponse(URL, body=b"<p>one-two", headers=kind)).blocks
    page = HtmlResponse(URL, body=b"<meta charset=koi8-r><p>\xcf\xce", headers=kind)
    assert block_texts(page) == ["он"]


SOURCES: dict[str, Callable[[str], Any]] = {
    "str": str,
    "bytes": str.encode,
    "bytearray": lambda html: bytearray(html.encode()),
    "memoryview": lambda html: memoryview(html.encode()),
    "element": etree.HTML,
    "element tree": lambda html: etree.ElementTree(etree.HTML(html)),
    "inner selector": lambda html: Selector(text=html).xpath("//body")[0],
    "HTML response": lambda html: html_response(html.encode()),
}


@pytest.mark.parametrize("kind", SOURCES)
def test_sources(kind: str) -> None:
    document = extract(SOURCES[kind]("<p>one<p>two"), extractor="keep-everything")
    assert document.text == "one\n\ntwo"


def test_sources_without_text() -> None:
    tree = etree.ElementTree()  # type: ignore[call-overload]
    for empty in ("", " ", b"", b"\n", "\x00", tree):
        assert extract(empty).text == ""


def test_response_shares_its_tree_and_its_address() -> None:
    response = html_response(b"<p>one")
    assert parse_html(response) is response.selector.root
    assert extract(response).url == URL
    assert extract(response, url="https://other.example/").url == "https://other.example/"


OTHER_SOURCES = [
    (1, "int"),
    (Selector(text="<p>one").xpath("//p"), "SelectorList"),
    (Selector(text='{"a": 1}', type="json"), "Selector"),
    (Selector(text="<p>one").xpath("//text()")[0], "Selector"),
    (Response(URL, body=b"one"), "Response"),
]
if version_info >= (2, 18):  # its selector was HTML before
    OTHER_SOURCES.append((TextResponse(URL, body=b"{}", encoding="utf-8"), "TextResponse"))


@pytest.mark.parametrize(("source", "name"), OTHER_SOURCES)
def test_other_sources_are_an_error_that_says_so(source: Any, name: str) -> None:
    with pytest.raises(TypeError, match=f"^cannot read a page from {name}: give HTML") as raised:
        extract(source)
    assert "str or bytes" in str(raised.value)


def test_namespaced_tree() -> None:
    source = (
        '<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="de"><head><title>T</title></head>'
        '<body><P>one <a href="/x">two</a><script>x</script></P></body></html>'
    )
    page = extract(etree.fromstring(source), extractor="keep-everything")
    assert (page.text, page.language, page.headline) == ("one two", "de", "T")


@pytest.mark.parametrize("tag", ["article", "main", "p"])
def test_a_page_without_head_and_body_tags_is_read(tag: str) -> None:
    """libxml2 leaves elements it does not know in the head it has just opened."""
    html = f"<!doctype html><title>T</title><{tag}><p>one</p><p>two</p></{tag}>"
    assert page_of(html).texts == ["one", "two"]


SENTENCE = "The ferry to the island runs again from Monday, the council said on Friday. "
SWALLOWED = (
    "<html lang=de><head><title>Ferry runs again<meta name=author content=Ada></head>"
    f"<body><p>{SENTENCE * 20}</p><img alt=x><svg><title>icon</title></svg><p>{SENTENCE}</p>"
)


def test_a_page_swallowed_by_a_title_that_nobody_closed_is_read() -> None:
    page = page_of(SWALLOWED)
    assert page.title == "Ferry runs again"
    assert page.language == "de"
    assert page.texts == [(SENTENCE * 20).strip(), SENTENCE.strip()]
    response = html_response(SWALLOWED.encode())
    before = etree.tostring(response.selector.root)
    assert "ferry" in extract(response, extractor="num-words").text
    assert etree.tostring(response.selector.root) == before


def test_a_long_title_without_markup_is_no_title() -> None:
    page = page_of(f"<title>{SENTENCE * 20}</title><p>one</p>")
    assert (page.title, page.texts) == ("", ["one"])
    longest = "x" * MAX_TITLE
    assert page_of(f"<title>{longest}</title><p>one</p>").title == longest
