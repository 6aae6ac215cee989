"""``python -m benchmarks.left_out --models DIR``: `news` on corpora it has never seen, beside
trafilatura.

DIR/without-CORPUS are models of `news` without that corpus and without any other page of its sites
(``python -m benchmarks.folds --out DIR --leave-out CORPUS``). Prints F1 of both and the paired
difference with its 95 % interval by site.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import islice
from multiprocessing import get_context
from pathlib import Path

from benchmarks import compare
from benchmarks.ablation import JUDGED
from benchmarks.comparison_page import table
from benchmarks.contest import UNSEEN, Contest, measured
from benchmarks.folds import articles, left_out_corpora
from benchmarks.results import CorpusResults
from benchmarks.speed import CORPORA
from scrapy_boilerplate.training.metrics.table import METRICS

PEER = "trafilatura"


def main() -> None:
    """Score every left-out corpus of DIR and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=Path, required=True, help="what benchmarks.folds made")
    parser.add_argument("--corpora", type=Path, default=CORPORA, help="default: %(default)s")
    parser.add_argument("--limit", type=int, help="pages of each corpus")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    contest = Contest(ours=("news",), peers=(PEER,), models=options.models, rounds=1)
    head = ["corpus left out", "pages", "news", PEER, "difference", "95 %"]
    print(table([head, *_rows(contest, options)]))


def _rows(contest: Contest, options: argparse.Namespace) -> Iterator[list[str]]:
    spawned = get_context("spawn")
    with ProcessPoolExecutor(options.jobs, spawned, compare.prepare, (contest,)) as pool:
        for corpus in left_out_corpora(options.models):
            metric = JUDGED[corpus]
            judged = filter(METRICS[metric].judges, articles(options.corpora, corpus))
            pages = islice(judged, options.limit)
            task = partial(measured, contest=contest, metric=metric)
            yield _row(CorpusResults(corpus, metric, list(pool.map(task, pages))))


def _row(found: CorpusResults) -> list[str]:
    ours, theirs = found.scores[UNSEEN], found.scores[PEER]
    by, (low, high) = ours.difference(theirs, "f1")
    figures = (f"{score.figures['f1']:.3f}" for score in (ours, theirs))
    return [
        found.corpus,
        str(len(found.pages)),
        *figures,
        f"{by:+.3f}",
        f"{low:+.3f} to {high:+.3f}",
    ]


if __name__ == "__main__":
    main()
