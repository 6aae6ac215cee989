"""crf, web2text and ncleaner on CleanEval.

The shipped models are scored on held-out sites. For the split of the competition,
all three are trained again (needs the extra [train]).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from tqdm import tqdm

from benchmarks.corpora import corpus_file
from benchmarks.learning import Section
from benchmarks.markdown import format_percent
from benchmarks.systems import CLEANEVAL
from scrapy_boilerplate.extractors import build_from_model, get_extractor
from scrapy_boilerplate.steps.extractor import Extractor
from scrapy_boilerplate.training.corpora import LabelledPage, read_pages, split_by_site
from scrapy_boilerplate.training.evaluation import Evaluation, EvaluationPlan, evaluate
from scrapy_boilerplate.training.gold import read_gold
from scrapy_boilerplate.training.trainers import TRAINERS

DEV, FINAL = "cleaneval-dev", CLEANEVAL

# the defaults of ``train``, with which the shipped models were trained
HELD_OUT, SEED = 0.2, 0

KINDS = ("crf", "web2text", "ncleaner")
FIGURES = ("accuracy", "precision", "recall", "f1")


def measure(corpora: Path, limit: int | None = None) -> Section:
    """Return figures on held-out sites, and on the competition's split."""
    dev, final = (list(read_pages(corpus_file(corpora, name), limit)) for name in (DEV, FINAL))
    _, held = split_by_site([*dev, *final], HELD_OUT)
    sites = {page.site for page in final}
    training = [page for page in dev if page.site not in sites]
    ours = _summarize(_evaluate(held, [get_extractor(name) for name in KINDS]))
    other = _summarize(_evaluate(final, [*_train_again(training)]))
    return Section(learned={key: (ours[key], other[key]) for key in ours})


def _train_again(pages: Sequence[LabelledPage]) -> Iterator[Extractor]:
    gold = list(map(read_gold, pages))
    for name in tqdm(KINDS, desc="training", leave=False):
        yield replace(build_from_model(TRAINERS[name](gold, SEED)), name=name)


def _evaluate(pages: Sequence[LabelledPage], extractors: Sequence[Extractor]) -> Evaluation:
    metrics = ("text-nodes", "tokens")
    plan = EvaluationPlan(extractors=tuple(extractors), metrics=metrics, text="own")
    return evaluate(pages, plan, progress=lambda scores: tqdm(scores, total=len(pages)))


def _summarize(evaluation: Evaluation) -> dict[str, str]:
    """Return the measured figures in percent by key of data/learned.csv."""
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
