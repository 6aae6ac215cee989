"""The extractor `container`: paragraphs of an article are siblings in few containers.

It works like the grandparent filter, with several groups. Known failures: articles in many small
containers lose parts; lists of long teasers in one container are kept.
"""

from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.native.features import NEVER_CONTAINERS
from scrapy_boilerplate.page.columns import NO_ELEMENT
from scrapy_boilerplate.page.labels import IntArray, Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.extractor import Extractor, build_extractor
from scrapy_boilerplate.steps.named_containers import (
    BESIDE_THE_TEXT,
    NON_ARTICLE_KINDS,
    LabelsByContainer,
)
from scrapy_boilerplate.steps.shallow_rules import MAX_LINK_DENSITY, NumberOfWordsRules
from scrapy_boilerplate.steps.titles import HeadlineByTitle

BEST_CONTAINER = "in a best container"

# A block with more words is a paragraph (as in `NumberOfWordsRules`).
MAX_SHORT_WORDS = 16


@dataclass(frozen=True, kw_only=True)
class BestContainers:
    """Keep the content blocks whose container holds enough content words.

    The container of a block is the innermost element around it with other blocks, except
    NEVER_CONTAINERS. It needs at least `share` of the content words of the page's best container
    (our sweep, docs/provenance.md).
    """

    share: float = 0.25
    name: str = "best-containers"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        content = labeling.content
        if not content.any():
            return labeling
        containers = _find_containers(page)
        words = np.bincount(containers[content], page.words[content], len(page.elements))
        best = words[containers] >= max(1.0, self.share * words.max())
        return labeling.mark(BEST_CONTAINER, best).update_content(content & best, self.name)


@dataclass(frozen=True, kw_only=True)
class FillContainers:
    """Make boilerplate in a best container content, between the first and last content.

    This restores sub-headings and short paragraphs, but no blocks of links. Paragraphs are restored
    anywhere in a best container, since links before them can make them boilerplate.
    """

    name: str = "fill-containers"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        content = np.flatnonzero(labeling.content)
        if not len(content):
            return labeling
        order = np.arange(len(page))
        between = (order > content[0]) & (order < content[-1])
        gap = labeling.marked(BEST_CONTAINER) & (between | (page.words > MAX_SHORT_WORDS))
        gap &= (labeling.labels == Label.BOILERPLATE) & ~labeling.marked(BESIDE_THE_TEXT)
        gap &= page.link_density <= MAX_LINK_DENSITY
        return labeling.relabel(gap, Label.FULL_TEXT, self.name)


def _find_containers(page: Page) -> IntArray:
    """Return int[n]: the container of each block."""
    first_elements = np.array(page.leaves.elements, dtype=np.int64)[page.blocks.first_leaf]
    starts = np.bincount(first_elements, minlength=len(page.elements))
    holds_others = (page.elements.sum_subtrees(starts) > 1).tolist()
    tags, container_of = page.elements.tags, list[int]()
    for element, parent in enumerate(page.elements.parents):
        holds = holds_others[element] and tags[element] not in NEVER_CONTAINERS
        container_of.append(element if holds or parent == NO_ELEMENT else container_of[parent])
    return np.array(container_of, dtype=np.int64)[first_elements]


# The extractor `container`, which is also the fallback of `news`.
CONTAINER = build_extractor(
    "container",
    "this project",
    "few containers hold the text; whole articles, little else",
    NumberOfWordsRules(),
    HeadlineByTitle(),
    LabelsByContainer(kinds=NON_ARTICLE_KINDS),
    BestContainers(),
    FillContainers(),
    finish=(),  # its own steps set the other labels
)

ROWS: tuple[Extractor, ...] = (CONTAINER,)
