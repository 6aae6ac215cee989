"""The tables of docs/systems.md and docs/learned.md are up to date."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import tables
from benchmarks.markdown import read_blocks
from benchmarks.systems import CLASSICAL, read_published

# the corpus of which a column is measured again: 90 pages
CHEAP = "fundus"

# points; other builds of lxml and numpy may differ by as much
TOLERANCE = 0.05
AGAIN = "docs/systems.md is stale: make tables"


@pytest.fixture(scope="module")
def page() -> str:
    return tables.TARGET.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def blocks(page: str) -> dict[str, str]:
    return read_blocks(page)


def rows_of(table: str) -> list[list[str]]:
    lines = [line for line in table.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def overview_rows(blocks: dict[str, str]) -> dict[str, list[str]]:
    """First cell to the others, of the table that lists every extractor, its head included."""
    return {name: cells for name, *cells in rows_of(blocks["overview"])}


def test_every_extractor_is_listed(blocks: dict[str, str]) -> None:
    assert set(overview_rows(blocks)) == {"extractor", *CLASSICAL}, AGAIN


def test_a_column_is_up_to_date(blocks: dict[str, str], corpora: Path) -> None:
    rows = overview_rows(blocks)
    assert rows.keys() >= set(CLASSICAL), AGAIN
    column = rows["extractor"].index(CHEAP)
    scores = tables.EvaluationCache(corpora, jobs=1).scores(CHEAP, tables.TOKENS)
    changed = {
        name: (rows[name][column], 100 * scores[name].figures["f1"])
        for name in CLASSICAL
        if abs(float(rows[name][column]) - 100 * scores[name].figures["f1"]) > TOLERANCE
    }
    assert not changed, f"(written, measured) on {CHEAP}; {AGAIN}"


def test_every_row_of_the_classical_systems_is_listed(blocks: dict[str, str]) -> None:
    """Under the title of its paper; where the figures differ, with a remark."""
    parts = blocks["published"].split(":\n\n")
    titles = [parts[0], *(part.rpartition("\n")[2] for part in parts[1:-1])]
    written = {
        (title, cells[0]): cells
        for title, table in zip(titles, parts[1:], strict=True)
        for cells in rows_of(table)
    }
    for row in read_published():
        cells = written.get((row.title, f"`{row.extractor}`"))
        assert cells, f"{row.system} on {row.corpus}: {AGAIN}"
        _, _, here, remark = cells
        assert remark == row.why, AGAIN
        main = row.figures.index("f1")
        difference = float(here.split("/")[main]) - row.paper[main]
        assert remark or abs(difference) <= tables.AGREES, f"{row.system} on {row.corpus}"


def test_the_tables_without_measurements_are_up_to_date(blocks: dict[str, str]) -> None:
    assert blocks["learned"] == tables.format_learned(), AGAIN
    assert blocks["index"] == tables.format_index(), AGAIN
