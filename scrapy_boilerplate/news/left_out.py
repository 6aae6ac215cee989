"""The steps of `news` that take a second copy of the body, and other articles, out of the text.

Their blocks get the mark LEFT_OUT.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.news.live_blog import find_shown
from scrapy_boilerplate.page.labels import Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.class_names import names_byline
from scrapy_boilerplate.steps.text_overlap import MAX_RUNS, RUN_WORDS, Run, list_runs, list_words
from scrapy_boilerplate.steps.titles import is_named_by

LEFT_OUT = "left-out"
"""Mark of blocks that are no text, and get no other label."""
MIN_TEXT_WORDS = 20
"""Words of a text at least beside what is left out (our choice)."""

SOURCE_TAGS = frozenset({"textarea"})

# The repeated body

MIN_RUNS = 4
"""Runs of a copied block at least (our choice)."""
MIN_COPIED_SHARE = 0.9
"""Share of a block's runs from which it is a copy (our sweep, docs/provenance.md)."""
MIN_PART = 0.2
"""Words of all copies, of the other content, from which they are a body and no summary (our sweep,
docs/provenance.md)."""


@dataclass(frozen=True, kw_only=True)
class RepeatedBody:
    """Label duplicated text as boilerplate.

    Pages repeat the body for phones, or the first lines of a paid article. The parent with the most
    words keeps its blocks.
    """

    min_part: float = MIN_PART
    name: str = "repeated-body"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        content = labeling.content.nonzero()[0]
        parents = page.elements.parent_column[page.blocks.elements[content]].tolist()
        by_parent: dict[int, list[int]] = defaultdict(list)
        for block, parent in zip(content.tolist(), parents, strict=True):
            by_parent[parent].append(block)
        words = page.words.tolist()
        counted = [(-sum([words[block] for block in group]), group) for group in by_parent.values()]
        groups = [group for _, group in sorted(counted)]
        total = -sum(count for count, _ in counted)
        # most pages have few words under other parents, or soon show that too few are copies
        others = [block for group in groups[1:] for block in group]
        copies = others
        for reject_blocks in (_reject_by_words, _reject_by_runs):
            rejected, copied = set(), sum(words[block] for block in others)
            if not self._is_body(copied, total):
                return labeling
            for block in reject_blocks(page.texts, groups):
                rejected.add(block)
                copied -= words[block]
                if not self._is_body(copied, total):
                    return labeling
            copies = [block for block in others if block not in rejected]
        where = np.zeros(len(page), dtype=np.bool_)
        where[copies] = True
        return labeling.choose(where, Label.BOILERPLATE, self.name).mark(LEFT_OUT, where)

    def _is_body(self, copied: int, total: int) -> bool:
        """Return whether `copied` of `total` words are a repeated body."""
        return copied >= max(1.0, self.min_part * (total - copied))


def _reject_by_words(texts: Sequence[str], groups: Sequence[Sequence[int]]) -> Iterator[int]:
    """Yield the blocks that cannot be copies: many of their words are not in earlier groups."""
    seen: set[str] = set()
    for group in groups:
        new: set[str] = set()
        for block in group:
            listed = list_words(texts[block])
            if group is not groups[0]:
                # each new word begins a new run, except the last ones
                n_new = int((1 - MIN_COPIED_SHARE) * len(listed))
                most = n_new and n_new + RUN_WORDS - 1
                is_short = len(listed) < MIN_RUNS + RUN_WORDS - 1
                if is_short or len(set(listed).difference(seen)) > most:
                    yield block
            new.update(listed)
        seen |= new


def _reject_by_runs(texts: Sequence[str], groups: Sequence[Sequence[int]]) -> Iterator[int]:
    """Yield the blocks that share less than MIN_COPIED_SHARE of their runs with earlier groups."""
    first, *others = groups
    seen = set(list_runs("\n".join(texts[block] for block in first)))
    for group in others:
        new: list[Run] = []
        for block in group:
            runs = list_runs(texts[block])
            shared = len(seen.intersection(runs))
            if len(runs) < MIN_RUNS or shared < MIN_COPIED_SHARE * len(runs):
                yield block
                new += runs
        if len(seen) < MAX_RUNS:
            seen.update(new)


# Several articles

MIN_ARTICLE_WORDS = 40
"""Content words of an article after its headline at least (our choice)."""
BLOCKS_BEFORE, BLOCKS_AFTER = 3, 6
"""Blocks before and after a headline in which byline and date are searched (our choice)."""
MAX_BYLINE_WORDS = 20
"""Words of a block with a time at most (our choice)."""

_has_time = re.compile(
    r"\b(?:19|20)\d\d\b|\d{1,2}[:.h]\d\d|\d{1,2}[./-]\d{1,2}|\d{1,2}\u6708|\d{1,2}\u65e5"
).search


@dataclass(frozen=True, kw_only=True)
class SeveralArticles:
    """Make the content under the headlines of other articles boilerplate.

    Pages with endless scrolling have several. A headline of an article is an `h1` with content
    after it and a byline, date or time near it. The title of the page names its own article; the
    headlines of others have the same class. If it names none, they are parts of one article. Our
    sweep, docs/provenance.md.
    """

    min_words: int = MIN_ARTICLE_WORDS
    name: str = "several-articles"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        if page.tags.count("h1") < 2 or find_shown(page) is not None:  # entries can have one each
            return labeling
        starts = [block for block, tag in enumerate(page.tags) if tag == "h1"]
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
            same_class = _read_class(page, start) == _read_class(page, main) != ""
            if start != main and same_class and page.texts[start] != page.texts[main]:
                others[start:end] = True
        content = others & labeling.content
        headlines = np.isin(np.arange(len(page)), starts)
        decided = labeling.choose(content, Label.BOILERPLATE, self.name)
        return decided.mark(LEFT_OUT, content | others & headlines)


def _read_class(page: Page, block: int) -> str:
    return page.elements.classes[int(page.blocks.elements[block])].strip()


def _has_byline(page: Page, headline: int) -> bool:
    for block in range(
        max(0, headline - BLOCKS_BEFORE), min(len(page), headline + BLOCKS_AFTER + 1)
    ):
        short = page.words[block] <= MAX_BYLINE_WORDS
        if block != headline and (
            names_byline(_read_class(page, block)) or (short and _has_time(page.texts[block]))
        ):
            return True
    return False
