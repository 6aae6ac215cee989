"""``python -m benchmarks.headline_weights``: fits `WEIGHTS` of `metadata/headline.py`.

Conditional logistic regression: of the candidates of a page the one that is the title that people
wrote down should weigh most. Only pages of development sites are read
(``splits.position(site, "metadata") < .5``), only those on which one candidate is right teach
anything. The loss is convex, it starts at 0 and nothing is drawn: the same pages give the same
weights. ``--folds`` tells how often weights choose right on sites they were not fitted on.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from benchmarks.metadata import HALVES, SALT, of_half
from benchmarks.speed import CORPORA
from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.metadata.facts import Facts
from scrapy_boilerplate.metadata.headline import CHOSEN, WEIGHTS, Weighing, candidates_of
from scrapy_boilerplate.page.labels import FloatArray
from scrapy_boilerplate.training.corpora import LabelledPage, read_pages
from scrapy_boilerplate.training.metrics.fields import JUDGED, same_headline
from scrapy_boilerplate.training.splits import fold_of

PAGE_WEIGHTS = {"fundus": 4.0, "trafilatura": 1.5, "article-extraction": 2.0, "wcxb": 0.6}
"""What a page of a corpus counts, so that the largest corpus does not decide alone (our choice)."""
PENALTY = 2.0
"""Times half the sum of squares of the weights (ridge)."""
FOLDS = 5
FITTED = tuple(name for name in WEIGHTS if name not in CHOSEN)


@dataclass(frozen=True)
class Example:
    """The candidates of one page.

    rows   float[candidates, len(WEIGHTS)], in the order of `WEIGHTS`
    right  bool[candidates]
    weight what the page counts
    """

    site: str
    corpus: str
    rows: FloatArray
    right: FloatArray
    weight: float


def main() -> None:
    """Fit, judge, print."""
    options = _options()
    examples = [
        example_of(page, corpus)
        for corpus in PAGE_WEIGHTS
        for page in _pages(options.corpora / f"{corpus}.jsonl.xz", options.pages)
    ]
    useful = [one for one in examples if one.right.any()]
    print(f"{len(examples)} pages, on {len(useful)} of them a candidate is right", file=sys.stderr)
    weights = fitted(useful)
    print("WEIGHTS = {")
    for name in WEIGHTS:
        print(f'    "{name}": {weights[name]:.2f},')
    print("}")
    print(report("as printed", examples, [weights] * FOLDS))
    if options.folds:
        print(report(f"by {FOLDS} folds of sites", examples, list(_by_folds(useful))))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--corpora", type=Path, default=CORPORA, help="default: %(default)s")
    parser.add_argument("--pages", type=int, help="of each corpus, for a quick look")
    parser.add_argument("--folds", action="store_true", help="judge by folds of sites as well")
    return parser.parse_args()


def _pages(path: Path, limit: int | None) -> Iterable[LabelledPage]:
    print(f"{path.name} ...", file=sys.stderr)
    knows, _ = JUDGED["headline"]
    pages = [page for page in read_pages(path) if knows(page) and of_half(page, HALVES[1])]
    return pages[:limit]


def example_of(page: LabelledPage, corpus: str) -> Example:
    """The candidates of a page with what speaks for them, and which are right."""
    document = extract(page.html, page.url)
    if document.labelled is None:
        raise ValueError(f"{corpus} {page.id}: {document.error}")
    return _example(page, corpus, Facts(*document.labelled))


def _example(page: LabelledPage, corpus: str, facts: Facts) -> Example:
    found = candidates_of(facts)
    weigh = Weighing(facts, found)
    features = [weigh.features(key) for key in found]
    return Example(
        site=page.site,
        corpus=corpus,
        rows=np.array([[one.get(name, 0.0) for name in WEIGHTS] for one in features], dtype=float),
        right=np.array([same_headline(one.text, page.title or "") for one in found.values()]),
        weight=PAGE_WEIGHTS[corpus],
    )


def fitted(examples: Sequence[Example]) -> Mapping[str, float]:
    """The weights of `FITTED` that make the right candidates likeliest, beside the chosen ones."""
    free = np.array([name in FITTED for name in WEIGHTS])
    start = np.array([CHOSEN.get(name, 0.0) for name in WEIGHTS])

    def loss(values: FloatArray) -> tuple[float, FloatArray]:
        weights = start.copy()
        weights[free] = values
        total = PENALTY / 2 * float(values @ values)
        slope = PENALTY * values
        for one in examples:
            likely = _softmax(one.rows @ weights)
            right = float(likely[one.right].sum())
            total -= one.weight * float(np.log(right))
            wanted = np.where(one.right, likely / right, 0.0)
            slope = slope + one.weight * ((likely - wanted) @ one.rows)[free]
        return total, slope

    found = minimize(loss, np.zeros(int(free.sum())), jac=True, method="L-BFGS-B")
    start[free] = found.x
    return dict(zip(WEIGHTS, np.round(start, 2).tolist(), strict=True))


def _softmax(scores: FloatArray) -> FloatArray:
    powers: FloatArray = np.exp(scores - scores.max())
    shares: FloatArray = np.maximum(powers / powers.sum(), np.finfo(float).tiny)
    return shares


def _by_folds(examples: Sequence[Example]) -> Iterable[Mapping[str, float]]:
    for fold in range(FOLDS):
        yield fitted([one for one in examples if fold_of(one.site, FOLDS, SALT + "2") != fold])


def report(name: str, examples: Sequence[Example], weights: Sequence[Mapping[str, float]]) -> str:
    """The share of pages right in each corpus; each fold of sites is judged by its own weights."""
    vectors = [np.array([one[key] for key in WEIGHTS]) for one in weights]
    cells: list[str] = []
    for corpus in PAGE_WEIGHTS:
        right = [
            bool(len(one.rows))
            and bool(one.right[(one.rows @ vectors[fold_of(one.site, FOLDS, SALT + "2")]).argmax()])
            for one in examples
            if one.corpus == corpus
        ]
        cells += [f"{corpus} {np.mean(right):.3f}"] if right else []
    return f"{name}: " + ", ".join(cells)


if __name__ == "__main__":
    main()
