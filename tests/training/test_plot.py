"""Curves: an extractor looks the same in every picture."""

from __future__ import annotations

from scrapy_boilerplate.extractors import EXTRACTORS
from scrapy_boilerplate.training.plot import style_of


def test_styles_follow_the_name() -> None:
    styles = {name: tuple(style_of(name).values()) for name in list(EXTRACTORS)[:40]}
    assert len(set(styles.values())) == len(styles)
    assert style_of("bte") == style_of("bte")


def test_an_extractor_of_ones_own_has_a_style_of_its_own_name() -> None:
    assert style_of("mine") == style_of("mine")
    assert style_of("mine") != style_of("yours")
