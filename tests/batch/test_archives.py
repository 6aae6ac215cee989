"""Archives: legal, joined, padded, cut off, broken. Each page is read, or an error is reported."""

import gzip
import json
import random
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from struct import pack

import pytest
from scrapy.http import HtmlResponse

from scrapy_boilerplate import MissingExtraError, extract, is_installed
from scrapy_boilerplate.batch.pages import ReadOptions, StoredPage
from scrapy_boilerplate.batch.pool import RowPool
from scrapy_boilerplate.batch.rows import create_row
from tests.batch.stored import http, page, read_pages, record, store_in_cache, warc

pytest.importorskip("warcio")
from scrapy_boilerplate.batch.warc import HEAD_BYTES, read_warc

PAGES = 5
WHOLE = list(range(PAGES))
EMPTY = gzip.compress(b"")
RECORDS = [
    record(f"https://a.example/{number}", http(page(number).encode()), number)
    for number in range(PAGES)
]
PACKED = [gzip.compress(content) for content in RECORDS]


def read(path: Path, content: bytes, **options: float) -> list[StoredPage]:
    path.write_bytes(content)
    return list(read_warc(path, ReadOptions(seconds=options.get("seconds", 60))))


def split_into(pack: Callable[[bytes], bytes], size: int) -> list[bytes]:
    whole = b"".join(RECORDS)
    return [pack(whole[at : at + size]) for at in range(0, len(whole), size)]


def change(middle: bytes) -> bytes:
    """Return the archive with other bytes where its second record was."""
    return PACKED[0] + middle + b"".join(PACKED[2:])


LOST = [0, 2, 3, 4]
# content, pages that are read, number of errors
FILES: dict[str, tuple[bytes, list[int], int]] = {
    "a record a member": (b"".join(PACKED), WHOLE, 0),
    "empty members": (EMPTY * 9 + EMPTY.join(PACKED) + EMPTY * 9, WHOLE, 0),
    "stored, not deflated": (b"".join(gzip.compress(each, 0) for each in RECORDS), WHOLE, 0),
    "plain": (b"".join(RECORDS), WHOLE, 0),
    "several records a member": (
        gzip.compress(RECORDS[0] + RECORDS[1]) + gzip.compress(b"".join(RECORDS[2:])), WHOLE, 0,
    ),
    "zeros": (bytes(512).join(PACKED) + bytes(1_000_000), WHOLE, 0),
    "members without blank lines": (
        b"".join(gzip.compress(each[:-4]) for each in RECORDS), WHOLE, 0,
    ),
    "plain after packed": (b"".join(PACKED[:2]) + b"".join(RECORDS[2:]), WHOLE, 0),
    "packed after plain": (b"".join(RECORDS[:2]) + b"".join(PACKED[2:]), WHOLE, 0),
    "garbage at the start": (b"garbage" * 99 + b"".join(PACKED), WHOLE, 1),
    "garbage at the end": (b"".join(PACKED) + b"garbage" * 99, WHOLE, 1),
    "garbage between members": (change(b"garbage\n\x1f\x8b\x08" + PACKED[1]), WHOLE, 1),
    "garbage in a plain file": (RECORDS[0] + b"garbage\n" * 99 + RECORDS[1], [0, 1], 1),
    "a member cut short": (change(PACKED[1][:-300]), LOST, 1),
    "a member with a wrong checksum": (change(PACKED[1][:-8] + bytes(8)), LOST, 1),
    "a byte changed": (change(PACKED[1][:99] + b"\0\0\0\0" + PACKED[1][103:]), LOST, 1),
    "a record cut short in a whole member": (change(gzip.compress(RECORDS[1][:-90])), LOST, 1),
    "a record cut short in a plain file": (
        RECORDS[0] + RECORDS[1][:-90] + b"".join(RECORDS[2:]), LOST, 1,
    ),
    "a record without its length": (
        change(gzip.compress(RECORDS[1].replace(b"Content-Length", b"Length"))), LOST, 1,
    ),
    "headers cut short": (change(gzip.compress(RECORDS[1][:60])), LOST, 1),
    "headers without an end": (
        change(gzip.compress(RECORDS[1][:60] + b"x" * 2 * HEAD_BYTES)), LOST, 1,
    ),
    "a plain file cut off": (b"".join(RECORDS)[:-50], WHOLE[:4], 1),
    "a packed file cut off": (b"".join(PACKED)[:-50], WHOLE[:4], 1),
    "no archive": (b"\x7fELF" + bytes(range(256)) * 9, [], 1),
    "the beginning of a member": (PACKED[0] + b"\x1f\x8b", [0], 1),
    "members that end within records": (
        b"".join(split_into(gzip.compress, 500)), WHOLE, 0,
    ),
    "members that end in each line": (b"".join(split_into(gzip.compress, 7)), WHOLE, 0),
}  # fmt: skip


ARC = [
    b"filedesc://a.arc 0.0.0.0 20010101000000 text/plain 76\n1 0 InternetArchive\n"
    b"URL IP-address Archive-date Content-type Archive-length\n\n"
]
for number in WHOLE:
    answer = http(page(number).encode())
    ARC.append(
        b"http://a.example/%d b.html 10.0.0.1 19970501000000 text/html %d\n%b\n"
        % (number, len(answer), answer)
    )
ARC.append(b"dns:a.example 10.0.0.1 19970501000000 text/dns 9\n123456789\n")
FILES |= {
    "ARC": (b"".join(ARC), WHOLE, 0),
    "ARC: a record a member": (b"".join(map(gzip.compress, ARC)), WHOLE, 0),
    "ARC: cut off": (b"".join(ARC)[:-300], WHOLE[:4], 1),
}

# --- zstd ---

SKIPPED = b"\x5a\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"12345"
"""A frame of zstd without content."""


def pack_zstd(content: bytes, dictionary: bytes = b"") -> bytes:
    zstandard = import_module("zstandard")
    options = {"dict_data": zstandard.ZstdCompressionDict(dictionary)} if dictionary else {}
    packed: bytes = zstandard.ZstdCompressor(write_checksum=True, **options).compress(content)
    return packed


def build_zstd() -> dict[str, tuple[bytes, list[int], int]]:
    if not is_installed("zstandard"):
        return {}
    frames, empty = [pack_zstd(content) for content in RECORDS], pack_zstd(b"")
    samples = [record(f"https://a.example/{n}", http(page(n).encode()), n) for n in range(300)]
    dictionary = import_module("zstandard").train_dictionary(4_000, samples).as_bytes()
    trained = [pack_zstd(content, dictionary) for content in RECORDS]
    head = b"\x5d\x2a\x4d\x18" + len(dictionary).to_bytes(4, "little") + dictionary
    packed_dictionary = pack_zstd(dictionary)
    packed_head = head[:4] + len(packed_dictionary).to_bytes(4, "little") + packed_dictionary
    return {
        "zstd: a frame a record": (b"".join(frames), WHOLE, 0),
        "zstd: one frame": (pack_zstd(b"".join(RECORDS)), WHOLE, 0),
        "zstd: empty and skipped frames": ((SKIPPED + empty * 9).join(frames), WHOLE, 0),
        "zstd: zeros between": (bytes(512).join(frames), WHOLE, 0),
        "gzip after zstd": (b"".join(frames[:2]) + b"".join(PACKED[2:]), WHOLE, 0),
        "zstd: with a dictionary": (head + b"".join(trained), WHOLE, 0),
        "zstd: with a packed dictionary": (packed_head + b"".join(trained), WHOLE, 0),
        "zstd: with a dictionary that is cut off": (head[:-9] + b"".join(trained), WHOLE[1:], 1),
        "zstd: frames that end within records": (
            SKIPPED + SKIPPED.join(split_into(pack_zstd, 300)), WHOLE, 0,
        ),
        "zstd: a frame cut short": (
            frames[0] + frames[1][:-90] + b"".join(frames[2:]), LOST, 1,
        ),
        "zstd: cut off": (b"".join(frames)[:-50], WHOLE[:4], 1),
        "zstd: garbage at the end": (b"".join(frames) + b"garbage" * 99, WHOLE, 1),
    }  # fmt: skip


FILES |= build_zstd()


@pytest.mark.parametrize("name", FILES)
def test_each_break_is_one_error_and_the_pages_after_it_are_read(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    content, expected, n_errors = FILES[name]
    pages = read(tmp_path / "a.warc.gz", content)
    texts = [stored.html for stored in pages if stored.error is None]
    assert texts == [page(number) for number in expected]
    assert len([stored for stored in pages if stored.error]) == n_errors
    assert capfd.readouterr().err == ""  # warcio prints warnings


@pytest.mark.parametrize("is_cached", [False, True])
def test_headers_that_reserve_rights(tmp_path: Path, is_cached: bool) -> None:
    """Of WARC records and of Scrapy's HTTP cache, in the rows of workers."""
    url, headers = "https://a.example/x", {"TDM-Reservation": "1", "X-Robots-Tag": "noai"}
    if is_cached:
        kind = {"Content-Type": "text/html", **headers}
        store_in_cache(tmp_path, HtmlResponse(url, body=page(1).encode(), headers=kind))
        stored = read_pages(tmp_path)
    else:
        more = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        stored = read(tmp_path / "a.warc", record(url, http(page(1).encode(), more=more), 1))
    [row] = RowPool().create_rows(stored)
    found = json.loads(row.line)["reservations"]
    assert [(each["scheme"], each["value"], each["source"]) for each in found] == [
        ("tdmrep", "1", "header"),
        ("robots", "noai", "header"),
    ]


def test_response_whose_record_has_no_type(tmp_path: Path) -> None:
    kind = b"Content-Type: application/http; msgtype=response\r\n"
    response = RECORDS[1].replace(kind, b"")
    resource = response.replace(b"WARC-Type: response", b"WARC-Type: resource")
    pages = read(tmp_path / "a.warc", RECORDS[0] + response + resource + RECORDS[2])
    assert [stored.html for stored in pages] == [page(number) for number in range(3)]


def test_html_without_a_type_of_its_own(tmp_path: Path) -> None:
    bodies = [page(0).encode(), b"\x89PNG\r\n\x1a\n" + bytes(99), b"0" * 30_000]
    answers = [http(body, "application/octet-stream") for body in bodies]
    answers.append(http(bodies[1], "binary/octet-stream", more="Content-Encoding: zstd\r\n"))
    records = (record("https://a.example/", answer, n) for n, answer in enumerate(answers))
    pages = read_pages(warc(tmp_path / "a.warc", records), max_bytes=20_000)
    assert [(stored.html, stored.error) for stored in pages] == [(bodies[0], None)]


def test_records_of_text_are_named_and_beginnings_are_marked(tmp_path: Path) -> None:
    packed = http(gzip.compress(page(2).encode())[:-40], more="Content-Encoding: gzip\r\n")
    cut = [
        record("https://a.example/1", http(page(1).encode()[:-200]), 1),
        record("https://a.example/2", packed, 2),
    ]
    mark = b"WARC-Truncated: length\r\nContent-Length"
    pages = read(tmp_path / "a.warc", RECORDS[0] + b"".join(cut).replace(b"Content-Length", mark))
    assert [(stored.partial, stored.error) for stored in pages] == [
        (None, None), ("truncated", None), ("truncated", None),
    ]  # fmt: skip
    assert all("word word" in stored.html for stored in pages)
    assert json.loads(create_row(pages[1], lambda _: extract(page(1))))["partial"] == "truncated"
    text = record("https://a.example/", b"Only text.", 1, "conversion")
    [stored] = read(tmp_path / "a.warc", text * 3)
    assert "skipped 3 records of the type conversion" in str(stored.error)


def test_a_page_and_an_error_name_the_record(tmp_path: Path) -> None:
    [first, error] = read(tmp_path / "a.warc.gz", PACKED[0] + gzip.compress(RECORDS[1][:-90]))
    assert (first.id, first.url) == ("<urn:uuid:00000000>", "https://a.example/0")
    assert (error.id, error.url) == ("<urn:uuid:00000001>", "https://a.example/1")
    [_, error] = read(tmp_path / "a.warc.gz", PACKED[0] + b"garbage")
    assert (error.id, error.url) == (f"a.warc.gz:{len(PACKED[0])}", None)


@pytest.mark.parametrize("n_pages", [2, 7])
def test_no_page_is_lost_wherever_bytes_change(n_pages: int, tmp_path: Path) -> None:
    whole = b"".join((PACKED * 2)[:n_pages])
    chance = random.Random(n_pages)  # noqa: S311 - no secret
    for _ in range(100):
        first, size = chance.randrange(len(whole)), chance.choice((1, 2, 30, 900))
        put = chance.randbytes(chance.choice((0, 1, 40)))
        pages = read(tmp_path / "a.warc.gz", whole[:first] + put + whole[first + size :])
        intact = [stored for stored in pages if stored.error is None]
        whole_members = size // min(map(len, PACKED))  # no trace of them is left
        assert len(intact) >= n_pages - 2 - whole_members
        assert len(pages) > len(intact) or len(intact) >= n_pages - whole_members


@pytest.mark.parametrize(("name", "package"), [("zst", "zstandard"), ("gz", "warcio")])
def test_archives_need_packages(
    name: str, package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"a.warc.{name}"
    monkeypatch.setitem(sys.modules, package, None)
    if package == "zstandard":
        [stored] = read(path, b"\x28\xb5\x2f\xfd" + bytes(99))
        assert "needs zstandard" in str(stored.error)
    path.touch()
    with pytest.raises(MissingExtraError, match=rf"needs {package}: .*\[batch\]"):
        read_pages(path)


# --- limits of the reader ---

NO_PAGES = {
    "empty members": EMPTY * 300_000,
    "garbage lines": b"\n\n\nx\n" * 4_000_000,
    "broken members": b"\x1f\x8b\x08\0\0\0\0\0\0\3" * 2_000_000,
}


@pytest.mark.parametrize("name", NO_PAGES)
def test_a_file_without_pages_costs_no_more_than_its_time(name: str, tmp_path: Path) -> None:
    started = time.monotonic()
    pages = read(tmp_path / "a.warc.gz", PACKED[0] + NO_PAGES[name] + PACKED[1], seconds=0.3)
    assert time.monotonic() - started < 3
    assert pages[0].html == page(0)
    assert len(pages) <= 3
    assert any(stored.error for stored in pages)


LONG_RECORD = b"WARC/1.0\r\nWARC-Type: metadata\r\nContent-Length: 99999999\r\n\r\n"
STORED = b"".join(b"\0" + pack("<HH", n, 65_535 - n) for n in (len(LONG_RECORD), 60_000))
# Unpacks the next 60,000 bytes of the file as content of its record.
LONG_MEMBER = EMPTY[:10] + STORED[:5] + LONG_RECORD + STORED[5:]
BROKEN = {
    "magic numbers": b"\x1f\x8b\x08" * 300_000,
    "names without an end": b"\x1f\x8b\x08\x08AAAAAA" * 300_000,
    "zstd frames": b"\x28\xb5\x2f\xfd" * 100_000,
    "lines": b"WARC/1.0\n" * 500_000,
    "long records": LONG_RECORD * 3_000,
    "long members": LONG_MEMBER * 3_000 + bytes(60_000),
    "long frames": (RECORDS[2] + b"\x50\x2a\x4d\x18\xff\xff\xff\x7f") * 1_000,
}


@pytest.mark.parametrize("write", [gzip.compress, bytes])
@pytest.mark.parametrize("name", BROKEN)
def test_the_record_after_many_broken_ones_is_read(
    name: str, write: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    """Reading again what each of them covers would take more than the time of a page."""
    content = write(RECORDS[0]) + BROKEN[name] + write(RECORDS[1])
    pages = [stored.html for stored in read(tmp_path / "a.warc", content) if not stored.error]
    assert (pages[0], pages[-1]) == (page(0), page(1))


def test_records_among_many_broken_ones_are_read(tmp_path: Path) -> None:
    """More broken members than may overlap, within the bytes that are unpacked at once."""
    broken = gzip.compress(b"WARC/1.0\r\nWARC-Type: response\r\n")[:-8] * 100
    content = broken + broken.join(PACKED) + broken
    pages = [stored.html for stored in read(tmp_path / "a.warc.gz", content) if not stored.error]
    assert pages == [page(number) for number in WHOLE]


LINE = b'{"html": "<p>"}\n'


@pytest.mark.parametrize("part", [gzip.compress(b"\n" * 20_000_000), EMPTY * 500_000])
def test_lines_without_pages_cost_no_more_than_their_time(part: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(LINE) + part + gzip.compress(LINE))
    started = time.monotonic()
    pages = read_pages(path, seconds=0.3)
    assert time.monotonic() - started < 3
    assert [stored.html for stored in pages][:1] == ["<p>"]
    assert len(pages) == 2


def test_time_that_a_reader_waits_for_its_caller_does_not_count(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(b"".join(PACKED[:2]))
    pages = []
    for stored in read_warc(path, ReadOptions(seconds=0.3)):
        pages.append(stored)
        time.sleep(0.4)
    assert [stored.error for stored in pages] == [None] * 2


@pytest.mark.posix("the module `resource`")
@pytest.mark.parametrize("compress", [gzip.compress, pack_zstd])
def test_a_bomb_among_records_is_skipped_in_pieces(
    compress: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    if compress is pack_zstd and not is_installed("zstandard"):
        pytest.skip("needs zstandard")
    resource = pytest.importorskip("resource")
    size = 200_000_000
    head = record("https://a.example/", b"", 7, "metadata").replace(
        b"Content-Length: 0", b"Content-Length: %d" % size
    )
    content = (
        compress(RECORDS[0])
        + compress(head[:-4] + bytes(size) + b"\r\n\r\n")
        + compress(RECORDS[1])
    )
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    pages = read(tmp_path / "a.warc", content)
    assert [stored.error for stored in pages] == [None, None]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000
