"""The parts of docs/learned.md: columns that exist, sections that are replaced one by one."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.learning import __main__ as page
from benchmarks.learning import shallow
from benchmarks.learning.nets import FOLDS, FoldedBlocks
from benchmarks.learning.section import Section
from benchmarks.systems import read_csv, read_learned
from scrapy_boilerplate.systems.shallow.features import add_text_frequency
from scrapy_boilerplate.systems.texrex.features import TEXREX


def test_every_line_of_table_2_reads_columns_that_there_are() -> None:
    names = tuple(add_text_frequency({}).about)
    setups = shallow.list_setups(names)
    assert all(set(setup.columns) <= set(names) for setup in setups)
    assert {len(setup.columns) for setup in setups} == {1, 3, 6, 22, 23, 64, 67}


def test_every_line_of_table_2_has_a_figure_of_the_paper_or_none() -> None:
    keys = {*read_learned(), *(row["key"] for row in read_csv("paper_figures"))}
    setups = shallow.list_setups(tuple(add_text_frequency({}).about))
    assert {setup.key for setup in setups} - {""} <= keys


def test_a_stump_has_two_leaves() -> None:
    pytest.importorskip("sklearn")
    rows = np.arange(4000.0)[:, np.newaxis] % 4
    stump = shallow.fit_stump(rows, rows[:, 0].astype(int) % 2, np.ones(4000), 2)
    assert stump.leaves == 2
    assert stump(rows).sum(axis=1) == pytest.approx(np.ones(4000))


def test_nets_are_tested_on_what_they_have_not_seen() -> None:
    pytest.importorskip("sklearn")
    drawn = np.random.default_rng(0)
    rows = drawn.random((400, len(TEXREX.about)))
    blocks = FoldedBlocks(
        rows, rows[:, 0] > 0.5, np.arange(400) % FOLDS, np.array(["en", "de"] * 200)
    )
    accuracies = blocks.cross_validate(blocks.of_language("en"), ["en", "de"])
    assert all(0.8 < share < 1 for share in accuracies.values())


def test_one_section_is_measured_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sections = {name: lambda: Section("new") for name in ("a", "b")}
    monkeypatch.setattr(page, "get_sections", lambda _corpora, _limit: sections)
    file = tmp_path / "page.md"
    text = "# Title\n\n<!-- a -->old<!-- /a -->\n\n## B\n\n<!-- b -->old<!-- /b -->\n"
    file.write_text(text)
    monkeypatch.setattr(sys, "argv", ["x", "--output", str(file), "--section", "a"])
    page.main()
    assert file.read_text() == text.replace("old", "new", 1)
    monkeypatch.setattr(sys, "argv", ["x", "--output", str(file)])
    page.main()
    assert file.read_text() == text.replace("old", "new")
