"""``python -m benchmarks.left_out --models DIR``: `news` on corpora that it was not trained on.

DIR/without-CORPUS are models of `news` without that corpus and without any other page of its sites
(``python -m benchmarks.folds --out DIR --leave-out CORPUS ...``). Prints a table:
`news` and trafilatura, with the paired difference. Takes about ten minutes per corpus.

``--against OTHER`` compares two variants of `news` instead: models that were trained with one
difference. Several directories of one variant are several seeds, whose counts are averaged.
"""

import argparse
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from benchmarks.compare import prepare_process, select_judged_pages
from benchmarks.comparison_page import CorpusResults
from benchmarks.contest import EMPTY_PAGE, UNSEEN, Contest, measure_page
from benchmarks.corpora import METRIC_BY_CORPUS, NAMES, create_parser, map_pages
from benchmarks.folds import Part, find_left_out_corpora, load_part
from benchmarks.markdown import format_table
from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.extractors import EXTRACTORS
from scrapy_boilerplate.news.extractor import build_news
from scrapy_boilerplate.page.labels import Label, Labeling
from scrapy_boilerplate.steps.extractor import Extractor
from scrapy_boilerplate.steps.model_store import return_model
from scrapy_boilerplate.training.corpora import LabelledPage
from scrapy_boilerplate.training.evaluation import Evaluation, PageScores, Score
from scrapy_boilerplate.training.gold import Gold, join_l3s_text
from scrapy_boilerplate.training.metrics import METRICS, ExtractedPage

PEER = "trafilatura"


@dataclass(frozen=True)
class Variant:
    """`news` with the models under `folder`, without the steps of the names `left_out_steps`."""

    folder: Path
    left_out_steps: tuple[str, ...] = ()


def main() -> None:
    parser = create_parser(__doc__, jobs=2)
    parser.add_argument("--models", type=Path, nargs="+", required=True, metavar="DIR")
    parser.add_argument("--against", type=Path, nargs="+", default=[], metavar="OTHER")
    steps = [step.name for step in EXTRACTORS["news"].steps[1:]]
    parser.add_argument("--without-step", choices=steps, action="append", default=[])
    options = parser.parse_args()
    if options.against or options.without_step:
        head = ["corpus left out", "pages", "against", "models", "difference", "95 %"]
        rows = _compare_variants(options)
    else:
        head = ["corpus left out", "pages", "news", PEER, "difference", "95 %"]
        rows = _measure_rows(options.models[0], options)
    print(format_table([head, *rows]))


def _measure_rows(models: Path, options: argparse.Namespace) -> Iterator[list[str]]:
    contest = Contest(ours=("news",), peers=(PEER,), models=models)
    spawned = get_context("spawn")
    with ProcessPoolExecutor(options.jobs, spawned, prepare_process, (contest,)) as pool:
        for corpus in find_left_out_corpora(models):
            metric = METRIC_BY_CORPUS[corpus]
            pages = list(select_judged_pages(options.corpora, corpus, options.pages))
            task = partial(measure_page, contest=contest, metric=metric)
            results = list(map_pages(pool, task, pages, corpus))
            scores = CorpusResults(corpus, metric, results).scores
            ours, theirs = scores[UNSEEN], scores[PEER]
            yield [corpus, *_format_difference((ours, theirs), ours, theirs, 3)]


def _format_difference(
    columns: Sequence[Score], score: Score, base: Score, digits: int
) -> list[str]:
    difference, (low, high) = score.difference(base, "f1")
    return [
        str(len(score.rows)),
        *(f"{column.figures['f1']:.{digits}f}" for column in columns),
        f"{difference:+.{digits}f}",
        f"{low:+.{digits}f} to {high:+.{digits}f}",
    ]


# Two variants


def _compare_variants(options: argparse.Namespace) -> Iterator[list[str]]:
    others = options.against or options.models
    sides = {
        "models": tuple(map(Variant, options.models)),
        "against": tuple(Variant(folder, tuple(options.without_step)) for folder in others),
    }
    variants = [variant for side in sides.values() for variant in side]
    known = [set(find_left_out_corpora(variant.folder)) for variant in variants]
    differences = []
    with ProcessPoolExecutor(options.jobs) as pool:
        for corpus in (name for name in NAMES if name in set.intersection(*known)):
            metric = METRIC_BY_CORPUS[corpus]
            pages = list(select_judged_pages(options.corpora, corpus, options.pages))
            task = partial(score_variants, sides=sides, metric=metric)
            evaluation = Evaluation(list(map_pages(pool, task, pages, corpus)))
            scores = {score.extractor: score for score in evaluation.scores(metric)}
            score, base = scores["models"], scores["against"]
            differences.append(score.difference(base, "f1")[0])
            yield [corpus, *_format_difference((base, score), score, base, 4)]
    if differences:
        mean, lowest = sum(differences) / len(differences), min(differences)
        yield ["mean", "", "", "", f"{mean:+.4f}", f"lowest {lowest:+.4f}"]


def score_variants(
    page: LabelledPage, sides: Mapping[str, Sequence[Variant]], metric: str
) -> PageScores:
    """Return the counts of each side on a page of a corpus that its models were not trained on."""
    gold, rows = Gold(judge_full_text(page), EMPTY_PAGE), {}
    for name, variants in sides.items():
        counts = []
        for variant in variants:
            text = extract(page.html, page.url, load_left_out(variant, page.dataset)).text
            extracted = ExtractedPage(text, gold.page, Labeling.blank(0))
            counts.append(np.asarray(METRICS[metric].count(gold, extracted), dtype=np.float64))
        rows[name, metric] = np.mean(counts, axis=0)
    return PageScores(page.id, page.site, rows)


def judge_full_text(page: LabelledPage) -> LabelledPage:
    """Return the page, one of L3S-GN1 with its full text as gold text."""
    if page.annotated_html is None:
        return page
    text = join_l3s_text(page.annotated_html, {Label.FULL_TEXT})
    return replace(page, annotated_html=None, text=text)


@cache
def load_left_out(variant: Variant, corpus: str) -> Extractor:
    """Return the extractor of a variant with the model that was trained without `corpus`."""
    model = load_part(variant.folder, Part(corpus=corpus))
    return drop_steps(build_news(partial(return_model, model)), variant.left_out_steps)


def drop_steps(extractor: Extractor, names: Collection[str]) -> Extractor:
    steps = tuple(step for step in extractor.steps if step.name not in names)
    return replace(extractor, steps=steps)


if __name__ == "__main__":
    main()
