"""Pages whose blocks have given scores, as a model leaves them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scrapy_boilerplate.page.labels import Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.extractor import Step
from tests.builders import true_at

MODEL = "model"


def scored(page: Page, scores: Sequence[float]) -> Labeling:
    """Nothing decided yet; the blocks have these scores of full text, the rest is boilerplate."""
    rows = np.zeros((len(page), len(Label)))
    rows[:, Label.FULL_TEXT] = scores
    rows[:, Label.BOILERPLATE] = 1 - rows[:, Label.FULL_TEXT]
    return Labeling.blank(len(page)).predict(np.zeros(len(page), np.int64), rows, MODEL)


def kept(page: Page, scores: Sequence[float], *content: int) -> Labeling:
    """As `scored`, and the blocks `content` are full text."""
    return scored(page, scores).choose(np.array(content, np.int64), Label.FULL_TEXT, "test")


def all_kept(page: Page) -> Labeling:
    """Every block is full text, with a score of .9."""
    return kept(page, [0.9] * len(page), *range(len(page)))


def after(step: Step, page: Page, labeling: Labeling) -> list[int]:
    """The content after `step`."""
    return true_at(step(page, labeling).content)
