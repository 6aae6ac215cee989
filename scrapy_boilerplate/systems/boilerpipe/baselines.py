"""The baselines of Kohlschuetter et al. 2010: one threshold, or none at all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.page.labels import Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.runs import Runs


@dataclass(frozen=True, kw_only=True)
class KeepEverything:
    """Every block is content (the paper's "Keep everything"): recall 1, precision the page's."""

    name: str = "keep-everything"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        return labeling.classify(np.ones(len(page), dtype=np.bool_), self.name)


@dataclass(frozen=True, kw_only=True)
class MinWords:
    """Blocks, or runs of fused ones, of at least `words` words are content (the paper: 10)."""

    words: int = 10
    name: str = "min-words"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        runs = Runs(page, labeling)
        return labeling.classify(runs.blocks(runs.words >= self.words), self.name)


@dataclass(frozen=True, kw_only=True)
class DensityThreshold:
    """Blocks of at least this text density, in words per line, are content.

    10.5 is the split Weka's 1R learner found on L3S-GN1 (the paper, Table 2 and section 5.1).
    """

    density: float = 10.5
    name: str = "density-threshold"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        return labeling.classify(page.text_density >= self.density, self.name)
