"""``python -m benchmarks.tables`` (or ``make tables``): measures the tables of docs/systems.md.

Every figure is of the text that an extractor's own steps decide (``--text own``), which the papers'
figures are about. Only the generated blocks of the page are replaced. Takes 17 minutes on two
busy cores (2026-11-22).
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import numpy as np

from benchmarks import retrieval
from benchmarks.corpora import add_corpora_options
from benchmarks.differences import measure_differences
from benchmarks.evaluations import OVERVIEW, EvaluationCache, main_metric, scores_by_extractor
from benchmarks.markdown import (
    DOCS,
    format_percent,
    format_signed,
    format_table,
    interval_sign,
    update_page,
)
from benchmarks.systems import (
    ARTICLES,
    CLASSICAL,
    MissingSystemError,
    PublishedRow,
    check_catalog,
    read_learned,
    read_published,
)
from benchmarks.tree_filter import measure_tree_filter
from scrapy_boilerplate.extractors import EXTRACTORS
from scrapy_boilerplate.training.evaluation import Score

TARGET = DOCS / "systems.md"

# points of the page mean within which a figure agrees with the paper's (our choice)
AGREES = 1.5

# extractors of the survey of Rangarajan, in its order
SURVEYED = ("newspaper", "goose", "readability", "boilerpipe-article", "libextract")


class UnexplainedError(ValueError):
    """A figure that differs from the paper's without an explanation; the message names it."""


def main() -> None:
    """Measure and write; exit with a message if an extractor or an explanation is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_corpora_options(parser)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--output", type=Path, default=TARGET, help="default: %(default)s")
    options = parser.parse_args()
    try:
        check_catalog()
    except MissingSystemError as error:
        sys.exit(f"benchmarks.tables: {error}")
    evaluations = EvaluationCache(options.corpora, options.jobs, options.pages)
    published, unexplained = measure_published(evaluations)
    blocks = {
        "published": published,
        "survey": measure_survey(evaluations),
        "learned": format_learned(),
        **measure_differences(evaluations),
        "tree-filter": measure_tree_filter(evaluations),
        "overview": measure_overview(evaluations),
        **retrieval.measure(options.corpora, options.jobs, options.pages),
    }
    update_page(TARGET, options.output, blocks)
    if unexplained:  # after hours of measuring the page is written all the same
        sys.exit("\n".join(f"benchmarks.tables: {row}" for row in unexplained))


def measure_published(evaluations: EvaluationCache) -> tuple[str, list[str]]:
    """Return the table of the papers' figures beside ours, and rows without an explanation."""
    unexplained = []
    header = "system/source/corpus, metric/extractor/figure/paper/ours/95 % of F1/why it differs"
    rows = [header.split("/")]
    for row in read_published():
        scores = scores_by_extractor(evaluations.evaluate(row.corpus), row.metric)
        score = scores[row.extractor]
        low, high = score.interval(score.main)
        why = row.why
        if evaluations.limit is None:
            try:
                why = explain(row, score)
            except UnexplainedError as error:
                unexplained.append(str(error))
        in_catalog = row.extractor in EXTRACTORS or "+" in row.extractor
        rows.append(
            [
                row.system,
                row.source,
                f"{row.corpus}, {row.metric}",
                f"`{row.extractor}`" if in_catalog else "",
                ", ".join(row.figures),
                " / ".join(f"{number:.2f}".rstrip("0").rstrip(".") for number in row.paper),
                " / ".join(format_percent(score.figures[name]) for name in row.figures),
                f"{format_percent(low)} to {format_percent(high)}",
                why,
            ]
        )
    return format_table(rows), unexplained


def explain(row: PublishedRow, score: Score) -> str:
    """Return why our figure differs; computed where it agrees."""
    if row.why:
        return row.why
    points = 100 * score.figures[row.figures[0]] - row.paper[0]
    if abs(points) > AGREES:
        raise UnexplainedError(f"{row.system} on {row.corpus} differs by {points:+.1f}; say why")
    return f"agrees: {points:+.1f} points of the mean"


def measure_survey(evaluations: EvaluationCache) -> str:
    """Return the order of the survey's systems in our figures, and whether neighbours differ."""
    scores = scores_by_extractor(evaluations.evaluate(ARTICLES), "tokens")
    ranked = sorted((scores[name] for name in SURVEYED), key=lambda score: -score.figures["f1"])
    order = ", ".join(
        f"{score.extractor} {format_percent(score.figures['f1'])}" for score in ranked
    )
    steps = []
    for better, worse in pairwise(ranked):
        difference, interval = better.difference(worse, "f1")
        verdict = "a difference" if interval_sign(interval) else "too close to tell"
        points = format_signed(difference, interval)
        steps.append(f"{better.extractor} to {worse.extractor} {points}, {verdict}")
    same = "the same" if [s.extractor for s in ranked] == list(SURVEYED) else "another"
    return f"{same}: {order}. From one to the next, in points of F1: {'; '.join(steps)}."


def format_learned() -> str:
    """Return the table of the systems that learn; its figures are of ``make learned``."""
    header = "system/source/corpus/measure/paper/ours/why".split("/")
    return format_table([header, *(row.cells for row in read_learned().values())])


def measure_overview(evaluations: EvaluationCache) -> str:
    """Return the table of every extractor without learned weights on every corpus."""
    columns: Mapping[str, Mapping[str, Score]] = {
        f"{corpus}, {main_metric(corpus)}": scores_by_extractor(
            evaluations.evaluate(corpus), main_metric(corpus)
        )
        for corpus in OVERVIEW
    }
    figures = {
        name: [scores[name].figures["f1"] for scores in columns.values()] for name in CLASSICAL
    }
    ranked = sorted(CLASSICAL, key=lambda name: -float(np.mean(figures[name])))
    rows = [[name, *map(format_percent, figures[name])] for name in ranked]
    return format_table([["extractor", *columns], *rows])


if __name__ == "__main__":
    main()
