"""The decision tree of Kohlschuetter et al. 2010, section 4.3.1, over text density: Algorithm 1."""

from __future__ import annotations

from scrapy_boilerplate.page.labels import BoolArray
from scrapy_boilerplate.steps.shallow_rules import MAX_LINK_DENSITY, MAX_LINK_DENSITY_BEFORE
from scrapy_boilerplate.systems.common.features import take_next, take_previous
from scrapy_boilerplate.systems.common.runs import ClassifyRuns, Runs


def apply_density_rules(runs: Runs) -> BoolArray:
    """bool[m]: Algorithm 1, text density and link density; numbers are words to a line."""
    density = runs.text_density
    before, after = take_previous(density), take_next(density)
    linked_before = take_previous(runs.link_density) > MAX_LINK_DENSITY_BEFORE
    sparse_after_text = (after > 10) | (before > 4)
    after_text = ((density <= 9) & sparse_after_text) | ((density > 9) & (after > 0))
    content: BoolArray = (runs.link_density <= MAX_LINK_DENSITY) & (
        (~linked_before & after_text) | (linked_before & (after > 11))
    )
    return content


DENSITY_RULES = ClassifyRuns("density-rules", apply_density_rules)
