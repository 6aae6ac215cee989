"""A project as `scrapy startproject` makes it, with one line of settings, crawls a site.

Every item has what its page says, or none of it, and a stat or a line of the log says why.
"""

import json
import re
import shlex
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.crawl.project import Run, finished, module, python, start_scrapy
from tests.crawl.site import Site, nothing, serving
from tests.documented import BLOCKS, read_commands
from tests.startproject.stories import N_STORIES, headline_of, publish, text_of

pytest.importorskip("zyte_common_items")

PROJECT = Path(__file__).resolve().parent
FAST = {
    "BOILERPLATE_EXTRACTOR": "container",  # rules: texts do not change with the next training
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
    "DOWNLOAD_DELAY": 0,
    "LOG_LEVEL": "INFO",
    "REMOTE_CONTROL_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
}
WITHOUT_REACTOR = {
    "TWISTED_REACTOR_ENABLED": False,
    "BOILERPLATE_EXECUTOR": "process",
    "BOILERPLATE_WORKERS": 1,
}
KINDS = ["dict", "scrapy", "dataclass", "attrs", "pydantic", "ArticleItem", "Article"]
STORIES = Counter(f"/story/{number}" for number in range(N_STORIES))

Item = dict[str, Any]


def path_of(item: Item) -> str:
    url = item["url"][0] if isinstance(item["url"], list) else item["url"]
    return urlsplit(url).path.removesuffix("/old").rstrip("/")


def is_filled(item: Item) -> bool:
    """Return whether an item has what its page says; False if it has nothing of any page."""
    text, headline = item.get("text", item.get("articleBody")), item.get("headline")
    if text is None and headline is None:
        assert item.get("html") is None
        return False
    assert (text, headline) == (text_of(path_of(item)), headline_of(path_of(item)))
    return True


def filled_paths(items: list[Item], kind: str | None = None) -> Counter[str]:
    """Return how many items of a kind are filled, by path."""
    return Counter(
        path_of(item)
        for item in items
        if is_filled(item) and (kind is None or item["kind"] == kind)
    )


def read_items(feed: Path) -> list[Item]:
    return [json.loads(line) for line in feed.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as running:
        publish(running)
        yield running


@pytest.mark.parametrize(
    ("settings", "spiders"),
    [({}, ["sections", "archive", "wire"]), (WITHOUT_REACTOR, ["sections", "wire"])],
    ids=["asyncio", "reactorless"],
)
def test_spiders_of_one_process(
    settings: dict[str, Any], spiders: list[str], site: Site, tmp_path: Path
) -> None:
    written = json.dumps({**FAST, **settings})
    run = python(PROJECT / "crawl_all.py", site.url("/"), str(tmp_path), written, *spiders)
    assert run.code == 0, run.output
    check_log(run.output)
    check_sections(*read_crawl(tmp_path, "sections"))
    items, stats = read_crawl(tmp_path, "wire")
    # items of the feed do not change, items of its stories are filled
    assert filled_paths([item for item in items if "title" not in item]) == STORIES
    assert filled_paths([item for item in items if "title" in item]) == Counter()
    assert all(item["kind"] == item["headline"] for item in items if "title" not in item)
    assert count_items(stats) == {"filled": N_STORIES, "untouched": N_STORIES}
    if "archive" not in spiders:  # workers read a page again only for other fields
        assert stats["boilerplate/documents"] <= 2 * N_STORIES
        return
    items, stats = read_crawl(tmp_path, "archive")  # item loaders
    assert filled_paths(items) == STORIES + STORIES + STORIES
    assert count_items(stats) == {"filled": 3 * N_STORIES}


def read_crawl(folder: Path, spider: str) -> tuple[list[Item], dict[str, Any]]:
    """The items and stats of a spider; the stats count each item."""
    items = read_items(folder / f"{spider}.jsonl")
    stats: dict[str, Any] = json.loads((folder / f"{spider}.json").read_text("utf-8"))
    assert sum(count_items(stats).values()) == stats["item_scraped_count"] == len(items)
    return items, stats


def count_items(stats: dict[str, Any]) -> dict[str, int]:
    prefix = "boilerplate/items/"
    return {name.removeprefix(prefix): n for name, n in stats.items() if name.startswith(prefix)}


def check_log(output: str) -> None:
    allowed = "AiohttpDownloadHandler is experimental"
    bad = re.compile(r"\] (?:WARNING|ERROR|CRITICAL): |^Traceback|^\S+Warning: ")
    lines = [line for line in output.splitlines() if bad.search(line)]
    assert [line for line in lines if allowed not in line] == [], output
    assert "differs from the URL of their response; the first is http" in output


def check_sections(items: list[Item], stats: dict[str, Any]) -> None:
    """Items of stories have the fields they declare; items of sections name other pages."""
    stories = [item for item in items if "kind" in item]
    # by the URL of the page, a redirect to it, or its canonical link
    assert [filled_paths(stories, kind) for kind in KINDS] == [STORIES] * len(KINDS)
    for item in stories:
        declared = {name for name in ("html", "fingerprint", "articleBodyHtml") if name in item}
        # of our own class only where BOILERPLATE_FIELDS names them
        has_values = item["kind"] != "ArticleItem"
        assert all(bool(item[name]) is has_values for name in declared), item["kind"]
        assert declared or item["kind"] == "dict"
    teasers = [item for item in items if "title" in item]
    assert Counter(map(path_of, teasers)) == STORIES + STORIES
    assert not any(map(is_filled, teasers))
    assert all(item["title"] == headline_of(path_of(item)) for item in teasers)
    n_filled = N_STORIES * len(KINDS)
    assert count_items(stats) == {"filled": n_filled, "other_page": 2 * N_STORIES}


# The story whose request gets an interrupt as its answer is sent.
INTERRUPTED_AT = 4


@pytest.mark.posix("Ctrl-C is a signal")
def test_interrupted_and_resumed(site: Site, tmp_path: Path) -> None:
    """With the other pages of a site: no item is lost, doubled or wrong."""
    feed, job = tmp_path / "items.jsonl", tmp_path / "job"
    site_steps = {"BOILERPLATE_SITE": True, "BOILERPLATE_EXTRACTOR": "container"}
    own = {**FAST, "JOBDIR": job, "CONCURRENT_REQUESTS": 2, **site_steps}
    settings = [word for name, value in own.items() for word in ("-s", f"{name}={value}")]
    arguments = ("crawl", "sections", "-a", f"site={site.url('/')}", "-o", str(feed), *settings)
    runs, n_items = [], []
    for reason in ("shutdown", "finished"):
        process = start_scrapy(PROJECT, *arguments)
        site.on_request = nothing
        if reason == "shutdown":
            interrupt(site, process)
        run = finished(process)
        assert (run.code, run.troubles) == (0, []), run.output
        assert run.stats["finish_reason"] == reason
        items = read_items(feed)
        runs.append(run.ours)
        n_items.append(len(items))
    assert N_STORIES < n_items[0] < n_items[1] == N_STORIES * (2 + len(KINDS))
    assert [filled_paths(items, kind) for kind in KINDS] == [STORIES] * len(KINDS)
    assert filled_paths([item for item in items if "title" in item]) == Counter()
    assert sum(run.get("items/lost", 0) for run in runs) == 0
    assert sum(run["site/pages"] for run in runs) == N_STORIES
    assert (job / "site-knowledge.sqlite").exists()
    resumed = [item["site_pages"] for item in items[n_items[0] :] if item.get("kind") == "dict"]
    assert resumed
    assert all(pages >= INTERRUPTED_AT - 1 for pages in resumed), "the first crawl's are known"


def interrupt(site: Site, process: Any) -> None:
    """Send SIGINT to a crawl, once, in the middle of it."""
    stories = iter(range(1, 10 * N_STORIES))

    def count(path: str) -> None:
        if path.startswith("/story/") and next(stories) == INTERRUPTED_AT:
            process.send_signal(signal.SIGINT)

    site.on_request = count


def parse(site: Site, *without: str, more: tuple[str, ...] = ()) -> Run:
    """Run the documented `scrapy parse` with our URL and callback."""
    commands = [command for block in BLOCKS for command in read_commands(block)]
    [documented] = [command for command in commands if command.startswith("scrapy parse ")]
    ours = {"https://news.example/rain": site.url("/story/1"), "parse_article": "parse_story"}
    words = [ours.get(word, word) for word in shlex.split(documented) if word not in without]
    own = ["--spider", "sections", "-a", f"site={site.url('/')}", "--nocolour"]
    run = module(PROJECT, *words, *own, "-s", "LOG_LEVEL=WARNING", *more)
    assert run.code == 0
    return run


def test_documented_parse_command(site: Site) -> None:
    lines = [line for line in parse(site).output.splitlines() if line.startswith("{")]
    items: list[Item] = [json.loads(line.rstrip(",")) for line in lines]
    assert [item["kind"] for item in items if filled_paths([item])] == KINDS


def test_parse_with_pipelines(site: Site) -> None:
    """Scrapy gives items to the pipelines without their response."""
    run = parse(site, "-o", "-:json", "--noitems", more=("--pipelines",))
    assert "'kind': 'dataclass'" in run.output
    assert "'text': None" in run.output
    lines = [line for line in run.output.splitlines() if "WARNING" in line]
    [line] = [line for line in lines if "scrapy_boilerplate" in line.partition("WARNING")[0]]
    assert "use -o -:json instead" in line
