"""Scores of extractors on labelled pages: one row of counts a page, figures and intervals of all.

What is scored (`Text`): ``own`` is what an extractor's own steps take for content, which the
papers' figures are about; ``final`` is the text of the document that users get, after the shared
last steps have told headline, comments and captions apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import islice
from typing import Literal

import numpy as np

from scrapy_boilerplate.document import build_document
from scrapy_boilerplate.extractors import extractor_named
from scrapy_boilerplate.page.labels import FloatArray, IntArray, Label
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.parsing import tree_of
from scrapy_boilerplate.page.reading import read_page
from scrapy_boilerplate.steps.extractor import Extractor
from scrapy_boilerplate.training.corpora import LabelledPage
from scrapy_boilerplate.training.gold import Gold
from scrapy_boilerplate.training.metrics.bootstrap import draws, interval, resampled
from scrapy_boilerplate.training.metrics.metric import Metric, Output
from scrapy_boilerplate.training.metrics.table import METRICS

Text = Literal["own", "final"]
Progress = Callable[[Iterable["PageScores"]], Iterable["PageScores"]]

PAGES_A_BATCH = 4
"""Pages that a process gets at a time, and batches that wait for each process."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What to score: extractors (names or your own), names of metrics, and which text."""

    extractors: tuple[str | Extractor, ...]
    metrics: tuple[str, ...] = ("tokens",)
    text: Text = "final"


@dataclass(frozen=True)
class PageScores:
    """The counts of one page: (extractor, metric) to a row; only metrics that can judge it."""

    id: str
    site: str
    rows: Mapping[tuple[str, str], FloatArray]


@dataclass(frozen=True, eq=False)
class Score:
    """One extractor by one metric: `rows` a page each, `drawn` the bootstrap's draws of them."""

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
        """The name of the figure that ranks."""
        return next(iter(self.figures))

    @cached_property
    def _samples(self) -> dict[str, FloatArray]:
        return resampled(self.metric.figures, self.rows, self.drawn)

    def interval(self, figure: str) -> tuple[float, float]:
        """The 95 % interval of a figure."""
        return interval(self._samples[figure])

    def difference(self, other: Score, figure: str) -> tuple[float, tuple[float, float]]:
        """This figure minus the other's, and the 95 % interval of that, on the same draws."""
        samples = self._samples[figure] - other._samples[figure]
        return self.figures[figure] - other.figures[figure], interval(samples)


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The scores of all extractors on one corpus."""

    pages: Sequence[PageScores]
    _kept: dict[str, list[Score]] = field(default_factory=dict)

    @property
    def sites(self) -> int:
        """Number of sites."""
        return len({page.site for page in self.pages})

    def scores(self, metric: str) -> list[Score]:
        """The extractors, best first (of equals the first named); [] if no page can be judged."""
        if metric not in self._kept:
            self._kept[metric] = self._scores(metric)
        return self._kept[metric]

    def _scores(self, metric: str) -> list[Score]:
        judged = [page for page in self.pages if any(name == metric for _, name in page.rows)]
        if not judged:
            return []
        drawn = draws([page.site for page in judged])
        names = [name for name, of_metric in judged[0].rows if of_metric == metric]
        scores = []
        for name in names:
            rows = np.stack([page.rows[name, metric] for page in judged])
            scores.append(Score(name, METRICS[metric], rows, drawn))
        return sorted(scores, key=lambda score: -score.figures[score.main])


def evaluate(
    pages: Iterable[LabelledPage],
    plan: Plan,
    *,
    jobs: int = 1,
    progress: Progress = iter,
) -> Evaluation:
    """Carry out `plan` on `pages`, in `jobs` processes.

    `progress` is given the pages' scores as they come, and hands them on (tqdm does).
    """
    task = partial(score_page, plan=plan)
    scored = map(task, pages) if jobs < 2 else _in_processes(task, pages, jobs)
    return Evaluation(list(progress(scored)))


def score_page(labelled: LabelledPage, plan: Plan) -> PageScores:
    """The counts of one page; it is parsed and read once."""
    page = read_page(tree_of(labelled.html), labelled.url)
    gold = Gold(labelled, page)
    judging = [METRICS[name] for name in plan.metrics if METRICS[name].judges(labelled)]
    rows: dict[tuple[str, str], FloatArray] = {}
    for one in plan.extractors if judging else ():
        extractor = extractor_named(one) if isinstance(one, str) else one
        output = output_of(extractor, page, plan.text)
        for metric in judging:
            rows[extractor.name, metric.name] = np.asarray(
                metric.count(gold, output), dtype=np.float64
            )
    return PageScores(labelled.id, labelled.site, rows)


def output_of(extractor: Extractor, leaves: Page, text: Text) -> Output:
    """What an extractor makes of a page that was read, not yet cut into blocks."""
    page = extractor.segmenter(leaves)
    if text == "own":
        labeling = extractor.decide_content(page)
        kept: list[int] = np.flatnonzero(labeling.content).tolist()
        return Output(page.joined(kept), page, labeling, kept)
    labeling = extractor.label(page)
    document = build_document(page, labeling, extractor=extractor.name, confidence=0.0)
    kept = np.flatnonzero(labeling.labels == Label.FULL_TEXT).tolist()
    return Output(document.text, page, labeling, kept)


def _in_processes(
    task: Callable[[LabelledPage], PageScores], pages: Iterable[LabelledPage], jobs: int
) -> Iterator[PageScores]:
    """The scores in the order of the pages; few pages wait in memory at a time."""
    pages = iter(pages)
    with ProcessPoolExecutor(jobs) as pool:
        while batch := list(islice(pages, jobs * PAGES_A_BATCH * PAGES_A_BATCH)):
            yield from pool.map(task, batch, chunksize=PAGES_A_BATCH)
