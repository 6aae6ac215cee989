"""Plots: an extractor looks the same in every one."""

from __future__ import annotations

from scrapy_boilerplate.extractors import EXTRACTORS
from scrapy_boilerplate.training.plots import choose_curve_style


def test_styles_follow_the_name() -> None:
    styles = {name: tuple(choose_curve_style(name).values()) for name in list(EXTRACTORS)[:40]}
    assert len(set(styles.values())) == len(styles)
    assert choose_curve_style("bte") == choose_curve_style("bte")


def test_an_extractor_of_ones_own_has_a_style_of_its_own_name() -> None:
    assert choose_curve_style("mine") == choose_curve_style("mine")
    assert choose_curve_style("mine") != choose_curve_style("yours")
