"""``extract --format jsonl --site``: lines that learn from each other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scrapy_boilerplate.cli import main
from scrapy_boilerplate.site.page_records import PageRecord
from scrapy_boilerplate.site.stores import Collection, SqliteStore
from tests.site_pages import site_page

NOTICE = "We use small notes"


@pytest.fixture
def lines(tmp_path: Path) -> str:
    file = tmp_path / "pages.jsonl"
    records = [{"id": n, "url": "https://a.com/x", "html": site_page(n)} for n in range(4)]
    written = [json.dumps(record) for record in records]
    file.write_text("\n".join([written[0], "no json", *written[1:]]), encoding="utf-8")
    return str(file)


def answers(capsys: pytest.CaptureFixture[str], *options: str) -> list[dict[str, object]]:
    assert main(["extract", "--extractor", "num-words", "--format", "jsonl", *options]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_lines_are_answered_by_those_before(capsys: pytest.CaptureFixture[str], lines: str) -> None:
    documents = answers(capsys, "--site", "memory", lines)
    assert [document.get("site_pages") for document in documents] == [0, None, 1, 2, 3]
    assert [NOTICE in str(document.get("text")) for document in documents] == [
        True,
        False,
        False,
        False,
        False,
    ]


def test_a_file_remembers(capsys: pytest.CaptureFixture[str], lines: str, tmp_path: Path) -> None:
    store = str(tmp_path / "sites.sqlite")
    answers(capsys, "--site", store, lines)
    assert answers(capsys, "--site", store, lines)[0]["site_pages"] == 3


def test_an_interrupted_run_keeps_what_it_learned(
    lines: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> str:
        raise KeyboardInterrupt

    store = str(tmp_path / "sites.sqlite")
    monkeypatch.setattr("scrapy_boilerplate.cli.extract.dump_json_line", interrupted)
    with pytest.raises(KeyboardInterrupt):
        main(["extract", "--format", "jsonl", "--site", store, lines])
    collection = Collection(PageRecord, "a.com")
    assert len(SqliteStore(Path(store)).newest(collection)) == 1


def test_budgets_hold_for_pages_of_a_site(capsys: pytest.CaptureFixture[str], lines: str) -> None:
    documents = answers(capsys, "--site", "memory", "--max-elements", "15", lines)
    assert [document.get("partial") for document in documents] == [
        *["elements"],
        None,
        *["elements"] * 3,
    ]
