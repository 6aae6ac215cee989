"""Alignment of a gold text with the leaves of a page.

Both are sequences of tokens. Runs of tokens that stand once on either side anchor the alignment
(patience diff, Bram Cohen), between two anchors the same is tried with shorter runs; equal tokens
next to an anchor join it. So a teaser that repeats the first paragraph is told from the paragraph
by its neighbours, and stray words of a menu match nothing.

A leaf is content if most of its tokens are matched. It is unknown if the alignment missed a part of
the gold text that reads like it (another order, text printed twice in the gold): LEARNING.md has
such leaves masked. Time is linear in the tokens for each length of runs.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from scrapy_boilerplate.label import BoolArray, FloatArray, IntArray, Label
from scrapy_boilerplate.page import Page
from scrapy_boilerplate.training.metrics.tokens import tokens

RUNS = (5, 3, 2, 1)
"""Lengths of the runs that can anchor, longest first, in tokens."""

STRAY = 8
"""Single tokens anchor only between stretches of a length within this factor (or this number)."""

CONTENT_SHARE = 0.5
"""A leaf (or block) is content if more than this share of its tokens is matched."""

MISSED_RUN = 4
"""Tokens in a row that make a leaf look like a missed part of the gold text."""

UNKNOWN = -1
UNMATCHED = -1

Span = tuple[int, int, int, int]
"""First and end token on the page, first and end token of the gold text."""

Sides = tuple[bool, bool]
"""Whether something is anchored to the start and to the end of a span."""


def align(page: Sequence[str], gold: Sequence[str]) -> IntArray:
    """For each token of the page the number of its token in `gold`, or UNMATCHED; ascending."""
    found = np.full(len(page), UNMATCHED, dtype=np.int64)
    todo: list[tuple[Span, int]] = [((0, len(page), 0, len(gold)), 0)]
    while todo:
        span, level = todo.pop()
        # the ends of the page are no anchors: a copy of the text could stand there
        span = _trimmed(page, gold, span, found, (span[0] > 0, span[1] < len(page)))
        while level < len(RUNS) and _filled(span):
            anchors = _anchors(page, gold, span, RUNS[level])
            if anchors:
                todo += [(gap, level) for gap in _gaps(span, anchors, found)]
                break
            level += 1
        else:
            _trimmed(page, gold, span, found, (True, True))
    return found


def _filled(span: Span) -> bool:
    first, end, gold_first, gold_end = span
    return first < end and gold_first < gold_end


def _trimmed(
    page: Sequence[str], gold: Sequence[str], span: Span, found: IntArray, sides: Sides
) -> Span:
    """The span without the equal tokens at the anchored sides, which are noted as matched."""
    at_start, at_end = sides
    first, end, gold_first, gold_end = span
    while at_start and first < end and gold_first < gold_end and page[first] == gold[gold_first]:
        found[first] = gold_first
        first, gold_first = first + 1, gold_first + 1
    while at_end and first < end and gold_first < gold_end and page[end - 1] == gold[gold_end - 1]:
        end, gold_end = end - 1, gold_end - 1
        found[end] = gold_end
    return first, end, gold_first, gold_end


def _anchors(
    page: Sequence[str], gold: Sequence[str], span: Span, length: int
) -> list[tuple[int, int]]:
    """Pairs of single tokens, ascending on both sides, that start runs found once on each."""
    first, end, gold_first, gold_end = span
    if length == 1 and not _alike(end - first, gold_end - gold_first):
        return []
    here = _unique_runs(page, first, end, length)
    there = _unique_runs(gold, gold_first, gold_end, length)
    if len(there) < len(here):
        pairs = sorted((here[run], start) for run, start in there.items() if run in here)
    else:
        pairs = [(start, there[run]) for run, start in here.items() if run in there]
    return _longest_ascent(pairs)


def _alike(length: int, gold_length: int) -> bool:
    return length <= STRAY * max(gold_length, 1) and gold_length <= STRAY * max(length, STRAY)


def _unique_runs(
    sequence: Sequence[str], first: int, end: int, length: int
) -> dict[tuple[str, ...], int]:
    """Run to its first token, for the runs that stand once between `first` and `end`."""
    part = sequence[first:end]
    starts: dict[tuple[str, ...], int] = {}
    twice = set()
    runs = zip(*(part[offset:] for offset in range(length)), strict=False)
    for start, run in enumerate(runs, first):
        if starts.setdefault(run, start) != start:
            twice.add(run)
    for run in twice:
        del starts[run]
    return starts


def _longest_ascent(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest part of `pairs` (ascending on the page) that also ascends in the gold text."""
    tails: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for index, (_, place) in enumerate(pairs):
        rank = bisect_left(tails, place)
        before.append(last[rank - 1] if rank else -1)
        tails[rank : rank + 1] = [place]
        last[rank : rank + 1] = [index]
    chain = []
    index = last[-1] if last else -1
    while index >= 0:
        chain.append(pairs[index])
        index = before[index]
    return chain[::-1]


def _gaps(span: Span, anchors: list[tuple[int, int]], found: IntArray) -> list[Span]:
    """What lies between the anchors, which are noted as matched."""
    first, end, gold_first, gold_end = span
    gaps = []
    for place, gold_place in [*anchors, (end, gold_end)]:
        if place > first and gold_place > gold_first:
            gaps.append((first, place, gold_first, gold_place))
        if place < end:
            found[place] = gold_place
        first, gold_first = place + 1, gold_place + 1
    return gaps


def leaf_tokens(page: Page) -> tuple[list[str], IntArray]:
    """The tokens of the leaves, and int[n_leaves + 1]: where those of each leaf start and end."""
    by_leaf = [tokens(text) for text in page.leaves.texts]
    bounds = np.array([0, *accumulate(map(len, by_leaf))], dtype=np.int64)
    return [token for found in by_leaf for token in found], bounds


def sums_of_leaves(column: Sequence[int] | IntArray | BoolArray, bounds: IntArray) -> IntArray:
    """int[n_leaves]: for each leaf the sum of a column over its tokens."""
    sums = np.concatenate(([0], np.cumsum(column, dtype=np.int64)))
    found: IntArray = sums[bounds[1:]] - sums[bounds[:-1]]
    return found


def leaf_labels(page: Page, gold: str) -> IntArray:
    """int[n_leaves]: full text, boilerplate or UNKNOWN, by the gold text of the page.

    Unknown are leaves without a token and those that read like a part of the gold text which was
    not found in its place.
    """
    on_page, bounds = leaf_tokens(page)
    wanted = tokens(gold)
    matched = align(on_page, wanted)
    sizes = np.diff(bounds)
    share = sums_of_leaves(matched != UNMATCHED, bounds) / np.maximum(sizes, 1)
    labels = np.where(share > CONTENT_SHARE, Label.FULL_TEXT, Label.BOILERPLATE).astype(np.int64)
    missed = _like_missed(on_page, bounds, _missed_runs(wanted, matched))
    labels[(labels == Label.BOILERPLATE) & missed] = UNKNOWN
    labels[sizes == 0] = UNKNOWN
    return labels


def _missed_runs(gold: Sequence[str], matched: IntArray) -> set[tuple[str, ...]]:
    """Every run of MISSED_RUN tokens of the gold text that nothing on the page was matched to."""
    missed = np.ones(len(gold), dtype=np.bool_)
    missed[matched[matched != UNMATCHED]] = False
    starts = np.flatnonzero(missed).tolist()
    sums = np.concatenate(([0], np.cumsum(missed)))
    return {
        tuple(gold[start : start + MISSED_RUN])
        for start in starts
        if start + MISSED_RUN <= len(gold) and sums[start + MISSED_RUN] - sums[start] == MISSED_RUN
    }


def _like_missed(on_page: Sequence[str], bounds: IntArray, runs: set[tuple[str, ...]]) -> BoolArray:
    """bool[n_leaves]: leaves of which more than CONTENT_SHARE stands in `runs`."""
    covered = np.zeros(len(on_page), dtype=np.bool_)
    if runs:
        windows = zip(*(on_page[offset:] for offset in range(MISSED_RUN)), strict=False)
        for start, window in enumerate(windows):
            if window in runs:
                covered[start : start + MISSED_RUN] = True
    like: BoolArray = sums_of_leaves(covered, bounds) > CONTENT_SHARE * np.diff(bounds)
    return like


def block_shares(page: Page, labels: IntArray) -> FloatArray:
    """float[n_blocks]: the share of each block's characters that is content; NaN if unknown."""
    lengths = np.fromiter((len(text.strip()) for text in page.leaves.texts), np.int64, len(labels))
    known = np.where(labels == UNKNOWN, 0, lengths)
    content = np.where(labels == Label.BOILERPLATE, 0, known)
    wholes, parts = (_over_blocks(page, column) for column in (known, content))
    shares: FloatArray = np.divide(parts, wholes, out=np.full(len(page), np.nan), where=wholes > 0)
    return shares


def block_labels(page: Page, labels: IntArray) -> IntArray:
    """int[n_blocks]: the label of most characters of each block, the lower code of equals; or
    UNKNOWN."""
    lengths = np.fromiter((len(text.strip()) for text in page.leaves.texts), np.int64, len(labels))
    votes = np.stack([_over_blocks(page, lengths * (labels == label)) for label in Label])
    found: IntArray = np.where(votes.any(axis=0), votes.argmax(axis=0), UNKNOWN).astype(np.int64)
    return found


def _over_blocks(page: Page, column: IntArray) -> IntArray:
    """int[n_blocks]: the sum of a leaf column over the leaves of each block."""
    sums = np.concatenate(([0], np.cumsum(column)))
    found: IntArray = sums[page.blocks.end_leaf] - sums[page.blocks.first_leaf]
    return found
