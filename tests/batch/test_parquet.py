"""Parquet inputs: each row is a page or an error, whatever the file holds."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path
from typing import Any

import pytest

from scrapy_boilerplate.batch import parquet, parquet_worker
from scrapy_boilerplate.batch.inputs import find_inputs
from scrapy_boilerplate.batch.job import run_job
from scrapy_boilerplate.batch.pages import ReadOptions, StoredPage
from scrapy_boilerplate.batch.pool import RowPool
from scrapy_boilerplate.batch.settings import BatchSettings
from tests.batch.stored import page, rows_in
from tests.batch.test_job import create_job

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

PAGES = 7
TABLE = {
    "id": [f"page {number}" for number in range(PAGES)],
    "url": [f"https://a.example/{number}" for number in range(PAGES)],
    "html": [page(number) for number in range(PAGES)],
}


def write(path: Path, table: dict[str, Any], **options: Any) -> Path:
    pq.write_table(pa.table(table), path, **options)
    return path


def read(path: Path, **options: Any) -> list[StoredPage]:
    [source] = find_inputs([path])
    return list(source.read_pages(ReadOptions(**options)))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"row_group_size": 3},
        {"row_group_size": 1, "compression": "zstd"},
        {"use_dictionary": False, "compression": "gzip", "data_page_version": "2.0"},
    ],
)
def test_each_row_is_a_page(options: dict[str, Any], tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", {**TABLE, "other": [[1]] * PAGES}, **options)
    pages = read(path)
    assert [stored.html for stored in pages] == TABLE["html"]
    assert [stored.url for stored in pages] == TABLE["url"]
    assert [stored.id for stored in pages] == TABLE["id"]
    assert sum(stored.size for stored in pages) == path.stat().st_size


TYPES = {
    "large": (pa.large_string(), "<p>é", "<p>é"),
    "bytes": (pa.binary(), b"<p>\xe9", b"<p>\xe9"),
    "large bytes": (pa.large_binary(), b"<p>\xe9", b"<p>\xe9"),
    "dictionary": (pa.dictionary(pa.int8(), pa.string()), "<p>é", "<p>é"),
}


@pytest.mark.parametrize("name", TYPES)
def test_types_of_html(name: str, tmp_path: Path) -> None:
    kind, value, expected = TYPES[name]
    column = pa.array([value, value], kind)
    pages = read(write(tmp_path / "a.parquet", {"html": column}))
    assert [stored.html for stored in pages] == [expected] * 2
    assert [stored.id for stored in pages] == ["a.parquet:1", "a.parquet:2"]


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        ([0, 5], [0, 5]),
        ([True, False], [True, False]),
        ([0.5, float("nan")], [0.5, "nan"]),
        (["a", None], ["a", "a.parquet:2"]),
        ([b"\xff", b"a"], ["\N{REPLACEMENT CHARACTER}", "a"]),
        ([{"a": 1}, None], ["a.parquet:1", "a.parquet:2"]),
    ],
)
def test_ids(ids: list[Any], expected: list[Any], tmp_path: Path) -> None:
    pages = read(write(tmp_path / "a.parquet", {"html": ["<p>", "<p>"], "id": ids}))
    assert [stored.id for stored in pages] == expected


WRONG_ROWS: dict[str, tuple[dict[str, Any], str]] = {
    "nothing": ({"html": ["<p>", None, "<p>"]}, "no text under 'html'"),
    "too large": ({"html": ["<p>", "x" * 5_001, "<p>"]}, "more than 5,000 bytes"),
    "a long address": (
        {"html": ["<p>"] * 3, "url": ["", "x" * 100_001, None]}, "100,000 bytes under 'url'",
    ),
    "a long id": (
        {"html": ["<p>"] * 3, "id": ["a", "x" * 100_001, None]}, "bytes under 'id'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG_ROWS)
def test_a_wrong_row_is_an_error_of_its_own(name: str, tmp_path: Path) -> None:
    table, message = WRONG_ROWS[name]
    pages = read(write(tmp_path / "a.parquet", table), max_bytes=5_000)
    assert [stored.error is None for stored in pages] == [True, False, True]
    assert message in str(pages[1].error)


WRONG_FILES: dict[str, tuple[Any, str]] = {
    "no html": ({"text": ["<p>"]}, "no column 'html'"),
    "numbers": ({"html": [1]}, "no column 'html'"),
    "numbers for addresses": ({"html": ["<p>"], "url": [1]}, "no text in the column 'url'"),
    "garbage": (b"PAR1" + bytes(99), "cannot be read"),
    "empty": (b"", "cannot be read"),
    "cut off": (None, "cannot be read"),
}


@pytest.mark.parametrize("name", WRONG_FILES)
def test_a_wrong_file_is_one_error(name: str, tmp_path: Path) -> None:
    content, message = WRONG_FILES[name]
    path = tmp_path / "a.parquet"
    if isinstance(content, dict):
        write(path, content)
    else:
        content = write(path, TABLE).read_bytes()[:-99] if content is None else content
        path.write_bytes(content)
    [stored] = read(path)
    assert message in str(stored.error)


def test_a_broken_row_group_is_one_error_and_the_others_come(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", TABLE, row_group_size=3, compression="zstd")
    metadata = pq.ParquetFile(path).metadata.row_group(1).column(2)
    start, size = metadata.dictionary_page_offset, metadata.total_compressed_size
    content = bytearray(path.read_bytes())
    content[start : start + size] = bytes(size)
    path.write_bytes(content)
    pages = read(path)
    assert [stored.id for stored in pages if stored.error is None] == [
        *TABLE["id"][:3],
        *TABLE["id"][6:],
    ]
    [error] = [str(stored.error) for stored in pages if stored.error]
    assert "(3 rows)" in error


def test_bytes_changed_anywhere(tmp_path: Path) -> None:
    """No row is missing without an error, and the reader of the main process never fails."""
    path = write(tmp_path / "a.parquet", TABLE, row_group_size=2, compression="none")
    whole = path.read_bytes()
    chance = random.Random(1)  # noqa: S311 - no secret
    for _ in range(12):
        content = bytearray(whole)
        first = chance.randrange(len(content))
        content[first : first + 8] = chance.randbytes(8)
        path.write_bytes(content)
        pages = read(path)
        assert len(pages) == PAGES or any(stored.error for stored in pages)


def test_values_that_are_packed_well(tmp_path: Path) -> None:
    """A file of 100 kB holds 200 MB: each page comes."""
    path = write(tmp_path / "a.parquet", {"html": ["x" * 20_000_000] * 10}, compression="zstd")
    assert path.stat().st_size < 100_000
    assert [len(stored.html) for stored in read(path)] == [20_000_000] * 10


def test_a_value_that_takes_too_much_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process is ended, or was quick enough to see that it is no page."""
    monkeypatch.setattr(parquet, "MEMORY", 350)
    path = write(tmp_path / "a.parquet", {"html": ["x" * 300_000_000]}, compression="zstd")
    [stored] = read(path)
    assert "more than 350 MB of memory" in str(stored.error) or "50,000,000" in str(stored.error)


def test_the_clock_covers_the_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "ENTRY_POINT", f"{__name__}:serve_slowly")
    path = write(tmp_path / "a.parquet", TABLE, row_group_size=4)
    pages = read(path, seconds=0.5)
    assert [stored.id for stored in pages if stored.error is None] == TABLE["id"][4:]
    [error] = [str(stored.error) for stored in pages if stored.error]
    assert "takes more than 0.5 s (4 rows)" in error


def serve_slowly() -> None:
    """The process of a file whose first row takes long."""
    read_pages = parquet_worker.RowReader._pack_pages

    def read_slowly(reader: parquet_worker.RowReader, row: int) -> bytes:
        time.sleep(30 if row == 0 else 0)
        return read_pages(reader, row)

    parquet_worker.RowReader._pack_pages = read_slowly  # type: ignore[assignment,method-assign]
    parquet_worker.serve_pages()


def test_a_reader_that_dies_often_ends_with_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "ENTRY_POINT", f"{__name__}:serve_and_die")
    monkeypatch.setattr(parquet, "MAX_DEATHS", 4)
    path = write(tmp_path / "a.parquet", TABLE, row_group_size=1)
    pages = read(path)
    assert [("died" in str(stored.error)) for stored in pages] == [True, True]
    assert f"({PAGES - 1} rows)" in str(pages[-1].error)
    assert sum(stored.size for stored in pages) == path.stat().st_size


def serve_and_die() -> None:
    """The process of a file that ends it."""
    parquet_worker.RowReader._pack_pages = lambda _reader, _row: os._exit(3)  # type: ignore[assignment,method-assign]
    parquet_worker.serve_pages()


@pytest.mark.posix("links need a right of their own on Windows")
def test_a_folder_with_a_link_out_of_it(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    (folder / "below").mkdir(parents=True)
    outside = write(tmp_path / "b.parquet", TABLE)
    (folder / "b.parquet").symlink_to(outside)
    write(folder / "below" / "a.parquet", TABLE)
    pages = [page for source in find_inputs([folder]) for page in source.read_pages()]
    assert [stored.id for stored in pages if stored.error is None] == TABLE["id"]
    assert "--follow-links" in str(next(stored.error for stored in pages if stored.error))


def test_rows_of_a_job(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", {**TABLE, "html": [*TABLE["html"][:-1], None]})
    run_job(create_job(path), tmp_path / "out", RowPool(BatchSettings(extractor="num-words")))
    rows = rows_in(tmp_path / "out")
    assert [row["id"] for row in rows] == TABLE["id"]
    assert [row["headline"] for row in rows[:-1]] == [f"Page {n}" for n in range(PAGES - 1)]
    assert rows[-1]["error"] == "no text under 'html'"
