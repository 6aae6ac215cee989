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
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks import markdown, prose
from benchmarks.known_items import FIGURES, Query, description, headline, queries, search
from benchmarks.laboratory import CLASSICAL
from benchmarks.markdown import direction, listed
from benchmarks.speed import CORPORA
from scrapy_boilerplate.extractors import EXTRACTORS
from scrapy_boilerplate.page.labels import FloatArray, IntArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.parsing import tree_of
from scrapy_boilerplate.page.reading import read_page
from scrapy_boilerplate.training.corpora import LabelledPage, read_pages
from scrapy_boilerplate.training.evaluation import output_of
from scrapy_boilerplate.training.metrics.bootstrap import draws, interval, resampled
from scrapy_boilerplate.training.metrics.tokens import tokens

COLLECTION = ("l3s-gn1", "waddle", "article-extraction", "fundus", "wcxb", "trafilatura")
"""Corpora with gold headlines; their pages are searched together. The first two hold many pages of
a site, with teasers of one another."""

NEWS_SITES = frozenset({"l3s-gn1", "waddle"})

EVERYTHING = "keep-everything"
MIN_WORDS = (1, 2, 3, 5, 7, 9, 11, 15, 20, 30, 50, 100)
"""The sliding minimum of words to a block (the paper's Figure 7 goes from 1 to 100)."""

Tokens = list[str]


@dataclass(frozen=True)
class PageTexts:
    """A page as every extractor leaves it, its tokens once.

    `blocks` are the tokens of each block by segmenter, none for the headline; `kept` the blocks
    that each document (an extractor, a minimum of words) keeps, and its segmenter.
    """

    blocks: Mapping[str, list[Tokens]]
    kept: Mapping[str, tuple[str, list[int]]]

    def document(self, key: str) -> Tokens:
        """The tokens of one document."""
        segmenter, kept = self.kept[key]
        blocks = self.blocks[segmenter]
        return [token for block in kept for token in blocks[block]]

    def shared(self, known: dict[str, str]) -> PageTexts:
        """The same with one object for equal tokens: the collection holds millions of them."""
        blocks = {
            name: [[known.setdefault(token, token) for token in block] for block in of_page]
            for name, of_page in self.blocks.items()
        }
        return PageTexts(blocks, self.kept)


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
    names = [EVERYTHING, *(name for name in CLASSICAL if name != EVERYTHING)]
    curve = [_at_least(words) for words in MIN_WORDS]
    pages = [page for name in COLLECTION for page in read_pages(_file(corpora, name), limit)]
    headlines, descriptions = queries(pages, headline), queries(pages, description)
    asked = [*headlines, *descriptions]
    texts = _texts(pages, names, jobs)
    results = {key: _Result.of(key, texts, asked) for key in [*names, *curve]}
    every = np.arange(len(headlines))
    of_news = np.flatnonzero([pages[query.page].dataset in NEWS_SITES for query in headlines])
    described = len(headlines) + np.arange(len(descriptions))
    parts = [prose.RETRIEVAL.format(pages=len(pages))]
    for title, shown, chosen in (
        (prose.HEADLINE_QUERIES, names, every),
        (prose.NEWS_QUERIES, names, of_news),
        (prose.DESCRIPTION_QUERIES, names, described),
        (prose.CURVE, curve, every),
    ):
        if len(chosen):
            of_set = [asked[number] for number in chosen.tolist()]
            parts.append(title.format(queries=len(chosen)))
            parts += _table([results[key] for key in shown], chosen, of_set)
    return "\n\n".join(parts)


def _texts(pages: Sequence[LabelledPage], names: Sequence[str], jobs: int) -> list[PageTexts]:
    print("retrieval ...", file=sys.stderr)
    known: dict[str, str] = {}
    with ProcessPoolExecutor(jobs) as pool:
        found = pool.map(partial(all_texts, names=names), pages, chunksize=8)
        return [one.shared(known) for one in found]


RANK, _ = FIGURES


@dataclass(frozen=True, eq=False)
class _Result:
    """The figures of all queries (float[queries, 2]) over one set of documents."""

    name: str
    rows: FloatArray
    length: float

    @classmethod
    def of(cls, key: str, texts: Sequence[PageTexts], asked: Sequence[Query]) -> _Result:
        documents = [page.document(key) for page in texts]
        length = float(np.mean([len(document) for document in documents]))
        return cls(key, search(documents, asked), length)


def all_texts(labelled: LabelledPage, names: Sequence[str]) -> PageTexts:
    """The tokens of a page as each extractor, and as each minimum of words, leaves it."""
    leaves = read_page(tree_of(labelled.html), labelled.url)
    asked = tokens(headline(labelled) or "")
    blocks: dict[str, list[Tokens]] = {}
    kept: dict[str, tuple[str, list[int]]] = {}
    for name in names:
        output = output_of(EXTRACTORS[name], leaves, "own")
        segmenter = repr(EXTRACTORS[name].segmenter)
        if segmenter not in blocks:
            blocks[segmenter] = _without_headline(output.page, asked)
        kept[name] = segmenter, list(output.kept)
    page = EXTRACTORS[EVERYTHING].segmenter(leaves)
    for words in MIN_WORDS:
        long: list[int] = np.flatnonzero(page.words >= words).tolist()
        kept[_at_least(words)] = repr(EXTRACTORS[EVERYTHING].segmenter), long
    return PageTexts(blocks, kept)


def _without_headline(page: Page, headline_tokens: Tokens) -> list[Tokens]:
    """The tokens of each block, none for those that are the headline."""
    blocks = (tokens(text) for text in page.texts)
    return [[] if block == headline_tokens else block for block in blocks]


def _table(results: Sequence[_Result], chosen: IntArray, asked: Sequence[Query]) -> list[str]:
    """A table, the first row the base, and in words what the paired differences to it say."""
    drawn = draws([query.site for query in asked])
    base, *_ = results
    of_base = resampled(_means, base.rows[chosen], drawn)[RANK]
    mean = _means(base.rows[chosen])[RANK]
    rows = [["documents", *FIGURES, f"{RANK} to {base.name}", "tokens of a page"]]
    ways: dict[int, list[str]] = {1: [], 0: [], -1: []}
    for result in results:
        means, samples = _means(result.rows[chosen]), resampled(_means, result.rows[chosen], drawn)
        cells = [_cell(value, samples[name]) for name, value in means.items()]
        around = interval(samples[RANK] - of_base)
        gap = "{:+.4f} ({:+.4f} to {:+.4f})".format(means[RANK] - mean, *around)
        shown = "" if result is base else gap
        rows.append([result.name, *cells, shown, f"{result.length:.0f}"])
        ways[direction(around)].append(result.name)
    ways[0].remove(base.name)
    return [markdown.table(rows), _finding(base.name, ways)]


def _finding(base: str, ways: Mapping[int, Sequence[str]]) -> str:
    better, alike, worse = (listed(ways[way]) for way in (1, 0, -1))
    return prose.RETRIEVAL_FINDING.format(base=base, better=better, alike=alike, worse=worse)


def _means(rows: FloatArray) -> dict[str, float]:
    return dict(zip(FIGURES, rows.mean(axis=0).tolist(), strict=True))


def _cell(value: float, samples: FloatArray) -> str:
    return "{:.4f} ({:.4f} to {:.4f})".format(value, *interval(samples))


def _at_least(words: int) -> str:
    return f"blocks of >= {words} words"


def _file(corpora: Path, name: str) -> Path:
    return corpora / f"{name}.jsonl.xz"


if __name__ == "__main__":
    main()
