"""What a comparison found on one corpus: scores, pages that went wrong, seconds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from benchmarks.contest import PARSE, Contest, PageResult, shown
from scrapy_boilerplate.page.labels import FloatArray
from scrapy_boilerplate.training.evaluation import Evaluation, Score
from scrapy_boilerplate.training.metrics.table import POOR
from scrapy_boilerplate.training.metrics.tokens import precision_recall_f1


@dataclass(frozen=True, eq=False)
class CorpusResults:
    """All systems on the pages of one corpus."""

    corpus: str
    metric: str
    pages: Sequence[PageResult]

    @cached_property
    def evaluation(self) -> Evaluation:
        """The counts, for figures, intervals and paired differences."""
        return Evaluation([page.scores for page in self.pages])

    @cached_property
    def scores(self) -> dict[str, Score]:
        """System to score, best first."""
        return {score.extractor: score for score in self.evaluation.scores(self.metric)}

    def seconds(self, system: str) -> float:
        """CPU seconds of a system (or of PARSE) on all pages."""
        return sum(page.seconds[system] for page in self.pages)


def poor(score: Score) -> float:
    """Share of the pages below an F1 of .5 by the corpus's own metric."""
    return float((page_f1(score) < POOR).mean())


def page_f1(score: Score) -> FloatArray:
    """float[pages]: of segments that of a page's own snippets."""
    if score.metric.ranked is not None:
        return score.metric.ranked(score.rows)
    rows = score.rows.tolist()
    return np.array(
        [
            precision_recall_f1(there, there + extra, there + lost)[2]
            for there, extra, lost, _ in rows
        ]
    )


@dataclass(frozen=True, eq=False)
class Comparison:
    """All systems on all corpora; `limit` is how many pages of each were read, None for all."""

    contest: Contest
    corpora: Sequence[CorpusResults]
    limit: int | None = None

    @property
    def ours(self) -> list[str]:
        """Our extractors; to the first of them the others are compared."""
        return [shown(one) for one in self.contest.ours]

    @cached_property
    def systems(self) -> list[str]:
        """The systems that read every corpus, the best mean first."""
        first = self.corpora[0].scores
        common = [name for name in first if all(name in one.scores for one in self.corpora)]
        return sorted(common, key=lambda name: -self.mean_f1(name))

    def figures(self, system: str) -> list[float]:
        """F1 on each corpus."""
        return [one.scores[system].figures["f1"] for one in self.corpora]

    def mean_f1(self, system: str) -> float:
        """Mean of the corpora's F1; every corpus counts alike."""
        return float(np.mean(self.figures(system)))

    def poor(self, system: str) -> float:
        """Share of all pages below an F1 of .5."""
        found = [page_f1(one.scores[system]) < POOR for one in self.corpora]
        return float(np.concatenate(found).mean())

    def cost(self, system: str) -> float:
        """CPU time as a multiple of the parse of the same pages, all together."""
        whole, parse = (sum(one.seconds(of) for one in self.corpora) for of in (system, PARSE))
        return whole / parse

    def errors(self, system: str) -> Counter[str]:
        """Name of an error to the number of pages on which the system raised it."""
        pages = (page for one in self.corpora for page in one.pages)
        return Counter(page.failed[system] for page in pages if system in page.failed)
