"""Kohlschuetter et al. 2010 by other readings of its text, for docs/systems.md.

The other readings are text blocks by other rules, pages that did not lose their text, and a gold
text with comments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.evaluations import EvaluationCache, Scores, scores_by_extractor, select_pages
from benchmarks.markdown import format_table
from benchmarks.systems import (
    CLEANEVAL,
    KOHLSCHUETTER,
    L3S,
    NOT_THE_RULE,
    PublishedRow,
    find_extractor,
    read_published,
)
from scrapy_boilerplate.page.columns import NO_ELEMENT, Blocks
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.training.corpora import LabelledPage
from scrapy_boilerplate.training.evaluation import Evaluation, Score
from scrapy_boilerplate.training.gold import L3S_WITH_COMMENTS, join_l3s_text

# a page of which even everything scores below this has lost its text on the way
LOST = 0.1

AS_IS, BY_PAPER, BY_FORMATTING = "here", "blocks of the paper", "formatting tags inside"

# tags that may stand inside a block by section 3.3 of the paper
LINKS = frozenset({"a"})

# the list that comes closest to the paper's figures on CleanEval, of eleven that were tried there:
# none but `a`, that of boilerpipe 1.2 (which is ours but for a few tags), it without `font`, with
# `br` or with `img`, and the parts {b, strong}, {font}, {span, font, sup, sub} beside `a`
FORMATTING = frozenset("a b i em strong u".split())


@dataclass(frozen=True)
class PaperBlocks:
    """Segmenter whose blocks are text that no tag but those of `inline` interrupts.

    By default as in the paper of 2010: ``<b>`` and ``<span>`` end a block too.
    """

    inline: frozenset[str] = LINKS
    name: str = "paper-blocks"

    def __call__(self, page: Page) -> Page:
        """Return the page cut at every other tag; linear time."""
        elements, leaves = page.elements, page.leaves
        # for each element the nearest one, itself included, that ends a block
        holders: list[int] = []
        for element, (tag, parent) in enumerate(zip(elements.tags, elements.parents, strict=True)):
            inside = tag in self.inline and parent != NO_ELEMENT
            holders.append(holders[parent] if inside else element)
        first: list[int] = []
        holder, opened = NO_ELEMENT, 0
        for leaf, (element, started) in enumerate(zip(leaves.elements, leaves.opened, strict=True)):
            new_tags = elements.tags[opened:started]
            if holders[element] != holder or any(tag not in self.inline for tag in new_tags):
                first.append(leaf)
            holder, opened = holders[element], started
        starts = np.array(first, dtype=np.int64)
        ends = np.append(starts[1:], len(leaves)) if first else starts
        owners = np.array(leaves.owners, dtype=np.int64)[starts]
        return page.with_blocks(Blocks(starts, ends, owners))


def measure_differences(evaluations: EvaluationCache) -> dict[str, str]:
    """Return the readings of both corpora by block name."""
    return {
        f"readings-{corpus}": _measure_readings(evaluations, corpus) for corpus in (L3S, CLEANEVAL)
    }


def _measure_readings(evaluations: EvaluationCache, corpus: str) -> str:
    rows = [row for row in read_published() if row.corpus == corpus and row.metric == "tokens"]
    paper = {row.extractor: row for row in rows if row.source.startswith(KOHLSCHUETTER)}
    readings = _score_readings(evaluations, corpus, list(paper))
    others = {rule: scores for rule, scores in readings.items() if rule != AS_IS}
    table = [["extractor", *others]]
    for name, row in paper.items():
        table.append([name, *(_subtract(scores[name], row) for scores in others.values())])
    # how far the means are from the paper's, over all rows but the trained
    distances = []
    for rule in (AS_IS, BY_PAPER, BY_FORMATTING):
        gaps = [
            abs(100 * readings[rule][name].figures["f1"] - row.paper[0])
            for name, row in paper.items()
            if row.why != NOT_THE_RULE
        ]
        distances.append(f"{rule} {sum(gaps) / len(gaps):.2f} (at most {max(gaps):.2f})")
    return "\n\n".join(
        [
            f"{corpus}:",
            format_table(table),
            f"Mean distance to the paper's means: {', '.join(distances)}.",
        ]
    )


def _subtract(score: Score, row: PublishedRow) -> str:
    """Return mean and median less the paper's, in points."""
    mean, median = (
        100 * score.figures[name] - number
        for name, number in zip(row.figures, row.paper, strict=True)
    )
    return f"{mean:+.2f} ({median:+.2f})"


def _score_readings(
    evaluations: EvaluationCache, corpus: str, names: Sequence[str]
) -> dict[str, Scores]:
    as_is = evaluations.evaluate(corpus)
    whole = _whole_pages(as_is)
    readings = {AS_IS: scores_by_extractor(as_is, "tokens")}
    for rule in (BY_PAPER, BY_FORMATTING):
        evaluation = _evaluate_rule(evaluations, corpus, names, rule)
        readings[rule] = scores_by_extractor(evaluation, "tokens")
    if len(whole) < len(as_is.pages):
        readings[f"{len(whole)} whole pages"] = scores_by_extractor(
            select_pages(as_is, whole), "tokens"
        )
    if corpus == L3S:
        extractors = [find_extractor(name) for name in names]
        comments = evaluations.evaluate_variant(f"{L3S}, comments", L3S, extractors, _add_comments)
        readings["comments in the gold text"] = scores_by_extractor(
            select_pages(comments, whole), "tokens"
        )
    return readings


def _evaluate_rule(
    evaluations: EvaluationCache, corpus: str, names: Sequence[str], rule: str
) -> Evaluation:
    segmenter = PaperBlocks() if rule == BY_PAPER else PaperBlocks(FORMATTING)
    extractors = [replace(find_extractor(name), segmenter=segmenter) for name in names]
    return evaluations.evaluate_variant(f"{corpus}, {rule}", corpus, extractors, lambda page: page)


def _whole_pages(evaluation: Evaluation) -> set[str]:
    return {
        page.id for page in evaluation.pages if page.rows["keep-everything", "tokens"][2] >= LOST
    }


def _add_comments(page: LabelledPage) -> LabelledPage:
    text = join_l3s_text(page.annotated_html or "", L3S_WITH_COMMENTS)
    return replace(page, text=text, annotated_html=None)
