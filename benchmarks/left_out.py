"""``python -m benchmarks.left_out --models DIR``: `news` on corpora it has never seen.

DIR/without-CORPUS are models of `news` without that corpus and without any other page of its sites
(``python -m benchmarks.folds --out DIR --leave-out CORPUS``). Prints a table for docs/news.md:
`news` beside trafilatura, with the paired difference. Takes about ten minutes a corpus.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from tqdm import tqdm

from benchmarks.compare import prepare_process, select_judged_pages
from benchmarks.comparison_page import CorpusResults
from benchmarks.contest import UNSEEN, Contest, measure_page
from benchmarks.corpora import METRIC_BY_CORPUS, add_corpora_options
from benchmarks.folds import find_left_out_corpora
from benchmarks.markdown import format_table

PEER = "trafilatura"


def main() -> None:
    """Score and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=Path, required=True)
    add_corpora_options(parser)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    contest = Contest(ours=("news",), peers=(PEER,), models=options.models, rounds=1)
    head = ["corpus left out", "pages", "news", PEER, "difference", "95 %"]
    print(format_table([head, *_measure_rows(contest, options)]))


def _measure_rows(contest: Contest, options: argparse.Namespace) -> Iterator[list[str]]:
    spawned = get_context("spawn")
    with ProcessPoolExecutor(options.jobs, spawned, prepare_process, (contest,)) as pool:
        for corpus in find_left_out_corpora(options.models):
            metric = METRIC_BY_CORPUS[corpus]
            pages = list(select_judged_pages(options.corpora, corpus, options.pages))
            task = partial(measure_page, contest=contest, metric=metric)
            bar = tqdm(pool.map(task, pages), total=len(pages), desc=corpus)
            scores = CorpusResults(corpus, metric, list(bar)).scores
            ours, theirs = scores[UNSEEN], scores[PEER]
            difference, (low, high) = ours.difference(theirs, "f1")
            yield [
                corpus,
                str(len(pages)),
                *(f"{score.figures['f1']:.3f}" for score in (ours, theirs)),
                f"{difference:+.3f}",
                f"{low:+.3f} to {high:+.3f}",
            ]


if __name__ == "__main__":
    main()
