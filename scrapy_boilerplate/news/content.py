"""Which blocks are full text: the steps of `news` that decide by the scores of its model.

In the order they run: the threshold over the scores (`ExpectedF1Threshold`), gaps between
paragraphs (`FillHoles`, `SubHeadings`, `FillTables`), and what is content of another kind: the body
printed twice (`RepeatedBody`), other articles on the page (`SeveralArticles`). Comments and
captions are taken out by `news.other_labels`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from itertools import islice

import numpy as np

from scrapy_boilerplate.page.columns import NO_ELEMENT
from scrapy_boilerplate.page.labels import FloatArray, Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import split_words
from scrapy_boilerplate.steps.titles import is_named_by

LEFT_OUT = "left-out"
"""The mark of blocks that are no part of the article at all: copies of it, other articles."""

# The threshold, and the confidence that comes with it

LOWEST, HIGHEST = 0.3, 0.6
"""A block under LOWEST is never content, one over HIGHEST always is."""


@dataclass(frozen=True, kw_only=True)
class ExpectedF1Threshold:
    """Blocks over a threshold become full text: the one with the highest expected F1 of words.

    Lewis 1995 (Evaluating and optimizing autonomous text classification systems) chooses a
    threshold by expected F1; the clips are our choice.
    """

    lowest: float = LOWEST
    highest: float = HIGHEST
    name: str = "expected-f1"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        scores, threshold = labeling.scores[:, Label.FULL_TEXT], self.highest
        if len(scores):
            weights = _weigh_blocks(page)
            order = np.argsort(-scores, kind="stable")
            right = np.cumsum((scores * weights)[order])
            f1 = 2 * right / (np.cumsum(weights[order]) + right[-1] + 1e-9)
            last = order[int(np.argmax(f1))]  # to be kept, those with the highest scores first
            threshold = min(max(float(scores[last]), self.lowest), self.highest)
        return labeling.choose(scores >= threshold, Label.FULL_TEXT, self.name)


def expected_f1(page: Page, labeling: Labeling) -> float:
    """Return the F1 of the words of the content that the scores let expect, 0 to 1.

    The confidence of `news`; 0 without content.
    """
    if not (labeling.content & (page.words > 0)).any():
        return 0.0
    weights, scores = _weigh_blocks(page), labeling.scores[:, Label.FULL_TEXT]
    right = float((scores * weights)[labeling.content].sum())
    kept, wanted = float(weights[labeling.content].sum()), float((scores * weights).sum())
    return min(1.0, 2 * right / max(kept + wanted, 1e-9))


def _weigh_blocks(page: Page) -> FloatArray:
    """float[n]: a block without words counts as one."""
    return np.maximum(page.words, 1).astype(np.float64)


# Gaps

MAX_GAP = 3
"""Blocks to a gap (our sweep, docs/provenance.md)."""
MIN_GAP_SCORE = 0.1
"""Score under which the model is sure that a block is no part of a gap (our sweep,
docs/provenance.md)."""
MAX_LINK_DENSITY = 0.5
"""Link density from which a block in a gap is a pointer to another article (our choice)."""
HEADINGS = frozenset("h2 h3 h4 h5 h6".split())
MIN_HEADING_SCORE = 0.2
"""Score from which a heading between two kept blocks is kept (our sweep, docs/provenance.md)."""
MIN_TABLE_SCORE = 0.2
"""Mean score of the words of a table from which it belongs to the text around it (our sweep,
docs/provenance.md: wcxb +.001)."""
MAX_WRAPPERS = 3
"""Elements around a table up to one that holds paragraphs of the text too (our choice)."""


@dataclass(frozen=True, kw_only=True)
class FillHoles:
    """Up to `longest` blocks between two content blocks, all under one parent, become content."""

    longest: int = MAX_GAP
    min_score: float = MIN_GAP_SCORE
    name: str = "fill-holes"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        kept = np.flatnonzero(labeling.content)
        parents = page.elements.parent_column[page.blocks.elements]
        scores = labeling.scores[:, Label.FULL_TEXT]
        filled: list[int] = []
        for before, after in zip(kept[:-1].tolist(), kept[1:].tolist(), strict=True):
            if not 1 < after - before <= self.longest + 1:
                continue
            gap = slice(before + 1, after)
            together = (parents[before : after + 1] == parents[before]).all()
            unlinked = page.link_density[gap] <= MAX_LINK_DENSITY
            if together and ((scores[gap] > self.min_score) & unlinked).all():
                filled += range(before + 1, after)
        return labeling.choose(np.array(filled, dtype=np.int64), Label.FULL_TEXT, self.name)


@dataclass(frozen=True, kw_only=True)
class SubHeadings:
    """A heading whose neighbours are both content is content, unless the model is sure."""

    min_score: float = MIN_HEADING_SCORE
    name: str = "sub-headings"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        content = labeling.content
        between = np.zeros(len(page), dtype=np.bool_)
        between[1:-1] = content[:-2] & content[2:]
        headings = np.fromiter(map(HEADINGS.__contains__, page.tags), np.bool_, len(page))
        scored = labeling.scores[:, Label.FULL_TEXT] >= self.min_score
        where = between & headings & ~content & scored
        return labeling.choose(where, Label.FULL_TEXT, self.name)


@dataclass(frozen=True, kw_only=True)
class FillTables:
    """A table of data between paragraphs of the text belongs to it, whole.

    The learned step scores each cell, and a cell with only a number scores like boilerplate.
    """

    min_score: float = MIN_TABLE_SCORE
    name: str = "fill-tables"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        content, tables = np.flatnonzero(labeling.content), _find_tables(page)
        parents = page.elements.parents
        around_text = {parents[element] for element in page.blocks.elements[content].tolist()}
        filled = np.zeros(len(page), dtype=np.bool_)
        for table, first, end in tables:
            before, after = np.searchsorted(content, (first, end))
            if before == 0 or after == len(content):
                continue
            near = first - content[before - 1] - 1 <= MAX_GAP and content[after] - end <= MAX_GAP
            wrappers = islice(page.elements.ancestors(parents[table]), MAX_WRAPPERS)
            if near and not around_text.isdisjoint(wrappers):
                filled[first:end] = self._is_data(page, labeling, slice(first, end))
        return labeling.choose(filled & ~labeling.content, Label.FULL_TEXT, self.name)

    def _is_data(self, page: Page, labeling: Labeling, cells: slice) -> bool:
        words = np.maximum(page.words[cells], 1)
        score = labeling.scores[cells, Label.FULL_TEXT] @ words
        linked = page.link_words[cells].sum()
        total = words.sum()
        return bool(score >= self.min_score * total and linked <= MAX_LINK_DENSITY * total)


def _find_tables(page: Page) -> list[tuple[int, int, int]]:
    """(element, first block, end) of each table that holds blocks and stands in no other one."""
    elements = page.elements
    table_of, end = np.full(len(elements), NO_ELEMENT), 0
    for element in np.flatnonzero(elements.tagged(frozenset({"table"}))).tolist():
        if element >= end:
            end = elements.ends[element]
            table_of[element:end] = element
    of_block = table_of[page.blocks.elements]
    first = np.flatnonzero(np.diff(of_block, prepend=NO_ELEMENT))
    ends = [*first[1:].tolist(), len(page)]
    spans = zip(of_block[first].tolist(), first.tolist(), ends, strict=False)
    return [(table, start, end) for table, start, end in spans if table != NO_ELEMENT]


# The body printed twice

RUN = 4
"""Words to a run (our sweep, docs/provenance.md)."""
MIN_RUNS = 4
"""Runs from which a block is long enough to be a copy."""
MIN_SHARE = 0.9
"""Share of a block's runs that stand in other kept blocks (our sweep, docs/provenance.md)."""
MIN_PART = 0.2
"""Words of all copies, of what stays, from which it is a body and no summary (our sweep,
docs/provenance.md: waddle +.004)."""


@dataclass(frozen=True, kw_only=True)
class RepeatedBody:
    """Content whose words stand in content under another parent becomes boilerplate.

    Pages print a body for phones and for screens, or the first lines of a paid article again. The
    parent with the most words keeps its blocks.
    """

    min_part: float = MIN_PART
    name: str = "repeated-body"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        parents = page.elements.parent_column[page.blocks.elements].tolist()
        by_parent: dict[int, list[int]] = defaultdict(list)
        for block in np.flatnonzero(labeling.content).tolist():
            by_parent[parents[block]].append(block)
        groups = sorted(by_parent.values(), key=lambda group: (-page.words[group].sum(), group[0]))
        if len(groups) < 2:
            return labeling
        # few pages have enough words in blocks that are long enough to be copies
        words = page.words[[block for group in groups[1:] for block in group]]
        total = int(page.words[labeling.content].sum())
        if not self._is_body(int(words[words >= MIN_RUNS + RUN - 1].sum()), total):
            return labeling
        copies: list[int] = []
        seen = _split_runs("\n".join(page.texts[block] for block in groups[0]))
        for group in groups[1:]:
            new: set[tuple[str, ...]] = set()
            for block in group:
                runs = _split_runs(page.texts[block])
                if len(runs) >= MIN_RUNS and len(runs & seen) >= MIN_SHARE * len(runs):
                    copies.append(block)
                else:
                    new |= runs
            seen |= new
        if not self._is_body(int(page.words[copies].sum()), total):
            return labeling
        where = np.zeros(len(page), dtype=np.bool_)
        where[copies] = True
        return labeling.choose(where, Label.BOILERPLATE, self.name).mark(LEFT_OUT, where)

    def _is_body(self, copied: int, total: int) -> bool:
        """Whether so many words of `total` are a body printed again."""
        return copied >= max(1.0, self.min_part * (total - copied))


def _split_runs(text: str) -> set[tuple[str, ...]]:
    words = split_words(text.lower())
    return set(zip(*(words[k:] for k in range(RUN)), strict=False))


# Several articles

MIN_ARTICLE_WORDS = 40
"""Content words after a headline that make an article of it (our choice)."""
BEFORE, AFTER = 3, 6
"""Blocks before and after a headline in which byline and date stand (our choice)."""
MAX_BYLINE_WORDS = 20

_says_time = re.compile(
    r"\b(?:19|20)\d\d\b|\d{1,2}[:.h]\d\d|\d{1,2}[./-]\d{1,2}|\d{1,2}\u6708|\d{1,2}\u65e5"
).search
_byline_name = re.compile(
    r"(?i:byline|author|auteur|autor|publi(?:sh|ca|e|é))|(?<![A-Za-z])(?:date|time)|Date|Time"
).search
"""Class names of a byline; no ``update``, no ``sentiment``, no ``public``."""


@dataclass(frozen=True, kw_only=True)
class SeveralArticles:
    """Make the content under the headlines of other articles boilerplate.

    Pages with endless scrolling continue with other articles. A headline of an article is an `h1`
    with content after it and a byline, date or time near it. The title of the page names the
    headline of its own article; headlines of other articles have the same class. If the title names
    none of them, they are headings of parts of one article. Our sweep, docs/provenance.md:
    article-extraction +.003.
    """

    min_words: int = MIN_ARTICLE_WORDS
    name: str = "several-articles"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        starts = [block for block, tag in enumerate(page.tags) if tag == "h1"]
        if len(starts) < 2:
            return labeling
        words = np.concatenate(([0], np.cumsum(np.where(labeling.content, page.words, 0))))
        articles = [
            (start, end)
            for start, end in zip(starts, [*starts[1:], len(page)], strict=True)
            if words[end] - words[start + 1] >= self.min_words and _has_byline(page, start)
        ]
        others = np.zeros(len(page), dtype=np.bool_)
        title = page.title.lower()
        named = (start for start, _ in articles if is_named_by(page.texts[start].lower(), title))
        main = next(named, -1)
        for start, end in articles if main >= 0 else ():
            same_class = _class_of(page, start) == _class_of(page, main) != ""
            if start != main and same_class and page.texts[start] != page.texts[main]:
                others[start:end] = True
        content = others & labeling.content
        headlines = np.isin(np.arange(len(page)), starts)
        decided = labeling.choose(content, Label.BOILERPLATE, self.name)
        return decided.mark(LEFT_OUT, content | others & headlines)


def _class_of(page: Page, block: int) -> str:
    return page.elements.classes[int(page.blocks.elements[block])].strip()


def _has_byline(page: Page, headline: int) -> bool:
    for block in range(max(0, headline - BEFORE), min(len(page), headline + AFTER + 1)):
        short = page.words[block] <= MAX_BYLINE_WORDS
        if block != headline and (
            _byline_name(_class_of(page, block)) or (short and _says_time(page.texts[block]))
        ):
            return True
    return False
