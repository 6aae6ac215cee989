"""A crawl with site knowledge is interrupted and resumed: no item is lost, doubled or wrong."""

from __future__ import annotations

import json
import signal
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.crawl.project import finished, start_scrapy
from tests.crawl.site import Site, nothing, serving
from tests.startproject.feeds import FAST, KINDS, PROJECT, STORIES, filled_paths
from tests.startproject.stories import N_STORIES, publish

pytest.importorskip("zyte_common_items")

INTERRUPTED_AT = 4
"""The story whose request gets an interrupt as its answer is sent."""


def interrupt(site: Site, process: Any) -> None:
    """Send SIGINT to a crawl, once, in the middle of it."""
    stories = iter(range(1, 10 * N_STORIES))

    def count(path: str) -> None:
        if path.startswith("/story/") and next(stories) == INTERRUPTED_AT:
            process.send_signal(signal.SIGINT)

    site.on_request = count


@pytest.mark.posix("Ctrl-C is a signal")
@pytest.mark.parametrize("executor", ["inline", "process"])
def test_interrupted_and_resumed(executor: str, tmp_path: Path) -> None:
    feed, job = tmp_path / "items.jsonl", tmp_path / "job"
    own = {
        "JOBDIR": job,
        "CONCURRENT_REQUESTS": 2,
        "BOILERPLATE_SITE": executor == "inline",
        "BOILERPLATE_EXECUTOR": executor,
        "BOILERPLATE_WORKERS": 1,
    }
    settings = [word for pair in {**FAST, **own}.items() for word in ("-s", "{}={}".format(*pair))]
    with serving() as site:
        publish(site)
        arguments = ("crawl", "sections", "-a", f"site={site.url('/')}", "-o", str(feed))
        runs, n_items = [], []
        for interrupts in (True, False):
            process = start_scrapy(PROJECT, *arguments, *settings)
            site.on_request = nothing
            if interrupts:
                interrupt(site, process)
            run = finished(process)
            assert (run.code, run.troubles) == (0, []), run.output
            assert run.stats["finish_reason"] == ("shutdown" if interrupts else "finished")
            items = [json.loads(line) for line in feed.read_text(encoding="utf-8").splitlines()]
            runs.append(run.ours)
            n_items.append(len(items))
    assert N_STORIES < n_items[0] < n_items[1] == N_STORIES * (2 + len(KINDS))
    assert [filled_paths(items, kind) for kind in KINDS] == [STORIES] * len(KINDS)
    teasers = [item for item in items if "title" in item]
    assert filled_paths(teasers) == Counter()
    assert sum(run.get("items/lost", 0) for run in runs) == 0
    if executor == "process":  # without site knowledge
        return
    assert sum(run["site/pages"] for run in runs) == N_STORIES
    assert (job / "site-knowledge.sqlite").exists()
    resumed = [item["site_pages"] for item in items[n_items[0] :] if item.get("kind") == "dict"]
    assert resumed
    assert all(pages >= INTERRUPTED_AT - 1 for pages in resumed), "the first crawl's are known"
