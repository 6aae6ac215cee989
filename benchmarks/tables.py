"""``python -m benchmarks.tables`` (or ``make tables``): writes docs/systems.md.

Every figure in it is measured in the same run, on the text that an extractor's own steps decide
(``--text own``), which the papers' figures are about.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from benchmarks import prose, retrieval, systems
from benchmarks.speed import CORPORA
from benchmarks.systems import CLEANEVAL, L3S, Row, extractor_for
from scrapy_boilerplate.catalog import EXTRACTORS
from scrapy_boilerplate.extractor import Extractor
from scrapy_boilerplate.metadata.language import declared_language
from scrapy_boilerplate.segment.parse import tree_of
from scrapy_boilerplate.training import l3s
from scrapy_boilerplate.training.corpora import LabelledPage, read_pages
from scrapy_boilerplate.training.evaluation import Evaluation, Plan, Score, evaluate

TARGET = Path(__file__).parents[1] / "docs" / "systems.md"
OVERVIEW = (L3S, CLEANEVAL, "fundus", "article-extraction", "waddle", "trafilatura")
METRICS = {L3S: ("tokens", "blocks", "characters"), "trafilatura": ("segments",)}
DEFAULT_METRICS = ("tokens", "characters")
LOST = 0.1
"""A page of which even everything scores below this has lost its text on the way."""

Scores = dict[str, Score]


@dataclass(frozen=True)
class Laboratory:
    """Evaluations, made on demand and kept."""

    corpora: Path
    jobs: int
    limit: int | None = None
    _kept: dict[str, Evaluation] = field(default_factory=dict)

    def pages(self, corpus: str) -> list[LabelledPage]:
        """The pages of a corpus."""
        return list(read_pages(self.corpora / f"{corpus}.jsonl.xz", self.limit))

    def corpus(self, corpus: str) -> Evaluation:
        """Every extractor that the tables need on this corpus."""
        return self.variant(corpus, corpus, _extractors(corpus), lambda page: page)

    def variant(
        self,
        name: str,
        corpus: str,
        extractors: Iterable[Extractor],
        change: Callable[[LabelledPage], LabelledPage],
    ) -> Evaluation:
        """`extractors` on the pages of a corpus, each page changed; kept under `name`."""
        if name not in self._kept:
            print(f"{name} ...", file=sys.stderr)
            metrics = METRICS.get(corpus, DEFAULT_METRICS)
            plan = Plan(extractors=tuple(extractors), metrics=metrics, text="own")
            self._kept[name] = evaluate(map(change, self.pages(corpus)), plan, jobs=self.jobs)
        return self._kept[name]


def _extractors(corpus: str) -> list[Extractor]:
    named = dict.fromkeys(row.extractor for row in systems.ROWS if row.corpus == corpus)
    if corpus in OVERVIEW:
        named |= dict.fromkeys(EXTRACTORS)
    if corpus in (L3S, CLEANEVAL, "fundus"):
        named |= dict.fromkeys(_tree_filter_names())
    return [extractor_for(name) for name in named]


def _tree_filter_names() -> list[str]:
    bases = systems.TREE_FILTER_BASES
    return [*bases, *(f"{base}+grandparent-{n}" for base in bases for n in systems.DEPTHS)]


def main() -> None:
    """Measure and write; a sentence if the catalog lacks an extractor."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=Path, default=CORPORA, help="default: %(default)s")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--limit", type=int, help="pages of each corpus, for a quick look")
    parser.add_argument("--output", type=Path, default=TARGET)
    options = parser.parse_args()
    try:
        systems.check_catalog()
    except systems.MissingSystemError as error:
        sys.exit(f"benchmarks.tables: {error}")
    laboratory = Laboratory(options.corpora, options.jobs, options.limit)
    parts = [section(laboratory) for section in SECTIONS]
    parts.append(retrieval.section(options.corpora, options.jobs, options.limit))
    options.output.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def published(laboratory: Laboratory) -> str:
    """A row for every system of the seeds."""
    header = "system/source/corpus, metric/figure/paper/ours/95 % of F1/command/why it differs"
    rows = [header.split("/")]
    rows += [_published_row(row, laboratory.corpus(row.corpus)) for row in systems.ROWS]
    left_out = "\n".join(f"- {name}: {why}." for name, why in systems.LEFT_OUT.items())
    parts = (prose.INTRODUCTION, _table(rows), prose.NOTES, "Not in the table:", left_out)
    return "\n\n".join(parts)


def _published_row(row: Row, evaluation: Evaluation) -> list[str]:
    score = _scores(evaluation, row.metric)[row.extractor]
    low, high = score.interval(score.main)
    options = f"--text own --metric {row.metric} --extractor {row.extractor}"
    command = f"`scrapy-boilerplate evaluate {row.corpus}.jsonl.xz {options}`"
    return [
        row.system,
        row.source,
        f"{row.corpus}, {row.metric}",
        ", ".join(row.figures),
        " / ".join(f"{number:.2f}".rstrip("0").rstrip(".") for number in row.paper) or "none",
        " / ".join(_percent(score.figures[name]) for name in row.figures),
        f"{_percent(low)} to {_percent(high)}",
        command if row.extractor in EXTRACTORS or "+" in row.extractor else "`make tables`",
        row.why,
    ]


def differences(laboratory: Laboratory) -> str:
    """The paper of 2010 by other readings of its text: what explains the differences."""
    parts = ["## The paper of 2010, by other readings", prose.DIFFERENCES]
    for corpus in (L3S, CLEANEVAL):
        named = [row for row in systems.ROWS if row.corpus == corpus and row.metric == "tokens"]
        paper = {r.extractor: r.paper for r in named if r.source.startswith(systems.KOHLSCHUETTER)}
        readings = _readings(laboratory, corpus, list(paper))
        rows = [["extractor", "paper", *readings]]
        for name, figures in paper.items():
            ours = [_mean_and_median(scores[name]) for scores in readings.values()]
            rows.append([name, "{:.2f} ({:.2f})".format(*figures), *ours])
        parts.append(f"{corpus}, token F1, page mean (median):\n\n{_table(rows)}")
    return "\n\n".join(parts)


def _readings(laboratory: Laboratory, corpus: str, names: Sequence[str]) -> dict[str, Scores]:
    extractors = [extractor_for(name) for name in names]
    by_paper = [systems.with_paper_blocks(extractor) for extractor in extractors]
    as_is = laboratory.corpus(corpus)
    blocks = laboratory.variant(f"{corpus}, paper's blocks", corpus, by_paper, lambda page: page)
    whole = {page.id for page in as_is.pages if page.rows["keep-everything", "tokens"][2] >= LOST}
    found = {
        "ours": _scores(as_is, "tokens"),
        f"{len(whole)} whole pages": _scores(_only(as_is, whole), "tokens"),
        "whole pages, blocks of the paper": _scores(_only(blocks, whole), "tokens"),
    }
    if corpus == L3S:
        comments = laboratory.variant(f"{L3S}, comments", L3S, extractors, _with_comments)
        found["whole pages, comments in the gold text"] = _scores(_only(comments, whole), "tokens")
    return found


def _with_comments(page: LabelledPage) -> LabelledPage:
    text = l3s.gold_text(page.annotated_html or "", l3s.WITH_COMMENTS)
    return replace(page, text=text, annotated_html=None)


def tree_filter(laboratory: Laboratory) -> str:
    """Precision, recall and F1 over characters by depth, beside the paper's Tables 1 and 2."""
    parts = ["## The tree filter by depth", prose.TREE_FILTER]
    for corpus, paper in systems.TREE_FILTER_PAPER.items():
        evaluation = _tree_filter_pages(laboratory, corpus)
        if not evaluation.pages:  # with --limit
            continue
        scores = _scores(evaluation, "characters")
        header = ["P / R / F of characters", "base", *(f"depth {n}" for n in systems.DEPTHS)]
        rows = [header]
        if any(paper):
            rows.append(["paper", *(cell.replace("/", " / ") for cell in paper)])
        for base in systems.TREE_FILTER_BASES:
            names = [base, *(f"{base}+grandparent-{n}" for n in systems.DEPTHS)]
            rows.append([base, *(_precision_recall_f1(scores[name]) for name in names)])
        title = f"{corpus} ({len(evaluation.pages)} pages)"
        parts.append(f"{title}:\n\n{_table(rows)}")
    return "\n\n".join(parts)


def _tree_filter_pages(laboratory: Laboratory, corpus: str) -> Evaluation:
    if not corpus.startswith("fundus"):
        return laboratory.corpus(corpus)
    wanted = {"Spanish": "es", "English": "en"}[corpus.rpartition(" ")[2]]
    languages = _languages(laboratory)
    ids = {page for page, language in languages.items() if language == wanted}
    return _only(laboratory.corpus("fundus"), ids)


def _languages(laboratory: Laboratory) -> Mapping[str, str | None]:
    pages = laboratory.pages("fundus")
    return {page.id: declared_language(tree_of(page.html)) for page in pages}


def overview(laboratory: Laboratory) -> str:
    """Every extractor on every corpus, by one figure."""
    columns = {}
    for corpus in OVERVIEW:
        metric = METRICS.get(corpus, DEFAULT_METRICS)[0]
        columns[f"{corpus}, {metric}"] = _scores(laboratory.corpus(corpus), metric)
    rows = [["extractor", *columns]]
    ranked = sorted(EXTRACTORS, key=lambda name: -_mean_f1(columns.values(), name))
    rows += [
        [name, *(_percent(scores[name].figures["f1"]) for scores in columns.values())]
        for name in ranked
    ]
    return f"## Every extractor\n\n{prose.OVERVIEW_TEXT}\n\n{_table(rows)}"


def _mean_f1(columns: Iterable[Scores], name: str) -> float:
    return float(np.mean([scores[name].figures["f1"] for scores in columns]))


SECTIONS = (published, differences, tree_filter, overview)


def _only(evaluation: Evaluation, ids: set[str]) -> Evaluation:
    return Evaluation([page for page in evaluation.pages if page.id in ids])


def _scores(evaluation: Evaluation, metric: str) -> Scores:
    return {score.extractor: score for score in evaluation.scores(metric)}


def _percent(share: float) -> str:
    return f"{100 * share:.2f}"


def _mean_and_median(score: Score) -> str:
    return f"{_percent(score.figures['f1'])} ({_percent(score.figures['median'])})"


def _precision_recall_f1(score: Score) -> str:
    return " / ".join(f"{100 * score.figures[name]:.0f}" for name in systems.P_R_F)


def _table(rows: Sequence[Sequence[str]]) -> str:
    head, *body = (f"| {' | '.join(row)} |" for row in rows)
    return "\n".join([head, f"|{'---|' * len(rows[0])}", *body])


if __name__ == "__main__":
    main()
