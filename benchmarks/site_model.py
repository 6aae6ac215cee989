"""``python -m benchmarks.site_model --models DIR``: trains the correction by site knowledge.

DIR/0 to DIR/2 are fold models of `news` (`benchmarks.folds`): each page is scored by the model that
was not trained on its site. Writes the shipped correction, ``scrapy_boilerplate/site/models/site``,
with its card, and DIR/site-0 to DIR/site-4, each fitted without a fifth of the sites, which
`benchmarks.site` reads. Takes about ten minutes, ``--pages 50 --out /tmp/site`` one minute.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

import numpy as np
from tqdm import tqdm

from benchmarks.corpora import FOLDS, corpus_file, create_parser
from benchmarks.folds import load_fold_extractors
from benchmarks.markdown import fill_template, format_table
from benchmarks.site_fit import SitePage, build_views, fit_site_correction
from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.page.labels import FloatArray, Label, Labeling
from scrapy_boilerplate.site.correction import COLUMNS, NAME
from scrapy_boilerplate.site.knowledge import SiteView
from scrapy_boilerplate.steps.model_store import StoredModel, save_model
from scrapy_boilerplate.training.alignment import compute_block_shares
from scrapy_boilerplate.training.corpora import KNOWN_CORPORA, LabelledPage, read_pages, site_fold
from scrapy_boilerplate.training.gold import read_gold
from scrapy_boilerplate.training.run import CARD

# corpora with several pages of a site
SITE_CORPORA = ("waddle", "cleanportaleval", "article-extraction")
OUT = Path("scrapy_boilerplate/site/models/site")

# parts of the sites for the correction; not the parts of the fold models of `news`
SITE_FOLDS, SALT = 5, "site"


def read_site_pages(corpora: Path, limit: int | None = None) -> list[LabelledPage]:
    """Return the pages of all corpora whose site has at least two in its corpus."""
    files = [corpus_file(corpora, name) for name in SITE_CORPORA]
    pages = [page for file in files for page in read_pages(file, limit)]
    counts = Counter((page.dataset, page.site) for page in pages)
    return [page for page in pages if counts[page.dataset, page.site] > 1]


def score_pages(pages: Sequence[LabelledPage], models: Path) -> Iterator[SitePage]:
    """Yield each page with the scores of the model that was not trained on its site."""
    extractors = load_fold_extractors(models)
    for labelled in tqdm(pages, unit="page"):
        gold = read_gold(labelled)
        page = AtomicBlocks()(gold.page)
        step = extractors[site_fold(labelled.site, FOLDS)]["balanced"].steps[0]
        scores = step(page, Labeling.blank(len(page))).scores[:, Label.FULL_TEXT]
        target = compute_block_shares(page, gold.leaf_labels)
        yield SitePage(page, scores, target, labelled.site, labelled.dataset)


def build_model(weights: FloatArray, **facts: object) -> StoredModel:
    """Return the stored correction."""
    return StoredModel(
        kind=NAME, columns=tuple(COLUMNS), facts=dict(facts), arrays={"weights": weights}
    )


def fit_folds(
    pages: Sequence[SitePage], views: Sequence[Sequence[SiteView]]
) -> Iterator[FloatArray]:
    """Yield for each of SITE_FOLDS the weights that were fitted without its sites."""
    folds = [site_fold(page.site, SITE_FOLDS, SALT) for page in pages]
    for fold in range(SITE_FOLDS):
        kept = [number for number, other in enumerate(folds) if other != fold]
        yield fit_site_correction([pages[n] for n in kept], [views[n] for n in kept])


def main() -> None:
    """Train, store, write the card."""
    parser = create_parser(__doc__)
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=OUT, help="default: %(default)s")
    options = parser.parse_args()
    labelled = read_site_pages(options.corpora, options.pages)
    pages = list(score_pages(labelled, options.models))
    views = build_views(pages, seed=0)
    for number, weights in enumerate(fit_folds(pages, views)):
        save_model(options.models / f"site-{number}", build_model(weights, fold=number))
    weights = fit_site_correction(pages, views)
    save_model(options.out, build_model(weights, seed=0, corpora=list(SITE_CORPORA)))
    counts = Counter(page.corpus for page in pages)
    data = [[name, counts[name], KNOWN_CORPORA[name].terms] for name in SITE_CORPORA]
    columns = zip(COLUMNS.items(), weights.tolist(), strict=True)
    rows = [[name, f"{weight:+.3f}", meaning] for (name, meaning), weight in columns]
    card = fill_template(
        "site_card",
        day=date.today().isoformat(),
        data=format_table([["corpus", "pages", "source and terms"], *data]),
        weights=format_table([["column", "weight", "meaning"], *rows]),
    )
    (options.out / CARD).write_text(card + "\n", encoding="utf-8")
    print(np.round(weights, 3))


if __name__ == "__main__":
    main()
