"""The tree filter of Viveros-Jimenez et al. 2018: keep the relatives of the largest group.

After a recall-oriented method has chosen blocks, the paragraphs around them are grouped by a
common ancestor, and only the group with the most text stays. docs/systems/tree-filter.md has the
known failures.
"""

from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.page.labels import Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.extractor import Extractor, build_extractor
from scrapy_boilerplate.steps.shallow_rules import NumberOfWordsRules
from scrapy_boilerplate.systems.common.columns import count_characters, find_innermost

# The elements that can be a paragraph (the paper, section 4, step 1).
PARAGRAPH_TAGS = frozenset(
    "div table ul ol p section article h1 h2 h3 h4 h5 h6 header body".split()
)


@dataclass(frozen=True, kw_only=True)
class GrandparentFilter:
    """Keep the content blocks whose paragraphs share the n-th ancestor with the most text.

    `depth` 1 is the parent of the paragraph, 2 (best in the paper's Table 2) the grandparent, up
    to 5. Text is measured in characters.
    """

    depth: int = 2
    name: str = "grandparent-filter"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        content = np.flatnonzero(labeling.content)
        if not len(content):
            return labeling
        parents = np.maximum(page.elements.parent_column, 0)  # roots count as children of the first
        paragraphs = page.elements.tagged(PARAGRAPH_TAGS)
        ancestors = np.maximum(find_innermost(page.elements, paragraphs), 0)
        for _ in range(self.depth):
            ancestors = parents[ancestors]
        groups = ancestors[page.blocks.elements]
        amounts = np.bincount(groups[content], count_characters(page)[content], len(parents))
        kept = labeling.content & (groups == np.argmax(amounts))
        return labeling.update_content(kept, self.name)


ROWS: tuple[Extractor, ...] = (
    build_extractor("grandparent", "Viveros-Jimenez, Sanchez-Perez, Gomez-Adorno et al. 2018",
        "num-words, then only the paragraphs of the largest group; high precision",
        NumberOfWordsRules(), GrandparentFilter(depth=2)),
)  # fmt: skip
