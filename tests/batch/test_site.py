"""Two passes: sites are learned from all pages first, then every page is labelled by them."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scrapy_boilerplate.batch.inputs import find_inputs
from scrapy_boilerplate.batch.job import STATISTICS, Job, run_job
from scrapy_boilerplate.batch.pages import StoredPage
from scrapy_boilerplate.batch.pool import RowPool
from scrapy_boilerplate.batch.site_records import NO_RECORD, encode_page, parse_record
from scrapy_boilerplate.cli import main
from scrapy_boilerplate.extractors import Options
from scrapy_boilerplate.site.registry import SiteRegistry
from tests.batch.poisoned_worker import DIES, POISONED
from tests.batch.stored import NO_HTML, json_lines, rows_in
from tests.site.test_registry import read_page
from tests.site_pages import site_page

PAGES = 9
OPTIONS = Options(extractor="num-words")
POOL = RowPool(OPTIONS)
NOTICE = "We use small notes"


def lines(pages: int = PAGES) -> list[dict[str, Any]]:
    return [
        {"id": number, "url": f"https://post.example/{number}", "html": site_page(number)}
        for number in range(pages)
    ]


def create_job(stored: Path, **changes: Any) -> Job:
    known = {"inputs": find_inputs([stored]), "pool": POOL, "part_pages": 4, "site": True}
    return Job(**{**known, **changes})


def test_rows_are_those_of_one_process_that_knows_the_site(tmp_path: Path) -> None:
    others = [{"id": "no URL", "html": site_page(0)}, {"id": "bad"}]
    stored = json_lines(tmp_path / "a.jsonl", [*lines(), *others])
    run_job(create_job(stored, pool=replace(POOL, n_workers=2)), tmp_path / "out")
    *rows, without_site, bad = rows_in(tmp_path / "out")
    sites = SiteRegistry()
    for learns in (True, False):
        alone = [
            read_page(sites, line["html"], line["url"], "num-words", learns=learns)
            for line in lines()
        ]
    assert [row["text"] for row in rows] == [document.text for document in alone]
    assert {row["site_pages"] for row in rows} == {PAGES - 1}
    assert not [row for row in rows if NOTICE in row["text"]]
    assert (without_site["site_pages"], NOTICE in without_site["text"]) == (0, True)
    assert NO_HTML in bad["error"]


def test_killed_in_the_first_pass_it_begins_anew(tmp_path: Path) -> None:
    stored = json_lines(tmp_path / "a.jsonl", lines())

    learned: list[int] = []

    def watch(pages: Iterable[StoredPage], title: str) -> Iterator[StoredPage]:
        for page in pages:
            if title == "learning sites":
                learned.append(page.id)
                if len(learned) == 6:
                    raise KeyboardInterrupt
            yield page

    with pytest.raises(KeyboardInterrupt):
        run_job(create_job(stored), tmp_path / "out", watch)
    assert not (tmp_path / "out" / STATISTICS).exists()
    run_job(create_job(stored), tmp_path / "out", watch)
    assert learned[6:] == list(range(PAGES))
    assert [row["site_pages"] for row in rows_in(tmp_path / "out")] == [PAGES - 1] * PAGES


@pytest.mark.parametrize("options", [(), ("--extractor", "news-permissive")])
def test_news_does_without_the_site(
    options: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stored, out = json_lines(tmp_path / "a.jsonl", lines()), tmp_path / "out"
    assert main(["batch", str(stored), "-o", str(out), "--site", *options]) == 1
    assert "does without the other pages of a site; omit it, or add" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.posix("SIGSEGV")
def test_page_that_kills_its_worker_has_a_row_and_teaches_nothing(tmp_path: Path) -> None:
    stored = json_lines(tmp_path / "a.jsonl", [*lines(3), {**lines(4)[3], "id": DIES}])
    run_job(create_job(stored, pool=replace(POOL, entry_point=POISONED)), tmp_path / "out")
    rows = rows_in(tmp_path / "out")
    assert [row["error"] for row in rows] == [None] * 3 + ["the worker died on the page (SIGSEGV)"]
    assert [row["site_pages"] for row in rows[:3]] == [2, 2, 2]


def test_the_time_of_a_record_does_not_depend_on_the_order_of_pages() -> None:
    pages = [StoredPage(id=number, url=None, html=site_page(number % 2)) for number in (0, 2, 1)]
    one, again, other = (parse_record(encode_page(page, OPTIONS)) for page in pages)
    assert one == again != other
    assert parse_record(NO_RECORD) is parse_record(b'{"error": "x"}') is None
