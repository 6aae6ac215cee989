"""Archives: legal, joined, padded, cut off, broken. Each page comes, or an error does."""

from __future__ import annotations

import gzip
import lzma
import random
import sys
import time
import tracemalloc
import zlib
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from scrapy_boilerplate.batch.http_body import BodyError, decode_chunks, decompress_body
from scrapy_boilerplate.batch.inputs import find_inputs
from scrapy_boilerplate.batch.json_lines import read_json_lines
from scrapy_boilerplate.batch.pages import ReadOptions, StoredPage
from scrapy_boilerplate.batch.warc import read_warc
from scrapy_boilerplate.extras import MissingExtraError, is_installed
from tests.batch.stored import http, page, record

PAGES = 5
EMPTY = gzip.compress(b"")
RECORDS = [
    record(f"https://a.example/{number}", http(page(number).encode()), number)
    for number in range(PAGES)
]
PACKED = [gzip.compress(content) for content in RECORDS]
BGZIP_BYTES = 700


def bgzip(content: bytes) -> bytes:
    """As bgzip packs: members of equal content, and an empty one at the end."""
    starts = range(0, len(content), BGZIP_BYTES)
    return b"".join(gzip.compress(content[n : n + BGZIP_BYTES]) for n in starts) + EMPTY


def read(path: Path, content: bytes, options: ReadOptions | None = None) -> list[StoredPage]:
    path.write_bytes(content)
    return list(read_warc(path, options or ReadOptions()))


def count_with_warcio(path: Path) -> int:
    iterator = pytest.importorskip("warcio.archiveiterator").ArchiveIterator
    with path.open("rb") as raw:
        return sum(found.rec_type == "response" for found in iterator(raw))


LEGAL = {
    "a record a member": b"".join(PACKED),
    "empty members between records": EMPTY.join(PACKED),
    "many empty members at the start and the end": EMPTY * 9 + b"".join(PACKED) + EMPTY * 9,
    "two files joined": b"".join(PACKED[:2]) + EMPTY + b"".join(PACKED[2:]) + EMPTY,
    "stored, not deflated": b"".join(gzip.compress(content, 0) for content in RECORDS),
    "plain": b"".join(RECORDS),
}


@pytest.mark.parametrize("name", LEGAL)
def test_every_page_of_a_legal_archive_comes_as_with_warcio(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    pages = read(path, LEGAL[name])
    assert [stored.html for stored in pages] == [page(number) for number in range(PAGES)]
    assert {stored.error for stored in pages} == {None}
    assert count_with_warcio(path) == PAGES


def test_an_answer_whose_record_has_no_type_comes_as_with_warcio(tmp_path: Path) -> None:
    path, kind = tmp_path / "a.warc", b"Content-Type: application/http; msgtype=response\r\n"
    untyped = [RECORDS[0], RECORDS[1].replace(kind, b""), RECORDS[2]]
    pages = read(path, b"".join(untyped))
    assert [stored.html for stored in pages] == [page(number) for number in range(3)]
    assert count_with_warcio(path) == len(untyped)
    other = RECORDS[1].replace(kind, b"").replace(b"WARC-Type: response", b"WARC-Type: resource")
    assert len(read(path, RECORDS[0] + other + RECORDS[2])) == 2


PADDED = {
    "members that hold two records": gzip.compress(RECORDS[0] + RECORDS[1])
    + gzip.compress(b"".join(RECORDS[2:])),
    "one member": gzip.compress(b"".join(RECORDS)),
    "zeros between members": bytes(512).join(PACKED),
    "zeros at the end": b"".join(PACKED) + bytes(1_000_000),
    "members that end within records": bgzip(b"".join(RECORDS)),
    "plain after packed": b"".join(PACKED[:2]) + b"".join(RECORDS[2:]),
    "packed after plain": b"".join(RECORDS[:2]) + b"".join(PACKED[2:]),
}


@pytest.mark.parametrize("name", PADDED)
def test_every_page_comes_where_warcio_gives_up(name: str, tmp_path: Path) -> None:
    pages = read(tmp_path / "a.warc.gz", PADDED[name])
    texts = [stored.html for stored in pages if stored.error is None]
    assert texts == [page(number) for number in range(PAGES)]
    assert len(pages) - PAGES == (name == "packed after plain"), "an error tells the seam"


BROKEN: dict[str, tuple[bytes, list[int]]] = {
    "garbage at the end": (b"".join(PACKED) + b"garbage" * 99, [0, 1, 2, 3, 4]),
    "garbage between members": (b"garbage\n\x1f\x8b\x08".join(PACKED[:2]) + PACKED[2], [0, 1, 2]),
    "a member cut short": (PACKED[0] + PACKED[1][:-300] + b"".join(PACKED[2:]), [0, 2, 3, 4]),
    "a member with a wrong sum": (
        PACKED[0] + PACKED[1][:-8] + bytes(8) + b"".join(PACKED[2:]),
        [0, 2, 3, 4],
    ),
    "a member with a byte changed": (
        PACKED[0] + PACKED[1][:99] + b"\0\0\0\0" + PACKED[1][103:] + b"".join(PACKED[2:]),
        [0, 2, 3, 4],
    ),
    "a record cut short in a whole member": (
        PACKED[0] + gzip.compress(RECORDS[1][:-90]) + b"".join(PACKED[2:]),
        [0, 2, 3, 4],
    ),
    "a record without its length": (
        PACKED[0] + gzip.compress(RECORDS[1].replace(b"Content-Length", b"Length")) + PACKED[2],
        [0, 2],
    ),
    "a head cut short": (PACKED[0] + gzip.compress(RECORDS[1][:60]) + PACKED[2], [0, 2]),
    "garbage in plain": (RECORDS[0] + b"garbage\n" * 99 + RECORDS[1], [0, 1]),
    "plain cut off": (b"".join(RECORDS)[:-50], [0, 1, 2, 3]),
    "packed cut off": (b"".join(PACKED)[:-50], [0, 1, 2, 3]),
    "no archive": (b"\x7fELF" + bytes(range(256)) * 9, []),
    "the beginning of a member": (PACKED[0] + b"\x1f\x8b", [0]),
}


@pytest.mark.parametrize("name", BROKEN)
def test_an_error_tells_each_break_and_what_follows_comes(name: str, tmp_path: Path) -> None:
    content, expected = BROKEN[name]
    pages = read(tmp_path / "a.warc.gz", content)
    texts = [stored.html for stored in pages if stored.error is None]
    assert texts == [page(number) for number in expected]
    assert len([stored for stored in pages if stored.error]) == 1


@pytest.mark.parametrize("n_pages", [2, 7])
def test_no_page_is_lost_without_an_error_wherever_bytes_change(
    n_pages: int, tmp_path: Path
) -> None:
    """Bytes cut out, changed and put in: pages that do not come are told by an error."""
    whole = b"".join((PACKED * 2)[:n_pages])
    chance = random.Random(n_pages)  # noqa: S311 - no secret
    for _ in range(300):
        first, size = chance.randrange(len(whole)), chance.choice((1, 2, 30, 900))
        put = chance.randbytes(chance.choice((0, 1, 40)))
        pages = read(tmp_path / "a.warc.gz", whole[:first] + put + whole[first + size :])
        intact = [stored for stored in pages if stored.error is None]
        errors = len(pages) - len(intact)
        whole_members = size // min(map(len, PACKED))  # which leave nothing to tell
        assert len(intact) >= n_pages - 2 - whole_members
        assert errors or len(intact) >= n_pages - whole_members


ZSTANDARD = pytest.mark.skipif(not is_installed("zstandard"), reason="needs zstandard")
SKIPPED = b"\x5a\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"12345"
"""A frame of zstd without content."""


def pack_zstd(content: bytes, dictionary: bytes = b"") -> bytes:
    zstandard = import_module("zstandard")
    options = {"dict_data": zstandard.ZstdCompressionDict(dictionary)} if dictionary else {}
    packed: bytes = zstandard.ZstdCompressor(write_checksum=True, **options).compress(content)
    return packed


def dictionary_frame(dictionary: bytes) -> bytes:
    return b"\x5d\x2a\x4d\x18" + len(dictionary).to_bytes(4, "little") + dictionary


@cache
def train_dictionary(seed: int) -> bytes:
    """A dictionary of zstd, unlike that of another seed."""
    samples = [record(f"https://a.example/{n}", http(page(n).encode()), n) for n in range(300)]
    trained = import_module("zstandard").train_dictionary(4_000, samples, dict_id=seed)
    dictionary: bytes = trained.as_bytes()
    return dictionary


def build_zstd() -> dict[str, tuple[bytes, list[int], int]]:
    """Files of zstd frames, the pages that come, and the number of errors."""
    if not is_installed("zstandard"):
        return {}
    frames, whole = [pack_zstd(content) for content in RECORDS], list(range(PAGES))
    dictionary, other = train_dictionary(7), train_dictionary(8)
    trained = [pack_zstd(content, dictionary) for content in RECORDS]
    head, empty = dictionary_frame(dictionary), pack_zstd(b"")
    return {
        "a frame a record": (b"".join(frames), whole, 0),
        "one frame": (pack_zstd(b"".join(RECORDS)), whole, 0),
        "two records a frame": (
            pack_zstd(b"".join(RECORDS[:2])) + pack_zstd(b"".join(RECORDS[2:])), whole, 0,
        ),
        "frames that end within records": (
            b"".join(pack_zstd(b"".join(RECORDS)[n : n + 700])
                     for n in range(0, sum(map(len, RECORDS)), 700)), whole, 0,
        ),
        "empty and skipped frames": ((SKIPPED + empty * 9).join(frames) + SKIPPED, whole, 0),
        "zeros between": (bytes(512).join(frames), whole, 0),
        "with a dictionary": (head + b"".join(trained), whole, 0),
        "with a packed dictionary": (
            dictionary_frame(pack_zstd(dictionary)) + b"".join(trained), whole, 0,
        ),
        "two files joined, each with a dictionary": (
            head + b"".join(trained[:2]) + dictionary_frame(other)
            + b"".join(pack_zstd(content, other) for content in RECORDS[2:]), whole, 0,
        ),
        "frames that need no dictionary after it": (head + b"".join(frames), whole, 0),
        "gzip after zstd": (b"".join(frames[:2]) + b"".join(PACKED[2:]), whole, 0),
        "plain after zstd": (b"".join(frames[:2]) + b"".join(RECORDS[2:]), whole, 0),
        "zstd after plain": (b"".join(RECORDS[:2]) + b"".join(frames[2:]), whole, 1),
        "the dictionary is missing": (b"".join(trained), [], 1),
        "another dictionary": (dictionary_frame(other) + b"".join(trained), [], 1),
        "a dictionary that is none": (
            dictionary_frame(b"none") + b"".join(trained[:1] + frames[1:]), whole[1:], 1,
        ),
        "a dictionary that is too large": (
            dictionary_frame(pack_zstd(dictionary + bytes(20_000_000))) + b"".join(frames),
            whole, 1,
        ),
        "a dictionary that is broken": (
            dictionary_frame(dictionary[:4] + b"\xff" * 99) + frames[0], [0], 1,
        ),
        "a skipped frame beyond the end": (frames[0] + SKIPPED[:-2], [0], 1),
        "a frame cut short": (frames[0] + frames[1][:-90] + b"".join(frames[2:]), [0, 2, 3, 4], 1),
        "a byte changed": (
            frames[0] + frames[1][:90] + b"\0\0\0\0" + frames[1][94:] + b"".join(frames[2:]),
            [0, 2, 3, 4], 1,
        ),
        "cut off": (b"".join(frames)[:-50], whole[:4], 1),
        "garbage at the end": (b"".join(frames) + b"garbage" * 99, whole, 1),
        "garbage between": (b"garbage\n\x28\xb5\x2f\xfd".join(frames[:2]), [0, 1], 1),
        "the beginning of a frame": (frames[0] + b"\x28\xb5", [0], 1),
    }  # fmt: skip


ZSTD_FILES = build_zstd()


@ZSTANDARD
@pytest.mark.parametrize("name", ZSTD_FILES)
def test_frames_of_zstd(name: str, tmp_path: Path) -> None:
    content, expected, n_errors = ZSTD_FILES[name]
    path = tmp_path / "a.warc.zst"
    path.write_bytes(content)
    [source] = find_inputs([path])
    pages = list(source.read_pages())
    texts = [stored.html for stored in pages if stored.error is None]
    assert texts == [page(number) for number in expected]
    assert len([stored for stored in pages if stored.error]) == n_errors


@ZSTANDARD
def test_no_page_of_zstd_is_lost_without_an_error_wherever_bytes_change(tmp_path: Path) -> None:
    head, frames = dictionary_frame(train_dictionary(7)), ZSTD_FILES["with a dictionary"][0]
    chance = random.Random(3)  # noqa: S311 - no secret
    for _ in range(200):
        first, size = chance.randrange(len(head), len(frames)), chance.choice((1, 2, 30))
        put = chance.randbytes(chance.choice((0, 1, 40)))
        pages = read(tmp_path / "a.warc.zst", frames[:first] + put + frames[first + size :])
        intact = [stored for stored in pages if stored.error is None]
        assert len(intact) >= PAGES - 2
        assert len(pages) > len(intact) or len(intact) == PAGES


@ZSTANDARD
@pytest.mark.parametrize("packed", [bytes(500_000_000), RECORDS[0] + bytes(500_000_000)])
def test_a_bomb_of_zstd_takes_little_memory(packed: bytes, tmp_path: Path) -> None:
    content = pack_zstd(packed) + pack_zstd(RECORDS[1])
    tracemalloc.start()
    pages = read(tmp_path / "a.warc.zst", content)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [stored.html for stored in pages][-1] == page(1)
    assert peak < 50_000_000


@ZSTANDARD
def test_the_clock_covers_frames_of_zstd_without_a_page(tmp_path: Path) -> None:
    content = pack_zstd(RECORDS[0]) + (SKIPPED + pack_zstd(b"")) * 300_000
    start = time.monotonic()
    pages = read(tmp_path / "a.warc.zst", content, ReadOptions(seconds=0.5))
    assert [stored.error is None for stored in pages] == [True, False]
    assert "more than 0.5 s" in str(pages[1].error)
    assert time.monotonic() - start < 10


def test_zstd_needs_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    path = tmp_path / "a.warc.zst"
    [stored] = read(path, b"\x28\xb5\x2f\xfd" + bytes(99))
    assert "needs zstandard" in str(stored.error)
    with pytest.raises(MissingExtraError, match="needs zstandard"):
        find_inputs([path])


def zstd_frames(body: bytes) -> dict[str, bytes]:
    compress: Callable[[bytes], bytes] = pytest.importorskip("zstandard").compress
    half = len(body) // 2
    skipped = b"\x5a\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"12345"
    return {
        "two": compress(body[:half]) + compress(body[half:]),
        "empty between": compress(body[:half]) + compress(b"") * 3 + compress(body[half:]),
        "skippable between": compress(body[:half]) + skipped + compress(body[half:]),
        "skippable at both ends": skipped * 2 + compress(body) + skipped,
        "garbage behind": compress(body) + b"garbage",
    }


@pytest.mark.parametrize("name", zstd_frames(b""))
def test_bodies_in_several_frames_of_zstd(name: str) -> None:
    body = page(1).encode()
    packed = zstd_frames(body)[name]
    assert decompress_body(packed, "zstd") == body
    if name.startswith(("two", "empty", "skippable between")):
        with pytest.raises(BodyError, match="cut off"):
            decompress_body(packed[:-3], "zstd")


def test_a_skippable_frame_that_is_cut_off() -> None:
    pytest.importorskip("zstandard")
    with pytest.raises(BodyError, match="cut off"):
        decompress_body(b"\x50\x2a\x4d\x18\xff\xff\xff\xff1234", "zstd")


def test_bodies_in_too_many_pieces_are_refused() -> None:
    for body, coding in ((EMPTY * 100_000, "gzip"), (gzip.compress(b"<p>"), "gzip, " * 9 + "gzip")):
        started = time.monotonic()
        with pytest.raises(BodyError, match="packed"):
            decompress_body(body, coding)
        assert time.monotonic() - started < 2


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"3\r\n<p>\r\n1;x=y\r\nx\r\n0\r\n\r\n", b"<p>x"),
        (b"3\n<p>\n0\n", b"<p>"),
        (b"ff\r\n<p>", b"<p>"),
        (b"-1\r\n<p>", b"-1\r\n<p>"),
        (b"no size", b"no size"),
        (b"", b""),
    ],
)
def test_chunks(body: bytes, expected: bytes) -> None:
    assert decode_chunks(body, lambda: None) == expected


# -- the clock covers the reader ---------------------------------------------------------------

FAST = ReadOptions(seconds=0.3)
NO_PAGES = {
    "empty members": EMPTY * 1_000_000,
    "garbage lines": b"\n\n\nx\n" * 4_000_000,
    "broken members": b"\x1f\x8b\x08\0\0\0\0\0\0\3" * 2_000_000,
}


@pytest.mark.parametrize("name", NO_PAGES)
def test_a_file_without_pages_costs_no_more_than_its_time(name: str, tmp_path: Path) -> None:
    started = time.monotonic()
    pages = read(tmp_path / "a.warc.gz", PACKED[0] + NO_PAGES[name] + PACKED[1], FAST)
    assert time.monotonic() - started < 3
    assert pages[0].html == page(0)
    assert len(pages) <= 3
    assert any(stored.error for stored in pages)


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_lines_without_pages_cost_no_more_than_their_time(
    pack: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    line = b'{"html": "<p>"}\n'
    for name, content in {
        "blank lines": pack(line + b"\n" * 20_000_000 + line),
        "empty members": pack(line) + pack(b"") * 300_000 + pack(line),
    }.items():
        path = tmp_path / f"a.jsonl.{'gz' if pack is gzip.compress else 'xz'}"
        path.write_bytes(content)
        started = time.monotonic()
        pages = list(read_json_lines(path, FAST))
        assert time.monotonic() - started < 3, name
        assert [stored.html for stored in pages][:1] == ["<p>"]
        assert len(pages) == 2


def test_time_that_a_reader_waits_for_its_caller_does_not_count(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(b"".join(PACKED))
    pages = []
    for stored in read_warc(path, FAST):
        pages.append(stored)
        time.sleep(0.4)
    assert [stored.error for stored in pages] == [None] * PAGES


@pytest.mark.posix("the module `resource`")
def test_a_bomb_among_records_is_passed_over_in_pieces(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    size = 500_000_000
    head = record("https://a.example/", b"", 7, "metadata").replace(
        b"Content-Length: 0", b"Content-Length: %d" % size
    )
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    pages = read(tmp_path / "a.warc.gz", PACKED[0] + gzip.compress(head[:-4]) + pack_zeros(size)
                 + PACKED[1])  # fmt: skip
    assert [stored.error for stored in pages] == [None, None]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000


def pack_zeros(size: int) -> bytes:
    packer = zlib.compressobj(wbits=31)
    return b"".join(packer.compress(bytes(1_000_000)) for _ in range(size // 1_000_000)) + (
        packer.flush()
    )
