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


def applied(step: Step, page: Page, labeling: Labeling) -> Labeling:
    """The labeling after `step`, which must be pure, leave the scores and sign its changes."""
    before = [labeling.labels.copy(), labeling.scores.copy(), labeling.decided_by.copy()]
    result = step(page, labeling)
    now = (labeling.labels, labeling.scores, labeling.decided_by)
    for old_column, column in zip(before, now, strict=True):
        np.testing.assert_array_equal(old_column, column)
    np.testing.assert_array_equal(result.scores, labeling.scores)
    changed = result.labels != labeling.labels
    assert set(result.decided_by[changed]) <= {step.name}
    again = step(page, labeling)
    np.testing.assert_array_equal(again.labels, result.labels)
    return result


def after(step: Step, page: Page, labeling: Labeling) -> list[int]:
    """The content after `step`, by `applied`."""
    return true_at(applied(step, page, labeling).content)


SMALL = ("", "<p>one", "<p>|", "<p>one<p>two", "<h2>one</h2><h2>two</h2>", "<h1>a<h1>b")
"""Pages of 0, 1 and 2 blocks."""
