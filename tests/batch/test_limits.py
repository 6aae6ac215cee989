"""What the main process of a batch unpacks, parses and holds is bounded."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from scrapy_boilerplate.batch.http_cache import BODY, META, read_cache
from scrapy_boilerplate.batch.json_lines import MAX_NAME_BYTES, MAX_VALUES, read_json_lines
from scrapy_boilerplate.batch.pages import StoredPage
from scrapy_boilerplate.batch.pool import RowPool
from scrapy_boilerplate.batch.rows import create_row, split_by_size
from scrapy_boilerplate.batch.settings import BatchSettings
from scrapy_boilerplate.extraction import extract
from tests.batch.large_worker import LARGE, SLOW_SECONDS
from tests.batch.stored import json_lines, page, rows_in

# Megabytes of a row, and rows, of a job: more than the process may have.
ROW_MB, ROWS = 24, 24
JOB_MB = 300


@contextmanager
def at_most(megabytes: float) -> Iterator[None]:
    """Fail if more memory is taken."""
    tracemalloc.start()
    yield
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    assert peak < megabytes


def write_entry(folder: Path, meta: bytes, headers: bytes = b"") -> Path:
    entry = folder / "news" / "ab" / "abcd"
    entry.mkdir(parents=True)
    (entry / META).write_bytes(meta)
    (entry / BODY).write_bytes(page(1).encode())
    (entry / "response_headers").write_bytes(headers)
    return folder


METAS = {
    "packed lists": gzip.compress(b"[" + b"[]," * 8_000_000 + b"]"),
    "nested lists": b"[" * 90_000 + b"]" * 90_000,
    "signs": b"-" * 90_000 + b"1",
    "sums": b"1+" * 49_000 + b"1",
    "lists within the limit": b"[" + b"[]," * 33_000 + b"]",
    "a number of many digits": b"{'status': " + b"9" * 90_000 + b"}",
    "numbers to no end": b"{'url': '', 'response_url': '', 'status': 1e999, 'timestamp': 1e999}",
}


@pytest.mark.parametrize("name", METAS)
def test_the_meta_of_a_cache_costs_no_memory(name: str, tmp_path: Path) -> None:
    folder = write_entry(tmp_path, METAS[name])
    with at_most(60):
        (stored,) = read_cache(folder)
    assert stored.error


def test_the_headers_of_a_cache_cost_no_memory(tmp_path: Path) -> None:
    meta = repr({"url": "u", "response_url": "u", "status": 200, "timestamp": 1.0}).encode()
    folder = write_entry(tmp_path, meta, gzip.compress(b"a:b\n" * 9_000_000))
    with at_most(20):
        (stored,) = read_cache(folder)
    assert stored.error == "the page has more than 300,000 bytes"


def test_a_line_of_many_values_costs_no_memory(tmp_path: Path) -> None:
    many = '{"id": 1, "html": "<p>", "more": [' + "[]," * 3_000_000 + "1]}"
    path = json_lines(tmp_path / "a.jsonl", [many, {"id": 2, "html": "<p>"}])
    with at_most(70):
        refused, next_page = read_json_lines(path)
    assert refused.error == f"no page: it has more than {MAX_VALUES:,} values"
    assert (next_page.id, next_page.error) == (2, None)


@pytest.mark.parametrize(
    "html", [",[{:" * MAX_VALUES, '",[' * MAX_VALUES, '\\",{' * MAX_VALUES, "\\\\," * MAX_VALUES]
)
def test_signs_in_a_page_are_no_values(html: str, tmp_path: Path) -> None:
    lines = [{"html": html, "id": [html.count("x"), "\\"]}] * 2
    assert [stored.html for stored in read_json_lines(json_lines(tmp_path / "a.jsonl", lines))] == [
        html,
        html,
    ]


@pytest.mark.parametrize("name", ["id", "url"])
def test_names_that_are_too_long(name: str, tmp_path: Path) -> None:
    lines = [{"html": "<p>", name: "x" * size} for size in (MAX_NAME_BYTES - 2, MAX_NAME_BYTES + 1)]
    short, long = read_json_lines(json_lines(tmp_path / "a.jsonl", lines))
    assert short.error is None
    assert f'under "{name}"' in (long.error or "")
    assert long.id == "a.jsonl:2"
    assert long.url is None


def test_an_id_that_is_nested_deeply(tmp_path: Path) -> None:
    for depth in (10, 600, 900, 980, 5_000):
        line = '{"html": "<p>", "id": ' + "[" * depth + "]" * depth + "}"
        (stored,) = read_json_lines(json_lines(tmp_path / "a.jsonl", [line]))
        if stored.error is None:
            assert StoredPage.unpack(stored.pack()).id == stored.id


def test_a_row_that_is_too_large_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scrapy_boilerplate.batch.rows.MAX_ROW_BYTES", 1_000)
    line = create_row(StoredPage(id=1, html=page(1)), lambda p: extract(p.html, p.url, "container"))
    assert json.loads(line)["error"] == "the row has more than 1,000 bytes"


SCRIPT = """
import sys
from pathlib import Path
from scrapy_boilerplate.batch.inputs import find_inputs
from scrapy_boilerplate.batch.job import Job, run_job
from scrapy_boilerplate.batch.pool import RowPool
from scrapy_boilerplate.batch.settings import BatchSettings
settings = BatchSettings(extractor="container")
job = Job(inputs=find_inputs([Path(sys.argv[1])]), settings=settings)
run_job(job, Path(sys.argv[2]), RowPool(settings, 2, sys.argv[3]))
status = Path("/proc/self/status").read_text("ascii")  # `ru_maxrss` counts the parent too
print(int(status.partition("VmHWM:")[2].split()[0]) // 1000)
"""


@pytest.mark.linux("/proc")
def test_large_rows_are_not_held_at_once(tmp_path: Path) -> None:
    """Neither those of a part, nor those that wait for a slow page."""
    lines = [{"id": n, "url": str(ROW_MB), "html": page(n)} for n in range(ROWS)]
    stored = json_lines(tmp_path / "a.jsonl", lines)
    command = [sys.executable, "-c", SCRIPT, str(stored), str(tmp_path / "out"), LARGE]
    megabytes = int(subprocess.run(command, check=True, capture_output=True).stdout)
    assert megabytes < JOB_MB < ROW_MB * ROWS
    sizes = [(row["id"], len(row["text"])) for row in rows_in(tmp_path / "out")]
    assert sizes == [(n, ROW_MB * 1_000_000) for n in range(ROWS)]


def test_bytes_ahead_of_a_slow_page_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scrapy_boilerplate.batch.pool.MAX_WAITING_BYTES", 10_000_000)
    n_read = 0

    def read() -> Iterator[StoredPage]:
        nonlocal n_read
        for n_read in range(1, 21):
            yield StoredPage(id=n_read - 1, url="4", html="<p>")

    settings = BatchSettings(extractor="container", seconds=SLOW_SECONDS + 60)
    rows = RowPool(settings, 2, LARGE).create_rows(read())
    assert json.loads(next(rows).line)["id"] == 0
    assert n_read <= 6, "three rows of 4 MB, and those at work"
    assert [json.loads(row.line)["id"] for row in rows] == list(range(1, 20))


def test_lists_of_bounded_size() -> None:
    values = [b"a" * size for size in (1, 2, 9, 1, 1, 1, 1)]
    sizes = [list(map(len, chunk)) for chunk in split_by_size(values, len, 4, 3)]
    assert sizes == [[1, 2], [9], [1, 1, 1], [1]]
    assert list(split_by_size([], len, 4)) == []
