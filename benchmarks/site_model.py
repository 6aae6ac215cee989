"""``python -m benchmarks.site_model --models DIR``: trains the shipped correction by site
knowledge.

DIR/0 to DIR/2 are fold models of `news` (`benchmarks.folds`): each page's scores are of the one
that
never saw its site. Writes ``scrapy_boilerplate/site/models/site`` and its card, with scores of five
other corrections, each fitted without a fifth of the sites.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

import numpy as np

from benchmarks.ablation import FOLDS
from benchmarks.folds_report import extractors_of
from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.page.labels import FloatArray, Label, Labeling
from scrapy_boilerplate.site.correction import COLUMNS, NAME
from scrapy_boilerplate.steps.model_store import StoredModel, save_model
from scrapy_boilerplate.training.alignment import block_shares
from scrapy_boilerplate.training.card import TERMS
from scrapy_boilerplate.training.corpora import LabelledPage, read_pages
from scrapy_boilerplate.training.gold import read_gold
from scrapy_boilerplate.training.site import SitePage, fitted, views_of
from scrapy_boilerplate.training.splits import fold_of

CORPORA = ("waddle", "cleanportaleval", "article-extraction")
"""The corpora with several pages of a site."""
OUT = Path("scrapy_boilerplate/site/models/site")
SITE_FOLDS, SALT = 5, "site"
"""Parts of the sites for the correction; another cut than that of the fold models of `news`."""


def pages_of_several(corpora: Path) -> list[LabelledPage]:
    """The pages of all corpora whose site has at least two in its corpus."""
    pages = [page for name in CORPORA for page in read_pages(corpora / f"{name}.jsonl.xz")]
    counts = Counter((page.dataset, page.site) for page in pages)
    return [page for page in pages if counts[page.dataset, page.site] > 1]


def site_pages(pages: Sequence[LabelledPage], models: Path) -> Iterator[SitePage]:
    """Each page with the scores of the model that never saw its site."""
    extractors = extractors_of(models)
    for labelled in pages:
        gold = read_gold(labelled)
        page = AtomicBlocks()(gold.page)
        step = extractors[fold_of(labelled.site, FOLDS)]["balanced"].steps[0]
        scores = step(page, Labeling.blank(len(page))).scores[:, Label.FULL_TEXT]
        wanted = block_shares(page, gold.leaf_labels)
        yield SitePage(page, scores, wanted, labelled.site, labelled.dataset)


def model_of(weights: FloatArray, **facts: object) -> StoredModel:
    """The stored correction."""
    return StoredModel(
        kind=NAME, columns=tuple(COLUMNS), facts=dict(facts), arrays={"weights": weights}
    )


def fold_weights(pages: Sequence[SitePage], views: Sequence[Sequence[object]]) -> list[FloatArray]:
    """For each of SITE_FOLDS the weights that its sites had no part in."""
    folds = [fold_of(page.site, SITE_FOLDS, SALT) for page in pages]
    found = []
    for fold in range(SITE_FOLDS):
        kept = [n for n, one in enumerate(folds) if one != fold]
        found.append(fitted([pages[n] for n in kept], [views[n] for n in kept]))  # type: ignore[misc]
    return found


def main() -> None:
    """Train, store, write the card."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--corpora", type=Path, default=Path("../shared/corpora"))
    options = parser.parse_args()
    labelled = pages_of_several(options.corpora)
    pages = list(site_pages(labelled, options.models))
    views = views_of(pages, seed=0)
    for number, weights in enumerate(fold_weights(pages, views)):
        save_model(options.models / f"site-{number}", model_of(weights, fold=number))
    weights = fitted(pages, views)
    save_model(OUT, model_of(weights, seed=0, corpora=list(CORPORA)))
    counts = Counter(page.corpus for page in pages)
    data = "\n".join(f"| {name} | {counts[name]} | {TERMS[name]} |" for name in CORPORA)
    rows = "\n".join(
        f"| {n} | {w:+.3f} | {COLUMNS[n]} |" for n, w in zip(COLUMNS, weights, strict=True)
    )
    card = CARD.format(day=date.today().isoformat(), data=data, weights=rows)
    (OUT / "CARD.md").write_text(card, encoding="utf-8")
    print(np.round(weights, 3))


CARD = """# site

Correction of the scores of `news` by other pages of the site. Trained on {day} with seed 0 by

    python -m benchmarks.site_model --models DIR

No page is in the model: its files hold the weights alone.

## Data

Pages of sites with at least two pages in their corpus; each is seen twice, with all other pages of
its site known and with a random part of them.

| corpus | pages | source and terms |
|---|---|---|
{data}

## Split

The scores that are corrected come from fold models of `news` that never saw the page's site. The
figures of docs/site.md come from five corrections, each fitted without a fifth of the sites; the
shipped one is of all.

## Weights, in log odds

Logistic regression (L2, Newton's method) with the log odds of `news` as offset. Each corpus has an
intercept and slopes of its own in the fit, which are thrown away.

| column | weight | meaning |
|---|---|---|
{weights}

## Known failures

Two pages of a site that share a standfirst or a list inside their text lose it. Sites whose
template has no classes tell places apart by tags alone.
"""

if __name__ == "__main__":
    main()
