"""Encodings and entities that hide markup or reach for files: nothing is decoded that browsers do
not decode, nothing is read, and every field can be written as UTF-8.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from scrapy.http import HtmlResponse

from scrapy_boilerplate.document import LAZY_FIELDS
from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.page.limits import Limits
from scrapy_boilerplate.page.parsing import PORTION, decode_html, encode_for_parser, transcode_html
from scrapy_boilerplate.workers.serialization import dump_document
from tests.builders import document, sentences

URL = "http://a.example/b"
TEXT = sentences(60, "naïve ferry 漢字")
CANARY = "canary-of-a-file"
LIMITS = Limits(bytes=10_000_000, elements=100_000, milliseconds=10_000)


def response(body: bytes, charset: str | None = None) -> HtmlResponse:
    kind = "text/html" if charset is None else f"text/html; charset={charset}"
    return HtmlResponse(URL, body=body, headers={"Content-Type": kind})


def read_all(source: Any) -> dict[str, Any]:
    """Return every field of a page; all of them can be written as UTF-8 and as JSON."""
    values = dump_document(extract(source, URL, "container", limits=LIMITS), LAZY_FIELDS)
    json.dumps(values, ensure_ascii=False).encode()
    return values


SOURCES: dict[str, Callable[[bytes], Any]] = {
    "bytes": lambda body: body,
    "response": response,
    "response, UTF-7": lambda body: response(body, "utf-7"),
    "str": lambda body: body.decode("latin-1"),
}
HIDDEN = "+ADw-script+AD4-alert(1)+ADw-/script+AD4- and more of it"


@pytest.mark.parametrize("kind", SOURCES)
def test_utf_7_is_not_decoded(kind: str) -> None:
    for meta in ("", "<meta charset=utf-7>", "<meta charset=x-unicode-2-0-utf-7>"):
        page = document(f"{meta}<p>{HIDDEN} {sentences(30, 'ferry')}</p>").encode()
        values = read_all(SOURCES[kind](page))
        assert HIDDEN in values["text"]
        assert "<script" not in values["html"] + values["markdown"]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-32-be"])
def test_wide_encodings(encoding: str) -> None:
    """As in browsers UTF-16 is known by its mark or the header; UTF-32 by a header of Scrapy."""
    html = document(f"<p>{TEXT}</p>")
    marked = f"\ufeff{html}".encode(encoding)
    declared = document(f"<meta charset={encoding}><p>{TEXT}</p>").encode(encoding)
    is_utf_16 = encoding.startswith("utf-16")
    for source, is_known in (
        (marked, is_utf_16),
        (response(marked), is_utf_16),
        (response(html.encode(encoding), encoding), True),
        (declared, False),
        (response(declared), False),
    ):
        values = read_all(source)
        assert values["text"] == TEXT or not is_known


HALF = "\ud83d"
SURROGATES: dict[str, Any] = {
    "in a text": document(f"<h1>One {HALF} two</h1><p>{TEXT}{HALF}</p>", f"t{HALF}"),
    "as references": document(f"<h1>&#xD800;</h1><p>{TEXT} &#55357;&#xDFFF; &#xD83D;x</p>"),
    "in bytes": document(f"<p>{TEXT}{HALF}</p>").encode("utf-8", "surrogatepass"),
    "in UTF-16": document(f"<p>{TEXT}{HALF}</p>").encode("utf-16", "surrogatepass"),
    "in a response": response(document(f"<p>{TEXT}{HALF}</p>").encode("utf-8", "surrogatepass")),
    "in attributes": document(
        f'<meta property="og:title" content="a &#xD83D; b"><meta name=author content="A {HALF}">'
        f'<a href="/{HALF}">x</a><img src="/{HALF}.jpg" alt="{HALF}"><p>{TEXT}</p>'
    ),
}


def test_lone_surrogates() -> None:
    for name, source in SURROGATES.items():
        assert "ferry" in read_all(source)["text"], name


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    file = tmp_path / "canary.txt"
    file.write_text(CANARY)
    return file


EXTERNAL = {
    "general entity": '<!DOCTYPE html [<!ENTITY x SYSTEM "{0}">]><p>&x; {1}</p>',
    "XHTML": '<?xml version="1.0"?><!DOCTYPE html [<!ENTITY x SYSTEM "{0}">]>'
    '<html xmlns="http://www.w3.org/1999/xhtml"><body><p>&x; {1}</p></body></html>',
    "parameter entity": '<!DOCTYPE html [<!ENTITY % x SYSTEM "{0}"> %x;]><p>{1}</p>',
    "document type": '<!DOCTYPE html PUBLIC "-//x//y" "{0}"><p>{1}</p>',
    "XInclude": '<x xmlns:xi="http://www.w3.org/2001/XInclude">'
    '<xi:include href="{0}" parse="text"/></x><p>{1}</p>',
    "links": '<?xml-stylesheet href="{0}"?><base href="{0}"><link rel=stylesheet href="{0}">'
    '<iframe src="{0}"></iframe><object data="{0}"></object><img src="{0}"><p>{1}</p>',
}


@pytest.mark.parametrize("name", EXTERNAL)
def test_no_file_and_no_address_is_read(name: str, canary: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.05)
        address = f"http://127.0.0.1:{server.getsockname()[1]}/{CANARY}.dtd"
        for target in (canary.as_uri(), address):
            body = EXTERNAL[name].format(target, sentences(60, "ferry")).encode()
            for read_source in SOURCES.values():
                values = read_all(read_source(body))
                assert "ferry" in values["text"]
                assert CANARY not in values["text"]
                if target.startswith("file"):
                    assert CANARY not in json.dumps(values).replace("canary.txt", "")
        with pytest.raises(TimeoutError):
            server.accept()


def test_a_tree_with_unresolved_entities_is_read_as_it_is(canary: Path) -> None:
    xml = EXTERNAL["XHTML"].format(canary.as_uri(), sentences(60, "ferry")).encode()
    root = etree.fromstring(xml, etree.XMLParser(resolve_entities=False, no_network=True))
    for name in ("news", "keep-everything"):
        values = dump_document(extract(root, URL, name), LAZY_FIELDS)
        assert CANARY not in json.dumps(values)
    assert "ferry" in read_all(root)["text"]


def test_entities_do_not_multiply() -> None:
    laughs = '<!ENTITY a0 "ha">' + "".join(
        f'<!ENTITY a{n} "{"".join([f"&a{n - 1};"] * 10)}">' for n in range(1, 12)
    )
    page = f"<!DOCTYPE html [{laughs}]><p>&a11; {TEXT}</p>"
    for source in (page, page.encode(), response(page.encode())):
        values = read_all(source)
        assert "ferry" in values["text"]
        assert len(values["text"]) < 10 * len(page)


@pytest.mark.parametrize("shift", range(4))
def test_bytes_reach_the_parser_as_their_decoded_text_would(shift: int) -> None:
    """Also where a character lies across two portions of PORTION bytes, or is cut."""
    ends = ("", "\ud83d", "\u00a0", "\x85", "\x1c\v ", " \x00", "\ufeff")
    for start, end in product(("", "\ufeff", "\n", "\x1f ", "\u3000", "\x00 "), ends):
        middle = "x" * (PORTION - 2 - len(start.encode()) + shift) + "é漢😀" * 9
        html = f"{start}{middle}{end}".encode("utf-8", "surrogatepass")
        for page in (html, html[:-1], html + b"\xff"):
            assert transcode_html(page) == encode_for_parser(decode_html(page)), (start, end)
