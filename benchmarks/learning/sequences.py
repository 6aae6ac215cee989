"""crf, web2text and ncleaner on CleanEval.

The models that ship are scored on the sites they never saw. For the competition's own split all
three are trained anew (needs the extra [train]).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tqdm import tqdm

from benchmarks.corpora import corpus_file
from benchmarks.learning.section import Section
from benchmarks.markdown import format_percent, format_table
from benchmarks.systems import CLEANEVAL, read_csv
from scrapy_boilerplate.extractors import build_from_model, get_extractor
from scrapy_boilerplate.steps.extractor import Extractor
from scrapy_boilerplate.training.corpora import LabelledPage, read_pages, split_by_site
from scrapy_boilerplate.training.evaluation import (
    Evaluation,
    EvaluationPlan,
    Score,
    evaluate,
)
from scrapy_boilerplate.training.gold import read_gold
from scrapy_boilerplate.training.trainers import TRAINERS

DEV, FINAL = "cleaneval-dev", CLEANEVAL

# as the models that ship were trained: the defaults of ``train``
HELD_OUT, SEED = 0.2, 0

KINDS = ("crf", "web2text", "ncleaner")
BASELINES = ("bte", "keep-everything", "num-words")
FIGURES = ("accuracy", "precision", "recall", "f1")


def measure(corpora: Path, limit: int | None = None) -> Section:
    """Return scores on held-out sites and on the competition's split."""
    dev, final = (list(read_pages(corpus_file(corpora, name), limit)) for name in (DEV, FINAL))
    _, held = split_by_site([*dev, *final], HELD_OUT)
    sites = {page.site for page in final}
    training = [page for page in dev if page.site not in sites]
    shipped = [get_extractor(name) for name in (*KINDS, *BASELINES)]
    trained = [*_train_anew(training), *map(get_extractor, BASELINES)]
    # the paper's figures are of its own split of the pages
    paper = {row["key"]: row["figures"] for row in read_csv("paper_figures")}
    on_held, on_final = _evaluate(held, shipped), _evaluate(final, trained)
    parts = (
        f"{len(held)} pages of {len({page.site for page in held})} sites kept apart:",
        _format_scores(on_held, paper),
        f"The competition's own split: {len(training)} of {len(dev)} development pages (of "
        f"other sites) to train on, all {len(final)} final pages to test:",
        _format_scores(on_final, {}),
    )
    ours, other = _summarize(on_held), _summarize(on_final)
    return Section("\n\n".join(parts), {key: (ours[key], other[key]) for key in ours})


def _train_anew(pages: Sequence[LabelledPage]) -> Iterator[Extractor]:
    gold = list(map(read_gold, pages))
    for name in tqdm(KINDS, desc="training", leave=False):
        yield replace(build_from_model(TRAINERS[name](gold, SEED)), name=name)


def _evaluate(pages: Sequence[LabelledPage], extractors: Sequence[Extractor]) -> Evaluation:
    metrics = ("text-nodes", "tokens")
    plan = EvaluationPlan(extractors=tuple(extractors), metrics=metrics, text="own")
    return evaluate(pages, plan, progress=lambda scores: tqdm(scores, total=len(pages)))


def _summarize(evaluation: Evaluation) -> dict[str, str]:
    """Return our figures in percent by key of data/learned.csv."""
    nodes, tokens = (
        {score.extractor: score.figures for score in evaluation.scores(metric)}
        for metric in ("text-nodes", "tokens")
    )
    return {
        key: "/".join(format_percent(figures[name], 1) for name in names)
        for key, figures, names in (
            ("victor", tokens["crf"], ("f1", "median")),
            ("ncleaner", tokens["ncleaner"], ("f1", "median")),
            ("web2text", nodes["web2text"], FIGURES),
            ("web2text-crf", nodes["crf"], FIGURES),
        )
    }


def _format_scores(evaluation: Evaluation, paper: Mapping[str, str]) -> str:
    by_tokens = {score.extractor: score for score in evaluation.scores("tokens")}
    header = "extractor|accuracy/precision/recall/F1|F1, 95 %|paper|token F1, mean/median"
    rows = [header.split("|")]
    for score in evaluation.scores("text-nodes"):
        name = score.extractor
        rows.append(
            [
                name,
                "/".join(_format_share(score.figures[figure]) for figure in FIGURES),
                " to ".join(map(_format_share, score.interval("f1"))),
                paper.get(name, ""),
                _mean_and_median(by_tokens[name]),
            ]
        )
    return format_table(rows)


def _mean_and_median(score: Score) -> str:
    return f"{_format_share(score.figures['f1'])}/{_format_share(score.figures['median'])}"


def _format_share(share: float) -> str:
    return f"{share:.3f}".removeprefix("0")
