"""Evaluations for docs/systems.md, measured on demand and kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from tqdm import tqdm

from benchmarks.corpora import corpus_file
from benchmarks.systems import CLASSICAL, CLEANEVAL, L3S, find_extractor, read_published
from scrapy_boilerplate.training.corpora import read_pages
from scrapy_boilerplate.training.evaluation import Evaluation, EvaluationPlan, Score, evaluate

OVERVIEW = (L3S, CLEANEVAL, "fundus", "waddle")
TOKENS = "tokens"

METRICS = {L3S: (TOKENS, "blocks"), CLEANEVAL: (TOKENS, "characters")}

Scores = dict[str, Score]
"""Extractor to its score."""


@dataclass(frozen=True)
class EvaluationCache:
    """Evaluations by name; `limit` is the most pages of each corpus."""

    corpora: Path
    jobs: int
    limit: int | None = None
    _evaluations: dict[str, Evaluation] = field(default_factory=dict)

    def evaluate(self, corpus: str) -> Evaluation:
        """Score every extractor that the tables need on this corpus, once."""
        if corpus not in self._evaluations:
            names = dict.fromkeys(row.extractor for row in read_published() if row.corpus == corpus)
            names |= dict.fromkeys(CLASSICAL if corpus in OVERVIEW else ())
            plan = EvaluationPlan(
                extractors=tuple(map(find_extractor, names)),
                metrics=METRICS.get(corpus, (TOKENS,)),
                text="own",
            )
            pages = list(read_pages(corpus_file(self.corpora, corpus), self.limit))
            self._evaluations[corpus] = evaluate(
                pages,
                plan,
                jobs=self.jobs,
                progress=lambda scores: tqdm(scores, total=len(pages), desc=corpus),
            )
        return self._evaluations[corpus]


def scores_by_extractor(evaluation: Evaluation, metric: str) -> Scores:
    """Return extractor -> its score."""
    return {score.extractor: score for score in evaluation.scores(metric)}
