"""``python -m benchmarks.headline_weights``: fits `WEIGHTS` of `metadata/headline.py`.

Conditional logistic regression: of the candidates of a page the one that is the title that people
wrote down should weigh most. Only pages of development sites are read
(``site_position(site, "metadata") < .5``), only those on which one candidate is right teach
anything. The loss is convex, it starts at 0 and nothing is drawn: the same pages give the same
weights. ``--folds`` prints how often weights choose right on sites they were not fitted on. Takes
about five minutes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from benchmarks.corpora import CORPORA
from benchmarks.metadata import HALVES, SALT, is_of_half
from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.metadata.headline import (
    FIXED_WEIGHTS,
    WEIGHTS,
    HeadlineFeatures,
    collect_candidates,
)
from scrapy_boilerplate.metadata.sources import MetadataSources
from scrapy_boilerplate.page.labels import FloatArray
from scrapy_boilerplate.training.corpora import LabelledPage, read_pages, site_fold
from scrapy_boilerplate.training.metrics.fields import FIELD_JUDGES, is_same_headline

PAGE_WEIGHTS = {"fundus": 4.0, "trafilatura": 1.5, "article-extraction": 2.0, "wcxb": 0.6}
"""Weight of a page of a corpus, so that the largest corpus does not dominate."""
PENALTY = 2.0
"""Times half the sum of squares of the weights (ridge)."""
FOLDS = 5
FITTED = tuple(name for name in WEIGHTS if name not in FIXED_WEIGHTS)


@dataclass(frozen=True)
class Example:
    """The candidates of one page.

    rows   float[candidates, len(WEIGHTS)], in the order of `WEIGHTS`
    right  bool[candidates]
    weight weight of the page
    """

    site: str
    corpus: str
    rows: FloatArray
    right: FloatArray
    weight: float


def main() -> None:
    """Fit, judge, print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--corpora", type=Path, default=CORPORA, help="default: %(default)s")
    parser.add_argument("--pages", type=int, help="of each corpus, for a quick look")
    parser.add_argument("--folds", action="store_true", help="judge by folds of sites as well")
    options = parser.parse_args()
    examples = [
        build_example(page, corpus)
        for corpus in PAGE_WEIGHTS
        for page in _read_other_half(options.corpora / f"{corpus}.jsonl.xz", options.pages)
    ]
    useful = [example for example in examples if example.right.any()]
    print(f"{len(examples)} pages, on {len(useful)} of them a candidate is right", file=sys.stderr)
    weights = fit_weights(useful)
    print("WEIGHTS = {")
    for name in WEIGHTS:
        print(f'    "{name}": {weights[name]:.2f},')
    print("}")
    print(format_shares("as printed", examples, [weights] * FOLDS))
    if options.folds:
        print(format_shares(f"by {FOLDS} folds of sites", examples, list(_fit_folds(useful))))


def _read_other_half(path: Path, limit: int | None) -> Iterable[LabelledPage]:
    print(f"{path.name} ...", file=sys.stderr)
    knows = FIELD_JUDGES["headline"].knows
    pages = [page for page in read_pages(path) if knows(page) and is_of_half(page, HALVES[1])]
    return pages[:limit]


def build_example(page: LabelledPage, corpus: str) -> Example:
    """Return the candidates of a page with what speaks for them, and which are right."""
    document = extract(page.html, page.url)
    if document.labelled is None:
        raise ValueError(f"{corpus} {page.id}: {document.error}")
    sources = MetadataSources(*document.labelled)
    candidates = collect_candidates(sources)
    features = HeadlineFeatures(sources, candidates)
    rows = [features.compute(key) for key in candidates]
    texts = [candidate.text for candidate in candidates.values()]
    return Example(
        site=page.site,
        corpus=corpus,
        rows=np.array([[row.get(name, 0.0) for name in WEIGHTS] for row in rows], dtype=float),
        right=np.array([is_same_headline(text, page.title or "") for text in texts]),
        weight=PAGE_WEIGHTS[corpus],
    )


def fit_weights(examples: Sequence[Example]) -> Mapping[str, float]:
    """Return the weights of `FITTED` that make the right candidates likeliest."""
    free = np.array([name in FITTED for name in WEIGHTS])
    start = np.array([FIXED_WEIGHTS.get(name, 0.0) for name in WEIGHTS])

    def loss(values: FloatArray) -> tuple[float, FloatArray]:
        weights = start.copy()
        weights[free] = values
        total = PENALTY / 2 * float(values @ values)
        slope = PENALTY * values
        for example in examples:
            likely = _softmax(example.rows @ weights)
            right = float(likely[example.right].sum())
            total -= example.weight * float(np.log(right))
            wanted = np.where(example.right, likely / right, 0.0)
            slope = slope + example.weight * ((likely - wanted) @ example.rows)[free]
        return total, slope

    start[free] = minimize(loss, np.zeros(int(free.sum())), jac=True, method="L-BFGS-B").x
    return dict(zip(WEIGHTS, np.round(start, 2).tolist(), strict=True))


def _softmax(scores: FloatArray) -> FloatArray:
    powers: FloatArray = np.exp(scores - scores.max())
    shares: FloatArray = np.maximum(powers / powers.sum(), np.finfo(float).tiny)
    return shares


def _fit_folds(examples: Sequence[Example]) -> Iterable[Mapping[str, float]]:
    for fold in range(FOLDS):
        others = [page for page in examples if site_fold(page.site, FOLDS, SALT + "2") != fold]
        yield fit_weights(others)


def format_shares(
    name: str, examples: Sequence[Example], weights: Sequence[Mapping[str, float]]
) -> str:
    """Return the share of pages right in each corpus; each fold of sites has its own weights."""
    vectors = [np.array([fold[key] for key in WEIGHTS]) for fold in weights]
    cells: list[str] = []
    for corpus in PAGE_WEIGHTS:
        right = []
        for example in examples:
            if example.corpus == corpus:
                vector = vectors[site_fold(example.site, FOLDS, SALT + "2")]
                scores = example.rows @ vector
                right.append(bool(len(scores)) and bool(example.right[scores.argmax()]))
        cells += [f"{corpus} {np.mean(right):.3f}"] if right else []
    return f"{name}: " + ", ".join(cells)


if __name__ == "__main__":
    main()
