"""How the text of a page is spread over its blocks and their containers."""

from __future__ import annotations

import math

from scrapy_boilerplate.features.news.facts import (
    GOOD_LINK_DENSITY,
    GOOD_WORDS,
    NEVER_CONTAINERS,
)
from scrapy_boilerplate.page import Page

COLUMNS = {
    "good_words": "log of 1 + the words in good blocks: those of many words, few of them in links",
    "good_share": "share of the words that is in good blocks",
    "link_share": "share of the words that is in links",
    "best_words": "log of 1 + the good words in the container with the most of them",
    "best_share": "share of the good words that is in the best container",
    "containers": "log of 1 + the number of containers with good words",
    "paragraphs": "share of the good words that is in p elements",
}
"""Name to what it is, in the order of `text_row`."""


def text_row(page: Page) -> list[float]:
    """A number for each of COLUMNS; `page` is in atomic blocks. Without words all are 0."""
    total = int(page.words.sum()) if len(page) else 0
    if not total:
        return [0.0] * len(COLUMNS)
    good = (page.words >= GOOD_WORDS) & (page.link_density <= GOOD_LINK_DENSITY)
    words: list[int] = page.words[good].tolist()
    held = sum(words)
    return [
        math.log1p(held),
        held / total,
        int(page.link_words.sum()) / total,
        *_of_containers(page, page.blocks.elements[good].tolist(), words),
    ]


def _of_containers(page: Page, elements: list[int], words: list[int]) -> list[float]:
    """The columns from `best_words` on, of the elements and the words of the good blocks."""
    if not words:
        return [0.0] * 4
    tags, parents = page.elements.tags, page.elements.parents
    held: dict[int, int] = {}
    in_paragraphs = 0
    for element, count in zip(elements, words, strict=True):
        in_paragraphs += count * (tags[element] == "p")
        container = element
        for _ in range(2):  # an item, then its list
            if tags[container] in NEVER_CONTAINERS and parents[container] >= 0:
                container = parents[container]
        held[container] = held.get(container, 0) + count
    best, whole = max(held.values()), sum(words)
    return [math.log1p(best), best / whole, math.log1p(len(held)), in_paragraphs / whole]
