"""What the features tell by themselves, and what each of them is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from benchmarks.learning.prose import ANALYSIS, COLUMNS, table
from scrapy_boilerplate.steps.features import FeatureGroup
from scrapy_boilerplate.systems.shallow.features import CURRENT
from scrapy_boilerplate.systems.texrex.features import TEXREX
from scrapy_boilerplate.systems.victor.features import VictorFeatures
from scrapy_boilerplate.systems.web2text.features import Web2TextFeatures
from scrapy_boilerplate.training.analysis import analyse_blocks
from scrapy_boilerplate.training.corpora import read_pages
from scrapy_boilerplate.training.gold import read_gold

HEADING, COLUMNS_HEADING = "What features tell by themselves", "Columns"
SHOWN = 30

GROUPS: Mapping[str, FeatureGroup] = {
    "Shallow features (2010)": CURRENT,
    "Victor (2008)": VictorFeatures(),
    "texrex (2017)": TEXREX,
    "Web2Text (2018)": Web2TextFeatures(),
}
"""Whose columns are listed."""


def section(corpora: Path, limit: int | None = None) -> str:
    """Information gains and the mixture of short and long texts, on L3S-GN1."""
    pages = read_pages(corpora / "l3s-gn1.jsonl.xz", limit)
    found = analyse_blocks([read_gold(page) for page in pages])
    gains = [["feature", "information gain, bits", "every value told apart"]]
    gains += [
        [name, f"{gain:.3f}", f"{found.naive_gains[name]:.3f}"]
        for name, gain in list(found.gains.items())[:SHOWN]
    ]
    fits = [["block lengths", "shares", "mean words", "adjusted R2", "paper"]]
    for name, fit, paper in (
        ("one kind of text", found.single, ".967 (mean 3.18)"),
        ("short and long text", found.mixed, ".988 (75.9 % of 2.52, 24.1 % of 22.89)"),
    ):
        shares = ", ".join(f"{weight:.1%}" for weight in fit.weights)
        means = ", ".join(f"{1 / end:.2f}" for end in fit.ends)
        fits.append([name, shares, means, f"{fit.r2:.4f}", paper])
    return f"## {HEADING}\n\n{ANALYSIS}\n\n{table(gains)}\n\n{table(fits)}"


def columns() -> str:
    """Every column with its meaning."""
    parts = [f"## {COLUMNS_HEADING}", COLUMNS]
    for name, group in GROUPS.items():
        parts += [f"{name}:", table([["column", "meaning"], *_told(group)])]
    return "\n\n".join(parts)


def _told(group: FeatureGroup) -> list[list[str]]:
    return [[f"`{name}`", line] for name, line in group.about.items()]
