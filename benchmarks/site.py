"""``python -m benchmarks.site --models DIR``: what site knowledge gives, paired by page.

DIR holds fold models of `news` (`benchmarks.folds`) and of the correction
(`benchmarks.site_model`), so that no page is scored by a model that saw its site. For each corpus
with several pages of a site: page-mean token F1 without and with all other pages known, and the
spread over ten shuffles of the pages: each labelled by what is known so far (streaming), and with
the first HOLD pages of each site waiting for one another (held back).
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import process_time

import numpy as np

from benchmarks.ablation import FOLDS
from benchmarks.folds_report import extractors_of
from benchmarks.site_model import CORPORA, SALT, SITE_FOLDS, pages_of_several
from scrapy_boilerplate.extractors import EXTRACTORS
from scrapy_boilerplate.page.labels import Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.parsing import tree_of
from scrapy_boilerplate.page.reading import read_page
from scrapy_boilerplate.site import extractor as catalog
from scrapy_boilerplate.site.correction import SiteCorrection
from scrapy_boilerplate.site.extractor import SiteExtractor, site_extractor
from scrapy_boilerplate.site.knowledge import Knowledge
from scrapy_boilerplate.site.observation import PageRecord, record_of
from scrapy_boilerplate.site.signatures import Signatures, signatures_of
from scrapy_boilerplate.site.view import SiteView, view_of
from scrapy_boilerplate.steps.extractor import Step
from scrapy_boilerplate.steps.model_store import StoredModel, load_model
from scrapy_boilerplate.training.corpora import LabelledPage
from scrapy_boilerplate.training.metrics.bootstrap import draws, interval
from scrapy_boilerplate.training.metrics.tokens import token_f1
from scrapy_boilerplate.training.splits import fold_of

EXTRACTORS_HERE = ("news", "num-words", "boilerpipe-article", "justext")
SHUFFLES = 10
PARTS = 4
"""Equal parts of the pages in the table of confidence."""
HOLD = 5
"""Pages that wait in held-back mode, as the example of docs/site.md has it."""


@dataclass(frozen=True, eq=False)
class Read:
    """A page that was read: what it says alone, and what it adds to its site."""

    labelled: LabelledPage
    extractor: SiteExtractor
    page: Page
    base: Labeling
    signatures: Signatures
    record: PageRecord
    milliseconds: tuple[float, float]

    def f1(self, knowledge: Knowledge) -> float:
        """Token F1 of the final text with what is known."""
        return self.told_and_true(knowledge)[1]

    def told_and_true(self, knowledge: Knowledge) -> tuple[float, float]:
        """The confidence in the final text with what is known, and its token F1."""
        view = view_of(knowledge, self.record, self.signatures)
        labeling = self.extractor.finished(self.page, self.base, view)
        text = self.page.joined(np.flatnonzero(labeling.content).tolist())
        confidence = self.extractor.extractor.confidence(self.page, labeling)
        return confidence, token_f1(text, self.labelled.text or "")


class Folds:
    """The extractors by name; those of `news` and of its correction by the fold of the site."""

    def __init__(self, models: Path, steps: tuple[str, ...]) -> None:
        self._news = [by_favor["balanced"] for by_favor in extractors_of(models)]
        self._corrections = [load_model(models / f"site-{n}") for n in range(SITE_FOLDS)]
        self._steps = steps

    def of(self, name: str, site: str) -> SiteExtractor:
        """The extractor for the pages of a site."""
        if name != "news":
            return site_extractor(EXTRACTORS[name], self._steps)
        found = site_extractor(self._news[fold_of(site, FOLDS)])
        stored = self._corrections[fold_of(site, SITE_FOLDS, SALT)]
        return _Corrected(found.extractor, found.steps, partial(_same, stored))


def _same(model: StoredModel) -> StoredModel:
    return model


@dataclass(frozen=True, eq=False)
class _Corrected(SiteExtractor):
    """A site extractor with another correction than the shipped one."""

    stored: partial[StoredModel]

    def finished(self, page: Page, base: Labeling, view: SiteView) -> Labeling:
        step: Step = SiteCorrection(view=view, stored=self.stored)
        moved = step(page, base)
        nothing = replace(self, steps=catalog.LEARNED)
        return SiteExtractor.finished(
            nothing, page, moved, replace(view, knowledge=Knowledge(), near=())
        )


def reads(pages: Sequence[LabelledPage], folds: Folds, name: str) -> Iterator[Read]:
    """Every page read once."""
    for labelled in pages:
        of = folds.of(name, labelled.site)
        start = process_time()
        page = of.extractor.segmenter(read_page(tree_of(labelled.html), labelled.url))
        base = of.base(page)
        middle = process_time()
        signatures = signatures_of(page)
        record = record_of(page, signatures, of.content(base), 0)
        end = process_time()
        spent = 1000 * (middle - start), 1000 * (end - middle)
        yield Read(labelled, of, page, base, signatures, record, spent)


def whole(found: Sequence[Read]) -> list[Knowledge]:
    """For each page what is known when all pages of its site are."""
    known: dict[tuple[str, str], Knowledge] = defaultdict(Knowledge)
    for one in found:
        key = one.labelled.dataset, one.labelled.site
        known[key] = known[key].added([one.record])
    return [known[one.labelled.dataset, one.labelled.site] for one in found]


def streamed(found: Sequence[Read], seed: int, hold: int = 1) -> list[float]:
    """F1 of each page in a random order, with what was known when it came, or, where the first
    `hold` pages of a site wait, when the last of them or the end had come."""
    known: dict[tuple[str, str], Knowledge] = defaultdict(Knowledge)
    waiting: dict[tuple[str, str], list[int]] = defaultdict(list)
    scores = [0.0] * len(found)

    def answer(key: tuple[str, str]) -> None:
        for number in waiting.pop(key):
            scores[number] = found[number].f1(known[key])

    for number in np.random.default_rng(seed).permutation(len(found)).tolist():
        one = found[number]
        key = one.labelled.dataset, one.labelled.site
        known[key] = known[key].added([one.record])
        waiting[key].append(number)
        if known[key].voters >= hold:  # as `SiteExtraction.known_pages` counts
            answer(key)
    for key in list(waiting):
        answer(key)
    return scores


def report(name: str, found: Sequence[Read], shuffles: int) -> Iterator[str]:
    """One line a corpus."""
    without = [one.f1(Knowledge()) for one in found]
    with_all = [one.f1(known) for one, known in zip(found, whole(found), strict=True)]
    orders = {hold: [streamed(found, seed, hold) for seed in range(shuffles)] for hold in (1, HOLD)}
    for corpus in CORPORA:
        mine = [n for n, one in enumerate(found) if one.labelled.dataset == corpus]
        before, after = (np.array(column)[mine] for column in (without, with_all))
        drawn = draws([found[n].labelled.site for n in mine])
        low, high = interval(np.array([(after - before)[one].mean() for one in drawn]))
        spreads = " | ".join(_spread(scores, mine) for scores in orders.values())
        yield (
            f"| {name} | {corpus} | {len(mine)} | {before.mean():.4f} | {after.mean():.4f} | "
            f"{after.mean() - before.mean():+.4f} ({low:+.4f} to {high:+.4f}) | {spreads} |"
        )


def _spread(orders: Sequence[Sequence[float]], mine: list[int]) -> str:
    """Lowest and highest mean of some pages over the orders."""
    means = [np.array(order)[mine].mean() for order in orders]
    return f"{min(means):.4f} to {max(means):.4f}" if means else "-"


def calibration(found: Sequence[Read]) -> Iterator[str]:
    """Mean confidence and mean F1 of equal parts of the pages, the least confident first."""
    yield f"| confidence, in {PARTS} equal parts | predicted | true |"
    yield "|---|---|---|"
    alone = [one.told_and_true(Knowledge()) for one in found]
    together = [one.told_and_true(known) for one, known in zip(found, whole(found), strict=True)]
    for name, pairs in (("alone", alone), ("whole site", together)):
        ordered = np.array(sorted(pairs))
        for part in np.array_split(ordered, PARTS):
            yield f"| {name} | {part[:, 0].mean():.3f} | {part[:, 1].mean():.3f} |"


def main() -> None:
    """Score and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--corpora", type=Path, default=Path("../shared/corpora"))
    parser.add_argument("--extractor", action="append", choices=EXTRACTORS_HERE)
    parser.add_argument(
        "--step", action="append", default=[], help="other steps than those that suit"
    )
    parser.add_argument("--corpus", action="append", choices=CORPORA)
    parser.add_argument("--shuffles", type=int, default=SHUFFLES)
    options = parser.parse_args()
    pages = pages_of_several(options.corpora)
    pages = [page for page in pages if page.dataset in (options.corpus or CORPORA)]
    folds = Folds(options.models, tuple(options.step))
    columns = "extractor | corpus | pages | without | whole site | difference (95 %) | streaming"
    print(f"| {columns} | held back, {HOLD} pages |")
    print("|---" * 8 + "|")
    costs, confidences = {}, list[str]()
    for name in options.extractor or EXTRACTORS_HERE:
        found = list(reads(pages, folds, name))
        spent = np.array([one.milliseconds for one in found]).mean(axis=0)
        costs[name] = {"read": round(spent[0], 2), "learn": round(spent[1], 2)}
        for line in report(name, found, options.shuffles):
            print(line, flush=True)
        if name == "news":  # the one that is calibrated
            confidences = list(calibration(found))
    print("\n".join(("", *confidences, "", json.dumps(costs))))


if __name__ == "__main__":
    main()
