"""The container rule: paragraphs of one article stand side by side in few containers.

Our own rule, a sibling of the grandparent filter that keeps several groups. Known failures:
articles cut into many small containers lose parts; lists of long teasers in one container are kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.label import IntArray, Label, Labeling
from scrapy_boilerplate.page import Page

BEST_CONTAINER = "in a best container"

LIST_TAGS = frozenset(["ul", "ol", "li", "dl", "dd", "dt", "blockquote"])
"""Lists and quotations belong to the container they interrupt."""

MAX_LINK_DENSITY = 1 / 3
"""Share of linked words above which a gap is not filled (as in `NumberOfWordsRules`)."""


@dataclass(frozen=True, kw_only=True)
class BestContainers:
    """Keep the content blocks whose container holds enough content words.

    A container is the parent of the element that holds a block, lists and quotations apart. It
    stays if its content words are at least `share` of those of the page's best container. 0.25
    was best for fundus (LEARNING.md, what mattered, 3; our sweep of 2026-11-21 over .15 .25 .4 on
    fundus and article-extraction agrees).
    """

    share: float = 0.25
    name: str = "best-containers"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        content = labeling.content
        if not content.any():
            return labeling
        containers = _containers(page)
        words = np.bincount(containers[content], page.words[content], len(page.elements))
        best = words[containers] >= max(1.0, self.share * words.max())
        return labeling.mark(BEST_CONTAINER, best).revise(content & best, self.name)


@dataclass(frozen=True, kw_only=True)
class FillContainers:
    """Boilerplate in a best container, between its first and last content, becomes content.

    Sub-headings and short paragraphs come back that way, blocks of links do not.
    """

    name: str = "fill-containers"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        kept = np.flatnonzero(labeling.content)
        if not len(kept):
            return labeling
        order = np.arange(len(page))
        gap = labeling.marked(BEST_CONTAINER) & (order > kept[0]) & (order < kept[-1])
        gap &= labeling.labels == Label.BOILERPLATE
        gap &= page.link_density <= MAX_LINK_DENSITY
        return labeling.relabel(gap, Label.FULL_TEXT, self.name)


def _containers(page: Page) -> IntArray:
    """int[n]: the element that is each block's container."""
    tags, parents = page.elements.tags, page.elements.parents
    listed = [0] * len(tags)
    for element, (tag, parent) in enumerate(zip(tags, parents, strict=True)):
        if element:
            listed[element] = listed[parent] if tag in LIST_TAGS else element
    up: IntArray = np.array([listed[max(parent, 0)] for parent in parents], dtype=np.int64)
    found: IntArray = up[page.blocks.elements]
    return found
