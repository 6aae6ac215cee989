"""``python -m benchmarks.folds_report --models DIR``: `news` on sites without training pages.

DIR/0, DIR/1 and DIR/2 are models trained without one third of the sites each (`benchmarks.folds`).
Every page is scored with the model that was not trained on its site. Writes the tables of
docs/folds.md, and prints them. Takes about 15 minutes on two cores.
"""

from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr
from sklearn.metrics import f1_score

from benchmarks.corpora import (
    FOLDS,
    METRIC_BY_CORPUS,
    NAMES,
    create_parser,
    map_pages,
    read_articles,
)
from benchmarks.folds import load_fold_extractors
from benchmarks.left_out import judge_full_text
from benchmarks.markdown import DOCS, format_table, update_page
from scrapy_boilerplate.extraction import load_page
from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.page.labels import FloatArray, IntArray, Label
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.extractor import FAVORS, Extractor
from scrapy_boilerplate.training.corpora import LabelledPage, site_fold
from scrapy_boilerplate.training.gold import UNKNOWN, Gold, compute_block_labels
from scrapy_boilerplate.training.metrics import (
    METRICS,
    ExtractedPage,
    draw_sites,
    percentile_interval,
    resample,
)
from scrapy_boilerplate.training.tokens import POOR

TARGET = DOCS / "folds.md"

# accepted share of false alarms among the other pages
FALSE_ALARMS = 0.1
# equal parts of the pages in the table of confidence
PARTS = 6
# corpora of modern articles with a gold text, for the figures of confidence
NEWS_CORPORA = ("fundus", "article-extraction", "wcxb")


@dataclass(frozen=True, eq=False)
class PageScore:
    """One page under one favor.

    counts      of the metric of its corpus
    labels      on L3S-GN1 the gold label of each block, and the predicted one
    """

    dataset: str
    site: str
    language: str | None
    favor: str
    counts: Sequence[float] | FloatArray
    token_f1: float
    confidence: float
    labels: tuple[IntArray, IntArray] | None


def main() -> None:
    parser = create_parser(__doc__, output=TARGET, jobs=2)
    parser.add_argument("--models", type=Path, required=True)
    options = parser.parse_args()
    task = partial(score_page, extractors=load_fold_extractors(options.models))
    pages = [page for name in NAMES for page in read_articles(options.corpora, name, options.pages)]
    with ProcessPoolExecutor(options.jobs) as pool:
        rows = [row for page in map_pages(pool, task, pages, "folds") for row in page]
    blocks = {
        "scores": format_scores(rows),
        "labels": format_labels(rows),
        "confidence": format_confidence(rows),
        "languages": format_languages(rows),
    }
    update_page(TARGET, options.output, blocks)
    print("\n\n".join(blocks.values()))


def score_page(page: LabelledPage, extractors: Sequence[dict[str, Extractor]]) -> list[PageScore]:
    """Score a page under every favor, by the model of its fold."""
    gold = Gold(page, load_page(page.html, page.url).page)
    blocks = AtomicBlocks()(gold.page)
    by_favor = extractors[site_fold(page.site, FOLDS)]
    return [_score_favor(gold, blocks, favor, by_favor[favor]) for favor in by_favor]


def _score_favor(gold: Gold, page: Page, favor: str, extractor: Extractor) -> PageScore:
    labelled = gold.labelled
    labeling = extractor.label(page)
    kept: list[int] = np.flatnonzero(labeling.content).tolist()
    extracted = ExtractedPage(page.join_blocks(kept), page, labeling)
    judged = Gold(judge_full_text(labelled), page)
    metric = METRIC_BY_CORPUS.get(labelled.dataset, "tokens")
    return PageScore(
        dataset=labelled.dataset,
        site=labelled.site,
        language=labelled.language,
        favor=favor,
        counts=METRICS[metric].count(judged, extracted),
        token_f1=METRICS["tokens"].count(judged, extracted)[2],
        confidence=extractor.confidence(page, labeling),
        labels=(compute_block_labels(page, gold.leaf_labels), labeling.labels)
        if labelled.annotated_html
        else None,
    )


def format_scores(rows: Sequence[PageScore]) -> str:
    """Return F1 by corpus and favor; the first favor has its 95 % interval."""
    table = [["corpus", "measure", "pages", *FAVORS]]
    for dataset in NAMES:
        metric = METRIC_BY_CORPUS.get(dataset, "tokens")
        figures = METRICS[metric].figures
        cells, n_pages = [], 0
        for favor in FAVORS:
            scored = [row for row in rows if row.dataset == dataset and row.favor == favor]
            n_pages = len(scored)
            if scored:
                counts: FloatArray = np.array([row.counts for row in scored], dtype=np.float64)
                drawn = draw_sites([row.site for row in scored])
                low, high = percentile_interval(resample(figures, counts, drawn)["f1"])
                interval = f" ({low:.3f} to {high:.3f})" if favor == FAVORS[0] else ""
                cells.append(f"{figures(counts)['f1']:.3f}{interval}")
        if cells:
            table.append([dataset, metric, str(n_pages), *cells])
    return format_table(table)


def format_labels(rows: Iterable[PageScore]) -> str:
    """Return F1 by block of the six labels on L3S-GN1."""
    pairs = [row.labels for row in rows if row.labels is not None and row.favor == FAVORS[0]]
    gold, ours = (np.concatenate([pair[side] for pair in pairs]) for side in (0, 1))
    gold, ours = gold[gold != UNKNOWN], ours[gold != UNKNOWN]
    f1 = f1_score(gold, ours, labels=list(Label), average=None, zero_division=0)
    names = [*(label.text for label in Label), "macro"]
    return format_table([names, [f"{figure:.3f}" for figure in (*f1, f1.mean())]])


def format_confidence(rows: Iterable[PageScore]) -> str:
    """Return predicted and true token F1 in equal parts, and the share of poor pages found."""
    scored = [row for row in rows if row.dataset in NEWS_CORPORA and row.favor == FAVORS[0]]
    predicted = np.array([row.confidence for row in scored])
    true = np.array([row.token_f1 for row in scored])
    table = [["pages", "predicted", "true"]]
    for part in np.array_split(np.argsort(predicted, kind="stable"), PARTS):
        means = (predicted[part].mean(), true[part].mean())
        table.append([str(len(part)), *(f"{mean:.3f}" for mean in means)])
    poor = true < POOR
    limit = np.quantile(predicted[~poor], FALSE_ALARMS)
    recall = float((predicted[poor] <= limit).mean()) if poor.any() else float("nan")
    correlation = spearmanr(predicted, true).statistic
    return (
        f"{format_table(table)}\n\n"
        f"Spearman's rank correlation {correlation:.3f}; of {poor.sum()} pages "
        f"under F {POOR} a limit of {limit:.3f}, which {FALSE_ALARMS:.0%} of the other pages miss, "
        f"finds {recall:.0%}."
    )


def format_languages(rows: Sequence[PageScore]) -> str:
    """Return token F1 on waddle by language and favor."""
    scored = [row for row in rows if row.dataset == "waddle"]
    table = [["language", "pages", *FAVORS]]
    for language in sorted({row.language or "?" for row in scored}):
        by_favor = [
            [r.token_f1 for r in scored if (r.language or "?", r.favor) == (language, favor)]
            for favor in FAVORS
        ]
        means = [f"{np.mean(f1):.3f}" for f1 in by_favor]
        table.append([language, str(len(by_favor[0])), *means])
    return format_table(table)


if __name__ == "__main__":
    main()
