"""The tree filter of Viveros-Jimenez et al. 2018 by depth, for docs/systems.md."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.evaluations import (
    TREE_FILTER,
    EvaluationCache,
    Scores,
    scores_by_extractor,
    select_pages,
)
from benchmarks.markdown import format_difference, format_table, interval_sign, join_names
from benchmarks.systems import (
    DEPTHS,
    JUSTEXT,
    P_R_F,
    TREE_FILTER_BASES,
    filtered_name,
    find_extractor,
    read_csv,
    tree_filter_names,
)
from scrapy_boilerplate.page.declared import read_language
from scrapy_boilerplate.page.parsing import parse_html
from scrapy_boilerplate.training.evaluation import Evaluation, Score

WCXB_ARTICLES = "wcxb, articles"
LANGUAGES = {"fundus, Spanish": "es", "fundus, English": "en"}

Signs = dict[tuple[str, str, int], dict[str, int]]
"""(pages, base, depth) to figure to 1 or -1 where the interval of its difference leaves out 0."""


def measure_tree_filter(evaluations: EvaluationCache) -> str:
    """Return precision, recall and F1 of characters by depth, a table for each set of pages."""
    parts: list[str] = []
    signs = Signs()
    for paper in read_csv("tree_filter"):
        pages = paper["pages"]
        evaluation = _evaluate(evaluations, pages)
        if not evaluation.pages:  # with --pages
            continue
        scores = scores_by_extractor(evaluation, "characters")
        parts.append(f"{pages} ({len(evaluation.pages)} pages, {evaluation.sites} sites):")
        parts.append(format_table(_build_rows(scores, paper)))
        for base in TREE_FILTER_BASES:
            for depth in DEPTHS:
                score = scores[filtered_name(base, depth)]
                signs[pages, base, depth] = {
                    figure: interval_sign(score.difference(scores[base], figure)[1])
                    for figure in P_R_F
                }
    return "\n\n".join([_summarize_signs(signs), *parts])


def _build_rows(scores: Scores, paper: Mapping[str, str]) -> list[list[str]]:
    rows = [["characters", "base", *(f"depth {depth}" for depth in DEPTHS)]]
    cells = [paper["base"], *(paper[f"depth_{depth}"] for depth in DEPTHS)]
    if any(cells):
        rows.append(["paper, P / R / F", *(cell.replace("/", " / ") for cell in cells)])
    for base in TREE_FILTER_BASES:
        filtered = [scores[filtered_name(base, depth)] for depth in DEPTHS]
        rows.append([f"{base}, P / R / F", *map(_format_score, (scores[base], *filtered))])
        cells = [format_difference(score, scores[base], "f1") for score in filtered]
        rows.append([f"{base}, f1 to base", "", *cells])
    if paper["justext"]:
        empty = [""] * len(DEPTHS)
        rows.append(["paper's jusText, P / R / F", paper["justext"].replace("/", " / "), *empty])
        rows.append([f"{JUSTEXT}, P / R / F", _format_score(scores[JUSTEXT]), *empty])
    return rows


def _format_score(score: Score) -> str:
    return " / ".join(f"{100 * score.figures[name]:.0f}" for name in P_R_F)


def _summarize_signs(signs: Signs) -> str:
    """Return in words what the intervals say, at the paper's depth and at any."""
    lines = ["By the paired differences to the base (95 % intervals by site that leave out 0):", ""]
    for figure in P_R_F:
        at_two = {key[:2]: by_figure[figure] for key, by_figure in signs.items() if key[2] == 2}
        rises, falls = (
            join_names(f"{base} on {pages}" for (pages, base), sign in at_two.items() if sign == s)
            for s in (1, -1)
        )
        lines.append(f"- {figure} at depth 2 rises for {rises}; falls for {falls}.")
    gains = sorted(
        {f"{base} on {pages}" for (pages, base, _), sign in signs.items() if sign["f1"] > 0}
    )
    n_sets = len({key[:2] for key in signs})
    lines.append(f"- At some depth F1 rises for {join_names(gains)} ({len(gains)} of {n_sets}).")
    return "\n".join(lines)


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
        if read_language(parse_html(page.html)) == LANGUAGES[pages]
    }
    return select_pages(evaluations.evaluate("fundus"), ids)
