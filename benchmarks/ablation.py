"""``python -m benchmarks.ablation``: what each group of features, and each step, gives `news`.

One third of the sites is kept apart; `news` is trained on the rest as often as there are groups,
each time without one of them (one net instead of three: the differences are what counts). The table
goes to ``docs/ablation.md``. About two minutes a row on an idle core.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from tqdm import tqdm

from scrapy_boilerplate.news.extractor import news_of
from scrapy_boilerplate.news.features import names
from scrapy_boilerplate.news.features.table import TABLES
from scrapy_boilerplate.page.parsing import tree_of
from scrapy_boilerplate.page.reading import read_page
from scrapy_boilerplate.steps.extractor import Extractor
from scrapy_boilerplate.training.corpora import LabelledPage, read_pages
from scrapy_boilerplate.training.evaluation import Plan, evaluate
from scrapy_boilerplate.training.gold import Gold
from scrapy_boilerplate.training.news import net
from scrapy_boilerplate.training.splits import fold_of
from scrapy_boilerplate.training.trainers.news import examples_of, prepare, trained

CORPORA = (
    *("fundus", "article-extraction", "wcxb", "l3s-gn1"),
    *("readability", "trafilatura", "waddle", "dragnet"),
)
JUDGED = {
    "fundus": "shingles",
    "article-extraction": "shingles",
    "wcxb": "shingles",
    "trafilatura": "segments",
    "l3s-gn1": "tokens",
    "waddle": "tokens",
}
"""Corpus to the metric it is judged by."""
FOLDS = 3
SEED = 0
OUT = Path("docs/ablation.md")

GROUPS = {
    **{name: tuple(table.columns) for name, table in TABLES.items()},
    "words": tuple(names.COLUMNS),
}
"""Name of a group to its columns."""


def pages_of(corpora: Path, limit: int | None) -> list[LabelledPage]:
    """The articles of all corpora."""
    return [
        page
        for name in CORPORA
        for page in read_pages(corpora / f"{name}.jsonl.xz", limit)
        if page.page_type in (None, "article")
    ]


def variants(pages: Sequence[LabelledPage]) -> Iterator[tuple[str, Extractor]]:
    """(what is left out, the extractor without it); pages are read and prepared once."""
    gold = [Gold(page, read_page(tree_of(page.html), page.url)) for page in pages]
    prepared = prepare(examples_of(gold))
    whole = trained(prepared, SEED)
    news = news_of(lambda: whole)
    yield "nothing", news
    for step in news.steps[2:-1]:
        steps = tuple(one for one in news.steps if one is not step)
        yield f"step {step.name}", replace(news, steps=steps)
    for group, columns in GROUPS.items():
        model = trained(prepared, SEED, without=columns)
        yield f"features {group}", news_of(lambda model=model: model)  # type: ignore[misc]


def row(what: str, extractor: Extractor, held: Sequence[LabelledPage]) -> str:
    """One line of the table: the first figure of each corpus."""
    cells = [what]
    for dataset, metric in JUDGED.items():
        judged = [page for page in held if page.dataset == dataset]
        plan = Plan(extractors=(replace(extractor, name="news"),), metrics=(metric,))
        scores = evaluate(judged, plan).scores(metric)
        cells.append(f"{scores[0].figures[scores[0].main]:.4f}" if scores else "-")
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    """Train, score, write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=Path, default=Path("../shared/corpora"))
    parser.add_argument("--limit", type=int)
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    net.MEMBERS = 1
    pages = pages_of(options.corpora, options.limit)
    rest = [page for page in pages if fold_of(page.site, FOLDS) != 0]
    held = [page for page in pages if fold_of(page.site, FOLDS) == 0]
    lines = ["| left out | " + " | ".join(JUDGED) + " |", "|---" * (len(JUDGED) + 1) + "|"]
    for what, extractor in tqdm(variants(rest), total=len(GROUPS) + 8, unit="row"):
        lines.append(row(what, extractor, held))
        print(lines[-1], flush=True)
    options.out.write_text(HEAD.format(pages=len(held)) + "\n".join(lines) + "\n", encoding="utf-8")


HEAD = """# What each part of `news` gives

Written by `python -m benchmarks.ablation`: trained on two thirds of the sites, one net instead of
three, scored on the {pages} pages of the other third. Shingle F1 (fundus, article-extraction,
wcxb), segments F1 (trafilatura), token F1 (l3s-gn1, waddle). Differences below .004 are noise.

"""

if __name__ == "__main__":
    main()
