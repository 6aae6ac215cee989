"""A crawl that is killed and started again: no item is lost, doubled by us or wrong."""

from __future__ import annotations

import json
import subprocess
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random
from threading import Event

import pytest

from tests.crawl.crawling import ADDON
from tests.crawl.project import Run, finished, start_scrapy, write_project
from tests.crawl.site import Site, serving
from tests.startproject.stories import N_STORIES, paragraphs_of, publish

pytestmark = pytest.mark.linux("workers are found in /proc")

KILLS = 3
SPIDER = """
import json
import os
from pathlib import Path

from scrapy import Request, Spider


class WritingPipeline:
    def __init__(self):
        self.file = os.open("items.jsonl", os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def process_item(self, item):
        os.write(self.file, json.dumps(item).encode() + b"\\n")  # nothing waits in a buffer
        return item


class StoriesSpider(Spider):
    name = "stories"

    async def start(self):
        file = Path("items.jsonl")
        lines = file.read_text().splitlines() if file.exists() else ()
        written = {json.loads(line)["url"] for line in lines}
        for url in Path("urls.txt").read_text().splitlines():
            if url not in written:
                yield Request(url, dont_filter=True)

    def parse(self, response):
        yield {"url": response.url}
"""
PATHS = [f"/story/{number}" for number in range(N_STORIES)]
SETTINGS = {
    **ADDON,
    "ITEM_PIPELINES": {"project.spiders.WritingPipeline": 900},
    "JOBDIR": "job",
    "CONCURRENT_REQUESTS": 3,
    "LOG_LEVEL": "INFO",
    "BOILERPLATE_EXTRACTOR": "container",
    "BOILERPLATE_FIELDS": ["text", "site_pages"],
    "BOILERPLATE_WORKERS": 2,
}
ANSWER_SECONDS = 0.03
"""Seconds that the site takes for an answer, so that a crawl has a middle."""
MORE_STARTS = 4
"""Starts of a crawl that is killed no more: a queue of Scrapy on disk whose process was killed
counts wrong, and forgets requests that are put into it later."""
END_SECONDS = 30
"""Seconds in which the workers of a killed crawl must end."""


@pytest.mark.parametrize("executor", ["inline", "process"])
def test_killed_and_started_again(executor: str, tmp_path: Path) -> None:
    random, project = Random(executor), tmp_path / "project"  # noqa: S311 - no secret
    runs: list[Run] = []
    items: list[dict[str, str]] = []
    with serving() as site:
        publish(site)
        is_inline = executor == "inline"
        executed = {"BOILERPLATE_EXECUTOR": executor, "BOILERPLATE_SITE": is_inline}
        write_project(project, **SETTINGS, **executed)
        (project / "project" / "spiders.py").write_text(SPIDER)
        (project / "items.jsonl").touch()
        (project / "urls.txt").write_text("\n".join(map(site.url, PATHS)))
        while len(runs) <= KILLS or {path_of(item) for item in items} != set(PATHS):
            assert len(runs) < KILLS + MORE_STARTS, runs[-1].output
            moment = wait_for_requests(site, random.randint(1, 5))
            process = start_scrapy(project, "crawl", "stories")
            if len(runs) < KILLS:
                kill(process, moment, random.uniform(0, 0.2))
            runs.append(finished(process))
            lines = (project / "items.jsonl").read_text().splitlines()
            items = [json.loads(line) for line in lines]
        asked = Counter(site.asked)
    assert runs[-1].code == 0, runs[-1].output
    counts = Counter(map(path_of, items))
    assert all(counts[path] <= asked[path] for path in PATHS), (counts, asked)
    filled = [item for item in items if item["text"]]
    assert len(items) - len(filled) <= runs[-1].ours.get("items/failed", 0), runs[-1].output
    for item in filled:  # site knowledge may leave a paragraph out
        assert set(item["text"].split("\n\n")) <= set(paragraphs_of(path_of(item))), item
    # workers have no site knowledge
    assert (project / "job" / "site-knowledge.sqlite").exists() == is_inline


def path_of(item: dict[str, str]) -> str:
    return "/" + item["url"].split("/", 3)[3]


def wait_for_requests(site: Site, number: int) -> Event:
    """Return an event that is set once so many more requests have come."""
    event, target = Event(), len(site.asked) + number

    def note(_path: str) -> None:
        time.sleep(ANSWER_SECONDS)
        if len(site.asked) >= target:
            event.set()

    site.on_request = note
    return event


def kill(process: subprocess.Popen[str], moment: Event, delay: float) -> None:
    """Kill a crawl after the moment; its workers must end."""
    while not moment.wait(0.05) and process.poll() is None:
        pass
    time.sleep(delay)
    children: list[str] = []
    with suppress(OSError):  # it has ended
        for file in Path(f"/proc/{process.pid}/task").glob("*/children"):
            children += file.read_text().split()
    process.kill()
    end = time.monotonic() + END_SECONDS
    while any(map(is_running, children)):
        assert time.monotonic() < end, "a worker goes on without its crawl"
        time.sleep(0.05)


def is_running(pid: str) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"
