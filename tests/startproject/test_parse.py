"""`scrapy parse` of one page: as docs/first-steps.md writes it, and with `--pipelines`."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from typing import Any

import pytest

from tests.crawl.project import Run, module
from tests.crawl.site import Site, serving
from tests.documented import BLOCKS, read_commands
from tests.startproject.feeds import KINDS, PROJECT, filled_paths
from tests.startproject.stories import publish

pytest.importorskip("zyte_common_items")

COMMANDS = [command for block in BLOCKS for command in read_commands(block)]
DOCUMENTED = [
    command.removeprefix("scrapy ") for command in COMMANDS if command.startswith("scrapy parse ")
]
"""The commands of the documentation."""


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as running:
        publish(running)
        yield running


def parse(site: Site, arguments: list[str]) -> Run:
    """Run a documented command, with other addresses and callbacks."""
    ours = {"https://news.example/rain": site.url("/story/1"), "parse_article": "parse_story"}
    words = [ours.get(word, word) for word in arguments]
    own = ["--spider", "sections", "-a", f"site={site.url('/')}", "--nocolour"]
    return module(PROJECT, "scrapy", *words, *own, "-s", "LOG_LEVEL=WARNING")


def test_documented_command(site: Site) -> None:
    [command] = DOCUMENTED
    run = parse(site, shlex.split(command))
    assert run.code == 0
    lines = [line for line in run.output.splitlines() if line.startswith("{")]
    items: list[dict[str, Any]] = [json.loads(line.rstrip(",")) for line in lines]
    assert [item["kind"] for item in items if filled_paths([item])] == KINDS


def test_pipelines(site: Site) -> None:
    """Scrapy gives items to the pipelines without their response."""
    [command] = DOCUMENTED
    written = [word for word in shlex.split(command) if word not in ("-o", "-:json", "--noitems")]
    run = parse(site, [*written, "--pipelines"])
    assert run.code == 0
    assert "'kind': 'dataclass'" in run.output
    assert "'text': None" in run.output
    lines = [line for line in run.output.splitlines() if "WARNING" in line]
    [line] = [line for line in lines if "scrapy_boilerplate" in line.partition("WARNING")[0]]
    assert "use -o -:json instead" in line
