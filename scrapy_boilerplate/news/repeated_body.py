"""The body printed twice: for phones and screens, or for the first lines of a paid article."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.news.named_containers import LEFT_OUT
from scrapy_boilerplate.page.labels import Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import words_of

RUN = 4
"""Words to a run (LEARNING.md, the recipe, 5)."""
MIN_RUNS = 4
"""Runs from which a block is long enough to be a copy."""
MIN_SHARE = 0.9
"""Share of a block's runs that stand in other kept blocks (LEARNING.md, the recipe, 5)."""
MIN_PART = 0.2
"""Words of all copies, of what stays, from which it is a body and no summary: our sweep over 0, .1,
.2, .3, .5 (2026-11-21; 3 folds by site): waddle +.004, wcxb articles +.002, none lower."""

Runs = set[tuple[str, ...]]


@dataclass(frozen=True, kw_only=True)
class RepeatedBody:
    """Content whose words stand in content under another parent becomes boilerplate.

    The parent with the most words keeps its blocks.
    """

    min_part: float = MIN_PART
    name: str = "repeated-body"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        groups = _groups(page, labeling)
        total = int(page.words[labeling.content].sum())
        if len(groups) < 2 or not self._enough(_most_copied(page, groups[1:]), total):
            return labeling
        copies: list[int] = []
        seen = _runs("\n".join(page.texts[block] for block in groups[0]))
        for group in groups[1:]:
            new: Runs = set()
            for block in group:
                runs = _runs(page.texts[block])
                if len(runs) >= MIN_RUNS and len(runs & seen) >= MIN_SHARE * len(runs):
                    copies.append(block)
                else:
                    new |= runs
            seen |= new
        if not self._enough(int(page.words[copies].sum()), total):
            return labeling
        where = np.zeros(len(page), dtype=np.bool_)
        where[copies] = True
        return labeling.choose(where, Label.BOILERPLATE, self.name).mark(LEFT_OUT, where)

    def _enough(self, copied: int, total: int) -> bool:
        """Whether so many words of `total` are a body printed again."""
        return copied >= max(1.0, self.min_part * (total - copied))


def _most_copied(page: Page, groups: list[list[int]]) -> int:
    """Words of the blocks that can be copies at all; few pages have enough of them to look."""
    words = page.words[[block for group in groups for block in group]]
    return int(words[words >= MIN_RUNS + RUN - 1].sum())


def _groups(page: Page, labeling: Labeling) -> list[list[int]]:
    """The content blocks of each parent, the one with the most words first."""
    parents = page.elements.parent_column[page.blocks.elements].tolist()
    by_parent: dict[int, list[int]] = defaultdict(list)
    for block in np.flatnonzero(labeling.content).tolist():
        by_parent[parents[block]].append(block)
    return sorted(by_parent.values(), key=lambda group: (-page.words[group].sum(), group[0]))


def _runs(text: str) -> Runs:
    words = words_of(text.lower())
    return set(zip(*(words[k:] for k in range(RUN)), strict=False))
