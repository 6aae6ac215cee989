"""``python -m benchmarks.retrieval``: what boilerplate removal does for search.

Kohlschuetter et al. 2010, section 6, measure it on BLOGS06, which is not to be had. Here it is
known-item search: the query is a page's gold headline, the one right answer is that page, the
documents are all pages of the collection as an extractor leaves them. A page's own headline is
taken out of its documents: everything holds it and most extractors drop it by design, so that
nothing else would be measured. BM25 (Lucene's variant, as the paper used Lucene; k1 1.5, b .75,
package bm25s) ranks them. The figure is the reciprocal rank.

Prints the blocks that ``make tables`` writes to docs/systems.md. Takes six minutes on two busy
cores (2026-11-22).
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from tqdm import tqdm

from benchmarks.corpora import add_corpora_options, corpus_file
from benchmarks.markdown import format_table
from benchmarks.systems import CLASSICAL
from scrapy_boilerplate.extraction import load_page
from scrapy_boilerplate.extractors import EXTRACTORS
from scrapy_boilerplate.extras import import_optional
from scrapy_boilerplate.page.labels import FloatArray, IntArray, Label
from scrapy_boilerplate.training.corpora import LabelledPage, read_pages
from scrapy_boilerplate.training.evaluation import extract_own
from scrapy_boilerplate.training.gold import join_l3s_text
from scrapy_boilerplate.training.metrics.bootstrap import draw_sites, percentile_interval, resample
from scrapy_boilerplate.training.tokens import tokenize

# corpora with gold headlines; their pages are searched together. The first two hold many pages of a
# site, with teasers of one another
COLLECTION = ("l3s-gn1", "waddle", "article-extraction", "fundus", "wcxb", "trafilatura")
NEWS_SITES = frozenset({"l3s-gn1", "waddle"})
HEADLINE_IS_FIRST_LINE = frozenset({"waddle"})

EVERYTHING = "keep-everything"

# sliding minimum of words to a block (the paper's Figure 7 goes from 1 to 100)
MIN_WORDS = (1, 2, 3, 5, 7, 9, 11, 15, 20, 30, 50, 100)

Tokens = list[str]


@dataclass(frozen=True)
class Query:
    """A query, and the number of the page that it should find."""

    text: str
    page: int
    site: str


@dataclass(frozen=True)
class PageTexts:
    """A page as every extractor leaves it, its tokens once.

    blocks  the tokens of each block by segmenter, none for the headline
    kept    the blocks that each document (an extractor, a minimum of words) keeps, and its
            segmenter
    """

    blocks: Mapping[str, list[Tokens]]
    kept: Mapping[str, tuple[str, list[int]]]

    def document(self, key: str) -> Tokens:
        """Return the tokens of a document."""
        segmenter, kept = self.kept[key]
        blocks = self.blocks[segmenter]
        return [token for block in kept for token in blocks[block]]

    def intern(self, known: dict[str, str]) -> PageTexts:
        """Return the same with one object for equal tokens: the collection holds millions."""
        blocks = {
            name: [[known.setdefault(token, token) for token in block] for block in of_page]
            for name, of_page in self.blocks.items()
        }
        return PageTexts(blocks, self.kept)


@dataclass(frozen=True, eq=False)
class SearchResult:
    """The reciprocal ranks of all queries (float[queries]) over one set of documents.

    `length` is the mean number of tokens of a document.
    """

    name: str
    ranks: FloatArray
    length: float


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_corpora_options(parser)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    print("\n\n".join(measure(options.corpora, options.jobs, options.pages).values()))


def measure(corpora: Path, jobs: int, limit: int | None = None) -> dict[str, str]:
    """Return the number of pages and the tables, by block name."""
    extractors = [EVERYTHING, *(name for name in CLASSICAL if name != EVERYTHING)]
    curve = [_min_words_name(words) for words in MIN_WORDS]
    pages = [page for name in COLLECTION for page in read_pages(corpus_file(corpora, name), limit)]
    queries = build_queries(pages)
    texts = _read_texts(pages, extractors, jobs)
    results = {}
    for key in tqdm([*extractors, *curve], desc="search", file=sys.stderr):
        documents = [page.document(key) for page in texts]
        length = float(np.mean([len(document) for document in documents]))
        results[key] = SearchResult(key, search(documents, queries), length)
    of_news = [pages[query.page].dataset in NEWS_SITES for query in queries]
    curve_sets = {"headlines": np.arange(len(queries))}
    query_sets = {**curve_sets, "of news sites": np.flatnonzero(of_news)}
    return {
        "retrieval-pages": str(len(pages)),
        "retrieval": _format_comparison(
            "extractor", [results[key] for key in extractors], query_sets, queries
        ),
        "minimum-of-words": _format_comparison(
            "words of a block", [results[key] for key in curve], curve_sets, queries
        ),
    }


def gold_headline(labelled: LabelledPage) -> str | None:
    """Return the gold headline of a page, or None."""
    if labelled.annotated_html is not None:
        return join_l3s_text(labelled.annotated_html, {Label.HEADLINE})
    if labelled.dataset in HEADLINE_IS_FIRST_LINE:
        return next((line for line in (labelled.text or "").splitlines() if line.strip()), None)
    return labelled.title


def build_queries(pages: Sequence[LabelledPage]) -> list[Query]:
    """Return the gold headline of each page whose headline has tokens."""
    return [
        Query(headline, number, page.site)
        for number, page in enumerate(pages)
        if tokenize(headline := gold_headline(page) or "")
    ]


def search(documents: Sequence[Tokens], queries: Sequence[Query]) -> FloatArray:
    """Return float[queries]: the reciprocal rank of each query.

    Pages of the same score share their mean rank, so that order decides nothing. An empty document
    gets a token that nobody asks for. Raises MissingExtraError.
    """
    index = import_optional("bm25s", "retrieval", "bench").BM25(method="lucene")
    index.index([document or [""] for document in documents], show_progress=False)
    ranks = np.empty(len(queries))
    for number, query in enumerate(queries):
        scores = index.get_scores(tokenize(query.text))
        better = int((scores > scores[query.page]).sum())
        equal = int((scores == scores[query.page]).sum())
        rank = better + (equal + 1) / 2
        ranks[number] = 1 / rank
    return ranks


def _read_texts(
    pages: Sequence[LabelledPage], extractors: Sequence[str], jobs: int
) -> list[PageTexts]:
    known: dict[str, str] = {}
    with ProcessPoolExecutor(jobs) as pool:
        texts = pool.map(partial(read_texts, extractors=extractors), pages, chunksize=8)
        bar = tqdm(texts, total=len(pages), desc="retrieval", file=sys.stderr)
        return [page.intern(known) for page in bar]


def read_texts(labelled: LabelledPage, extractors: Sequence[str]) -> PageTexts:
    """Return the tokens of a page as each extractor, and as each minimum of words, leaves it."""
    leaves = load_page(labelled.html, labelled.url).page
    headline = tokenize(gold_headline(labelled) or "")
    blocks: dict[str, list[Tokens]] = {}
    kept: dict[str, tuple[str, list[int]]] = {}
    for name in extractors:
        extracted = extract_own(EXTRACTORS[name], leaves)
        segmenter = repr(EXTRACTORS[name].segmenter)
        if segmenter not in blocks:
            by_block = map(tokenize, extracted.page.texts)
            blocks[segmenter] = [[] if block == headline else block for block in by_block]
        kept[name] = segmenter, list(extracted.kept)
    page = EXTRACTORS[EVERYTHING].segmenter(leaves)
    for words in MIN_WORDS:
        long: list[int] = np.flatnonzero(page.words >= words).tolist()
        kept[_min_words_name(words)] = repr(EXTRACTORS[EVERYTHING].segmenter), long
    return PageTexts(blocks, kept)


def _format_comparison(
    documents: str,
    results: Sequence[SearchResult],
    query_sets: Mapping[str, IntArray],
    queries: Sequence[Query],
) -> str:
    """Return a table of reciprocal ranks: each set of queries in a column.

    `documents` is the head of the first column. The first row is the base. The difference to it is
    that of the first set, with its 95 % interval by site.
    """
    base, *_ = results
    first = next(iter(query_sets.values()))
    drawn = draw_sites([queries[number].site for number in first.tolist()])
    base_samples = resample(_mean_rank, base.ranks[first], drawn)["mean"]
    head = [f"{name} ({len(chosen)})" for name, chosen in query_sets.items()]
    rows = [[documents, head[0], f"to {base.name}", *head[1:], "tokens of a page"]]
    for result in results:
        means = [float(result.ranks[chosen].mean()) for chosen in query_sets.values()]
        samples = resample(_mean_rank, result.ranks[first], drawn)["mean"]
        low, high = percentile_interval(samples - base_samples)
        points = means[0] - float(base.ranks[first].mean())
        difference = "" if result is base else f"{points:+.4f} ({low:+.4f} to {high:+.4f})"
        cells = [f"{mean:.4f}" for mean in means]
        rows.append([result.name, cells[0], difference, *cells[1:], f"{result.length:.0f}"])
    return format_table(rows)


def _mean_rank(ranks: FloatArray) -> dict[str, float]:
    return {"mean": float(ranks.mean())}


def _min_words_name(words: int) -> str:
    return f">= {words}"


if __name__ == "__main__":
    main()
