"""The section on the tree filter of 2018: precision, recall and F1 of characters by depth."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from benchmarks import prose, systems
from benchmarks.laboratory import (
    TREE_FILTER,
    Laboratory,
    Scores,
    only,
    scores_of,
    tree_filter_names,
)
from benchmarks.markdown import difference, direction, listed, table
from benchmarks.systems import (
    DEPTHS,
    JUSTEXT,
    JUSTEXT_PAPER,
    P_R_F,
    TREE_FILTER_BASES,
    TREE_FILTER_PAPER,
    extractor_for,
)
from scrapy_boilerplate.page.language import declared_language
from scrapy_boilerplate.page.parsing import tree_of
from scrapy_boilerplate.training.corpora import LabelledPage
from scrapy_boilerplate.training.evaluation import Evaluation, Score

WCXB_ARTICLES = "wcxb, articles"
LANGUAGES = {"fundus, Spanish": "es", "fundus, English": "en"}

Changes = dict[tuple[str, str, int], dict[str, int]]
"""(pages, base, depth) to the direction of each figure: 1 and -1 where its interval says so."""


def tree_filter(laboratory: Laboratory) -> str:
    """A table for each set of pages, beside the paper's Tables 1 and 2, and what they say."""
    parts, changes = [], Changes()
    for pages, paper in TREE_FILTER_PAPER.items():
        evaluation = _evaluated(laboratory, pages)
        if not evaluation.pages:  # with --limit
            continue
        scores = scores_of(evaluation, "characters")
        parts.append(f"{pages} ({len(evaluation.pages)} pages, {evaluation.sites} sites):")
        parts.append(table([*_rows(scores, paper), *_justext_rows(scores, pages)]))
        for base in TREE_FILTER_BASES:
            for depth in DEPTHS:
                changes[pages, base, depth] = _directions(scores, base, depth)
    return "\n\n".join(
        ["## The tree filter by depth", prose.TREE_FILTER, _finding(changes), *parts]
    )


def _rows(scores: Scores, paper: Sequence[str]) -> list[list[str]]:
    rows = [["characters", "base", *(f"depth {depth}" for depth in DEPTHS)]]
    if any(paper):
        rows.append(["paper, P / R / F", *(cell.replace("/", " / ") for cell in paper)])
    for base in TREE_FILTER_BASES:
        filtered = [scores[_name(base, depth)] for depth in DEPTHS]
        cells = [_precision_recall_f1(score) for score in (scores[base], *filtered)]
        rows.append([f"{base}, P / R / F", *cells])
        for figure in P_R_F:
            cells = [difference(score, scores[base], figure) for score in filtered]
            rows.append([f"{base}, {figure} to base", "", *cells])
    return rows


def _justext_rows(scores: Scores, pages: str) -> list[list[str]]:
    """jusText, which the paper compares with, where it gives figures."""
    if pages not in JUSTEXT_PAPER:
        return []
    told, empty = JUSTEXT_PAPER[pages].replace("/", " / "), [""] * len(DEPTHS)
    ours = _precision_recall_f1(scores[JUSTEXT])
    return [["paper's jusText, P / R / F", told, *empty], [f"{JUSTEXT}, P / R / F", ours, *empty]]


def _directions(scores: Scores, base: str, depth: int) -> dict[str, int]:
    score = scores[_name(base, depth)]
    return {figure: direction(score.difference(scores[base], figure)[1]) for figure in P_R_F}


def _finding(changes: Changes) -> str:
    """In words what the intervals say, at the paper's depth and at any."""
    lines = []
    for figure in P_R_F:
        at_two = {key[:2]: found[figure] for key, found in changes.items() if key[2] == 2}
        rises, falls = (
            listed(f"{base} on {pages}" for (pages, base), way in at_two.items() if way == wanted)
            for wanted in (1, -1)
        )
        lines.append(f"- {figure} at depth 2 rises for {rises}; falls for {falls}.")
    sets = {key[:2] for key in changes}
    gains = {key[:2] for key, found in changes.items() if found["f1"] > 0}
    lines.append(
        f"- At some depth F1 rises for {listed(sorted(f'{b} on {p}' for p, b in gains))} "
        f"({len(gains)} of {len(sets)})."
    )
    heading = "By the paired differences to the base (95 % intervals by site that leave out 0):"
    return "\n".join([heading, "", *lines])


def _evaluated(laboratory: Laboratory, pages: str) -> Evaluation:
    if pages in TREE_FILTER:
        return laboratory.corpus(pages)
    if pages == WCXB_ARTICLES:
        extractors = [extractor_for(name) for name in tree_filter_names()]
        return laboratory.variant(pages, "wcxb", extractors, _article_or_none)
    ids = {
        page.id for page in laboratory.pages("fundus") if _language(page.html) == LANGUAGES[pages]
    }
    return only(laboratory.corpus("fundus"), ids)


def _article_or_none(page: LabelledPage) -> LabelledPage | None:
    return page if page.page_type == "article" else None


@cache
def _language(html: str) -> str | None:
    return declared_language(tree_of(html))


def _name(base: str, depth: int) -> str:
    return f"{base}+grandparent-{depth}"


def _precision_recall_f1(score: Score) -> str:
    return " / ".join(f"{100 * score.figures[name]:.0f}" for name in systems.P_R_F)
