"""Scores of extractors on labelled pages: a row of counts per page, figures and intervals of all.

`TextKind` is the text that is scored: ``own`` is the content by the extractor's own steps, as in
the figures of the papers; ``final`` is the text of the document that users get, after the shared
last steps have labelled headline, comments and captions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import islice
from typing import Literal

import numpy as np

from scrapy_boilerplate.extraction import LoadedPage, extract_page, load_page
from scrapy_boilerplate.extractors import Options, get_extractor
from scrapy_boilerplate.page.labels import FloatArray, IntArray
from scrapy_boilerplate.steps.extractor import Extractor
from scrapy_boilerplate.training.corpora import LabelledPage
from scrapy_boilerplate.training.gold import Gold
from scrapy_boilerplate.training.metrics import (
    METRICS,
    ExtractedPage,
    Metric,
    draw_sites,
    percentile_interval,
    resample,
)

TextKind = Literal["own", "final"]

# pages that a process gets at a time, and batches that wait for each process
PAGES_A_BATCH = 4


@dataclass(frozen=True, kw_only=True)
class EvaluationPlan:
    """What to score: extractors (names or your own), names of metrics, and which text."""

    extractors: tuple[str | Extractor, ...]
    metrics: tuple[str, ...] = ("tokens",)
    text: TextKind = "final"


@dataclass(frozen=True)
class PageScores:
    """The counts of one page: (extractor, metric) to a row, for the metrics that can judge it."""

    id: str
    site: str
    rows: Mapping[tuple[str, str], FloatArray]


@dataclass(frozen=True, eq=False)
class Score:
    """The score of one extractor by one metric.

    rows    a page each
    drawn   the bootstrap's draws of pages
    """

    extractor: str
    metric: Metric
    rows: FloatArray
    drawn: Sequence[IntArray]

    @cached_property
    def figures(self) -> dict[str, float]:
        """The figures over all pages; the first one ranks."""
        return self.metric.figures(self.rows)

    @property
    def main(self) -> str:
        return next(iter(self.figures))

    @cached_property
    def _samples(self) -> dict[str, FloatArray]:
        return resample(self.metric.figures, self.rows, self.drawn)

    def interval(self, figure: str) -> tuple[float, float]:
        return percentile_interval(self._samples[figure])

    def difference(self, other: Score, figure: str) -> tuple[float, tuple[float, float]]:
        """Return this figure minus the other's, and its 95 % interval on the same draws."""
        samples = self._samples[figure] - other._samples[figure]
        return self.figures[figure] - other.figures[figure], percentile_interval(samples)


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The scores of all extractors on one corpus."""

    pages: Sequence[PageScores]
    _scores: dict[str, list[Score]] = field(default_factory=dict)

    @property
    def sites(self) -> int:
        return len({page.site for page in self.pages})

    def scores(self, metric: str) -> list[Score]:
        """Return the scores of the extractors, best first; ties keep the order of the plan.

        Empty if the metric can judge no page. The scores are computed once.
        """
        if metric not in self._scores:
            judged = [page for page in self.pages if any(name == metric for _, name in page.rows)]
            drawn = draw_sites([page.site for page in judged]) if judged else []
            extractors = [name for name, by in judged[0].rows if by == metric] if judged else []
            scores = []
            for name in extractors:
                rows = np.stack([page.rows[name, metric] for page in judged])
                scores.append(Score(name, METRICS[metric], rows, drawn))
            self._scores[metric] = sorted(scores, key=lambda score: -score.figures[score.main])
        return self._scores[metric]


def evaluate(
    pages: Iterable[LabelledPage],
    plan: EvaluationPlan,
    *,
    jobs: int = 1,
    progress: Callable[[Iterable[PageScores]], Iterable[PageScores]] = iter,
) -> Evaluation:
    """Score the pages in `jobs` processes; `progress` wraps the iterator of scores, like tqdm."""
    task = partial(score_page, plan=plan)
    scored = map(task, pages) if jobs < 2 else _score_in_processes(task, pages, jobs)
    return Evaluation(list(progress(scored)))


def score_page(labelled: LabelledPage, plan: EvaluationPlan) -> PageScores:
    """Return the counts of one page; it is parsed and read once."""
    loaded = load_page(labelled.html, labelled.url)
    gold = Gold(labelled, loaded.page)
    metrics = [METRICS[name] for name in plan.metrics if METRICS[name].judges(labelled)]
    rows: dict[tuple[str, str], FloatArray] = {}
    for chosen in plan.extractors if metrics else ():
        extractor = get_extractor(chosen)
        extracted = _extract(extractor, loaded, plan.text)
        for metric in metrics:
            counts = metric.count(gold, extracted)
            rows[extractor.name, metric.name] = np.asarray(counts, dtype=np.float64)
    return PageScores(labelled.id, labelled.site, rows)


def _extract(extractor: Extractor, loaded: LoadedPage, text: TextKind) -> ExtractedPage:
    if text == "final":
        document = extract_page(loaded, loaded.page.url, Options(extractor=extractor))
        return ExtractedPage(document.text, *document.get_page())
    page = extractor.segmenter(loaded.page)
    labeling = extractor.decide_content(page)
    kept: list[int] = np.flatnonzero(labeling.content).tolist()
    return ExtractedPage(page.join_blocks(kept), page, labeling)


def _score_in_processes(
    task: Callable[[LabelledPage], PageScores], pages: Iterable[LabelledPage], jobs: int
) -> Iterator[PageScores]:
    pages = iter(pages)
    with ProcessPoolExecutor(jobs) as pool:
        while batch := list(islice(pages, jobs * PAGES_A_BATCH * PAGES_A_BATCH)):
            yield from pool.map(task, batch, chunksize=PAGES_A_BATCH)
