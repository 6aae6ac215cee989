"""Kohlschuetter et al. 2010 by other readings of its text, for docs/systems.md.

The other readings are text blocks by other rules, pages that did not lose their text, and a gold
text with comments; pages that change most show why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.evaluations import EvaluationCache, Scores, scores_by_extractor, select_pages
from benchmarks.markdown import format_percent, format_table, join_names
from benchmarks.systems import (
    CLEANEVAL,
    KOHLSCHUETTER,
    L3S,
    NOT_THE_RULE,
    find_extractor,
    read_published,
)
from scrapy_boilerplate.extraction import load_page
from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.page.columns import NO_ELEMENT, Blocks
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.training.corpora import LabelledPage
from scrapy_boilerplate.training.evaluation import Evaluation, Score, extract_page
from scrapy_boilerplate.training.gold import L3S_WITH_COMMENTS, find_gold_text, join_l3s_text

# a page of which even everything scores below this has lost its text on the way
LOST = 0.1

AS_IS, BY_PAPER, BY_FORMATTING = "ours", "blocks of the paper", "formatting tags inside"

# the extractor whose pages are shown, and how many lose and win most by the paper's blocks
SHOWN = "main-content"
MOST_LOST, MOST_WON = 6, 3

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
    """Return the readings of both corpora, and the pages that differ most, by block name."""
    blocks = {f"readings-{corpus}": _measure_readings(evaluations, corpus)
              for corpus in (L3S, CLEANEVAL)}  # fmt: skip
    return {**blocks, "changed-pages": _measure_pages(evaluations)}


def _measure_readings(evaluations: EvaluationCache, corpus: str) -> str:
    rows = [row for row in read_published() if row.corpus == corpus and row.metric == "tokens"]
    paper = {row.extractor: row for row in rows if row.source.startswith(KOHLSCHUETTER)}
    readings = _score_readings(evaluations, corpus, list(paper))
    table = [["extractor", "paper", *readings]]
    for name, row in paper.items():
        ours = [_mean_and_median(scores[name]) for scores in readings.values()]
        table.append([name, "{:.2f} ({:.2f})".format(*row.paper), *ours])
    whole = _whole_pages(evaluations.evaluate(corpus))
    left_out = [page for page in evaluations.pages(corpus) if page.id not in whole]
    names = join_names(f"`{page.id}`" for page in left_out)
    empty = sum(not (find_gold_text(page) or "").strip() for page in left_out)
    lost = sum(not load_page(page.html).page.leaves.texts for page in left_out)
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
            f"{corpus}, token F1, page mean (median):",
            format_table(table),
            f"Left out of the whole pages of {corpus}: {names}. {empty} of them have no gold text,"
            f"\n{lost} no text that a parser finds.",
            f"Mean distance to the paper's means, in points: {', '.join(distances)}.",
        ]
    )


def _score_readings(
    evaluations: EvaluationCache, corpus: str, names: Sequence[str]
) -> dict[str, Scores]:
    as_is = evaluations.evaluate(corpus)
    whole = _whole_pages(as_is)
    readings = {AS_IS: scores_by_extractor(as_is, "tokens")}
    for rule in (BY_PAPER, BY_FORMATTING):
        evaluation = _evaluate_rule(evaluations, corpus, names, rule)
        readings[rule] = scores_by_extractor(evaluation, "tokens")
    readings[f"{len(whole)} whole pages"] = scores_by_extractor(
        select_pages(as_is, whole), "tokens"
    )
    if corpus == L3S:
        extractors = [find_extractor(name) for name in names]
        comments = evaluations.evaluate_variant(f"{L3S}, comments", L3S, extractors, _add_comments)
        readings["whole pages, comments in the gold text"] = scores_by_extractor(
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


def _mean_and_median(score: Score) -> str:
    return f"{format_percent(score.figures['f1'])} ({format_percent(score.figures['median'])})"


def _measure_pages(evaluations: EvaluationCache) -> str:
    """Return the pages of CleanEval that differ most between our blocks and the paper's."""
    names = [row.extractor for row in read_published() if row.corpus == CLEANEVAL]
    ours, theirs = (
        {page.id: float(page.rows[SHOWN, "tokens"][2]) for page in evaluation.pages}
        for evaluation in (
            evaluations.evaluate(CLEANEVAL),
            _evaluate_rule(evaluations, CLEANEVAL, names, BY_PAPER),
        )
    )
    change = {page: theirs[page] - ours[page] for page in ours}
    ranked = sorted(change, key=lambda page: change[page])
    by_id = {page.id: page for page in evaluations.pages(CLEANEVAL)}
    header = "page/F1 ours/F1 by the paper's blocks/blocks ours, paper's/words kept ours, paper's"
    rows = [[*header.split("/"), "tags that cut most"]]
    for page in dict.fromkeys([*ranked[:MOST_LOST], *ranked[::-1][:MOST_WON]]):
        scores = [format_percent(ours[page]), format_percent(theirs[page])]
        rows.append([f"`{page}`", *scores, *_compare_blocks(by_id[page])])
    lost = [points for points in change.values() if points < 0]
    won = [points for points in change.values() if points > 0]
    large = [points for points in lost if points < -0.5]
    mean_lost, mean_won, mean_large = (
        100 * sum(points) / len(change) for points in (lost, won, large)
    )
    return (
        f"{format_table(rows)}\n\n"
        f"Of {len(change)} pages {len(lost)} lose and {len(won)} win by the paper's blocks: "
        f"{mean_lost:+.1f} and {mean_won:+.1f} points of the mean; "
        f"{len(large)} pages that lose more than .5 make {mean_large:+.1f}."
    )


def _compare_blocks(labelled: LabelledPage) -> list[str]:
    """Return numbers of blocks and of kept words, and the tags that cut blocks of ours."""
    leaves = load_page(labelled.html, labelled.url).page
    ours, theirs = (
        extract_page(replace(find_extractor(SHOWN), segmenter=segmenter), leaves, "own")
        for segmenter in (AtomicBlocks(), PaperBlocks())
    )
    words = [int(side.page.words[list(side.kept)].sum()) for side in (ours, theirs)]
    cuts = _count_cutting_tags(ours.page, theirs.page).most_common(3)
    return [
        f"{len(ours.page)}, {len(theirs.page)}",
        f"{words[0]}, {words[1]}",
        join_names(f"`{tag}` {times}" for tag, times in cuts),
    ]


def _count_cutting_tags(ours: Page, theirs: Page) -> Counter[str]:
    """Count the tags that start or hold a block of theirs inside a block of ours."""
    known = set(ours.blocks.first_leaf.tolist())
    leaves, tags = ours.leaves, ours.elements.tags
    counts: Counter[str] = Counter()
    for leaf in theirs.blocks.first_leaf.tolist():
        if leaf and leaf not in known:
            started = tags[leaves.opened[leaf - 1] : leaves.opened[leaf]]
            ended = tags[leaves.elements[leaf - 1]]
            counts[next((tag for tag in started if tag != "a"), ended)] += 1
    return counts
