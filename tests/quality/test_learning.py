"""The parts of docs/learned.md: columns that exist, sections that are replaced one by one."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.learning import __main__ as page
from benchmarks.learning import shallow_2010
from benchmarks.learning.nets import FOLDS, Blocks, _by_fold
from scrapy_boilerplate.systems.shallow.features import with_frequency
from scrapy_boilerplate.systems.texrex.features import TEXREX


def test_every_line_of_table_2_reads_columns_that_there_are() -> None:
    names = tuple(with_frequency({}).about)
    rows = shallow_2010.rows_for(names)
    assert all(set(row.columns) <= set(names) for row in rows)
    assert {len(row.columns) for row in rows} == {1, 3, 6, 22, 23, 64, 67}


def test_a_stump_has_two_leaves() -> None:
    pytest.importorskip("sklearn")
    rows = np.arange(4000.0)[:, np.newaxis] % 4
    stump = shallow_2010._stump(rows, rows[:, 0].astype(int) % 2, np.ones(4000), 2)
    assert stump.leaves == 2
    assert stump(rows).sum(axis=1) == pytest.approx(np.ones(4000))


def test_nets_are_tested_on_what_they_have_not_seen() -> None:
    pytest.importorskip("sklearn")
    drawn = np.random.default_rng(0)
    rows = drawn.random((400, len(TEXREX.about)))
    blocks = Blocks(rows, rows[:, 0] > 0.5, np.arange(400) % FOLDS, np.array(["en", "de"] * 200))
    found = _by_fold(blocks, blocks.of("en"), ["en", "de"])
    assert all(0.8 < share < 1 for share in found.values())


def test_one_section_is_measured_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sections = {"A": lambda: "## A\n\nnew", "B": lambda: "## B\n\nnew"}
    monkeypatch.setattr(page, "_sections", lambda _corpora, _limit: sections)
    file = tmp_path / "page.md"
    file.write_text("# Title\n\n## B\n\nold\n\nrows\n")
    monkeypatch.setattr(sys, "argv", ["x", "--output", str(file), "--section", "A"])
    page.main()
    assert file.read_text().endswith("\n\n## A\n\nnew\n\n## B\n\nold\n\nrows\n")
    monkeypatch.setattr(sys, "argv", ["x", "--output", str(file)])
    page.main()
    assert file.read_text().endswith("\n\n## A\n\nnew\n\n## B\n\nnew\n")
