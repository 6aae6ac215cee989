"""Information gain of the shallow features, and the lengths of blocks."""

from __future__ import annotations

from pathlib import Path

from benchmarks.corpora import corpus_file
from benchmarks.learning.section import Section
from benchmarks.markdown import format_table
from benchmarks.systems import L3S, read_csv
from scrapy_boilerplate.training.analysis import analyse_blocks
from scrapy_boilerplate.training.corpora import read_pages
from scrapy_boilerplate.training.gold import read_gold

# features whose information gain is listed
SHOWN = 10


def measure(corpora: Path, limit: int | None = None) -> Section:
    """Return information gains, and the mixture of short and long texts, on L3S-GN1."""
    pages = read_pages(corpus_file(corpora, L3S), limit)
    analysis = analyse_blocks([read_gold(page) for page in pages])
    gains = [["feature", "information gain, bits"]]
    gains += [[name, f"{gain:.3f}"] for name, gain in list(analysis.gains.items())[:SHOWN]]
    paper = {row["key"]: row["figures"] for row in read_csv("paper_figures")}
    fits = [["block lengths", "shares", "mean words", "adjusted R2", "paper"]]
    for name, fit, key in (
        ("one kind of text", analysis.single, "random-writer-single"),
        ("short and long text", analysis.mixed, "random-writer-mixed"),
    ):
        shares = ", ".join(f"{weight:.1%}" for weight in fit.weights)
        means = ", ".join(f"{1 / end:.2f}" for end in fit.ends)
        fits.append([name, shares, means, f"{fit.r2:.4f}", paper[key]])
    return Section(f"{format_table(gains)}\n\n{format_table(fits)}")
