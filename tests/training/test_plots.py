"""Plots: an extractor looks the same in every one."""

from __future__ import annotations

from scrapy_boilerplate.extractors import EXTRACTORS
from scrapy_boilerplate.training.plots import choose_curve_style


def test_the_first_forty_extractors_have_different_styles() -> None:
    styles = {name: tuple(choose_curve_style(name).values()) for name in list(EXTRACTORS)[:40]}
    assert len(set(styles.values())) == len(styles)
