"""Evaluations for docs/systems.md, made on demand and kept."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import systems
from benchmarks.systems import CLEANEVAL, L3S, extractor_for
from scrapy_boilerplate.extractors import MODEL_KINDS, MODULES
from scrapy_boilerplate.steps.extractor import Extractor
from scrapy_boilerplate.training.corpora import LabelledPage, read_pages
from scrapy_boilerplate.training.evaluation import Evaluation, Plan, Score, evaluate

CLASSICAL = tuple(name for name, module in MODULES.items() if module not in MODEL_KINDS.values())
"""The extractors without learnt weights. The others have seen these corpora:
they are scored by folds of sites, in docs/learned.md and docs/folds.md."""

OVERVIEW = (L3S, CLEANEVAL, "fundus", "article-extraction", "waddle", "trafilatura")
TREE_FILTER = (L3S, CLEANEVAL, "fundus", "article-extraction")
"""Corpora of which every page goes to the tree filter."""
METRICS = {L3S: ("tokens", "blocks", "characters"), "trafilatura": ("segments",)}
DEFAULT_METRICS = ("tokens", "characters")

Scores = dict[str, Score]
Change = Callable[[LabelledPage], LabelledPage | None]
"""What becomes of a page before it is scored; None leaves it out."""


@dataclass(frozen=True)
class Laboratory:
    """Evaluations by name; `limit` is the most pages of each corpus."""

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
        self, name: str, corpus: str, extractors: Iterable[Extractor], change: Change
    ) -> Evaluation:
        """`extractors` on the pages of a corpus, each page changed; kept under `name`."""
        if name not in self._kept:
            print(f"{name} ...", file=sys.stderr)
            metrics = METRICS.get(corpus, DEFAULT_METRICS)
            plan = Plan(extractors=tuple(extractors), metrics=metrics, text="own")
            pages = (page for page in map(change, self.pages(corpus)) if page is not None)
            self._kept[name] = evaluate(pages, plan, jobs=self.jobs)
        return self._kept[name]


def main_metric(corpus: str) -> str:
    """The metric by which the overview ranks on a corpus."""
    return METRICS.get(corpus, DEFAULT_METRICS)[0]


def scores_of(evaluation: Evaluation, metric: str) -> Scores:
    """Extractor to its score."""
    return {score.extractor: score for score in evaluation.scores(metric)}


def only(evaluation: Evaluation, ids: set[str]) -> Evaluation:
    """The same on some of the pages."""
    return Evaluation([page for page in evaluation.pages if page.id in ids])


def tree_filter_names() -> list[str]:
    """The bases of the tree filter, and each with every depth."""
    bases = systems.TREE_FILTER_BASES
    return [*bases, *(f"{base}+grandparent-{n}" for base in bases for n in systems.DEPTHS)]


def _extractors(corpus: str) -> list[Extractor]:
    named = dict.fromkeys(row.extractor for row in systems.ROWS if row.corpus == corpus)
    if corpus in OVERVIEW:
        named |= dict.fromkeys(CLASSICAL)
    if corpus in TREE_FILTER:
        named |= dict.fromkeys(tree_filter_names())
    return [extractor_for(name) for name in named]
