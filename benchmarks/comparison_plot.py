"""The picture of docs/comparison.md: F1 on each corpus and cost, a line for each system."""

from __future__ import annotations

from pathlib import Path

from benchmarks.results import Comparison
from scrapy_boilerplate.training.extras import optional

WIDTH, LINE, MARGIN = 11.0, 0.33, 1.6
"""Inches: of the picture, of a system's line, of titles and axes together."""
MARKERS = "osD^vP"
"""One for each corpus."""
OURS, OTHERS = "tab:orange", "tab:blue"
DOTS_AN_INCH = 110
COST_TICKS = (1, 2, 5, 10, 20, 50, 100)


def plot_comparison(comparison: Comparison, file: Path) -> None:
    """Write the picture; ours are drawn in another colour. Raises MissingExtraError."""
    matplotlib = optional("matplotlib", "the picture of the comparison", "bench")
    matplotlib.use("Agg")
    plots = optional("matplotlib.pyplot", "the picture of the comparison", "bench")
    names = comparison.systems[::-1]
    lines = range(len(names))
    colours = [OURS if name in comparison.ours else OTHERS for name in names]
    figure, (scores, costs) = plots.subplots(
        1, 2, sharey=True, figsize=(WIDTH, LINE * len(names) + MARGIN), layout="constrained"
    )
    scores.hlines(lines, 0, 1, color="0.9", zorder=0)
    figures = [comparison.figures(name) for name in names]
    for number, (one, marker) in enumerate(zip(comparison.corpora, MARKERS, strict=False)):
        label = f"{one.corpus}, {one.metric}"
        found = [row[number] for row in figures]
        scores.scatter(found, lines, c=colours, marker=marker, s=22, alpha=0.6, label=label)
    means = [comparison.mean_f1(name) for name in names]
    scores.scatter(means, lines, c="black", marker="|", s=160, label="mean")
    lowest = min(map(min, figures))
    scores.set(title="F1 on each corpus", yticks=lines, yticklabels=names, xlim=(lowest - 0.02, 1))
    scores.legend(fontsize="x-small", loc="upper left")
    costs.barh(lines, [comparison.cost(name) for name in names], color=colours)
    costs.axvline(1, color="black", linewidth=0.8)
    costs.set(title="CPU time, 1 = the lxml parse of the same pages", xscale="log")
    costs.set_xticks(COST_TICKS, labels=map(str, COST_TICKS))
    for panel in (scores, costs):
        panel.grid(axis="x", alpha=0.3)
    figure.savefig(file, dpi=DOTS_AN_INCH)
    plots.close(figure)
