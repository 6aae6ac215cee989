"""The spider `dispatch`: an article over three pages, a live blog and a wall."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

from tests.crawl.project import environment, scrapy
from tests.example.test_example import EXAMPLE


def test_pages_entries_and_walls(tmp_path: Path) -> None:
    feed = tmp_path / "dispatch.jsonl"
    arguments = ["-O", f"{feed}:jsonlines", "-s", "AUTOTHROTTLE_ENABLED=0", "-s", "LOG_LEVEL=INFO"]
    run = scrapy(EXAMPLE, "crawl", "dispatch", *arguments)
    assert (run.code, run.troubles) == (0, [])
    items = {
        urlsplit(item["url"]).path.rpartition("/")[2]: item
        for item in map(json.loads, feed.read_text("utf-8").splitlines())
    }
    assert sorted(items) == ["lighthouse.html", "sand.html", "storm-live.html"]
    lighthouse, sand, storm = (items[name] for name in sorted(items))
    assert [urlsplit(url).path for url in lighthouse["pages"]] == [
        "/dispatch/lighthouse.html",
        "/dispatch/lighthouse-2.html",
        "/dispatch/lighthouse-3.html",
    ]
    starts = ("The first to notice", "A pair of jackdaws", "Mr Sallow has been back once")
    assert [lighthouse["text"].count(start) for start in starts] == [1, 1, 1]
    assert lighthouse["text"].count("For nineteen nights") == 1
    assert [item["stub"] for item in (lighthouse, sand, storm)] == [None, "paywall", None]
    assert [len(item["entries"]) for item in (lighthouse, sand, storm)] == [0, 0, 6]
    assert storm["entries"][-1]["time"] == "2024-11-19T09:00:00+00:00"
    printed = subprocess.run(
        [sys.executable, "-m", "newsroom.kinds", str(feed)],
        cwd=EXAMPLE,
        env={**environment(), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        check=True,
    ).stdout.splitlines()
    assert printed[0].split() == ["headline", "words", "pages", "entries", "stub"]
    assert sorted(line.split()[-3:] for line in printed[1:]) == [
        ["1", "-", "paywall"],
        ["1", "6", "-"],
        ["3", "-", "-"],
    ]
