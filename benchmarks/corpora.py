"""The corpora of the benchmarks: their files, pages and metrics."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from scrapy_boilerplate.training.corpora import KNOWN_CORPORA, LabelledPage, read_pages

# where the tests look for them too (tests/conftest.py)
CORPORA = Path(
    os.environ.get("SCRAPY_BOILERPLATE_CORPORA") or Path(__file__).parents[2] / "shared" / "corpora"
)

# page types that count as articles; only wcxb has any (importing this module stays light)
ARTICLE_TYPES = (None, "article")

# corpora that `news` learns from
NAMES = tuple(name for name, corpus in KNOWN_CORPORA.items() if corpus.weight)

# corpus -> the metric it is usually scored by
METRIC_BY_CORPUS = {
    "fundus": "shingles",
    "article-extraction": "shingles",
    "wcxb": "shingles",
    "trafilatura": "segments",
    "l3s-gn1": "tokens",
    "waddle": "tokens",
}

# parts of the sites that models of `news` are trained without
FOLDS = 3


def corpus_file(corpora: Path, name: str) -> Path:
    """Return the file of a corpus."""
    return corpora / f"{name}.jsonl.xz"


def read_articles(corpora: Path, name: str, limit: int | None = None) -> Iterator[LabelledPage]:
    """Yield the pages of a corpus, here and in any folder below, that count as articles."""
    files = (corpus_file(corpora, name), *sorted(corpora.glob(f"*/{name}.jsonl.xz")))
    pages = (page for file in files for page in read_pages(file))
    return islice((page for page in pages if page.page_type in ARTICLE_TYPES), limit)


def add_corpora_options(parser: argparse.ArgumentParser) -> None:
    """Declare ``--corpora`` and ``--pages``."""
    parser.add_argument("--corpora", type=Path, default=CORPORA, help="default: %(default)s")
    parser.add_argument("--pages", type=int, metavar="N", help="of each corpus, for a quick look")
