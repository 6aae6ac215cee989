"""How the text of a page is spread over its blocks and their containers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from scrapy_boilerplate.features.news.facts import (
    GOOD_LINK_DENSITY,
    GOOD_WORDS,
    NEVER_CONTAINERS,
)
from scrapy_boilerplate.label import BoolArray, IntArray
from scrapy_boilerplate.page import Page

COLUMNS = {
    "good_words": "log of 1 + the words in good blocks: those of many words, few of them in links",
    "good_share": "share of the words that is in good blocks",
    "link_share": "share of the words that is in links",
    "questions": "question marks a hundred words",
    "best_words": "log of 1 + the good words in the container with the most of them",
    "best_share": "share of the good words that is in the best container",
    "containers": "log of 1 + the number of containers with good words",
    "best_paragraphs": "share of the good words that is in p elements",
    "dense": "share of good blocks among those from first to last of the best container",
    "headings": "log of 1 + the headings among these",
    "first_heading": "share of the blocks that stands before the first h1",
    "h1_words": "log of 1 + the number of words in the first h1",
}
"""Name to what it is, in the order of `text_row`."""

HEADINGS = frozenset(("h2", "h3", "h4"))
"""Tags of the headings inside an article."""
QUESTION_MARKS = "?\uff1f\u061f\u037e"
"""In Latin, Chinese and Japanese, Arabic and Greek."""


def text_row(page: Page) -> list[float]:
    """A number for each of COLUMNS; `page` is in atomic blocks. Without blocks all are 0."""
    if not len(page):
        return [0.0] * len(COLUMNS)
    good = _Good(page)
    return [*_of_words(good), *_of_containers(good), *_of_heading(page)]


class _Good:
    """The good blocks of one page: `at` int[good] their numbers, `words` int[good]."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.mask: BoolArray = (page.words >= GOOD_WORDS) & (page.link_density <= GOOD_LINK_DENSITY)
        self.at: IntArray = np.flatnonzero(self.mask)
        self.words: IntArray = page.words[self.at]

    @cached_property
    def containers(self) -> list[int]:
        """The element around each good block that holds its like: that of a paragraph or list is
        its parent's."""
        tags, parents = self.page.elements.tags, self.page.elements.parents
        found = []
        for own in self.page.blocks.elements[self.at].tolist():
            element = own
            for _ in range(2):  # an item, then its list
                if tags[element] in NEVER_CONTAINERS and parents[element] >= 0:
                    element = parents[element]
            found.append(element)
        return found


def _of_words(good: _Good) -> Sequence[float]:
    page = good.page
    total, held = max(int(page.words.sum()), 1), int(good.words.sum())
    text = "\n".join(page.texts)
    return (
        math.log1p(held),
        held / total,
        int(page.link_words.sum()) / total,
        100 * sum(map(text.count, QUESTION_MARKS)) / total,
    )


def _of_containers(good: _Good) -> Sequence[float]:
    if not len(good.at):
        return (0.0,) * 6
    page, words = good.page, good.words.tolist()
    held: dict[int, int] = {}
    for container, count in zip(good.containers, words, strict=True):
        held[container] = held.get(container, 0) + count
    best = max(held, key=held.__getitem__)
    of_best = [at for at, one in zip(good.at.tolist(), good.containers, strict=True) if one == best]
    span = slice(of_best[0], of_best[-1] + 1)
    tags = page.tags
    paragraphs = (n for at, n in zip(good.at.tolist(), words, strict=True) if tags[at] == "p")
    return (
        math.log1p(held[best]),
        held[best] / sum(words),
        math.log1p(len(held)),
        sum(paragraphs) / sum(words),
        int(np.count_nonzero(good.mask[span])) / (span.stop - span.start),
        math.log1p(sum(tag in HEADINGS for tag in tags[span])),
    )


def _of_heading(page: Page) -> Sequence[float]:
    tags = page.elements.tags
    if "h1" not in tags:
        return (0.0, 0.0)
    h1 = tags.index("h1")
    first, end = np.searchsorted(page.blocks.elements, (h1, page.elements.ends[h1])).tolist()
    return (first / len(page), math.log1p(int(page.words[first:end].sum())))
