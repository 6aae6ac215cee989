"""``python -m benchmarks.folds_report --models DIR``: `news` on sites that its model never saw.

DIR/0, DIR/1 and DIR/2 are models trained without one third of the sites each (`benchmarks.folds`);
every page is scored by the one that never saw its site. Writes ``docs/folds.md``.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.ablation import CORPORA, FOLDS, JUDGED, pages_of
from scrapy_boilerplate.news.extractor import news_of
from scrapy_boilerplate.news.model import FAVORS
from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.page.labels import FloatArray, IntArray, Label
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.parsing import tree_of
from scrapy_boilerplate.page.reading import read_page
from scrapy_boilerplate.steps.extractor import Extractor
from scrapy_boilerplate.steps.model_store import StoredModel, load_model
from scrapy_boilerplate.training.alignment import UNKNOWN, block_labels
from scrapy_boilerplate.training.corpora import LabelledPage
from scrapy_boilerplate.training.gold import Gold
from scrapy_boilerplate.training.l3s import gold_text
from scrapy_boilerplate.training.metrics.bootstrap import draws, interval, resampled
from scrapy_boilerplate.training.metrics.segments import segment_counts
from scrapy_boilerplate.training.metrics.shingles import shingle_counts, shingles
from scrapy_boilerplate.training.metrics.table import METRICS
from scrapy_boilerplate.training.metrics.tokens import token_scores, tokens
from scrapy_boilerplate.training.splits import fold_of

OUT = Path("docs/folds.md")
POOR = 0.5
"""Token F1 below which a page counts as failed."""
FALSE_ALARMS = 0.1
"""Share of the other pages that may be called failed as well."""
PARTS = 6
"""Equal parts of the pages in the table of confidence."""
NEWS = ("fundus", "article-extraction", "wcxb")
"""The corpora of modern articles with a gold text, on which confidence is looked at."""


@dataclass(frozen=True, eq=False)
class Scored:
    """One page under one favor: counts of its corpus's metric, token F1, confidence; on L3S-GN1
    the label of each block as it should be and as it is."""

    dataset: str
    site: str
    language: str | None
    favor: str
    counts: Sequence[float]
    token_f1: float
    confidence: float
    labels: tuple[IntArray, IntArray] | None


def scored(page: LabelledPage, extractors: Sequence[dict[str, Extractor]]) -> list[Scored]:
    """The page under every favor, by the model of its fold."""
    gold = Gold(page, read_page(tree_of(page.html), page.url))
    blocks = AtomicBlocks()(gold.page)
    found = extractors[fold_of(page.site, FOLDS)]
    return [_scored(gold, blocks, favor, extractor) for favor, extractor in found.items()]


def _scored(gold: Gold, page: Page, favor: str, extractor: Extractor) -> Scored:
    labelled = gold.labelled
    labeling = extractor.label(page)
    text = page.joined(np.flatnonzero(labeling.content).tolist())
    annotated = labelled.annotated_html
    wanted = gold_text(annotated, {Label.FULL_TEXT}) if annotated else gold.text or ""
    of_tokens = token_scores(Counter(tokens(text)), Counter(tokens(wanted)))
    metric = JUDGED.get(labelled.dataset, "tokens")
    counts: Sequence[float] = of_tokens
    if metric == "shingles":
        counts = shingle_counts(shingles(text), shingles(wanted))
    elif metric == "segments":
        counts = segment_counts(text, labelled.text_with, labelled.text_without)
    six = (block_labels(page, gold.leaf_labels), labeling.labels) if annotated else None
    return Scored(
        dataset=labelled.dataset,
        site=labelled.site,
        language=labelled.language,
        favor=favor,
        counts=counts,
        token_f1=of_tokens[2],
        confidence=extractor.confidence(page, labeling),
        labels=six,
    )


def extractors_of(models: Path) -> list[dict[str, Extractor]]:
    """For each fold the extractor of every favor."""
    stored = [load_model(models / str(fold)) for fold in range(FOLDS)]
    return [{favor: news_of(partial(_same, one), favor) for favor in FAVORS} for one in stored]


def _same(model: StoredModel) -> StoredModel:
    return model


def table_of_scores(rows: Sequence[Scored]) -> Iterator[str]:
    """F1 with its 95 % interval by corpus and favor."""
    yield "| corpus | measure | pages | " + " | ".join(FAVORS) + " |"
    yield "|---" * (3 + len(FAVORS)) + "|"
    for dataset in CORPORA:
        metric = JUDGED.get(dataset, "tokens")
        cells = []
        for favor in FAVORS:
            mine = [row for row in rows if row.dataset == dataset and row.favor == favor]
            if mine:
                cells.append(_cell(metric, mine))
        if cells:
            yield f"| {dataset} | {metric} | {len(mine)} | " + " | ".join(cells) + " |"


def _cell(metric: str, rows: Sequence[Scored]) -> str:
    counts: FloatArray = np.array([row.counts for row in rows], dtype=np.float64)
    figures = METRICS[metric].figures
    low, high = interval(resampled(figures, counts, draws([row.site for row in rows]))["f1"])
    return f"{figures(counts)['f1']:.4f} ({low:.3f} to {high:.3f})"


def table_of_labels(rows: Iterable[Scored]) -> Iterator[str]:
    """F1 by block of the six labels on L3S-GN1."""
    pairs = [row.labels for row in rows if row.labels is not None and row.favor == FAVORS[0]]
    gold, said = (np.concatenate([pair[side] for pair in pairs]) for side in (0, 1))
    gold, said = gold[gold != UNKNOWN], said[gold != UNKNOWN]
    f1 = {label.text: _f1(gold == label, said == label) for label in Label}
    yield "| " + " | ".join(f1) + " | macro |"
    yield "|---" * (len(f1) + 1) + "|"
    macro = sum(f1.values()) / len(f1)
    yield "| " + " | ".join(f"{one:.3f}" for one in f1.values()) + f" | {macro:.3f} |"


def _f1(gold: np.ndarray, said: np.ndarray) -> float:
    return float(2 * (gold & said).sum() / max(1, gold.sum() + said.sum()))


def table_of_confidence(rows: Iterable[Scored]) -> Iterator[str]:
    """Predicted against true token F1, in equal parts; rank correlation; failed pages found."""
    mine = [row for row in rows if row.dataset in NEWS and row.favor == FAVORS[0]]
    predicted = np.array([row.confidence for row in mine])
    true = np.array([row.token_f1 for row in mine])
    yield "| pages | predicted | true |"
    yield "|---|---|---|"
    for part in np.array_split(np.argsort(predicted, kind="stable"), PARTS):
        yield f"| {len(part)} | {predicted[part].mean():.3f} | {true[part].mean():.3f} |"
    failed = true < POOR
    limit = np.quantile(predicted[~failed], FALSE_ALARMS)
    recall = float((predicted[failed] <= limit).mean()) if failed.any() else float("nan")
    yield ""
    yield (
        f"Spearman's rank correlation {_spearman(predicted, true):.3f}; of {failed.sum()} pages "
        f"under F {POOR} a limit of {limit:.3f}, which {FALSE_ALARMS:.0%} of the other pages miss, "
        f"finds {recall:.0%}."
    )


def _spearman(one: FloatArray, other: FloatArray) -> float:
    return float(np.corrcoef(_ranks(one), _ranks(other))[0, 1])


def _ranks(column: FloatArray) -> FloatArray:
    """Ranks; equal values share their mean rank."""
    _, inverse, counts = np.unique(column, return_inverse=True, return_counts=True)
    means: FloatArray = np.cumsum(counts) - (counts - 1) / 2
    ranks: FloatArray = means[inverse]
    return ranks


def table_of_languages(rows: Sequence[Scored]) -> Iterator[str]:
    """Token F1 on waddle by language and favor."""
    mine = [row for row in rows if row.dataset == "waddle"]
    yield "| language | pages | " + " | ".join(FAVORS) + " |"
    yield "|---" * (2 + len(FAVORS)) + "|"
    for language in sorted({row.language or "?" for row in mine}):
        of = {
            favor: [r.token_f1 for r in mine if (r.language or "?", r.favor) == (language, favor)]
            for favor in FAVORS
        }
        cells = " | ".join(f"{np.mean(f1):.3f}" for f1 in of.values())
        yield f"| {language} | {len(of[FAVORS[0]])} | {cells} |"


def main() -> None:
    """Score, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--corpora", type=Path, default=Path("../shared/corpora"))
    parser.add_argument("--limit", type=int)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    task = partial(scored, extractors=extractors_of(options.models))
    pages = pages_of(options.corpora, options.limit)
    with ProcessPoolExecutor(options.jobs) as processes:
        rows = [row for page in processes.map(task, pages, chunksize=40) for row in page]
    text = PAGE.format(
        scores="\n".join(table_of_scores(rows)),
        labels="\n".join(table_of_labels(rows)),
        confidence="\n".join(table_of_confidence(rows)),
        languages="\n".join(table_of_languages(rows)),
    )
    OUT.write_text(text, encoding="utf-8")
    print(text)


PAGE = """# `news` on sites its model never saw

Written by `python -m benchmarks.folds_report`: three models, each trained without one third of the
sites (by registered domain); every page is scored by the model that never saw its site. 95 %
intervals by bootstrap over sites.

{scores}

The gold text of L3S-GN1 is its full text here (headline and captions are labels of their own).

## Six labels, F1 by block on L3S-GN1

{labels}

## Confidence

Pages of fundus, article-extraction and wcxb by `confidence`, lowest first; the truth is token F1.

{confidence}

## waddle by language, token F1

{languages}
"""

if __name__ == "__main__":
    main()
