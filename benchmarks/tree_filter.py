"""The tree filter of Viveros-Jimenez et al. 2018 by depth, for docs/systems.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.evaluations import (
    TREE_FILTER,
    EvaluationCache,
    scores_by_extractor,
    select_pages,
)
from benchmarks.markdown import format_table, interval_sign
from benchmarks.systems import (
    DEPTHS,
    JUSTEXT,
    P_R_F,
    PAPER_DEPTH,
    TREE_FILTER_BASES,
    filtered_name,
    find_extractor,
    read_csv,
    tree_filter_names,
)
from scrapy_boilerplate.page.parsing import parse_html
from scrapy_boilerplate.page.reading import read_tree
from scrapy_boilerplate.training.evaluation import Evaluation, Score

WCXB_ARTICLES = "wcxb, articles"
LANGUAGES = {"fundus, Spanish": "es", "fundus, English": "en"}

# what stands behind precision, recall and F1 where the interval of F1's difference leaves out 0
MARKS = {1: " +", -1: " -", 0: ""}


def measure_tree_filter(evaluations: EvaluationCache) -> str:
    """Return precision, recall and F1 of characters by depth, for each set of pages."""
    rows = [["pages", "extractor", "base", *(f"depth {depth}" for depth in DEPTHS)]]
    signs: list[dict[str, int]] = []
    for paper in read_csv("tree_filter"):
        evaluation = _evaluate(evaluations, paper["pages"])
        if not evaluation.pages:  # with --pages
            continue
        scores = scores_by_extractor(evaluation, "characters")
        cells = [paper["base"], *(paper[f"depth_{depth}"] for depth in DEPTHS)]
        if any(cells):
            rows.append([paper["pages"], "the paper's", *cells])
        for base in TREE_FILTER_BASES:
            filtered = [scores[filtered_name(base, depth)] for depth in DEPTHS]
            at_two = filtered[DEPTHS.index(PAPER_DEPTH)]
            signs.append({name: _find_sign(at_two, scores[base], name) for name in P_R_F})
            marked = [
                f"{_format_score(score)}{MARKS[_find_sign(score, scores[base], 'f1')]}"
                for score in filtered
            ]
            rows.append([paper["pages"], base, _format_score(scores[base]), *marked])
        if paper["justext"]:
            empty = [""] * len(DEPTHS)
            rows.append([paper["pages"], "the paper's jusText", paper["justext"], *empty])
            rows.append([paper["pages"], JUSTEXT, _format_score(scores[JUSTEXT]), *empty])
    changes = [
        f"{name} rises for {_count(signs, name, 1)} and falls for {_count(signs, name, -1)}"
        for name in P_R_F
    ]
    summary = f"At depth {PAPER_DEPTH}, of {len(signs)} rows: {'; '.join(changes)}."
    return f"{format_table(rows)}\n\n{summary}"


def _find_sign(score: Score, base: Score, figure: str) -> int:
    return interval_sign(score.difference(base, figure)[1])


def _format_score(score: Score) -> str:
    return "/".join(f"{100 * score.figures[name]:.0f}" for name in P_R_F)


def _count(signs: Sequence[Mapping[str, int]], figure: str, sign: int) -> int:
    return sum(by_figure[figure] == sign for by_figure in signs)


def _evaluate(evaluations: EvaluationCache, pages: str) -> Evaluation:
    if pages in TREE_FILTER:
        return evaluations.evaluate(pages)
    if pages == WCXB_ARTICLES:
        extractors = [find_extractor(name) for name in tree_filter_names()]
        return evaluations.evaluate_variant(
            pages, "wcxb", extractors, lambda page: page if page.page_type == "article" else None
        )
    ids = {
        page.id
        for page in evaluations.pages("fundus")
        if read_tree(parse_html(page.html)).language == LANGUAGES[pages]
    }
    return select_pages(evaluations.evaluate("fundus"), ids)
