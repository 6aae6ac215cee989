"""The corpora of the benchmarks: their files, pages and metrics."""

import argparse
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import chain, islice
from pathlib import Path
from typing import TypeVar

from tqdm import tqdm

from scrapy_boilerplate.training.corpora import (
    KNOWN_CORPORA,
    LabelledPage,
    Record,
    read_pages,
    read_records,
)

# where the tests look for them too (tests/conftest.py)
CORPORA = Path(
    os.environ.get("SCRAPY_BOILERPLATE_CORPORA") or Path(__file__).parents[2] / "shared" / "corpora"
)

# page types that count as articles; only wcxb has any (importing this module stays light)
ARTICLE_TYPES = (None, "article")
# corpora that `news` learns from
NAMES = tuple(name for name, corpus in KNOWN_CORPORA.items() if corpus.weight)
# corpora of articles whose pages are crawled, and stored for batch jobs
MIXED = ("fundus", "wcxb", "article-extraction", "trafilatura")
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
# pages that a process gets at a time, and pages in the queue
CHUNK, BATCH = 2, 64

T = TypeVar("T")
Result = TypeVar("Result")


def corpus_file(corpora: Path, name: str) -> Path:
    return corpora / f"{name}.jsonl.xz"


def read_articles(corpora: Path, name: str, limit: int | None = None) -> Iterator[LabelledPage]:
    """Yield the pages of a corpus, here and in any folder below, that count as articles."""
    files = (corpus_file(corpora, name), *sorted(corpora.glob(f"*/{name}.jsonl.xz")))
    pages = (page for file in files for page in read_pages(file))
    return islice((page for page in pages if page.page_type in ARTICLE_TYPES), limit)


def read_mixed_records(corpora: Path, most: int) -> Iterator[Record]:
    """Yield records of MIXED up to a number, as many of each corpus."""
    files = (corpus_file(corpora, name) for name in MIXED)
    share = -(-most // len(MIXED))
    records = chain.from_iterable(islice(read_records(file), share) for file in files)
    return islice(records, most)


def create_parser(
    description: str | None,
    *,
    pages: int | None = None,
    output: Path | None = None,
    jobs: int | None = None,
) -> argparse.ArgumentParser:
    """Return a parser with ``--corpora`` and ``--pages``, which has the default `pages`.

    With defaults for them it has ``--output``, the page that is written, and ``--jobs`` as well.
    """
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpora", type=Path, default=CORPORA, help="default: %(default)s")
    parser.add_argument("--pages", type=int, default=pages, help="at most (%(default)s)")
    if output is not None:
        parser.add_argument("--output", type=Path, default=output, help="default: %(default)s")
    if jobs is not None:
        parser.add_argument("--jobs", type=int, default=jobs, help="processes (%(default)s)")
    return parser


def map_pages(
    pool: ProcessPoolExecutor, task: Callable[[T], Result], pages: Sequence[T], title: str
) -> Iterator[Result]:
    """Yield the results of `task` in the order of the pages, under a progress bar.

    Few pages wait in the queue at a time.
    """
    with tqdm(total=len(pages), desc=title, unit="page") as bar:
        for first in range(0, len(pages), BATCH):
            for result in pool.map(task, pages[first : first + BATCH], chunksize=CHUNK):
                bar.update()
                yield result
