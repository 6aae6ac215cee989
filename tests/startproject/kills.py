"""Crawls that are killed at random moments, and started again. Linux only (/proc)."""

from __future__ import annotations

import json
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from threading import Event

from tests.crawl.crawling import ADDON
from tests.crawl.project import Run, finished, start_scrapy, write_project
from tests.crawl.site import Site, serving
from tests.startproject.stories import N_LONG, N_STORIES, paragraphs_of, publish

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
PATHS += [f"/long/{number}{end}" for number in range(N_LONG) for end in ("", "-2")]
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


@dataclass
class Killed:
    """What a crawl has left that was killed and started again.

    items       the items in the order in which they were written
    asked       how often the site was asked for each page
    runs        each start of the crawl
    n_kills     processes that were killed
    n_workers   workers whose crawl was killed
    is_at_rest  whether all workers of killed crawls have ended
    """

    items: list[dict[str, str]] = field(default_factory=list)
    asked: Counter[str] = field(default_factory=Counter)
    runs: list[Run] = field(default_factory=list)
    n_kills: int = 0
    n_workers: int = 0
    is_at_rest: bool = True

    def check(self) -> None:
        """Every item is there, at most as often as its page was asked for, and true or failed."""
        by_path = Counter(map(path_of, self.items))
        assert by_path.keys() == set(PATHS), set(PATHS) - by_path.keys()
        assert all(by_path[path] <= self.asked[path] for path in PATHS), (by_path, self.asked)
        filled = [item for item in self.items if item["text"]]
        for item in filled:  # site knowledge may leave a paragraph out
            assert set(item["text"].split("\n\n")) <= set(paragraphs_of(path_of(item))), item
        last = self.runs[-1]
        assert last.code == 0, last.output
        assert len(self.items) - len(filled) <= last.ours.get("items/failed", 0), last.output
        assert self.is_at_rest


def path_of(item: dict[str, str]) -> str:
    """Return the path of the page of an item."""
    return "/" + item["url"].split("/", 3)[3]


def kill_crawl(
    folder: Path, random: Random, executor: str, n_kills: int, **settings: object
) -> Killed:
    """Kill a crawl `n_kills` times, then start it until every item is there."""
    killed = Killed()
    with serving() as site:
        project = _write_project(folder, site, executor, settings)
        while len(killed.runs) < n_kills + MORE_STARTS:
            is_killed = killed.n_kills < n_kills
            asked = len(site.asked)
            moment = _wait_for_requests(site, random.randint(1, 5))
            process = start_scrapy(project, "crawl", "stories")
            if is_killed:
                while not moment.wait(0.05) and process.poll() is None:
                    pass
                time.sleep(random.uniform(0, 0.2))
                children = list_children(process.pid)
                process.kill()
                killed.is_at_rest &= _wait_for_end(children)
                killed.n_kills += 1
                killed.n_workers += len(children)
            killed.runs.append(finished(process))
            killed.asked.update(Counter(site.asked[asked:]))
            killed.items = read_items(project)
            if not is_killed and {path_of(item) for item in killed.items} == set(PATHS):
                break
    return killed


def _write_project(folder: Path, site: Site, executor: str, settings: dict[str, object]) -> Path:
    publish(site)
    executed = {"BOILERPLATE_EXECUTOR": executor, "BOILERPLATE_SITE": executor == "inline"}
    project = write_project(folder, **{**SETTINGS, **executed, **settings})
    (project / "project" / "spiders.py").write_text(SPIDER)
    (project / "urls.txt").write_text("\n".join(map(site.url, PATHS)))
    return project


def _wait_for_requests(site: Site, number: int) -> Event:
    """Return an event that is set once so many more requests have come."""
    event, target = Event(), len(site.asked) + number

    def note(_path: str) -> None:
        time.sleep(ANSWER_SECONDS)
        if len(site.asked) >= target:
            event.set()

    site.on_request = note
    return event


def list_children(pid: int) -> list[int]:
    """Return the children of a process; it has ended if they cannot be read."""
    children: list[int] = []
    with suppress(OSError):
        for file in Path(f"/proc/{pid}/task").glob("*/children"):
            children += map(int, file.read_text().split())
    return children


def _wait_for_end(pids: list[int]) -> bool:
    end = time.monotonic() + END_SECONDS
    while any(is_running(pid) for pid in pids) and time.monotonic() < end:
        time.sleep(0.05)
    return not any(map(is_running, pids))


def is_running(pid: int) -> bool:
    """Return whether there is such a process, and it has not ended."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def read_items(project: Path) -> list[dict[str, str]]:
    """Return the items that were written."""
    file = project / "items.jsonl"
    lines = file.read_text().splitlines() if file.exists() else ()
    return [json.loads(line) for line in lines]
