"""``python -m benchmarks.tables`` (or ``make tables``): measures the tables of docs/systems.md.

Every figure is of the text that an extractor's own steps decide (``--text own``), which the papers'
figures are about. Only the generated blocks of the page are replaced. Takes 17 minutes on two
busy cores (2026-11-22).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from benchmarks.corpora import create_parser
from benchmarks.evaluations import OVERVIEW, EvaluationCache, main_metric, scores_by_extractor
from benchmarks.markdown import (
    DOCS,
    format_difference,
    format_percent,
    format_table,
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

# points of the page mean within which a figure agrees with the paper's
AGREES = 1.5

# extractors of the survey of Rangarajan, in its order
SURVEYED = ("newspaper", "goose", "readability", "boilerpipe-article", "libextract")

# source whose figures of systems that learn are in docs/learned.md, beside other folds
IN_LEARNED = "Kohlschuetter 2010, Table 2"


def main() -> None:
    """Measure and write; exit with a message if an extractor or an explanation is missing."""
    options = create_parser(__doc__, output=TARGET, jobs=os.cpu_count() or 1).parse_args()
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
        "tree-filter": measure_tree_filter(evaluations),
        "overview": measure_overview(evaluations),
    }
    update_page(TARGET, options.output, blocks)
    if unexplained:  # the page is written nevertheless
        sys.exit("\n".join(f"benchmarks.tables: {row}" for row in unexplained))


def measure_published(evaluations: EvaluationCache) -> tuple[str, list[str]]:
    """Return the papers' figures beside the measured ones, and rows with unexplained differences.

    Each source has a table for each corpus.
    """
    unexplained = []
    head = ["system", "extractor", "paper", "here", "95 % of F1", "difference", "remark"]
    tables: dict[str, list[list[str]]] = {}
    for row in read_published():
        scores = scores_by_extractor(evaluations.evaluate(row.corpus), row.metric)
        score = scores[row.extractor]
        low, high = score.interval(score.main)
        if evaluations.limit is None and (missing := find_unexplained(row, score)):
            unexplained.append(missing)
        in_catalog = row.extractor in EXTRACTORS or "+" in row.extractor
        tables.setdefault(row.title, [head]).append(
            [
                row.system,
                f"`{row.extractor}`" if in_catalog else "",
                "/".join(f"{number:.2f}".rstrip("0").rstrip(".") for number in row.paper),
                "/".join(format_percent(score.figures[name]) for name in row.figures),
                f"{format_percent(low)} to {format_percent(high)}",
                f"{subtract_paper(row, score):+.1f}",
                row.why,
            ]
        )
    parts = [f"{title}:\n\n{format_table(rows)}" for title, rows in tables.items()]
    return "\n\n".join(parts), unexplained


def subtract_paper(row: PublishedRow, score: Score) -> float:
    """Return our F1 less the paper's, in points."""
    return 100 * score.figures["f1"] - row.paper[row.figures.index("f1")]


def find_unexplained(row: PublishedRow, score: Score) -> str | None:
    """Return a message if our F1 differs from the paper's and the row does not say why."""
    points = subtract_paper(row, score)
    if row.why or abs(points) <= AGREES:
        return None
    return f"{row.system} on {row.corpus} differs by {points:+.1f}; say why"


def measure_survey(evaluations: EvaluationCache) -> str:
    """Return the order of the survey's systems in our figures, and how far neighbours differ."""
    scores = scores_by_extractor(evaluations.evaluate(ARTICLES), "tokens")
    ranked = sorted((scores[name] for name in SURVEYED), key=lambda score: -score.figures["f1"])
    order = ", ".join(score.extractor for score in ranked)
    steps = ", ".join(format_difference(better, worse, "f1") for better, worse in pairwise(ranked))
    return f"{order}. From one to the next, in points of F1: {steps}."


def format_learned() -> str:
    """Return the table of the systems that learn; its figures are of ``make learned``.

    The rows of IN_LEARNED are in docs/learned.md.
    """
    header = "system/source/corpus/measure/paper/here/remark".split("/")
    rows = [row.cells for row in read_learned().values() if row.source != IN_LEARNED]
    return format_table([header, *rows])


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
