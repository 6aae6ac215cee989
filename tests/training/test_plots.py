"""Plots: an extractor looks the same in every one."""

from __future__ import annotations

from scrapy_boilerplate.extractors import EXTRACTORS
from scrapy_boilerplate.training.plots import choose_curve_style


def test_the_first_forty_extractors_have_different_styles() -> None:
    styles = {name: tuple(choose_curve_style(name).values()) for name in list(EXTRACTORS)[:40]}
    assert len(set(styles.values())) == len(styles)


def test_the_style_of_an_extractor_outside_the_catalog_follows_from_its_name() -> None:
    assert choose_curve_style("mine") == {"color": "#CC79A7", "linestyle": "dashdot"}
    assert choose_curve_style("mine") != choose_curve_style("yours")
