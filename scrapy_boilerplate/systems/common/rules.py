"""The step that labels the blocks of a page by a rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from scrapy_boilerplate.page.labels import BoolArray, Labeling
from scrapy_boilerplate.page.page import Page

Rule = Callable[[Page], BoolArray]
"""From a page to bool[n]: the blocks that are content."""


@dataclass(frozen=True)
class ContentRule:
    """Label the blocks that `rule` selects as full text, all others as boilerplate."""

    name: str
    rule: Rule

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        return labeling.classify(self.rule(page), self.name)
