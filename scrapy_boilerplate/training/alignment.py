"""Alignment of a gold text with the leaves of a page.

Both are sequences of tokens. Runs of tokens that occur once on each side anchor the alignment
(patience diff, Bram Cohen). Between two anchors the search continues with shorter runs; equal
tokens next to an anchor are added to it. The neighbours distinguish a teaser that repeats the first
paragraph from the paragraph itself. Single words of a menu match nothing.

A leaf is content if most of its tokens are matched. It is unknown, and ignored, if it occurs
elsewhere in the gold text: if most of it equals an unmatched part of the gold text (another order,
text printed twice in the gold), or if all of it is a copy of runs of the gold text (teasers, titles
in lists, tables of contents). Time is linear in the tokens for each length of runs.
"""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray, Label
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.systems.common.columns import (
    cumulate,
    measure_texts,
    sum_by_block,
    sum_spans,
)
from scrapy_boilerplate.training.tokens import tokenize

# lengths of anchoring runs in tokens, longest first
RUNS = (5, 3, 2, 1)
# single tokens only anchor between stretches whose lengths differ by at most this factor or number
STRAY = 8
# a leaf (or block) is content if more than this share of its tokens is matched
CONTENT_SHARE = 0.5
# minimum tokens in a row of a copy of the gold text: copies of 3 tokens are mostly names. Runs of 4
# make .1 % (fundus) to .9 % (wcxb) of the blocks unknown
KNOWN_RUN = 4

UNKNOWN = -1
UNMATCHED = -1

# First and end token on the page, first and end token of the gold text.
Span = tuple[int, int, int, int]


def align(page: Sequence[str], gold: Sequence[str]) -> IntArray:
    """Return for each token of the page the number of its token in `gold`, or UNMATCHED.

    The numbers ascend.
    """
    matches = np.full(len(page), UNMATCHED, dtype=np.int64)
    spans: list[tuple[Span, int]] = [((0, len(page), 0, len(gold)), 0)]
    while spans:
        span, level = spans.pop()
        # the ends of the page are no anchors: a copy of the text could be there
        span = _trim(page, gold, span, matches, (span[0] > 0, span[1] < len(page)))
        while level < len(RUNS) and span[0] < span[1] and span[2] < span[3]:
            anchors = _find_anchors(page, gold, span, RUNS[level])
            if anchors:
                spans += [(gap, level) for gap in _match_anchors(span, anchors, matches)]
                break
            level += 1
        else:
            _trim(page, gold, span, matches, (True, True))
    return matches


def _trim(
    page: Sequence[str],
    gold: Sequence[str],
    span: Span,
    matches: IntArray,
    anchored: tuple[bool, bool],
) -> Span:
    """Match the equal tokens at the anchored (start, end) of a span, and return the rest of it."""
    at_start, at_end = anchored
    first, end, gold_first, gold_end = span
    while at_start and first < end and gold_first < gold_end and page[first] == gold[gold_first]:
        matches[first] = gold_first
        first, gold_first = first + 1, gold_first + 1
    while at_end and first < end and gold_first < gold_end and page[end - 1] == gold[gold_end - 1]:
        end, gold_end = end - 1, gold_end - 1
        matches[end] = gold_end
    return first, end, gold_first, gold_end


def _find_anchors(
    page: Sequence[str], gold: Sequence[str], span: Span, length: int
) -> list[tuple[int, int]]:
    """Return pairs of single tokens, ascending on both sides, that start runs unique on each."""
    first, end, gold_first, gold_end = span
    size, gold_size = end - first, gold_end - gold_first
    alike = size <= STRAY * max(gold_size, 1) and gold_size <= STRAY * max(size, STRAY)
    if length == 1 and not alike:
        return []
    page_runs = _find_unique_runs(page, first, end, length)
    gold_runs = _find_unique_runs(gold, gold_first, gold_end, length)
    if len(gold_runs) < len(page_runs):
        pairs = sorted(
            (page_runs[run], start) for run, start in gold_runs.items() if run in page_runs
        )
    else:
        pairs = [(start, gold_runs[run]) for run, start in page_runs.items() if run in gold_runs]
    return _find_longest_ascent(pairs)


def _find_unique_runs(
    sequence: Sequence[str], first: int, end: int, length: int
) -> dict[tuple[str, ...], int]:
    part = sequence[first:end]
    starts: dict[tuple[str, ...], int] = {}
    repeated = set()
    runs = zip(*(part[offset:] for offset in range(length)), strict=False)
    for start, run in enumerate(runs, first):
        if starts.setdefault(run, start) != start:
            repeated.add(run)
    for run in repeated:
        del starts[run]
    return starts


def _find_longest_ascent(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest part of `pairs` (ascending on the page) that ascends in the gold text."""
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


def _match_anchors(span: Span, anchors: list[tuple[int, int]], matches: IntArray) -> list[Span]:
    first, end, gold_first, gold_end = span
    gaps = []
    for place, gold_place in [*anchors, (end, gold_end)]:
        if place > first and gold_place > gold_first:
            gaps.append((first, place, gold_first, gold_place))
        if place < end:
            matches[place] = gold_place
        first, gold_first = place + 1, gold_place + 1
    return gaps


def tokenize_leaves(page: Page) -> tuple[list[str], IntArray]:
    """Return the tokens of the leaves, and int[n_leaves + 1]: the bounds of each leaf's tokens."""
    by_leaf = [tokenize(text) for text in page.leaves.texts]
    bounds = np.array([0, *accumulate(map(len, by_leaf))], dtype=np.int64)
    return [token for leaf in by_leaf for token in leaf], bounds


def sum_over_leaves(column: IntArray | BoolArray, bounds: IntArray) -> IntArray:
    """Return int[n_leaves]: for each leaf the sum of a column over its tokens."""
    return sum_spans(column, bounds[:-1], bounds[1:])


def label_leaves(page: Page, gold: str) -> IntArray:
    """Return int[n_leaves]: full text, boilerplate or UNKNOWN, by the gold text of the page.

    Leaves without a token, and leaves that copy the gold text of another place, are UNKNOWN.
    """
    page_tokens, bounds = tokenize_leaves(page)
    gold_tokens = tokenize(gold)
    matches = align(page_tokens, gold_tokens)
    sizes = np.diff(bounds)
    share = sum_over_leaves(matches != UNMATCHED, bounds) / np.maximum(sizes, 1)
    labels = np.where(share > CONTENT_SHARE, Label.FULL_TEXT, Label.BOILERPLATE).astype(np.int64)
    missed = np.ones(len(gold_tokens), dtype=np.bool_)
    missed[matches[matches != UNMATCHED]] = False
    in_missed = sum_over_leaves(_find_copied_tokens(page_tokens, gold_tokens, missed), bounds)
    in_gold = sum_over_leaves(
        _find_copied_tokens(page_tokens, gold_tokens, np.ones_like(missed)), bounds
    )
    elsewhere = (in_missed > CONTENT_SHARE * sizes) | (in_gold == sizes)
    labels[(labels == Label.BOILERPLATE) & elsewhere] = UNKNOWN
    labels[sizes == 0] = UNKNOWN
    return labels


def _find_copied_tokens(page: Sequence[str], gold: Sequence[str], part: BoolArray) -> BoolArray:
    """Return bool[n_tokens]: tokens in runs of KNOWN_RUN that occur in the `part` of the gold."""
    sums = cumulate(part)
    whole = np.flatnonzero(sums[KNOWN_RUN:] - sums[:-KNOWN_RUN] == KNOWN_RUN).tolist()
    runs = {tuple(gold[start : start + KNOWN_RUN]) for start in whole}
    covered = np.zeros(len(page), dtype=np.bool_)
    windows = zip(*(page[offset:] for offset in range(KNOWN_RUN)), strict=False)
    for start, window in enumerate(windows if runs else ()):
        if window in runs:
            covered[start : start + KNOWN_RUN] = True
    return covered


def compute_block_shares(page: Page, labels: IntArray) -> FloatArray:
    """Return float[n_blocks]: the share of each block's known characters that is content.

    `labels` int[n_leaves]. NaN if more of a block's characters are unknown than known.
    """
    votes, enough = _count_votes(page, labels)
    wholes, nothing = votes.sum(axis=0), np.full(len(page), np.nan)
    parts = wholes - votes[Label.BOILERPLATE]
    shares: FloatArray = np.divide(parts, wholes, out=nothing, where=enough)
    return shares


def compute_block_labels(page: Page, labels: IntArray) -> IntArray:
    """Return int[n_blocks]: the label of most known characters; a tie gives the lower code.

    `labels` int[n_leaves]. UNKNOWN if more of a block's characters are unknown than known.
    """
    votes, enough = _count_votes(page, labels)
    return np.where(enough, votes.argmax(axis=0), UNKNOWN).astype(np.int64)


def _count_votes(page: Page, labels: IntArray) -> tuple[IntArray, BoolArray]:
    """Return int[6, n_blocks], the characters of each label, and where at least half are known."""
    lengths = measure_texts(page.leaves.texts, lambda text: len(text.strip()))
    votes = np.stack([sum_by_block(page, lengths * (labels == label)) for label in Label])
    known = votes.sum(axis=0)
    return votes, (known > 0) & (2 * known >= sum_by_block(page, lengths))
