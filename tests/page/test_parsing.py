"""From the argument of the caller to the tree that Scrapy's selector would have.

Encodings and entities that hide markup or reach for files: nothing is decoded that browsers do not
decode, nothing is read, and every field can be written as UTF-8.
"""

import encodings
import json
import socket
from collections.abc import Callable
from encodings.aliases import aliases
from itertools import product
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import pytest
from hypothesis import example, given
from lxml import etree
from parsel import Selector
from scrapy import version_info
from scrapy.http import HtmlResponse, Response, TextResponse

from scrapy_boilerplate import Document, Limits, extract
from tests.builders import block_texts, document, page_of, sentences, tree_of
from tests.reference import ITEM_FIELDS
from tests.test_extraction_properties import SOUP

URL = "https://news.example/1"


def html_response(body: bytes, **headers: str) -> HtmlResponse:
    return HtmlResponse(URL, body=body, headers=headers)


@given(SOUP.filter(lambda html: "<title" not in html and "</br" not in html.lower()))
@example("\x00")
@example("\u3000<p>one</p>\u2003")
@example("<meta charset=koi8-r><p>привет")
@example("<?xml version='1.0' encoding='latin-1'?><p>é")
@example("<script>a<b</script><style>c<d</style><p>x")
@example("<p>" + "<b>" * 300 + "one")
def test_text_gives_the_tree_of_a_selector(html: str) -> None:
    root = Selector(text=html, type="html").root
    assert etree.tostring(tree_of(html)) == etree.tostring(root)


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
    root = tree_of(body)
    assert etree.tostring(root) == etree.tostring(html_response(body).selector.root)
    assert block_texts(root) == [text]


GUESSED = {
    "windows-1251": "Городской совет в четверг утвердил план ремонта моста через реку.",
    "koi8-r": "Городской совет в четверг утвердил план ремонта моста через реку.",
    "windows-1250": "Rada miasta przyjęła w czwartek plan remontu mostu nad rzeką, który "
    "kosztować będzie więcej, niż się spodziewał burmistrz; część prac potrwa do jesieni.",
    "windows-1253": "Το δημοτικό συμβούλιο ενέκρινε την Πέμπτη το σχέδιο της γέφυρας.",
    "windows-1252": "L’été dernier, le conseil a approuvé le plan de rénovation du pont. Les "
    "travaux commenceront en avril et dureront jusqu’à l’automne, a déclaré le maire, très étonné.",
    "shift-jis": "市議会は木曜日、川にかかる橋の改修計画を承認した。工事は四月に始まる。",
    "gb18030": "市议会周四批准了跨河大桥的维修计划。市长对记者说，工程将于四月开始。",
    "euc-kr": "시의회는 목요일 강을 가로지르는 다리의 보수 계획을 승인했다.",
}


@pytest.mark.parametrize("encoding", GUESSED)
def test_encoding_that_is_not_declared(encoding: str) -> None:
    text = GUESSED[encoding]
    html = f"<title>{text[:20]}</title><script>var a = 1;</script><p>{text * 3}</p>"
    document = extract(html.encode(encoding))
    assert document.evidence["encoding"] == encoding
    assert document.text == text * 3
    assert "encoding" not in extract(html.encode()).evidence
    declared = f'<meta charset="{encoding}">{html}'.encode(encoding)
    assert "encoding" not in extract(declared).evidence


def test_utf_8_that_is_cut_within_a_character() -> None:
    document = extract(("<p>" + GUESSED["koi8-r"] * 3).encode()[:-20] + b"\xd0")
    assert document.text.startswith(GUESSED["koi8-r"])


def test_bytes_that_a_response_reads_otherwise() -> None:
    assert block_texts(b"<meta charset=hex><p>na\xc3\xafve") == ["naïve"]
    assert block_texts(b"<p>\x93one\x94") == ["“one”"], "undeclared, no UTF-8"


CODECS = sorted({*aliases.values(), *(module.name for module in iter_modules(encodings.__path__))})


def test_no_codec_of_python_gets_in_the_way() -> None:
    """Declared by the page, by the answer, of a page that is cut; punycode would take minutes."""
    for codec in CODECS:
        body = f"<meta charset={codec}><p>".encode() + b"a " * 40_000 + b"-" + b" b" * 40_000
        answer = html_response(body, **{"Content-Type": f"text/html; charset={codec}"})
        for source in (body, answer):
            for within in (Limits(), Limits(bytes=120_000)):
                assert extract(source, extractor="keep-everything", limits=within).text, codec


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


def test_response_shares_its_tree_and_its_url() -> None:
    response = html_response(b"<p>one")
    assert extract(response).tree is response.selector.root
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
    longest = "x" * 1_000
    assert page_of(f"<title>{longest}</title><p>one</p>").title == longest


PAGE_URL = "http://a.example/b"
TEXT = sentences(60, "naïve ferry 漢字")
CANARY = "canary-of-a-file"
LIMITS = Limits(bytes=10_000_000, elements=100_000, milliseconds=10_000)


def response(body: bytes, charset: str | None = None) -> HtmlResponse:
    kind = "text/html" if charset is None else f"text/html; charset={charset}"
    return HtmlResponse(PAGE_URL, body=body, headers={"Content-Type": kind})


def read_all(source: Any) -> dict[str, Any]:
    """Return every field of a page; all of them can be written as UTF-8 and as JSON."""
    return dump(extract(source, PAGE_URL, "container", limits=LIMITS))


def dump(document: Document) -> dict[str, Any]:
    values = {name: getattr(document, name) for name in ITEM_FIELDS if hasattr(document, name)}
    blocks = [block.as_dict() for block in document.blocks]
    json.dumps({**values, "blocks": blocks}, ensure_ascii=False).encode()
    return values


READ_AS: dict[str, Callable[[bytes], Any]] = {
    "bytes": lambda body: body,
    "response": response,
    "response, UTF-7": lambda body: response(body, "utf-7"),
    "str": lambda body: body.decode("latin-1"),
}
HIDDEN = "+ADw-script+AD4-alert(1)+ADw-/script+AD4- and more of it"


@pytest.mark.parametrize("kind", READ_AS)
def test_utf_7_is_not_decoded(kind: str) -> None:
    for meta in ("", "<meta charset=utf-7>", "<meta charset=x-unicode-2-0-utf-7>"):
        page = document(f"{meta}<p>{HIDDEN} {sentences(30, 'ferry')}</p>").encode()
        values = read_all(READ_AS[kind](page))
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
def test_no_file_and_no_url_is_read(name: str, canary: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.05)
        url = f"http://127.0.0.1:{server.getsockname()[1]}/{CANARY}.dtd"
        for target in (canary.as_uri(), url):
            body = EXTERNAL[name].format(target, sentences(60, "ferry")).encode()
            for read_source in READ_AS.values():
                values = read_all(read_source(body))
                assert "ferry" in values["text"]
                assert CANARY not in values["text"]
                if target.startswith("file"):
                    assert CANARY not in str(values).replace("canary.txt", "")
        with pytest.raises(TimeoutError):
            server.accept()


def test_a_tree_with_unresolved_entities_is_read_as_it_is(canary: Path) -> None:
    xml = EXTERNAL["XHTML"].format(canary.as_uri(), sentences(60, "ferry")).encode()
    root = etree.fromstring(xml, etree.XMLParser(resolve_entities=False, no_network=True))
    for name in ("news", "keep-everything"):
        assert CANARY not in str(dump(extract(root, PAGE_URL, name)))
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
def test_bytes_are_read_like_their_decoded_text(shift: int) -> None:
    """Also where a character lies across two portions of 2^16 bytes, or is cut."""
    ends = ("", "\u00a0", "\x85", "\x1c\v ", " \x00", "\ufeff")
    for start, end in product(("", "\ufeff", "\n", "\x1f ", "\u3000", "\x00 "), ends):
        head = f"{start}<meta charset=utf-8>"
        middle = "x" * (2**16 - 2 - len(head.encode()) + shift) + "é漢😀" * 9
        html = f"{head}{middle}{end}".encode()
        for page in (html, html[:-1], html + b"\xff"):
            decoded = page.decode("utf-8-sig", "replace")
            assert block_texts(page) == block_texts(decoded), (start, end)
