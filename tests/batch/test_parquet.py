"""Parquet inputs: each row is a page or an error."""

from pathlib import Path
from typing import Any

import pytest

from tests.batch.stored import NO_HTML, page, read_pages

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

PAGES = 20
TABLE = {
    "id": [f"page {number}" for number in range(PAGES)],
    "url": [f"https://a.example/{number}" for number in range(PAGES)],
    "html": [page(number) for number in range(PAGES)],
}


def write(path: Path, table: dict[str, Any], **options: Any) -> Path:
    pq.write_table(pa.table(table), path, **options)
    return path


def test_each_row_is_a_page(tmp_path: Path) -> None:
    table = {**TABLE, "other": [[1]] * PAGES}
    pages = read_pages(write(tmp_path / "a.parquet", table, row_group_size=3))
    rows = [{"id": page.id, "url": page.url, "html": page.html} for page in pages]
    assert rows == pa.table(TABLE).to_pylist()


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["<p>", "<p>é"], pa.large_string()),
        ([b"<p>", b"<p>\xe9"], pa.binary()),
        (["<p>", "<p>é"], pa.dictionary(pa.int8(), pa.string())),
    ],
)
def test_types_of_html(values: list[Any], kind: Any, tmp_path: Path) -> None:
    pages = read_pages(write(tmp_path / "a.parquet", {"html": pa.array(values, kind)}))
    assert [stored.html for stored in pages] == values
    assert [stored.id for stored in pages] == ["a.parquet:1", "a.parquet:2"]


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        ([0.5, float("nan")], [0.5, "nan"]),
        (["a", None], ["a", "a.parquet:2"]),
        ([b"\xff", b"a"], ["\N{REPLACEMENT CHARACTER}", "a"]),
        ([{"a": 1}, None], ["a.parquet:1", "a.parquet:2"]),
    ],
)
def test_ids(ids: list[Any], expected: list[Any], tmp_path: Path) -> None:
    pages = read_pages(write(tmp_path / "a.parquet", {"html": ["<p>", "<p>"], "id": ids}))
    assert [stored.id for stored in pages] == expected


def test_a_wrong_row_is_an_error_of_its_own(tmp_path: Path) -> None:
    table = {"html": ["<p>", None, "x" * 5_001, "<p>"]}
    pages = read_pages(write(tmp_path / "a.parquet", table), max_bytes=5_000)
    too_large = "the page has more than 5,000 bytes"
    first, missing, large, last = (stored.error for stored in pages)
    assert (first, large, last) == (None, too_large, None)
    assert NO_HTML in str(missing)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"text": ["<p>"]}, NO_HTML),
        ({"html": [1]}, '"html" is not text'),
        ({"html": ["<p>"], "url": [1]}, '"url" is not text'),
        (b"PAR1" + bytes(99), "cannot be read"),
    ],
)
def test_a_wrong_file_is_one_error(content: Any, message: str, tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    if isinstance(content, dict):
        write(path, content)
    else:
        path.write_bytes(content)
    [stored] = read_pages(path)
    assert message in str(stored.error)


def test_the_rest_of_a_broken_file_is_one_error(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", TABLE, row_group_size=8, compression="zstd")
    metadata = pq.ParquetFile(path).metadata.row_group(1).column(2)
    start, size = metadata.dictionary_page_offset, metadata.total_compressed_size
    content = bytearray(path.read_bytes())
    content[start : start + size] = bytes(size)
    path.write_bytes(content)
    *pages, last = read_pages(path)
    assert [stored.id for stored in pages] == TABLE["id"][:8]
    assert last.id == "a.parquet:9"
    assert "(12 rows are missing)" in str(last.error)
