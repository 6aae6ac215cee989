"""The tree filter of Viveros-Jimenez et al. 2018: keep the relatives of the largest group.

After a recall-oriented method has chosen blocks, the paragraphs they stand in are grouped by a
common ancestor, and only the group with the most text stays. Known failures (the paper, section
8): summaries and quotations at another depth are lost, print notes beside the text are kept, and
what the first method missed stays missed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.page.columns import NO_ELEMENT
from scrapy_boilerplate.page.labels import IntArray, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.extractor import Extractor
from scrapy_boilerplate.steps.rows import by_rules
from scrapy_boilerplate.steps.shallow_rules import NumberOfWordsRules

PARAGRAPH_TAGS = frozenset(
    [
        "div",
        "table",
        "ul",
        "ol",
        "p",
        "section",
        "article",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "body",
    ]
)
"""The elements that can be a paragraph (the paper, section 4, step 1)."""


@dataclass(frozen=True, kw_only=True)
class GrandparentFilter:
    """Keep the content blocks whose paragraphs share the n-th ancestor holding most text.

    `depth` 1 is the father of the paragraph, 2 (best in the paper's Table 2) the grandfather, up
    to 5. Text is measured in characters.
    """

    depth: int = 2
    name: str = "grandparent-filter"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        content = np.flatnonzero(labeling.content)
        if not len(content):
            return labeling
        groups = self._ancestors(page)[page.blocks.elements]
        characters = np.fromiter(map(len, page.texts), np.int64, len(page))
        amounts = np.bincount(groups[content], characters[content], len(page.elements))
        kept = labeling.content & (groups == np.argmax(amounts))
        return labeling.revise(kept, self.name)

    def _ancestors(self, page: Page) -> IntArray:
        """For each element the n-th ancestor of the paragraph around it (the root at most)."""
        parents = np.array(page.elements.parents, dtype=np.int64)
        parents[parents == NO_ELEMENT] = 0
        found = np.zeros(len(parents), dtype=np.int64)
        for element, (tag, parent) in enumerate(zip(page.elements.tags, parents, strict=True)):
            found[element] = element if tag in PARAGRAPH_TAGS else found[parent]
        for _ in range(self.depth):
            found = parents[found]
        return found


VIVEROS = "Viveros-Jimenez, Sanchez-Perez, Gomez-Adorno et al. 2018"

ROWS: tuple[Extractor, ...] = (
    by_rules(
        "grandparent",
        VIVEROS,
        "num-words, then only the paragraphs of the largest group; high precision",
        NumberOfWordsRules(),
        GrandparentFilter(depth=2),
    ),
)
