"""``python -m benchmarks.site --models DIR``: the effect of site knowledge, paired by page.

DIR holds fold models of `news` (`benchmarks.folds`) and of the correction
(`benchmarks.site_model`), so that no page is scored by a model that was trained on its site. For
each corpus with several pages of a site: page-mean token F1 without and with all other pages known,
and the spread over ten shuffles of the pages, each labelled with the pages before it (streaming).
Prints the tables of docs/usage/site.md. Takes about half an hour; ``--pages 40 --shuffles 1`` two
minutes.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import process_time

import numpy as np
from tqdm import tqdm

from benchmarks.corpora import FOLDS, create_parser
from benchmarks.folds import load_fold_extractors
from benchmarks.markdown import format_table
from benchmarks.site_model import SALT, SITE_CORPORA, SITE_FOLDS, read_site_pages
from scrapy_boilerplate.extraction import load_page
from scrapy_boilerplate.extractors import EXTRACTORS
from scrapy_boilerplate.page.labels import FloatArray, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.site.correction import SiteCorrection
from scrapy_boilerplate.site.extractor import SiteExtractor, build_site_extractor
from scrapy_boilerplate.site.knowledge import Knowledge, SiteView
from scrapy_boilerplate.site.page_records import (
    PageRecord,
    Signatures,
    build_page_record,
    compute_signatures,
)
from scrapy_boilerplate.steps.extractor import Step, run_steps
from scrapy_boilerplate.steps.model_store import StoredModel, load_model, return_model
from scrapy_boilerplate.training.corpora import LabelledPage, site_fold
from scrapy_boilerplate.training.metrics.bootstrap import draw_sites, percentile_interval
from scrapy_boilerplate.training.tokens import compute_token_f1

SITE_EXTRACTORS = ("news", "num-words", "boilerpipe-article", "justext")
SHUFFLES = 10

# equal parts of the pages in the table of confidence
PARTS = 4


@dataclass(frozen=True, eq=False)
class SitePageResult:
    """A page that was read: its own labels, and its record for its site.

    milliseconds   CPU time of extraction, and of the record
    """

    labelled: LabelledPage
    extractor: SiteExtractor
    page: Page
    base: Labeling
    signatures: Signatures
    record: PageRecord
    milliseconds: tuple[float, float]

    def score(self, knowledge: Knowledge) -> tuple[float, float]:
        """Return the token F1 of the final text with this knowledge, and the confidence in it."""
        view = knowledge.view(self.record, self.signatures)
        labeling = run_steps(self.extractor.list_later_steps(view), self.page, self.base)
        text = self.page.join_blocks(np.flatnonzero(labeling.content).tolist())
        confidence = self.extractor.extractor.confidence(self.page, labeling)
        return compute_token_f1(text, self.labelled.text or ""), confidence


class FoldExtractors:
    """The extractors by name; `news` and its correction by the fold of the site."""

    def __init__(self, models: Path) -> None:
        self._news = [by_favor["balanced"] for by_favor in load_fold_extractors(models)]
        self._corrections = [load_model(models / f"site-{n}") for n in range(SITE_FOLDS)]

    def get(self, name: str, site: str) -> SiteExtractor:
        """Return the extractor for the pages of a site."""
        if name != "news":
            return build_site_extractor(EXTRACTORS[name])
        extractor = build_site_extractor(self._news[site_fold(site, FOLDS)])
        correction = self._corrections[site_fold(site, SITE_FOLDS, SALT)]
        return _CorrectedExtractor(
            extractor.extractor, extractor.steps, partial(return_model, correction)
        )


@dataclass(frozen=True, eq=False)
class _CorrectedExtractor(SiteExtractor):
    """A site extractor with another correction than the shipped one."""

    load_correction: partial[StoredModel]

    def list_later_steps(self, view: SiteView) -> tuple[Step, ...]:
        correct: Step = SiteCorrection(view=view, load_model=self.load_correction)
        deciding = self.extractor.steps[self.n_base_steps :]
        return (correct, *deciding, *self.extractor.finish)


def read_results(
    pages: Sequence[LabelledPage], folds: FoldExtractors, name: str
) -> Iterator[SitePageResult]:
    """Yield every page read once."""
    for labelled in tqdm(pages, desc=name):
        extractor = folds.get(name, labelled.site)
        start = process_time()
        page = extractor.extractor.segmenter(load_page(labelled.html, labelled.url).page)
        base = extractor.label_base(page)
        middle = process_time()
        signatures = compute_signatures(page)
        record = build_page_record(page, signatures, extractor.content(base), 0)
        end = process_time()
        spent = 1000 * (middle - start), 1000 * (end - middle)
        yield SitePageResult(labelled, extractor, page, base, signatures, record, spent)


def whole_knowledge(results: Sequence[SitePageResult]) -> list[Knowledge]:
    """Return for each page the knowledge of all pages of its site."""
    known: dict[tuple[str, str], Knowledge] = defaultdict(Knowledge)
    keys = [(result.labelled.dataset, result.labelled.site) for result in results]
    for key, result in zip(keys, results, strict=True):
        known[key] = known[key].with_pages([result.record])
    return [known[key] for key in keys]


def stream_pages(results: Sequence[SitePageResult], seed: int) -> list[float]:
    """Return the F1 of each page in a random order, with the knowledge of the pages before it."""
    known: dict[tuple[str, str], Knowledge] = defaultdict(Knowledge)
    scores = [0.0] * len(results)
    for number in np.random.default_rng(seed).permutation(len(results)).tolist():
        result = results[number]
        key = result.labelled.dataset, result.labelled.site
        known[key] = known[key].with_pages([result.record])
        scores[number], _ = result.score(known[key])
    return scores


def build_rows(
    name: str,
    results: Sequence[SitePageResult],
    alone: FloatArray,
    with_all: FloatArray,
    shuffles: int,
) -> Iterator[list[object]]:
    """Yield a row for each corpus, from the scores of the pages without and with their sites."""
    orders = [stream_pages(results, seed) for seed in range(shuffles)]
    for corpus in SITE_CORPORA:
        numbers = [n for n, result in enumerate(results) if result.labelled.dataset == corpus]
        if not numbers:
            continue
        before, after = alone[numbers, 0], with_all[numbers, 0]
        drawn = draw_sites([results[n].labelled.site for n in numbers])
        samples = np.array([(after - before)[draw].mean() for draw in drawn])
        low, high = percentile_interval(samples)
        difference = f"{after.mean() - before.mean():+.4f} ({low:+.4f} to {high:+.4f})"
        row = [name, corpus, len(numbers), f"{before.mean():.4f}", f"{after.mean():.4f}"]
        yield [*row, difference, _format_spread(orders, numbers)]


def _format_spread(orders: Sequence[Sequence[float]], numbers: list[int]) -> str:
    """Return the lowest and highest mean of some pages over the orders."""
    means = [np.array(order)[numbers].mean() for order in orders]
    return f"{min(means):.4f} to {max(means):.4f}" if means else "-"


def format_confidence(alone: FloatArray, with_all: FloatArray) -> str:
    """Return mean confidence and mean F1 of equal parts of the pages, least confident first."""
    rows = [[f"confidence, in {PARTS} equal parts", "predicted", "true"]]
    for name, scores in (("without", alone), ("whole site", with_all)):
        order = np.lexsort(scores.T)
        for part in np.array_split(scores[order], PARTS):
            rows.append([name, f"{part[:, 1].mean():.3f}", f"{part[:, 0].mean():.3f}"])
    return format_table(rows)


def main() -> None:
    """Score and print."""
    parser = create_parser(__doc__)
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--shuffles", type=int, default=SHUFFLES)
    options = parser.parse_args()
    pages = read_site_pages(options.corpora, options.pages)
    folds = FoldExtractors(options.models)
    columns = "extractor|corpus|pages|without|whole site|difference (95 %)|streaming"
    rows: list[list[object]] = [[*columns.split("|")]]
    costs, confidence = {}, ""
    for name in SITE_EXTRACTORS:
        results = list(read_results(pages, folds, name))
        extraction, record = np.array([result.milliseconds for result in results]).mean(axis=0)
        costs[name] = {"read": round(extraction, 2), "learn": round(record, 2)}
        alone = np.array([result.score(Knowledge()) for result in results])
        known = whole_knowledge(results)
        with_all = np.array([each.score(site) for each, site in zip(results, known, strict=True)])
        rows += build_rows(name, results, alone, with_all, options.shuffles)
        if name == "news":  # the only calibrated extractor
            confidence = format_confidence(alone, with_all)
    print("\n\n".join((format_table(rows), confidence, json.dumps(costs))))


if __name__ == "__main__":
    main()
