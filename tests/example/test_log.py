"""The spider `log`: a paper that gets a new design."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.crawl.project import environment, scrapy
from tests.example.test_example import EXAMPLE

REDESIGN, PAGES = 61, 70


def test_the_alarm_of_a_redesign(tmp_path: Path) -> None:
    feed, store = tmp_path / "log.jsonl", tmp_path / "log.sqlite"
    run = scrapy(
        EXAMPLE,
        *("crawl", "log", "-O", f"{feed}:jsonlines", "-s", f"BOILERPLATE_SITE_STORE={store}"),
    )
    assert run.code == 0
    assert not run.troubles
    [warning] = [line for line in run.output.splitlines() if "WARNING: " in line]
    assert "has changed after 64 pages: " in warning
    assert "no authors, no date_published" in warning
    assert "text at other places" in warning
    assert [f"/log/{number}.html" in warning for number in range(61, 67)] == [
        *(False, True, True, True, False, False)
    ]
    items = [json.loads(line) for line in feed.read_text("utf-8").splitlines()]
    assert len(items) == PAGES
    assert all(item["text"].count("\n\n") >= 3 for item in items), "in both designs"
    assert [bool(item["authors"]) for item in items] == [n < REDESIGN for n in range(1, PAGES + 1)]
    printed = subprocess.run(
        [sys.executable, "-m", "scrapy_boilerplate.cli", "site", "status", str(store)],
        cwd=EXAMPLE,
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        check=True,
    ).stdout.splitlines()
    head, row = (line.split() for line in printed if line)
    assert head[:2] == ["site", "pages"]
    assert row[1:3] == [str(PAGES - 64), "0%"]
    assert row[5] == "1", "changes"
