"""Plots with matplotlib: ranked-score curves, and the figures of an analysis of blocks.

Figures 1 to 5 of Kohlschuetter et al. 2010.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from scrapy_boilerplate import import_optional
from scrapy_boilerplate.extractors import EXTRACTORS
from scrapy_boilerplate.page.labels import IntArray, Label
from scrapy_boilerplate.report.templates import COLOURS, CURVES, HATCHES
from scrapy_boilerplate.training.analysis import BlockAnalysis
from scrapy_boilerplate.training.evaluation import Score

INCHES_A_CORPUS = (7.0, 5.0)
DASHES: tuple[Any, ...] = (
    "solid",
    "dashed",
    "dotted",
    "dashdot",
    (0, (8, 2)),
    (0, (3, 1, 1, 1, 1, 1)),
)

# ends of the axes, in words per block and per line (as in the paper's figures)
MAX_SHOWN_WORDS, MAX_SHOWN_DENSITY = 60, 22
SHOWN_GAINS = 40


def load_pyplot() -> Any:
    """Return matplotlib.pyplot, set to draw into files. Raises MissingExtraError."""
    import_optional("matplotlib", "--plot", "evaluate").use("Agg")
    return import_optional("matplotlib.pyplot", "--plot", "evaluate")


def choose_curve_style(extractor: str) -> dict[str, Any]:
    """Return the colour and dashes of an extractor's curve, the same in every plot."""
    names = list(EXTRACTORS)
    number = names.index(extractor) if extractor in names else crc32(extractor.encode())
    dashes = DASHES[number // len(CURVES) % len(DASHES)]
    return {"color": CURVES[number % len(CURVES)], "linestyle": dashes}


def plot_ranked(scores: Mapping[str, Sequence[Score]], file: Path) -> None:
    """Write a plot with a panel for each corpus and a curve for each extractor.

    A curve is the pages of an extractor from worst to best (Figure 2). `scores` maps the name of a
    corpus to scores by a metric that ranks pages. Raises MissingExtraError without matplotlib.
    """
    plots = load_pyplot()
    width, height = INCHES_A_CORPUS
    figure, panels = plots.subplots(
        1, len(scores), figsize=(width * len(scores), height), squeeze=False, layout="constrained"
    )
    for panel, (corpus, of_corpus) in zip(panels[0], scores.items(), strict=True):
        for score in of_corpus:
            if score.metric.ranked is not None:
                curve = np.sort(score.metric.ranked(score.rows))
                legend = f"{score.extractor} ({score.main} {score.figures[score.main]:.3f})"
                style = choose_curve_style(score.extractor)
                panel.plot(np.arange(1, len(curve) + 1), curve, label=legend, **style)
        panel.set(title=corpus, xlabel="pages, worst first", ylim=(0, 1.02))
        panel.set_ylabel(f"{of_corpus[0].metric.name}, {of_corpus[0].main} of a page")
        panel.grid(alpha=0.3)
        panel.legend(loc="lower right", fontsize="small")
    figure.savefig(file)
    plots.close(figure)


def plot_analysis(analysis: BlockAnalysis, folder: Path) -> list[Path]:
    """Write the plots of an analysis; return their files. Raises MissingExtraError."""
    plots = load_pyplot()
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name, (size, draw) in ANALYSIS_PLOTS.items():
        figure, panel = plots.subplots(figsize=size, layout="constrained")
        draw(panel, analysis)
        files.append(folder / f"{name}.png")
        figure.savefig(files[-1])
        plots.close(figure)
    return files


def _draw_gains(panel: Any, analysis: BlockAnalysis) -> None:
    shown = list(analysis.gains.items())[:SHOWN_GAINS][::-1]
    panel.barh([name for name, _ in shown], [gain for _, gain in shown])
    panel.set(xlabel="information gain, bits", title="information of each feature about the class")


def _draw_words(panel: Any, analysis: BlockAnalysis) -> None:
    column = analysis.column("words").astype(np.int64)
    _stack_bars(panel, analysis.count_by_label(column, words=False), MAX_SHOWN_WORDS)
    panel.set(xlabel="words to a block", ylabel="blocks", yscale="symlog")


def _draw_density(panel: Any, analysis: BlockAnalysis) -> None:
    column = np.rint(analysis.column("text_density")).astype(np.int64)
    _stack_bars(panel, analysis.count_by_label(column, words=True), MAX_SHOWN_DENSITY)
    panel.set(xlabel="text density, words to a line", ylabel="words")


def _stack_bars(panel: Any, by_label: Mapping[Label, IntArray], most: int) -> None:
    bottom = np.zeros(most + 1)
    for label, counts in by_label.items():
        heights = np.zeros(most + 1)
        bar = {"color": COLOURS[label], "hatch": HATCHES[label]}
        heights[: min(len(counts), most + 1)] = counts[: most + 1]
        panel.bar(np.arange(most + 1), heights, bottom=bottom, label=label.text, width=0.9, **bar)
        bottom += heights
    panel.legend()


def _draw_lengths(panel: Any, analysis: BlockAnalysis) -> None:
    shares = analysis.lengths / max(int(analysis.lengths.sum()), 1)
    shown = min(MAX_SHOWN_WORDS, len(shares))
    words = np.arange(1, shown + 1)
    panel.plot(words, shares[:shown], "o", markersize=3, label="blocks")
    for fit, name in ((analysis.single, "one kind of text"), (analysis.mixed, "short and long")):
        panel.plot(words, fit.shares(shown), label=f"{name}, R2 {fit.r2:.3f}")
    panel.set(xlabel="words to a block", ylabel="share of blocks")
    panel.legend()


ANALYSIS_PLOTS: Mapping[str, tuple[tuple[float, float], Callable[[Any, BlockAnalysis], None]]] = {
    "information-gain": ((8, 8), _draw_gains),
    "words-by-class": ((8, 5), _draw_words),
    "text-density-by-class": ((8, 5), _draw_density),
    "block-lengths": ((8, 5), _draw_lengths),
}
