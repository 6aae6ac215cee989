"""Evaluations for docs/systems.md, measured on demand and kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tqdm import tqdm

from benchmarks.corpora import corpus_file
from benchmarks.systems import (
    CLASSICAL,
    CLEANEVAL,
    L3S,
    find_extractor,
    read_published,
    tree_filter_names,
)
from scrapy_boilerplate.steps.extractor import Extractor
from scrapy_boilerplate.training.corpora import LabelledPage, read_pages
from scrapy_boilerplate.training.evaluation import Evaluation, EvaluationPlan, Score, evaluate

OVERVIEW = (L3S, CLEANEVAL, "fundus", "article-extraction", "waddle", "trafilatura")

# corpora whose every page goes to the tree filter
TREE_FILTER = (L3S, CLEANEVAL, "fundus", "article-extraction")

METRICS = {L3S: ("tokens", "blocks", "characters"), "trafilatura": ("segments",)}
DEFAULT_METRICS = ("tokens", "characters")

Scores = dict[str, Score]
"""Extractor to its score."""

Change = Callable[[LabelledPage], LabelledPage | None]
"""What becomes of a page before it is scored; None leaves it out."""


@dataclass(frozen=True)
class EvaluationCache:
    """Evaluations by name; `limit` is the most pages of each corpus."""

    corpora: Path
    jobs: int
    limit: int | None = None
    _evaluations: dict[str, Evaluation] = field(default_factory=dict)

    def pages(self, corpus: str) -> list[LabelledPage]:
        """Return the pages of a corpus."""
        return list(read_pages(corpus_file(self.corpora, corpus), self.limit))

    def evaluate(self, corpus: str) -> Evaluation:
        """Score every extractor that the tables need on this corpus."""
        names = dict.fromkeys(row.extractor for row in read_published() if row.corpus == corpus)
        names |= dict.fromkeys(CLASSICAL if corpus in OVERVIEW else ())
        names |= dict.fromkeys(tree_filter_names() if corpus in TREE_FILTER else ())
        return self.evaluate_variant(corpus, corpus, map(find_extractor, names), lambda page: page)

    def evaluate_variant(
        self, name: str, corpus: str, extractors: Iterable[Extractor], change: Change
    ) -> Evaluation:
        """Score `extractors` on the pages of a corpus, each changed; kept under `name`."""
        if name not in self._evaluations:
            metrics = METRICS.get(corpus, DEFAULT_METRICS)
            plan = EvaluationPlan(extractors=tuple(extractors), metrics=metrics, text="own")
            pages = [page for page in map(change, self.pages(corpus)) if page is not None]
            self._evaluations[name] = evaluate(
                pages,
                plan,
                jobs=self.jobs,
                progress=lambda scores: tqdm(scores, total=len(pages), desc=name),
            )
        return self._evaluations[name]


def main_metric(corpus: str) -> str:
    """Return the metric by which the overview ranks on a corpus."""
    return METRICS.get(corpus, DEFAULT_METRICS)[0]


def scores_by_extractor(evaluation: Evaluation, metric: str) -> Scores:
    """Return extractor -> its score."""
    return {score.extractor: score for score in evaluation.scores(metric)}


def select_pages(evaluation: Evaluation, ids: set[str]) -> Evaluation:
    """Return the evaluation of some of the pages."""
    return Evaluation([page for page in evaluation.pages if page.id in ids])
