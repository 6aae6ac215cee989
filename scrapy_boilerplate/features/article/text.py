"""How the text of a page is spread over its blocks and their containers."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from scrapy_boilerplate.features.news.facts import (
    GOOD_LINK_DENSITY,
    GOOD_WORDS,
    NEVER_CONTAINERS,
)
from scrapy_boilerplate.label import IntArray
from scrapy_boilerplate.page import Page

COLUMNS = {
    "good_words": "log of 1 + the words in good blocks: those of many words, few of them in links",
    "good_share": "share of the words that is in good blocks",
    "link_share": "share of the words that is in links",
    "best_words": "log of 1 + the good words in the container with the most of them",
    "best_share": "share of the good words that is in the best container",
    "containers": "log of 1 + the number of containers with good words",
    "best_paragraphs": "share of the good words that is in p elements",
    "dense": "share of good blocks among those from first to last of the best container",
    "headings": "log of 1 + the headings between these two",
    "first_heading": "share of the blocks that stands before the first h1",
    "h1_words": "log of 1 + the number of words in the first h1",
}
"""Name to what it is, in the order of `text_row`."""

HEADINGS = ("h2", "h3", "h4")
"""Tags of the headings inside an article."""


def text_row(page: Page) -> list[float]:
    """A number for each of COLUMNS; `page` is in atomic blocks. Without blocks all are 0."""
    if not len(page):
        return [0.0] * len(COLUMNS)
    good = _Good(page)
    return [*_of_words(good), *_of_containers(good), *_of_heading(page)]


class _Good:
    """The good blocks of one page: `at` their numbers, `words`, `elements` what they stand in."""

    def __init__(self, page: Page) -> None:
        self.page = page
        good = (page.words >= GOOD_WORDS) & (page.link_density <= GOOD_LINK_DENSITY)
        self.at: IntArray = np.flatnonzero(good)
        self.words: IntArray = page.words[self.at]

        self.elements: list[int] = page.blocks.elements[self.at].tolist()

    def containers(self) -> list[int]:
        """The element around each good block that holds its like: of a paragraph or list that
        around it."""
        tags, parents = self.page.elements.tags, self.page.elements.parents
        found = []
        for own in self.elements:
            element = own
            for _ in range(2):  # an item, then its list
                if tags[element] in NEVER_CONTAINERS and parents[element] >= 0:
                    element = parents[element]
            found.append(element)
        return found


def _of_words(good: _Good) -> Sequence[float]:
    page = good.page
    total, held = max(int(page.words.sum()), 1), int(good.words.sum())
    return (
        math.log1p(held),
        held / total,
        int(page.link_words.sum()) / total,
    )


def _of_containers(good: _Good) -> Sequence[float]:
    if not len(good.at):
        return (0.0,) * 6
    tags, words, containers = good.page.elements.tags, good.words.tolist(), good.containers()
    held: dict[int, int] = {}
    in_paragraphs = 0
    for container, element, count in zip(containers, good.elements, words, strict=True):
        held[container] = held.get(container, 0) + count
        in_paragraphs += count * (tags[element] == "p")
    best = max(held, key=held.__getitem__)
    first = containers.index(best)
    last = len(containers) - 1 - containers[::-1].index(best)
    between = tags[good.elements[first] : good.elements[last]]
    blocks = int(good.at[last] - good.at[first]) + 1
    return (
        math.log1p(held[best]),
        held[best] / sum(words),
        math.log1p(len(held)),
        in_paragraphs / sum(words),
        (last - first + 1) / blocks,
        math.log1p(sum(map(between.count, HEADINGS))),
    )


def _of_heading(page: Page) -> Sequence[float]:
    tags = page.elements.tags
    if "h1" not in tags:
        return (0.0, 0.0)
    h1 = tags.index("h1")
    elements = page.blocks.elements
    at = np.flatnonzero((elements >= h1) & (elements < page.elements.ends[h1]))
    if not len(at):
        return (0.0, 0.0)
    return (int(at[0]) / len(page), math.log1p(int(page.words[at].sum())))
