"""The documentation of the code: every path that it names exists, and it cites nothing outside."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parent.parent
PAGES = [*REPO.glob("*.md"), *(REPO / "docs").glob("*.md")]
MAP = REPO / "docs" / "architecture.md"
MAX_LINES_OF_MAP = 100
PATH = re.compile(r"`((?:[\w.-]+/)+[\w.-]*|[\w-]+\.(?:py|md|cfg|toml|json))(?:::?\w+)?`")


def named_paths(page: Path) -> set[str]:
    return set(PATH.findall(page.read_text(encoding="utf-8")))


def test_the_map_is_short() -> None:
    assert len(MAP.read_text(encoding="utf-8").splitlines()) <= MAX_LINES_OF_MAP


@pytest.mark.parametrize("page", [MAP, REPO / "docs" / "decisions.md"], ids=lambda page: page.name)
def test_every_path_exists(page: Path) -> None:
    roots = (REPO, REPO / "scrapy_boilerplate", REPO / "docs")
    paths = named_paths(page)
    assert paths
    files = {path.name for path in (REPO / "scrapy_boilerplate").rglob("*.*")}
    missing = {
        path
        for path in paths
        if path not in files and not any((root / path).exists() for root in roots)
    }
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#]+)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target


def test_nothing_outside_the_repository_is_cited() -> None:
    outside = re.compile(r"\b(?:LEARNING|SEEDS|DESIGN|SCRAPY)\.md")
    sources = [
        path
        for folder in ("scrapy_boilerplate", "tests", "benchmarks", "docs", "example_project")
        for path in (REPO / folder).rglob("*")
        if path.suffix in (".py", ".md") and path != Path(__file__)
    ]
    citing = [path.name for path in sources if outside.search(path.read_text(encoding="utf-8"))]
    assert not citing
