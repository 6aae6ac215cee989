"""Plots: an extractor looks the same in every one."""

from __future__ import annotations

from scrapy_boilerplate.extractors import EXTRACTORS
from scrapy_boilerplate.training.plots import curve_style


def test_styles_follow_the_name() -> None:
    styles = {name: tuple(curve_style(name).values()) for name in list(EXTRACTORS)[:40]}
    assert len(set(styles.values())) == len(styles)
    assert curve_style("bte") == curve_style("bte")


def test_an_extractor_of_ones_own_has_a_style_of_its_own_name() -> None:
    assert curve_style("mine") == curve_style("mine")
    assert curve_style("mine") != curve_style("yours")
