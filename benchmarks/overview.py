"""The section "Every extractor" of docs/systems.md."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from benchmarks import prose
from benchmarks.laboratory import CLASSICAL, OVERVIEW, Laboratory, Scores, main_metric, scores_of
from benchmarks.markdown import percent, table

TITLE = "## Every extractor"


def overview(laboratory: Laboratory) -> str:
    """Every extractor on every corpus, by one figure."""
    columns = {}
    for corpus in OVERVIEW:
        metric = main_metric(corpus)
        columns[f"{corpus}, {metric}"] = scores_of(laboratory.corpus(corpus), metric)
    rows = [["extractor", *columns]]
    ranked = sorted(CLASSICAL, key=lambda name: -_mean_f1(columns.values(), name))
    rows += [
        [name, *(percent(scores[name].figures["f1"]) for scores in columns.values())]
        for name in ranked
    ]
    return f"{TITLE}\n\n{prose.OVERVIEW_TEXT}\n\n{table(rows)}"


def _mean_f1(columns: Iterable[Scores], name: str) -> float:
    return float(np.mean([scores[name].figures["f1"] for scores in columns]))
