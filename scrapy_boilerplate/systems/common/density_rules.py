"""The decision tree of Kohlschuetter et al. 2010, section 4.3.1, over text density: Algorithm 1.

For its known failures see `steps.shallow_rules`.
"""

from __future__ import annotations

from dataclasses import dataclass

from scrapy_boilerplate.page.labels import Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.shallow_rules import MAX_LINK_DENSITY, MAX_LINK_DENSITY_BEFORE
from scrapy_boilerplate.systems.common.features import take_next, take_previous
from scrapy_boilerplate.systems.common.runs import Runs


@dataclass(frozen=True, kw_only=True)
class DensityRules:
    """Algorithm 1: text density and link density; numbers are words to a line."""

    name: str = "density-rules"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        runs = Runs(page, labeling)
        density = runs.text_density
        before, after = take_previous(density), take_next(density)
        linked_before = take_previous(runs.link_density) > MAX_LINK_DENSITY_BEFORE
        sparse_after_text = (after > 10) | (before > 4)
        after_text = ((density <= 9) & sparse_after_text) | ((density > 9) & (after > 0))
        content = (runs.link_density <= MAX_LINK_DENSITY) & (
            (~linked_before & after_text) | (linked_before & (after > 11))
        )
        return labeling.classify(runs.blocks(content), self.name)
