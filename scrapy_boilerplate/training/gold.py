"""The gold standard of a page: its text and the label of each leaf, from its corpus.

Three forms of corpora have more than a text: L3S-GN1 marks text with ``x-nc-selK`` spans
(Kohlschuetter et al. 2010), ``scrapy-boilerplate annotate`` writes a label for each leaf, and
readability has the expected output as HTML.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np
from lxml import etree

from scrapy_boilerplate.extraction import load_page
from scrapy_boilerplate.markup.leaves import find_leaf_xpaths
from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.page.columns import INVISIBLE
from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray, Label
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.parsing import parse_html
from scrapy_boilerplate.page.reading import find_roots
from scrapy_boilerplate.page.text import count_words
from scrapy_boilerplate.systems.common.columns import (
    cumulate,
    measure_texts,
    sum_by_block,
    sum_spans,
)
from scrapy_boilerplate.training.corpora import LabelledPage, LeafLabels
from scrapy_boilerplate.training.tokens import Bag, Shingles, build_shingles, tokenize

# Alignment of a gold text with the leaves of a page
#
# Both are sequences of tokens. Runs of tokens that occur once on each side anchor the alignment
# (patience diff, Bram Cohen). Between two anchors the search continues with shorter runs; equal
# tokens next to an anchor are added to it. The neighbours distinguish a teaser that repeats the
# first paragraph from the paragraph itself. Single words of a menu match nothing.
#
# A leaf is content if most of its tokens are matched. It is unknown, and ignored, if it occurs
# elsewhere in the gold text: if most of it equals an unmatched part of the gold text (another
# order, text printed twice in the gold), or if all of it is a copy of runs of the gold text
# (teasers, titles in lists, tables of contents). Time is linear in the tokens for each length of
# runs.

# lengths of anchoring runs in tokens, longest first
RUNS = (5, 3, 2, 1)
# single tokens only anchor between stretches whose lengths differ by at most this factor or number
STRAY = 8
# a leaf (or block) is content if more than this share of its tokens is matched
CONTENT_SHARE = 0.5
# minimum tokens in a row of a copy of the gold text: copies of 3 tokens are mostly names
KNOWN_RUN = 4

UNKNOWN = -1
UNMATCHED = -1

# First and end token on the page, first and end token of the gold text.
Span = tuple[int, int, int, int]


def align(page: Sequence[str], gold: Sequence[str]) -> IntArray:
    """Return for each token of the page its number in `gold`, ascending, or UNMATCHED."""
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


# The gold standard

# The paper does not define the gold text of its Figure 2b. Its section 4.3.1 counts comments as
# content, but its medians agree best with a text without comments.
L3S_ARTICLE = frozenset({Label.HEADLINE, Label.FULL_TEXT, Label.SUPPLEMENTAL})

_selection = re.compile(r"(?:^|\s)x-nc-sel([0-5])(?:\s|$)").search


@dataclass(frozen=True, eq=False)
class Gold:
    """The gold standard of a page over the leaves of `page` (its blocks do not matter)."""

    labelled: LabelledPage
    page: Page

    @cached_property
    def text(self) -> str | None:
        return find_gold_text(self.labelled)

    @cached_property
    def bag(self) -> Bag:
        return Counter(tokenize(self.text or ""))

    @cached_property
    def shingles(self) -> Shingles:
        return build_shingles(self.text or "")

    @cached_property
    def leaf_labels(self) -> IntArray:
        """int[n_leaves]: codes of Label, -1 where unknown.

        Six labels on L3S-GN1 and annotated pages, elsewhere full text or boilerplate by alignment.
        """
        if self.labelled.leaf_labels:
            return label_annotated_leaves(self.page, self.labelled.html, self.labelled.leaf_labels)
        if self.labelled.annotated_html is not None:
            return label_l3s_leaves(self.page, self.labelled.annotated_html)
        return label_leaves(self.page, self.text or "")

    @cached_property
    def leaf_words(self) -> IntArray:
        return measure_texts(self.page.leaves.texts, count_words)


def read_gold(labelled: LabelledPage) -> Gold:
    """Parse a labelled page and return its gold standard, without the tree of the page."""
    page = load_page(labelled.html, labelled.url).page
    page.elements.detach()
    return Gold(labelled, page)


def has_gold_text(labelled: LabelledPage) -> bool:
    """Whether the corpus has a gold text for the page."""
    return labelled.has_classes or labelled.gold_html is not None or labelled.text is not None


def find_gold_text(labelled: LabelledPage) -> str | None:
    """Return the gold text of a page, or None where the corpus has none.

    It is the text of the corpus; for L3S-GN1 the nodes with labels of `L3S_ARTICLE`, for annotated
    pages the blocks whose leaves are mostly full text, for readability the visible text of the
    expected HTML.
    """
    if labelled.leaf_labels:
        page = AtomicBlocks()(load_page(labelled.html).page)
        of_leaves = label_annotated_leaves(page, labelled.html, labelled.leaf_labels)
        of_blocks = compute_block_labels(page, of_leaves)
        return page.join_blocks(np.flatnonzero(of_blocks == Label.FULL_TEXT).tolist())
    if labelled.annotated_html is not None:
        return join_l3s_text(labelled.annotated_html)
    if labelled.gold_html is not None:
        page = AtomicBlocks()(load_page(labelled.gold_html).page)
        return page.join_blocks(range(len(page)))
    return labelled.text


# Pages of `scrapy-boilerplate annotate`: a label for every leaf, by its path


def label_annotated_leaves(page: Page, html: str, labels: LeafLabels) -> IntArray:
    """Return int[n_leaves]: the label of each leaf of the page that was read from `html`.

    A path identifies its leaf; leaves too deep for a path are taken in order. UNKNOWN where
    `labels` has no label.
    """
    codes = {label.text: int(label) for label in Label}
    by_path = {path: codes[label] for path, label in labels if path}
    deep = iter([codes[label] for path, label in labels if not path])
    paths = find_leaf_xpaths(page, parse_html(html))
    leaves = [by_path.get(path, UNKNOWN) if path else next(deep, UNKNOWN) for path in paths]
    return np.array(leaves, dtype=np.int64)


# L3S-GN1: the label of every text node


def walk_l3s_texts(annotated_html: str) -> Iterator[tuple[str, Label]]:
    """Yield (text, label) of every visible text node of a page with ``x-nc-selK`` spans, in order.

    The innermost span decides; text outside all spans is boilerplate.
    """
    for root in find_roots(parse_html(annotated_html)):
        labels = [Label.BOILERPLATE]
        walker = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
        for event, element in walker:
            if event == "start":
                match = _selection(element.get("class", ""))
                labels.append(Label(int(match[1])) if match else labels[-1])
                if element.tag in INVISIBLE:
                    walker.skip_subtree()
                elif element.text:
                    yield element.text, labels[-1]
                continue
            if event == "end":
                labels.pop()
            if element.tail:
                yield element.tail, labels[-1]


def join_l3s_text(annotated_html: str, labels: Collection[Label] = L3S_ARTICLE) -> str:
    """Return the text of the nodes with one of `labels`, a space between them."""
    return " ".join(text for text, label in walk_l3s_texts(annotated_html) if label in labels)


def label_l3s_leaves(page: Page, annotated_html: str) -> IntArray:
    """Return int[n_leaves]: the label of each leaf of the page as it was crawled, or UNKNOWN.

    The annotated page has the same text in more nodes. Its tokens are aligned with the tokens of
    the page, and a leaf gets the label of most of its tokens (in a tie, the lower code).
    """
    page_tokens, bounds = tokenize_leaves(page)
    annotated_tokens: list[str] = []
    token_labels: list[int] = []
    for text, label in walk_l3s_texts(annotated_html):
        of_node = tokenize(text)
        annotated_tokens += of_node
        token_labels += [label] * len(of_node)
    matched = align(page_tokens, annotated_tokens)
    codes = np.array([*token_labels, UNKNOWN], dtype=np.int64)[matched]
    codes[matched == UNMATCHED] = UNKNOWN
    votes = np.stack([sum_over_leaves(codes == label, bounds) for label in Label])
    return np.where(votes.any(axis=0), votes.argmax(axis=0), UNKNOWN).astype(np.int64)
