"""``python -m benchmarks.compare``: ours beside other packages, written to docs/comparison.md.

Everybody reads the same pages in the same run; docs/comparison.md says what is measured and how.
The trained `news` has seen the sites of these pages, so it is judged by models that have not:
``--models DIR``, made by ``python -m benchmarks.folds --out DIR``. Without them the page says
"in-sample" in its heading.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmarks import comparison_page
from benchmarks.ablation import JUDGED
from benchmarks.comparison_plot import plot_comparison
from benchmarks.contest import Contest, PageResult, measured, systems_of
from benchmarks.folds import articles
from benchmarks.peers import PEERS
from benchmarks.results import Comparison, CorpusResults
from benchmarks.speed import CORPORA
from scrapy_boilerplate.extractors import UnknownExtractorError
from scrapy_boilerplate.steps.model_store import ModelError
from scrapy_boilerplate.training.corpora import CorpusError, LabelledPage
from scrapy_boilerplate.training.extras import MissingExtraError, optional
from scrapy_boilerplate.training.metrics.table import METRICS

TARGET = Path(__file__).parents[1] / "docs" / "comparison.md"
OURS = ("news", "news:precision", "news:recall", "container")
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
CHUNK, BATCH = 2, 64
"""Pages that a process gets at a time, and pages in the queue."""


def main() -> None:
    """Measure all corpora, write the page and the picture beside it."""
    options = _options()
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))  # for the processes to come
    contest = Contest(
        ours=tuple(options.extractor or OURS),
        peers=tuple(peer.name for peer in PEERS if peer.installed),
        models=options.models,
        rounds=options.rounds,
    )
    try:
        prepare(contest)  # what is wrong with a model or a name is told here
        comparison = Comparison(contest, list(_results(options, contest)), options.limit)
        picture = options.output.with_suffix(".png")
        plot_comparison(comparison, picture)
    except (CorpusError, MissingExtraError, ModelError, UnknownExtractorError) as error:
        sys.exit(f"benchmarks.compare: {error}")
    options.output.write_text(comparison_page.written(comparison, picture.name), encoding="utf-8")


def prepare(contest: Contest) -> None:
    """In every process: load everything, and turn off what peers have to say about pages."""
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    systems_of(contest)


def _results(options: argparse.Namespace, contest: Contest) -> Iterator[CorpusResults]:
    """Each corpus in turn. The processes are fresh ones, so that they have one thread each."""
    tqdm = optional("tqdm", "the progress bar").tqdm
    settings: dict[str, Any] = {"initializer": prepare, "initargs": (contest,)}
    with ProcessPoolExecutor(options.jobs, get_context("spawn"), **settings) as pool:
        for corpus, metric in JUDGED.items():
            judged = filter(METRICS[metric].judges, articles(options.corpora, corpus))
            pages = list(islice(judged, options.limit))
            task = partial(measured, contest=contest, metric=metric)
            found = tqdm(_in_order(pool, task, pages), total=len(pages), desc=corpus)
            yield CorpusResults(corpus, metric, list(found))


def _in_order(
    pool: ProcessPoolExecutor, task: partial[PageResult], pages: Iterable[LabelledPage]
) -> Iterator[PageResult]:
    """The results in the order of the pages; few pages wait in the processes' queue at a time."""
    pages = iter(pages)
    while batch := list(islice(pages, BATCH)):
        yield from pool.map(task, batch, chunksize=CHUNK)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=Path, default=CORPORA, help="default: %(default)s")
    parser.add_argument("--models", type=Path, help="what benchmarks.folds made")
    parser.add_argument(
        "--extractor",
        action="append",
        metavar="NAME",
        help=f"one of ours, or news:FAVOR; the first is the reference (default: {', '.join(OURS)})",
    )
    parser.add_argument("--limit", type=int, help="pages of each corpus, for a quick look")
    parser.add_argument("--jobs", type=int, default=2, help="processes (%(default)s)")
    parser.add_argument("--rounds", type=int, default=1, help="calls to a page (%(default)s)")
    parser.add_argument("--output", type=Path, default=TARGET, help="default: %(default)s")
    return parser.parse_args()


if __name__ == "__main__":
    main()
