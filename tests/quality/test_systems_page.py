"""docs/systems.md is what the code of today would write; if not: make tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import learned_rows, prose, systems
from benchmarks.laboratory import CLASSICAL, OVERVIEW, Laboratory, main_metric, scores_of
from benchmarks.overview import TITLE
from benchmarks.tables import TARGET

CHEAP = "fundus"
"""The corpus of which a column is measured again: 90 pages."""
TOLERANCE = 0.05
"""Points; other builds of lxml and numpy may differ by as much."""
AGAIN = "docs/systems.md is stale: make tables"


@pytest.fixture(scope="module")
def page() -> str:
    return TARGET.read_text(encoding="utf-8")


def cells_of(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def overview_rows(page: str) -> dict[str, list[str]]:
    """First cell to the others, of the table that lists every extractor, its head included."""
    section = page.split(TITLE)[1].split("\n## ", maxsplit=1)[0]
    rows = [cells_of(line) for line in section.splitlines() if line.startswith("| ")]
    return {name: cells for name, *cells in rows}


def test_every_extractor_is_listed(page: str) -> None:
    assert set(overview_rows(page)) == {"extractor", *CLASSICAL}, AGAIN


def test_a_column_is_what_it_would_be_today(page: str, corpora: Path) -> None:
    rows, metric = overview_rows(page), main_metric(CHEAP)
    column = rows["extractor"].index(f"{CHEAP}, {metric}")
    scores = scores_of(Laboratory(corpora, jobs=1).corpus(CHEAP), metric)
    changed = {
        name: (rows[name][column], 100 * scores[name].figures["f1"])
        for name in CLASSICAL
        if abs(float(rows[name][column]) - 100 * scores[name].figures["f1"]) > TOLERANCE
    }
    assert not changed, f"(written, measured) on {CHEAP}; {AGAIN}"


def test_every_row_of_the_classical_systems_stands_there(page: str) -> None:
    rows = [cells_of(line) for line in page.splitlines() if line.startswith("| ")]
    written = {(cells[0], cells[1], cells[2]): cells for cells in rows if len(cells) == 9}
    for row in systems.ROWS:
        cells = written.get((row.system, row.source, f"{row.corpus}, {row.metric}"))
        assert cells, f"{row.system} on {row.corpus}: {AGAIN}"
        assert cells[-1] == row.why or not row.why, AGAIN
        assert cells[-1], f"{row.system} on {row.corpus}: no word on the difference"


def test_every_row_of_the_learned_systems_stands_there(page: str) -> None:
    for row in learned_rows.ROWS:
        line = f"| {' | '.join(learned_rows.cells(row))} |"
        assert line in page.splitlines(), f"{row.system}: {AGAIN}"


def test_the_words_are_those_of_today(page: str) -> None:
    for text in (prose.INTRODUCTION, prose.DIFFERENCES, prose.TREE_FILTER, prose.OVERVIEW_TEXT):
        assert text in page, AGAIN


def test_the_overview_has_a_column_for_each_corpus(page: str) -> None:
    head = overview_rows(page)["extractor"]
    assert head == [f"{corpus}, {main_metric(corpus)}" for corpus in OVERVIEW]
