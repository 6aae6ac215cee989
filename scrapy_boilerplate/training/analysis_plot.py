"""Pictures of an analysis: Figures 1 and 3 to 5 of Kohlschuetter et al. 2010, and the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from scrapy_boilerplate.page.labels import IntArray, Label
from scrapy_boilerplate.report.palette import COLOURS, HATCHES
from scrapy_boilerplate.training.analysis import Analysis
from scrapy_boilerplate.training.extras import optional

MOST_WORDS, MOST_DENSITY = 60, 22
"""Where the axes end, in words to a block and to a line (as in the paper's figures)."""
SHOWN_GAINS = 40


def plot_analysis(analysis: Analysis, folder: Path) -> list[Path]:
    """Write the pictures into `folder`, which is made. Raises MissingExtraError."""
    optional("matplotlib", "--plot").use("Agg")
    plots = optional("matplotlib.pyplot", "--plot")
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name, (size, draw) in PICTURES.items():
        figure, panel = plots.subplots(figsize=size, layout="constrained")
        draw(panel, analysis)
        files.append(folder / f"{name}.png")
        figure.savefig(files[-1])
        plots.close(figure)
    return files


def _gains(panel: Any, analysis: Analysis) -> None:
    shown = list(analysis.gains.items())[:SHOWN_GAINS][::-1]
    panel.barh([name for name, _ in shown], [gain for _, gain in shown])
    panel.set(xlabel="information gain, bits", title="what each feature tells of the class")


def _words(panel: Any, analysis: Analysis) -> None:
    column = analysis.column("words").astype(np.int64)
    _stack(panel, analysis.by_label(column, words=False), MOST_WORDS)
    panel.set(xlabel="words to a block", ylabel="blocks", yscale="symlog")


def _density(panel: Any, analysis: Analysis) -> None:
    column = np.rint(analysis.column("text_density")).astype(np.int64)
    _stack(panel, analysis.by_label(column, words=True), MOST_DENSITY)
    panel.set(xlabel="text density, words to a line", ylabel="words")


def _stack(panel: Any, by_label: Mapping[Label, IntArray], most: int) -> None:
    bottom = np.zeros(most + 1)
    for label, counts in by_label.items():
        heights = np.zeros(most + 1)
        bar = {"color": COLOURS[label], "hatch": HATCHES[label]}
        heights[: min(len(counts), most + 1)] = counts[: most + 1]
        panel.bar(np.arange(most + 1), heights, bottom=bottom, label=label.text, width=0.9, **bar)
        bottom += heights
    panel.legend()


def _lengths(panel: Any, analysis: Analysis) -> None:
    shares = analysis.lengths / max(int(analysis.lengths.sum()), 1)
    shown = min(MOST_WORDS, len(shares))
    words = np.arange(1, shown + 1)
    panel.plot(words, shares[:shown], "o", markersize=3, label="blocks")
    for fit, name in ((analysis.single, "one kind of text"), (analysis.mixed, "short and long")):
        panel.plot(words, fit.shares(shown), label=f"{name}, R2 {fit.r2:.3f}")
    panel.set(xlabel="words to a block", ylabel="share of blocks")
    panel.legend()


PICTURES: Mapping[str, tuple[tuple[float, float], Callable[[Any, Analysis], None]]] = {
    "information-gain": ((8, 8), _gains),
    "words-by-class": ((8, 5), _words),
    "text-density-by-class": ((8, 5), _density),
    "block-lengths": ((8, 5), _lengths),
}
"""Name of a picture to its size in inches and what draws it."""
