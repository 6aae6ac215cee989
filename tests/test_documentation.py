"""The documentation: every link leads somewhere.

`make docs` builds it, with warnings as errors.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

import scrapy_boilerplate

REPO = Path(__file__).resolve().parent.parent
DOCS = REPO / "docs"
PAGES = [*REPO.glob("*.md"), *DOCS.rglob("*.md"), REPO / "example_project" / "README.md"]


def name_page(page: Path) -> str:
    return page.relative_to(REPO).as_posix()


def read_anchors(page: Path) -> set[str]:
    """The anchors of the headings of a page, as GitHub and MyST make them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name_page)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    """Also where GitHub shows them; `make docs` only checks its own pages."""
    for link in re.findall(r"\]\((?!https?:|mailto:)([^)\s]+)\)", page.read_text("utf-8")):
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        assert not anchor or anchor in read_anchors(target), link


LEFT_OUT_BY_NEWS = {"cleaneval-dev", "cleaneval-final", "cleanportaleval"}
"""Corpora that its trainer is given and leaves out."""


def read_rows(text: str) -> list[list[str]]:
    """The cells of the rows of all tables, heads and rules included."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_what_models_have_learnt_from_is_what_their_cards_say() -> None:
    section = (DOCS / "learned.md").read_text("utf-8").partition("learnt from\n")[2]
    rows = read_rows(section.partition("\n## ")[0])
    learnt = {
        model: set(corpora.split(", "))
        for models, _, corpora in (row for row in rows if len(row) == 3)
        for model in re.findall(r"`([\w-]+)`", models)
    }
    terms = {
        name: f"{source}, {terms}"
        for names, _, source, terms in (row for row in rows if len(row) == 4)
        for name in names.split(", ")
    }
    cards = sorted((REPO / "scrapy_boilerplate").rglob("CARD.md"))
    assert learnt.keys() == {card.parent.name for card in cards}
    for card in cards:
        data = card.read_text("utf-8").partition("## Data")[2].partition("\n## ")[0]
        on_card = {row[0]: row[-1] for row in read_rows(data)[2:]}
        left_out = LEFT_OUT_BY_NEWS if card.parent.name == "news" else set()
        assert learnt[card.parent.name] == on_card.keys() - left_out, card
        assert {name: terms[name] for name in on_card} == {
            name: value.replace("; ", ", ", 1) for name, value in on_card.items()
        }, card


def test_the_reference_has_every_public_name() -> None:
    text = (DOCS / "reference" / "api.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\.\. auto\w+:: (\w+)(?:\(\))?$", text, re.MULTILINE)
    assert sorted(listed) == sorted(scrapy_boilerplate.__all__)


def test_the_newest_version_is_the_same_everywhere() -> None:
    citation = yaml.safe_load((REPO / "CITATION.cff").read_text("utf-8"))
    changelog = (REPO / "CHANGELOG.md").read_text("utf-8")
    newest = re.findall(r"^## (\d\S*) - (\d{4}-\d\d-\d\d)$", changelog, re.MULTILINE)[0]
    assert newest == (citation["version"], citation["date-released"])
    assert citation["version"] == scrapy_boilerplate.__version__
