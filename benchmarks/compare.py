"""``python -m benchmarks.compare`` (or ``make compare``): this package compared with others.

Writes docs/comparison.md, which describes the measurements. All systems read the same pages in the
same run. `news` was trained on the sites of these pages, so models that were not trained on them
are scored instead: ``--models DIR``, which ``python -m benchmarks.folds --out DIR`` writes. Without
them the heading of the page contains "in-sample". ``--pages 120``, as in docs/comparison.md, takes
18 minutes on one busy core (2026-11-22).
"""

import argparse
import logging
import os
import sys
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmarks.comparison_page import Comparison, CorpusResults, format_page
from benchmarks.contest import Contest, load_systems, measure_page
from benchmarks.corpora import METRIC_BY_CORPUS, create_parser, map_pages, read_articles
from benchmarks.markdown import DOCS
from benchmarks.peers import PEERS
from scrapy_boilerplate import MissingExtraError
from scrapy_boilerplate.steps.model_store import ModelError
from scrapy_boilerplate.training.corpora import CorpusError, LabelledPage
from scrapy_boilerplate.training.metrics import METRICS

TARGET = DOCS / "comparison.md"
OURS = ("news", "news:precision", "news:recall", "container")
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def main() -> None:
    parser = create_parser(__doc__, output=TARGET, jobs=2)
    parser.add_argument("--models", type=Path, help="output of benchmarks.folds")
    options = parser.parse_args()
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))  # for the processes to come
    contest = Contest(
        ours=OURS, peers=tuple(peer.name for peer in PEERS if peer.installed), models=options.models
    )
    try:
        prepare_process(contest)  # a wrong model is an error here
        comparison = Comparison(contest, list(_measure(options, contest)), options.pages)
    except (CorpusError, MissingExtraError, ModelError) as error:
        sys.exit(f"benchmarks.compare: {error}")
    options.output.write_text(format_page(comparison), encoding="utf-8")


def prepare_process(contest: Contest) -> None:
    """Load everything in a process, and silence what peers log about pages."""
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    load_systems(contest)


def _measure(options: argparse.Namespace, contest: Contest) -> Iterator[CorpusResults]:
    """Yield each corpus in turn. The processes are fresh: each has one thread."""
    settings: dict[str, Any] = {"initializer": prepare_process, "initargs": (contest,)}
    with ProcessPoolExecutor(options.jobs, get_context("spawn"), **settings) as pool:
        for corpus, metric in METRIC_BY_CORPUS.items():
            pages = list(select_judged_pages(options.corpora, corpus, options.pages))
            task = partial(measure_page, contest=contest, metric=metric)
            yield CorpusResults(corpus, metric, list(map_pages(pool, task, pages, corpus)))


def select_judged_pages(corpora: Path, corpus: str, limit: int | None) -> Iterator[LabelledPage]:
    """Yield the articles of a corpus that its metric can judge."""
    judges = METRICS[METRIC_BY_CORPUS[corpus]].judges
    return islice(filter(judges, read_articles(corpora, corpus)), limit)


if __name__ == "__main__":
    main()
