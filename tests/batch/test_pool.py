"""Rows of a pool: a page that hangs, takes too much memory or kills its worker gives one error."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import monotonic

import pytest

from scrapy_boilerplate import Document, extract
from scrapy_boilerplate.batch.pages import StoredPage
from scrapy_boilerplate.batch.pool import RowPool, WorkerStartError
from scrapy_boilerplate.batch.rows import create_error_row, create_row, split_by_size
from scrapy_boilerplate.extractors import Options
from scrapy_boilerplate.items import RECORD_FIELDS
from tests.batch.poisoned_worker import (
    DIES,
    DIES_UNNAMED,
    EXITS,
    GROWS,
    HANGS,
    HUNG_VARIABLE,
    POISONED,
)
from tests.batch.stored import page

FAST = RowPool(Options(extractor="container"), seconds=60)


class Clock:
    """A clock that exceeds the limit of a page (not of a start) as soon as a page hangs."""

    def __init__(self, hung: Path) -> None:
        self.hung = hung
        self.may_leap = True
        self.offset = 0.0

    def __call__(self) -> float:
        if not self.offset and self.may_leap and self.hung.exists():
            self.offset = 2 * FAST.seconds
        return monotonic() + self.offset


def pages(*ids: object) -> list[StoredPage]:
    return [StoredPage(id=page_id, html=page(number)) for number, page_id in enumerate(ids)]


def build_document(page: StoredPage) -> Document:
    return extract(page.html, page.url, "container")


def test_rows_come_in_order_and_are_those_of_one_process() -> None:
    odd = (f"<p>é\ud800 {page(9)}", f"<p>\xff\n{page(9)}".encode("latin-1"))
    stored_pages = [*pages(*range(9)), *(StoredPage(id=9, html=html) for html in odd)]
    stored_pages.append(StoredPage(id=1, url="u", error="gone"))
    expected = [create_row(stored_page, build_document) for stored_page in stored_pages]
    assert [row.line for row in replace(FAST, n_workers=2).create_rows(stored_pages)] == expected
    row = json.loads(expected[3])
    assert (row["id"], row["headline"]) == (3, "Page 3")
    assert list(row) == ["id", *RECORD_FIELDS, "blocks", "error"]
    assert json.loads(expected[-1]) == {"id": 1, "url": "u", "error": "gone"}


@pytest.fixture
def clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of the limits, so that a busy machine has no effect."""
    hung = tmp_path / "hung"
    monkeypatch.setenv(HUNG_VARIABLE, str(hung))
    clock = Clock(hung)
    monkeypatch.setattr("scrapy_boilerplate.workers.pool.monotonic", clock)
    return clock


@pytest.mark.linux("memory of workers is read from /proc, SIGSEGV")
@pytest.mark.usefixtures("clock")
def test_poisoned_pages_cost_their_own_rows() -> None:
    pool = replace(FAST, memory=400, entry_point=POISONED)
    errors = {
        HANGS: "the page took more than 60 s",
        GROWS: "the page took more than 400 MB of memory",
        DIES: "the worker died on the page (SIGSEGV)",
        DIES_UNNAMED: "the worker died on the page (status -35)",
        EXITS: "the worker died on the page (status 3)",
    }
    rows = [json.loads(row.line) for row in pool.create_rows(pages(0, *errors, 6, 7))]
    assert [(row["id"], row["error"]) for row in rows] == [
        (0, None), *errors.items(), (6, None), (7, None)
    ]  # fmt: skip
    assert rows[-1]["headline"] == "Page 7"


def test_workers_that_cannot_start() -> None:
    with pytest.raises(WorkerStartError, match=r"cannot be started: worker \d+ died"):
        list(replace(FAST, entry_point="sys:exit").create_rows(pages(1)))


def test_rows_ahead_of_a_slow_page_are_bounded(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scrapy_boilerplate.batch.pool.MAX_WAITING_ROWS", 5)
    clock.may_leap = False
    n_read = 0

    def read() -> Iterator[StoredPage]:
        nonlocal n_read
        for stored_page in pages(HANGS, *range(20)):
            n_read += 1
            clock.may_leap = n_read >= 5
            yield stored_page

    rows = replace(FAST, n_workers=2, entry_point=POISONED).create_rows(read())
    assert json.loads(next(rows).line)["error"] == "the page took more than 60 s"
    assert n_read == 5
    assert [json.loads(row.line)["id"] for row in rows] == list(range(20))


def test_modules_in_the_current_folder_are_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("json.py", "lxml.py", "w3lib.py"):
        (tmp_path / name).write_text("raise SystemExit('imported')", encoding="ascii")
    monkeypatch.chdir(tmp_path)
    assert [row.failed for row in FAST.create_rows(pages(0))] == [False]


def test_half_a_character_becomes_a_question_mark() -> None:
    html = '<script type="application/ld+json">{"@type":"NewsArticle","headline":"A \\ud83d B"}'
    line = create_row(StoredPage(id="\ud83d", html=html), build_document)
    assert json.loads(line)["id"] == "?"
    line.decode()
    assert b"\\ud83d" not in line
    failed = create_error_row(StoredPage(id=["\ud83d"], url="\ud83d"), "no \ud83d")
    assert json.loads(failed) == {"id": ["?"], "url": "?", "error": "no ?"}


def test_a_row_that_is_too_large_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scrapy_boilerplate.batch.rows.MAX_ROW_BYTES", 1_000)
    line = create_row(StoredPage(id=1, html=page(1)), build_document)
    assert json.loads(line)["error"] == "the row has more than 1,000 bytes"


def test_lists_of_bounded_size() -> None:
    small, large, huge = b"a", bytes(12_000_000), bytes(40_000_000)
    chunks = split_by_size([large, large, large, huge, *[small] * 501])
    assert list(map(len, chunks)) == [2, 1, 1, 500, 1]
    assert list(split_by_size([])) == []
