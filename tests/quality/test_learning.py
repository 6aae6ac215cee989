"""The parts of docs/learned.md: columns that exist, sections that are replaced one by one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.learning import Section, shallow
from benchmarks.learning import __main__ as page
from benchmarks.systems import read_csv, read_learned
from scrapy_boilerplate.systems.shallow.features import add_text_frequency


def test_every_line_of_table_2_reads_columns_that_there_are() -> None:
    names = tuple(add_text_frequency({}).about)
    setups = shallow.list_setups(names)
    assert all(set(setup.columns) <= set(names) for setup in setups)
    assert {len(setup.columns) for setup in setups} == {1, 3, 6, 22, 23, 64, 67}


def test_every_line_of_table_2_has_a_figure_of_the_paper_or_none() -> None:
    keys = {*read_learned(), *(row["key"] for row in read_csv("paper_figures"))}
    setups = shallow.list_setups(tuple(add_text_frequency({}).about))
    assert {setup.key for setup in setups} - {""} <= keys


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
