"""``python -m benchmarks.ablation``: the effect of each feature set and each step of `news`.

One third of the sites is kept apart. For each feature set, `news` is trained on the other sites
without it, with one net as teacher instead of three. Writes the table "Steps and features" of
docs/folds.md. Takes about two minutes per row on an idle core, ``--pages 10 --output
/tmp/folds.md`` three minutes in total (needs the extra [train]).
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from tqdm import tqdm

from benchmarks.corpora import FOLDS, METRIC_BY_CORPUS, NAMES, create_parser, read_articles
from benchmarks.left_out import drop_steps
from benchmarks.markdown import DOCS, format_table, update_page
from scrapy_boilerplate.news.extractor import build_news
from scrapy_boilerplate.news.features import COLUMNS, FEATURE_SETS
from scrapy_boilerplate.steps.extractor import Extractor
from scrapy_boilerplate.steps.model_store import StoredModel, return_model
from scrapy_boilerplate.training.corpora import LabelledPage, site_fold
from scrapy_boilerplate.training.evaluation import EvaluationPlan, evaluate
from scrapy_boilerplate.training.gold import read_gold
from scrapy_boilerplate.training.trainers import news_net
from scrapy_boilerplate.training.trainers.news import (
    PreparedPages,
    build_examples,
    prepare_pages,
    train_prepared,
)

SEED = 0
TARGET = DOCS / "folds.md"


def main() -> None:
    options = create_parser(__doc__, output=TARGET).parse_args()
    news_net.KINDS = (news_net.NetKind(),)
    pages = [page for name in NAMES for page in read_articles(options.corpora, name, options.pages)]
    training = [page for page in pages if site_fold(page.site, FOLDS) != 0]
    held = [page for page in pages if site_fold(page.site, FOLDS) == 0]
    rows = [["left out", "mean F1", "difference", "lowest corpus"]]
    base: dict[str, float] = {}
    for left_out, extractor in tqdm(build_variants(training), unit="row"):
        f1 = score_corpora(extractor, held)
        base = base or f1
        rows.append([left_out, *format_differences(f1, base)])
        tqdm.write(" | ".join(rows[-1]))
    update_page(TARGET, options.output, {"pages": str(len(held)), "ablation": format_table(rows)})


def build_variants(pages: Sequence[LabelledPage]) -> Iterator[tuple[str, Extractor]]:
    """Yield (name of a step or feature set, the extractor without it)."""
    prepared = prepare_pages(build_examples(list(map(read_gold, pages))))
    news = build_news(partial(return_model, train_prepared(prepared, SEED)))
    yield "nothing", news
    for step in news.steps[2:-1]:
        yield f"step {step.name}", drop_steps(news, (step.name,))
    for name, columns in FEATURE_SETS.items():
        model = train_without(prepared, columns)
        yield f"features {name}", build_news(partial(return_model, model))


def train_without(prepared: PreparedPages, columns: Collection[str]) -> StoredModel:
    """Return the model that is trained without some columns."""
    is_known = np.array([name not in columns for name in COLUMNS])
    pages = [replace(page, rows=page.rows * is_known) for page in prepared.pages]
    model = train_prepared(replace(prepared, pages=pages), SEED)
    model.arrays["inputs"][:, ~is_known] = 0.0
    return model


def score_corpora(extractor: Extractor, pages: Sequence[LabelledPage]) -> dict[str, float]:
    """Return corpus -> its F1, for the corpora of these pages."""
    f1 = {}
    for dataset, metric in METRIC_BY_CORPUS.items():
        of_corpus = [page for page in pages if page.dataset == dataset]
        plan = EvaluationPlan(extractors=(replace(extractor, name="news"),), metrics=(metric,))
        for score in evaluate(of_corpus, plan).scores(metric):
            f1[dataset] = score.figures[score.main]
    return f1


def format_differences(f1: Mapping[str, float], base: Mapping[str, float]) -> list[str]:
    """Return the mean F1, its difference to `base`, and the corpus with the lowest difference."""
    mean, base_mean = (sum(values.values()) / len(values) for values in (f1, base))
    if f1 is base:
        return [f"{mean:.4f}", "", ""]
    lowest = min(base, key=lambda dataset: f1[dataset] - base[dataset])
    difference = f1[lowest] - base[lowest]
    return [f"{mean:.4f}", f"{mean - base_mean:+.4f}", f"{lowest} {difference:+.4f}"]


if __name__ == "__main__":
    main()
