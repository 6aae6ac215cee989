"""Every kind of input gives its pages, and an error for each unreadable page."""

import bz2
import gzip
import lzma
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from scrapy_boilerplate.batch.http_body import BodyError, decompress_body
from scrapy_boilerplate.batch.pages import InputError, StoredPage
from tests.batch.stored import http, json_lines, page, read_pages, record, warc

LIMIT = 5_000


def pages_of(*paths: Path) -> list[StoredPage]:
    return read_pages(*paths, max_bytes=LIMIT)


GZIP = "Content-Encoding: gzip\r\n"
CHUNKED = "Transfer-Encoding: chunked\r\n"
ANSWERS: dict[str, tuple[bytes, object]] = {
    "declared": (http(b"<p>\xe9", "text/html; charset=latin-1"), "<p>é"),
    "undeclared": (http(b"<p>\xe9", "text/html"), b"<p>\xe9"),
    "no encoding": (http(b"<p>\xe9", "text/html; charset=hex"), b"<p>\xe9"),
    "fails always": (http(b"<p>", "text/html; charset=undefined"), b"<p>"),
    "packed": (http(gzip.compress(b"<p>") + gzip.compress(b"x") + b"junk", more=GZIP), "<p>x"),
    "not packed": (http(b"<p>", "text/html", more=GZIP), b"<p>"),
    "chunked": (http(b"3\r\n<p>\r\n1\r\nx\r\n0\r\n\r\n", more=CHUNKED), "<p>x"),
    "picture": (http(b"\x89PNG", "image/png"), None),
    "not found": (http(b"<p>", status="404 Not Found"), None),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_warc_answers(name: str, tmp_path: Path) -> None:
    answer, expected = ANSWERS[name]
    stored_pages = pages_of(warc(tmp_path / "a.warc", [record("https://a.example/", answer, 0)]))
    pages = [(stored_page.html, stored_page.error) for stored_page in stored_pages]
    assert pages == ([] if expected is None else [(expected, None)])


def zstd(body: bytes) -> bytes:
    packed: bytes = pytest.importorskip("zstandard").compress(body)
    return packed


def test_resource_in_the_encoding_it_declares(tmp_path: Path) -> None:
    content = record("https://a.example/", "<p>он".encode("koi8-r"), 0, "resource").replace(
        b"application/http; msgtype=resource", b"text/html; charset=koi8-r"
    )
    [stored_page] = pages_of(warc(tmp_path / "a.warc", [content]))
    assert stored_page.html == "<p>он"


@pytest.mark.parametrize("coding", ["gzip", "deflate", "zstd", "br"])
def test_packed_bodies(coding: str) -> None:
    body = bytes(range(256)) * 10
    package = {"gzip": "gzip", "deflate": "zlib", "zstd": "zstandard", "br": "brotli"}[coding]
    packed = pytest.importorskip(package).compress(body)
    assert decompress_body(packed, coding, len(body)) == body
    with pytest.raises(BodyError, match=r"has more than 2,559 bytes"):
        decompress_body(packed, coding, len(body) - 1)
    if coding != "zstd":  # zstandard reports no such error
        with pytest.raises(BodyError, match="cut off"):
            decompress_body(packed[: len(packed) // 2], coding)


def test_zstd_body_in_several_frames() -> None:
    assert decompress_body(zstd(b"<p>") + zstd(b"") + zstd(b"x"), "zstd") == b"<p>x"


@pytest.mark.parametrize("coding", ["gzip", "zstd", "br", "compress", "identity," * 6])
def test_body_that_is_not_packed_as_declared(coding: str) -> None:
    with pytest.raises(BodyError, match=r"cannot be|cut off|unknown|more than 5"):
        decompress_body(b"\x1f\x8bnot packed", coding)


@pytest.mark.parametrize("coding", ["gzip", "deflate", "zstd", "br", "utf-8", "br, x"])
@pytest.mark.parametrize("start", ["\ufeff<!doctype html>", "\n <!-- a --><html>", "Text. <p>"])
def test_page_that_a_crawler_has_unpacked_without_a_change_of_its_header(
    start: str, coding: str
) -> None:
    body = (start + page(1)).encode()
    assert decompress_body(body, coding) == body


def test_bomb_that_tells_its_size_is_not_unpacked() -> None:
    packed = zstd(b"x" * 100_000_000)
    tracemalloc.start()
    with pytest.raises(BodyError, match="more than"):
        decompress_body(packed, "zstd", 1_000)
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()


def test_warc_pages_that_cannot_be_had(tmp_path: Path) -> None:
    bomb = http(gzip.compress(b"x" * 10 * LIMIT), more="Content-Encoding: gzip\r\n")
    answers = [http(b"x" * (LIMIT + 1)), bomb, b"no HTTP", http(page(0).encode())]
    records = (record("https://a.example/", each, number) for number, each in enumerate(answers))
    stored_pages = pages_of(warc(tmp_path / "a.warc", records))
    errors = [*["the page has more than 5,000 bytes"] * 2, "the record has no HTTP response", None]
    assert [stored_page.error for stored_page in stored_pages] == errors


def test_json_lines(tmp_path: Path) -> None:
    html = {"html": "<p>"}
    path = json_lines(
        tmp_path / "a.jsonl",
        [
            *({"id": 7, "url": "https://a.example/", **html}, {"id": {"k": [1]}, **html}, html),
            *("", "{", [], {"id": "no html"}),
            {"id": "url", "url": 3, **html},
            {"id": "large", "html": "x" * (LIMIT + 1)},
            '{"id": 1e999, "html": "<p>"}',
        ],
    )
    stored_pages = pages_of(path)
    ids = [7, {"k": [1]}, "a.jsonl:3", "a.jsonl:5", "a.jsonl:6", "no html", "url", "large"]
    assert [stored_page.id for stored_page in stored_pages] == [*ids, "a.jsonl:10"]
    assert [stored_page.error is None for stored_page in stored_pages] == [True] * 3 + [False] * 6
    assert stored_pages[7].error == "the page has more than 5,000 bytes"


def test_line_that_is_too_long_is_never_held(tmp_path: Path) -> None:
    long = {"id": "long", "html": "x" * 1_100_000}
    first, after = pages_of(json_lines(tmp_path / "a.jsonl", [long, {"id": 2, "html": "<p>"}]))
    assert first.id == "a.jsonl:1"
    assert first.error
    assert (after.id, after.error) == (2, None)


LINE_PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zst": zstd,
}  # fmt: skip


@pytest.mark.parametrize("suffix", LINE_PACKERS)
def test_packed_json_lines(suffix: str, tmp_path: Path) -> None:
    path, line = tmp_path / f"a.jsonl{suffix}", b'{"id": 1, "html": "<p>"}\n'
    packed = LINE_PACKERS[suffix](line * 50)
    path.write_bytes(packed)
    assert [stored.html for stored in pages_of(path)] == ["<p>"] * 50
    path.write_bytes(LINE_PACKERS[suffix](line * 50 + line[:-4])[:-12])
    assert pages_of(path)[-1].error or suffix == ".zst"  # zstandard reports no such error


OTHER_FILES = {
    "a.warc": b"", "a.parquet": b"", "b.jsonl": b"\n\n", "c.jsonl": gzip.compress(b"{}"),
    "d.jsonl": b"%PDF-1.7\n" * 9, "b.jsonl.gz": gzip.compress(b""),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHER_FILES)
def test_a_file_that_is_empty_or_of_another_kind_is_one_error(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(OTHER_FILES[name])
    [stored] = pages_of(tmp_path / name)
    assert stored.error
    assert name in str(stored.id)


def test_folder(tmp_path: Path) -> None:
    for name in ("b/one.htm", "a.HTML", "a.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(name.encode())
    (tmp_path / "large.html").write_bytes(b"x" * (LIMIT + 1))
    json_lines(tmp_path / "c.jsonl", [{"id": 1, "html": "<p>"}])
    stored_pages = pages_of(tmp_path)
    ids = [stored_page.id for stored_page in stored_pages]
    assert ids == [1, "a.HTML", "b/one.htm", "large.html"]
    assert stored_pages[1].html == b"a.HTML"
    assert stored_pages[3].error == "the page has more than 5,000 bytes"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none", "no such file or folder"),
        ("folder", "is not an HTTP cache"),
        ("a.zip", r"is empty: give HTML, .* \.warc"),
    ],
)
def test_no_input(name: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "a.zip").touch()
    with pytest.raises(InputError, match=message):
        read_pages(tmp_path / name)
