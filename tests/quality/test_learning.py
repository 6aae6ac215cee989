"""The parts of docs/learned.md: columns that exist, sections that are replaced one by one."""

from __future__ import annotations

from benchmarks.learning import shallow
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
