"""``python -m benchmarks.retrieval``: what boilerplate removal does for search.

Kohlschuetter et al. 2010, section 6, measure it on BLOGS06, which is not to be had. Here it is
known-item search: the query is a page's gold headline (or its description), the one right answer is
that page, the documents are all pages of the collection as an extractor leaves them. A page's own
headline is taken out of its documents: everything holds it and most extractors drop it by design,
so that nothing else would be measured. BM25 (Lucene's
variant, as the paper used Lucene; k1 1.5, b .75, package bm25s) ranks them. Reciprocal rank, and
precision at 10 (at most .1, for there is one right page) with bootstrap intervals by site.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.speed import CORPORA
from scrapy_boilerplate.catalog import EXTRACTORS
from scrapy_boilerplate.label import BoolArray, FloatArray, Label
from scrapy_boilerplate.page import Page
from scrapy_boilerplate.segment.parse import tree_of
from scrapy_boilerplate.segment.read import read_page
from scrapy_boilerplate.training import l3s
from scrapy_boilerplate.training.corpora import LabelledPage, read_pages
from scrapy_boilerplate.training.evaluation import output_of
from scrapy_boilerplate.training.extras import optional
from scrapy_boilerplate.training.metrics.bootstrap import draws, interval, resampled
from scrapy_boilerplate.training.metrics.tokens import tokens

COLLECTION = ("l3s-gn1", "waddle", "article-extraction", "fundus", "wcxb", "trafilatura")
"""Corpora with gold headlines; their pages are searched together. The first two hold many pages of
a site, with teasers of one another."""

NEWS_SITES = frozenset({"l3s-gn1", "waddle"})

HEADLINE_IS_FIRST_LINE = frozenset({"waddle"})

EVERYTHING = "keep-everything"
SHOWN = tuple(
    "container main-content boilerpipe-article num-words min-10-words grandparent bte justext "
    "readability newspaper goose".split()
)
MIN_WORDS = (1, 2, 3, 5, 7, 9, 11, 15, 20, 30, 50, 100)
"""The sliding minimum of words to a block (the paper's Figure 7 goes from 1 to 100)."""

TOP = 10
FIGURES = ("reciprocal rank", "precision at 10")


@dataclass(frozen=True)
class Query:
    """A query, and the number of the page that it should find."""

    text: str
    page: int
    site: str


def main() -> None:
    """Measure and print the section of docs/systems.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=Path, default=CORPORA, help="default: %(default)s")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--limit", type=int, help="pages of each corpus, for a quick look")
    options = parser.parse_args()
    print(section(options.corpora, options.jobs, options.limit))


def section(corpora: Path, jobs: int, limit: int | None = None) -> str:
    """The tables as Markdown."""
    names = [EVERYTHING, *(name for name in SHOWN if name in EXTRACTORS)]
    print("retrieval ...", file=sys.stderr)
    pages = [page for name in COLLECTION for page in read_pages(_file(corpora, name), limit)]
    with ProcessPoolExecutor(jobs) as pool:
        texts = list(pool.map(partial(all_texts, names=names), pages, chunksize=8))
    collections = {key: [found[key] for found in texts] for key in texts[0]}
    headlines, descriptions = queries(pages, headline), queries(pages, description)
    parts = [INTRODUCTION.format(pages=len(pages), queries=len(headlines))]
    parts.append(_table(names, collections, headlines))
    of_news = [query for query in headlines if pages[query.page].dataset in NEWS_SITES]
    if of_news:
        parts.append(f"Only the {len(of_news)} queries of L3S-GN1 and waddle, news of few sites:")
        parts.append(_table(names, collections, of_news))
    if descriptions:
        parts.append(f"Queries: the {len(descriptions)} descriptions that fundus has.")
        parts.append(_table(names, collections, descriptions))
    parts.append(CURVE)
    parts.append(_table([_at_least(words) for words in MIN_WORDS], collections, headlines))
    return "\n\n".join(parts)


def all_texts(labelled: LabelledPage, names: Sequence[str]) -> dict[str, list[str]]:
    """The tokens of a page as each extractor, and as each minimum of words, leaves it."""
    leaves = read_page(tree_of(labelled.html), labelled.url)
    asked = tokens(headline(labelled) or "")
    found = {}
    for name in names:
        output = output_of(EXTRACTORS[name], leaves, "own")
        found[name] = _document(output.page, output.labeling.content, asked)
    page = EXTRACTORS[EVERYTHING].segmenter(leaves)
    for words in MIN_WORDS:
        found[_at_least(words)] = _document(page, page.words >= words, asked)
    return found


def headline(labelled: LabelledPage) -> str | None:
    """The gold headline of a page, or None."""
    if labelled.annotated_html is not None:
        return l3s.gold_text(labelled.annotated_html, {Label.HEADLINE})
    if labelled.dataset in HEADLINE_IS_FIRST_LINE:
        return next((line for line in (labelled.text or "").splitlines() if line.strip()), None)
    return labelled.title


def description(labelled: LabelledPage) -> str | None:
    """The gold standfirst of a page, or None."""
    return labelled.summary


def _document(page: Page, kept: BoolArray, headline_tokens: list[str]) -> list[str]:
    """The tokens of the kept blocks but those that are the headline."""
    blocks = (tokens(page.texts[block]) for block in np.flatnonzero(kept))
    return [token for block in blocks if block != headline_tokens for token in block]


def queries(
    pages: Sequence[LabelledPage], text_of: Callable[[LabelledPage], str | None]
) -> list[Query]:
    """A query of each page of which `text_of` has tokens."""
    return [
        Query(text, number, page.site)
        for number, page in enumerate(pages)
        if tokens(text := text_of(page) or "")
    ]


def search(documents: Sequence[list[str]], asked: Sequence[Query]) -> FloatArray:
    """float[queries, 2]: the figures of each query.

    Pages of the same score share their mean rank, so that order decides nothing.
    """
    index = _index(documents)
    rows = np.empty((len(asked), len(FIGURES)))
    for number, query in enumerate(asked):
        scores = index.get_scores(tokens(query.text))
        better = int((scores > scores[query.page]).sum())
        equal = int((scores == scores[query.page]).sum())
        rank = better + (equal + 1) / 2
        rows[number] = 1 / rank, (rank <= TOP) / TOP
    return rows


def _index(documents: Sequence[list[str]]) -> Any:
    """A BM25 index over documents of tokens; an empty one gets a token that nobody asks for."""
    bm25s = optional("bm25s", "retrieval", extra="bench")
    index = bm25s.BM25(method="lucene")
    index.index([document or [""] for document in documents], show_progress=False)
    return index


def _table(
    keys: Sequence[str], collections: Mapping[str, Sequence[list[str]]], asked: Sequence[Query]
) -> str:
    drawn = draws([query.site for query in asked])
    lines = [f"| documents | {' | '.join(FIGURES)} | tokens of a page |", "|---|---|---|---|"]
    for key in keys:
        rows = search(collections[key], asked)
        samples = resampled(_means, rows, drawn)
        cells = [_cell(value, samples[name]) for name, value in _means(rows).items()]
        length = np.mean([len(document) for document in collections[key]])
        lines.append(f"| {key} | {' | '.join(cells)} | {length:.0f} |")
    return "\n".join(lines)


def _means(rows: FloatArray) -> dict[str, float]:
    return dict(zip(FIGURES, rows.mean(axis=0).tolist(), strict=True))


def _cell(value: float, samples: FloatArray) -> str:
    return "{:.4f} ({:.4f} to {:.4f})".format(value, *interval(samples))


def _at_least(words: int) -> str:
    return f"blocks of >= {words} words"


def _file(corpora: Path, name: str) -> Path:
    return corpora / f"{name}.jsonl.xz"


INTRODUCTION = """## Effect on retrieval

`python -m benchmarks.retrieval`. Known-item search over {pages} pages (L3S-GN1, waddle,
article-extraction, fundus, wcxb, trafilatura) with BM25: {queries} gold headlines ask, each for its
own page, in all pages as an extractor leaves them. A page's own headline is taken out of its
documents; in teasers on other pages it stays. 95 % intervals by site; precision at 10 cannot exceed
.1, for there is one right page."""

CURVE = """The sliding minimum of words (Figure 7 of the paper of 2010): only blocks of so many
words are searched. There precision at 10 rose from .18 (everything) to .44 (11 words and more)."""


if __name__ == "__main__":
    main()
