"""The first section of docs/systems.md: the papers' figures beside ours, row by row."""

from __future__ import annotations

from itertools import pairwise

from benchmarks import learned_rows, prose, systems
from benchmarks.laboratory import Laboratory, scores_of
from benchmarks.markdown import direction, percent, signed, table
from benchmarks.systems import ARTICLES, L3S, Row
from scrapy_boilerplate.extractors import EXTRACTORS
from scrapy_boilerplate.training.evaluation import Score

AGREES = 1.5
"""Points of the page mean within which a figure agrees with the paper's (the issue's bound)."""

SURVEYED = ("newspaper", "goose", "readability", "boilerpipe-article", "libextract")
"""In the survey's order."""


class UnexplainedError(ValueError):
    """A figure that differs from the paper's without a word on why; the message names it."""


def published(laboratory: Laboratory) -> str:
    """A row for every system of the seeds."""
    header = "system/source/corpus, metric/figure/paper/ours/95 % of F1/command/why it differs"
    rows = [header.split("/")]
    rows += [_row(row, laboratory) for row in systems.ROWS]
    learned = ["system/source/corpus/measure/paper/ours/command/why".split("/")]
    learned += [learned_rows.cells(row) for row in learned_rows.ROWS]
    left_out = "\n".join(f"- {name}: {why}." for name, why in systems.LEFT_OUT.items())
    parts = [prose.INTRODUCTION, table(rows), prose.NOTES.format(**_findings(laboratory))]
    parts += (prose.LEARNED, table(learned), "Not in the tables:", left_out)
    return "\n\n".join(parts)


def explanation(row: Row, score: Score) -> str:
    """Why our figure differs; computed where it agrees or where there is nothing to agree with."""
    if row.why:
        return row.why
    if not row.paper:
        return "the seeds give no figure on a corpus we have"
    points = 100 * score.figures[row.figures[0]] - row.paper[0]
    if abs(points) > AGREES:
        raise UnexplainedError(f"{row.system} on {row.corpus} differs by {points:+.1f}; say why")
    return f"agrees: {points:+.1f} points of the mean"


def _row(row: Row, laboratory: Laboratory) -> list[str]:
    score = scores_of(laboratory.corpus(row.corpus), row.metric)[row.extractor]
    low, high = score.interval(score.main)
    options = f"--text own --metric {row.metric} --extractor {row.extractor}"
    command = f"`scrapy-boilerplate evaluate {row.corpus}.jsonl.xz {options}`"
    return [
        row.system,
        row.source,
        f"{row.corpus}, {row.metric}",
        ", ".join(row.figures),
        " / ".join(f"{number:.2f}".rstrip("0").rstrip(".") for number in row.paper) or "none",
        " / ".join(percent(score.figures[name]) for name in row.figures),
        f"{percent(low)} to {percent(high)}",
        command if row.extractor in EXTRACTORS or "+" in row.extractor else "`make tables`",
        explanation(row, score) if laboratory.limit is None else row.why,
    ]


def _findings(laboratory: Laboratory) -> dict[str, object]:
    """What the notes say of the figures."""
    pages = len(laboratory.corpus(L3S).pages)
    scores = scores_of(laboratory.corpus(ARTICLES), "tokens")
    found = sorted((scores[name] for name in SURVEYED), key=lambda score: -score.figures["f1"])
    order = ", ".join(f"{one.extractor} {percent(one.figures['f1'])}" for one in found)
    steps = []
    for better, worse in pairwise(found):
        gap, around = better.difference(worse, "f1")
        verdict = "a difference" if direction(around) else "too close to tell"
        steps.append(f"{better.extractor} to {worse.extractor} {signed(gap, around)}, {verdict}")
    return {
        "swallowed": systems.SWALLOWED_PAGES,
        "pages": pages,
        "order": order,
        "steps": "; ".join(steps),
        "same": "the same" if [s.extractor for s in found] == list(SURVEYED) else "another",
    }
