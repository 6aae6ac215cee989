"""Workers under guard: a page that hangs, grows or kills costs its own row."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scrapy_boilerplate.batch.crew import Crew
from scrapy_boilerplate.batch.guarded import GuardedWorker, Settings, WorkerError
from scrapy_boilerplate.batch.pages import StoredPage
from scrapy_boilerplate.batch.rows import line_of, reader
from scrapy_boilerplate.extractors import extractor_named
from scrapy_boilerplate.record import FIELDS
from tests.batch.poisoned_worker import COMMAND, DIES, GROWS, HANGS
from tests.batch.stored import page

FAST = Settings(extractor="container", seconds=60)


def pages(*ids: object) -> list[StoredPage]:
    return [StoredPage(id=one, html=page(number)) for number, one in enumerate(ids)]


def test_rows_come_in_order_and_are_those_of_one_process() -> None:
    given = pages(*range(9))
    expected = [line_of(one, reader(extractor_named("container"))) for one in given]
    assert [row.line for row in Crew(FAST, 2).rows(given)] == expected
    row = json.loads(expected[3])
    assert (row["id"], row["headline"]) == (3, "Page 3")
    assert list(row) == ["id", *FIELDS, "blocks", "error"]


def test_page_with_an_error_needs_no_worker() -> None:
    (row,) = Crew(FAST).rows([StoredPage(id=1, url="u", error="gone")])
    assert json.loads(row.line) == {"id": 1, "url": "u", "error": "gone"}
    assert row.failed


def test_no_pages_no_workers() -> None:
    assert list(Crew(FAST, command=("-c", "raise SystemExit")).rows([])) == []


@pytest.mark.parametrize(
    ("poison", "settings", "error"),
    [
        pytest.param(HANGS, Settings(extractor="container", seconds=3),
                     "the page took more than 3 s", id="hangs"),
        pytest.param(GROWS, Settings(extractor="container", memory=400),
                     "the page took more than 400 MB of memory", id="grows"),
        pytest.param(DIES, FAST, "the worker died of the page (SIGSEGV)", id="dies"),
    ],
)  # fmt: skip
def test_poisoned_page_costs_its_own_row(poison: str, settings: Settings, error: str) -> None:
    rows = list(Crew(settings, 1, COMMAND).rows(pages(0, poison, 2, 3)))
    told = [json.loads(row.line) for row in rows]
    assert [one["id"] for one in told] == [0, poison, 2, 3]
    assert [one["error"] for one in told] == [None, error, None, None]
    assert told[2]["headline"] == "Page 2"


def test_workers_that_cannot_start() -> None:
    with pytest.raises(WorkerError, match="ended before its first page"):
        list(Crew(FAST, command=("-c", "raise SystemExit(3)")).rows(pages(1)))


def test_worker_that_was_ended_while_idle_is_not_blamed_on_the_next_page() -> None:
    worker = GuardedWorker(FAST)
    try:
        assert worker.answer() is None
        worker._process.kill()
        worker._process.wait()
        worker.give(0, pages("next")[0].packed())
        told = [worker.answer() for _ in range(3)]  # it has died, it is ready again, the row
    finally:
        worker.stop()
    assert told[:2] == [None, None]
    assert isinstance(told[2], bytes)
    assert json.loads(told[2])["error"] is None


def test_modules_in_the_current_folder_are_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("json.py", "lxml.py", "w3lib.py"):
        (tmp_path / name).write_text("raise SystemExit('imported')", encoding="ascii")
    monkeypatch.chdir(tmp_path)
    assert [row.failed for row in Crew(FAST).rows(pages(0))] == [False]


def test_memory_that_no_worker_can_do_with() -> None:
    with pytest.raises(WorkerError, match=r"before its first page.*write --memory \d+ or more"):
        list(Crew(Settings(extractor="container", memory=20)).rows(pages(0)))


def test_half_a_character_becomes_a_question_mark() -> None:
    html = '<script type="application/ld+json">{"@type":"NewsArticle","headline":"A \\ud83d B"}'
    line = line_of(StoredPage(id="\ud83d", html=html), reader(extractor_named("container")))
    assert json.loads(line)["id"] == "?"
    line.decode("ascii")
    assert b"\\ud83d" not in line
