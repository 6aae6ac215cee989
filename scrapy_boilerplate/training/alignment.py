"""Alignment of a gold text with the leaves of a page.

Both are sequences of tokens. Runs of tokens that stand once on either side anchor the alignment
(patience diff, Bram Cohen), between two anchors the same is tried with shorter runs; equal tokens
next to an anchor join it. So a teaser that repeats the first paragraph is told from the paragraph
by its neighbours, and stray words of a menu match nothing.

A leaf is content if most of its tokens are matched. It is unknown, and counts for nothing, where it
stands in the gold text but not in its place: most of it reads like a part that nothing was matched
to (another order, text printed twice in the gold), or all of it is a copy of runs of the gold text
(teasers, titles in lists, tables of contents; LEARNING.md has such blocks masked). Time is linear
in the tokens for each length of runs.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray, Label
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.training.metrics.tokens import tokens

RUNS = (5, 3, 2, 1)
"""Lengths of the runs that can anchor, longest first, in tokens."""

STRAY = 8
"""Single tokens anchor only between stretches of a length within this factor (or this number)."""

CONTENT_SHARE = 0.5
"""A leaf (or block) is content if more than this share of its tokens is matched."""

KNOWN_RUN = 4
"""Tokens in a row that make text look like a part of the gold text.

Copies of 3 tokens are mostly names (three of four looked at), of 4 half names and half titles. On
150 pages of each corpus runs of 4 make .1 % (fundus) to .9 % (wcxb) of the blocks unknown, .5 % on
CleanEval, and .2 to .8 % of the words; another .2 % to 1.4 % of the blocks were unknown before.
"""

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

    Unknown are leaves without a token, and leaves that are like the gold text in another place.
    """
    on_page, bounds = leaf_tokens(page)
    wanted = tokens(gold)
    matched = align(on_page, wanted)
    sizes = np.diff(bounds)
    share = sums_of_leaves(matched != UNMATCHED, bounds) / np.maximum(sizes, 1)
    labels = np.where(share > CONTENT_SHARE, Label.FULL_TEXT, Label.BOILERPLATE).astype(np.int64)
    missed = np.ones(len(wanted), dtype=np.bool_)
    missed[matched[matched != UNMATCHED]] = False
    like_missed = sums_of_leaves(_covered(on_page, wanted, missed), bounds) > CONTENT_SHARE * sizes
    copied = sums_of_leaves(_covered(on_page, wanted, np.ones_like(missed)), bounds) == sizes
    labels[(labels == Label.BOILERPLATE) & (like_missed | copied)] = UNKNOWN
    labels[sizes == 0] = UNKNOWN
    return labels


def _covered(on_page: Sequence[str], gold: Sequence[str], part: BoolArray) -> BoolArray:
    """bool[n_tokens]: tokens in runs of KNOWN_RUN that stand in the gold text, wholly in `part`."""
    sums = np.concatenate(([0], np.cumsum(part)))
    whole = np.flatnonzero(sums[KNOWN_RUN:] - sums[:-KNOWN_RUN] == KNOWN_RUN).tolist()
    runs = {tuple(gold[start : start + KNOWN_RUN]) for start in whole}
    covered = np.zeros(len(on_page), dtype=np.bool_)
    windows = zip(*(on_page[offset:] for offset in range(KNOWN_RUN)), strict=False)
    for start, window in enumerate(windows if runs else ()):
        if window in runs:
            covered[start : start + KNOWN_RUN] = True
    return covered


def block_shares(page: Page, labels: IntArray) -> FloatArray:
    """float[n_blocks]: the share of each block's known characters that is content.

    NaN if more of its characters are unknown than known.
    """
    lengths = _lengths(page)
    known = np.where(labels == UNKNOWN, 0, lengths)
    content = np.where(labels == Label.BOILERPLATE, 0, known)
    wholes, parts, sizes = (_over_blocks(page, column) for column in (known, content, lengths))
    enough = (wholes > 0) & (2 * wholes >= sizes)
    shares: FloatArray = np.divide(parts, wholes, out=np.full(len(page), np.nan), where=enough)
    return shares


def block_labels(page: Page, labels: IntArray) -> IntArray:
    """int[n_blocks]: the label of most known characters of each block, the lower code of equals.

    UNKNOWN if more of its characters are unknown than known.
    """
    lengths = _lengths(page)
    votes = np.stack([_over_blocks(page, lengths * (labels == label)) for label in Label])
    known = votes.sum(axis=0)
    enough = (known > 0) & (2 * known >= _over_blocks(page, lengths))
    found: IntArray = np.where(enough, votes.argmax(axis=0), UNKNOWN).astype(np.int64)
    return found


def _lengths(page: Page) -> IntArray:
    """int[n_leaves]: characters of each leaf."""
    texts = page.leaves.texts
    return np.fromiter((len(text.strip()) for text in texts), np.int64, len(texts))


def _over_blocks(page: Page, column: IntArray) -> IntArray:
    """int[n_blocks]: the sum of a leaf column over the leaves of each block."""
    sums = np.concatenate(([0], np.cumsum(column)))
    found: IntArray = sums[page.blocks.end_leaf] - sums[page.blocks.first_leaf]
    return found
