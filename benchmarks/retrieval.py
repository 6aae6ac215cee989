"""``python -m benchmarks.retrieval``: what boilerplate removal does for search.

Kohlschuetter et al. 2010, section 6, measure it on BLOGS06, which is not to be had. Here it is
known-item search: the query is a page's gold headline (or its description), the one right answer is
that page, the documents are all pages of the collection as an extractor leaves them. A page's own
headline is taken out of its documents: everything holds it and most extractors drop it by design,
so that nothing else would be measured. BM25 (Lucene's variant, as the paper used Lucene; k1 1.5,
b .75, package bm25s) ranks them. Reciprocal rank, and precision at 10 (at most .1, for there is one
right page) with bootstrap intervals by site.

Prints the blocks that ``make tables`` writes to docs/systems.md. Takes about an hour on two cores,
``--pages 20`` a minute.
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

import numpy as np
from tqdm import tqdm

from benchmarks.corpora import add_corpora_options, corpus_file
from benchmarks.markdown import format_table, interval_sign, join_names
from benchmarks.systems import CLASSICAL
from scrapy_boilerplate.extraction import load_page
from scrapy_boilerplate.extractors import EXTRACTORS
from scrapy_boilerplate.extras import import_optional
from scrapy_boilerplate.page.labels import FloatArray, IntArray, Label
from scrapy_boilerplate.training.corpora import LabelledPage, read_pages
from scrapy_boilerplate.training.evaluation import extract_page
from scrapy_boilerplate.training.gold import l3s_text
from scrapy_boilerplate.training.metrics.bootstrap import draw_sites, percentile_interval, resample
from scrapy_boilerplate.training.metrics.tokens import tokens

# corpora with gold headlines; their pages are searched together. The first two hold many pages of a
# site, with teasers of one another
COLLECTION = ("l3s-gn1", "waddle", "article-extraction", "fundus", "wcxb", "trafilatura")
NEWS_SITES = frozenset({"l3s-gn1", "waddle"})
HEADLINE_IS_FIRST_LINE = frozenset({"waddle"})

EVERYTHING = "keep-everything"

# sliding minimum of words to a block (the paper's Figure 7 goes from 1 to 100)
MIN_WORDS = (1, 2, 3, 5, 7, 9, 11, 15, 20, 30, 50, 100)

TOP = 10
RANK, PRECISION = FIGURES = ("reciprocal rank", "precision at 10")

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
    """The figures of all queries (float[queries, 2]) over one set of documents.

    `length` is the mean number of tokens of a document.
    """

    name: str
    rows: FloatArray
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
    headlines = build_queries(pages, gold_headline)
    descriptions = build_queries(pages, lambda page: page.summary)
    queries = [*headlines, *descriptions]
    texts = _read_texts(pages, extractors, jobs)
    results = {}
    for key in tqdm([*extractors, *curve], desc="search", file=sys.stderr):
        documents = [page.document(key) for page in texts]
        length = float(np.mean([len(document) for document in documents]))
        results[key] = SearchResult(key, search(documents, queries), length)
    of_news = [pages[query.page].dataset in NEWS_SITES for query in headlines]
    every = np.arange(len(headlines))
    described = len(headlines) + np.arange(len(descriptions))
    blocks = {"retrieval-pages": str(len(pages))}
    for name, shown, chosen in (
        ("headlines", extractors, every),
        ("news-headlines", extractors, np.flatnonzero(of_news)),
        ("descriptions", extractors, described),
        ("minimum-of-words", curve, every),
    ):
        blocks[f"{name}-queries"] = str(len(chosen))
        blocks[name] = "(no queries)"
        if len(chosen):
            of_set = [queries[number] for number in chosen.tolist()]
            blocks[name] = _format_results([results[key] for key in shown], chosen, of_set)
    del blocks["minimum-of-words-queries"]
    return blocks


def gold_headline(labelled: LabelledPage) -> str | None:
    """Return the gold headline of a page, or None."""
    if labelled.annotated_html is not None:
        return l3s_text(labelled.annotated_html, {Label.HEADLINE})
    if labelled.dataset in HEADLINE_IS_FIRST_LINE:
        return next((line for line in (labelled.text or "").splitlines() if line.strip()), None)
    return labelled.title


def build_queries(
    pages: Sequence[LabelledPage], get_text: Callable[[LabelledPage], str | None]
) -> list[Query]:
    """Return a query of each page whose text has tokens."""
    return [
        Query(text, number, page.site)
        for number, page in enumerate(pages)
        if tokens(text := get_text(page) or "")
    ]


def search(documents: Sequence[Tokens], queries: Sequence[Query]) -> FloatArray:
    """Return float[queries, 2]: the figures of each query.

    Pages of the same score share their mean rank, so that order decides nothing. An empty document
    gets a token that nobody asks for. Raises MissingExtraError.
    """
    index = import_optional("bm25s", "retrieval", "bench").BM25(method="lucene")
    index.index([document or [""] for document in documents], show_progress=False)
    rows = np.empty((len(queries), len(FIGURES)))
    for number, query in enumerate(queries):
        scores = index.get_scores(tokens(query.text))
        better = int((scores > scores[query.page]).sum())
        equal = int((scores == scores[query.page]).sum())
        rank = better + (equal + 1) / 2
        rows[number] = 1 / rank, (rank <= TOP) / TOP
    return rows


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
    headline = tokens(gold_headline(labelled) or "")
    blocks: dict[str, list[Tokens]] = {}
    kept: dict[str, tuple[str, list[int]]] = {}
    for name in extractors:
        extracted = extract_page(EXTRACTORS[name], leaves, "own")
        segmenter = repr(EXTRACTORS[name].segmenter)
        if segmenter not in blocks:
            by_block = map(tokens, extracted.page.texts)
            blocks[segmenter] = [[] if block == headline else block for block in by_block]
        kept[name] = segmenter, list(extracted.kept)
    page = EXTRACTORS[EVERYTHING].segmenter(leaves)
    for words in MIN_WORDS:
        long: list[int] = np.flatnonzero(page.words >= words).tolist()
        kept[_min_words_name(words)] = repr(EXTRACTORS[EVERYTHING].segmenter), long
    return PageTexts(blocks, kept)


def _format_results(
    results: Sequence[SearchResult], chosen: IntArray, queries: Sequence[Query]
) -> str:
    """Return a table, the first row the base, and what the paired differences to it say."""
    drawn = draw_sites([query.site for query in queries])
    base, *_ = results
    base_samples = resample(_mean_figures, base.rows[chosen], drawn)[RANK]
    base_mean = _mean_figures(base.rows[chosen])[RANK]
    rows = [["documents", *FIGURES, f"{RANK} to {base.name}", "tokens of a page"]]
    by_sign: dict[int, list[str]] = {1: [], 0: [], -1: []}
    for result in results:
        means = _mean_figures(result.rows[chosen])
        samples = resample(_mean_figures, result.rows[chosen], drawn)
        cells = [
            "{:.4f} ({:.4f} to {:.4f})".format(mean, *percentile_interval(samples[name]))
            for name, mean in means.items()
        ]
        interval = percentile_interval(samples[RANK] - base_samples)
        difference = "{:+.4f} ({:+.4f} to {:+.4f})".format(means[RANK] - base_mean, *interval)
        cells.append("" if result is base else difference)
        rows.append([result.name, *cells, f"{result.length:.0f}"])
        if result is not base:
            by_sign[interval_sign(interval)].append(result.name)
    better, alike, worse = (join_names(by_sign[sign]) for sign in (1, 0, -1))
    return (
        f"{format_table(rows)}\n\n"
        f"By the reciprocal rank, paired with {base.name} (95 % intervals by site): better\n"
        f"are {better}; worse are {worse}; too close to tell: {alike}."
    )


def _mean_figures(rows: FloatArray) -> dict[str, float]:
    return dict(zip(FIGURES, rows.mean(axis=0).tolist(), strict=True))


def _min_words_name(words: int) -> str:
    return f"blocks of >= {words} words"


if __name__ == "__main__":
    main()
