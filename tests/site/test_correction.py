"""The correction by site knowledge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from scrapy_boilerplate.page.labels import FloatArray, Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.site.correction import (
    COLUMNS,
    NAME,
    SiteCorrection,
    check_weights,
    compute_log_odds,
)
from scrapy_boilerplate.site.extractor import MODELS
from scrapy_boilerplate.site.knowledge import SiteView
from scrapy_boilerplate.steps.model_store import ModelError, StoredModel, load_shipped
from tests.builders import document, page_of, sentences
from tests.site_views import CONTENT_CLASS, body_of, box, view_from

NOTICE = "Read our daily letter"
OTHERS = [body_of(box("text", f"Story {letter}", NOTICE)) for letter in "bcde"]
SHIPPED = partial(load_shipped, MODELS / NAME)


def stored(weights: Mapping[str, float]) -> StoredModel:
    row = np.array([weights.get(name, 0.0) for name in COLUMNS])
    return StoredModel(kind=NAME, columns=tuple(COLUMNS), facts={}, arrays={"weights": row})


def scored(page: Page, full_text: Sequence[float]) -> Labeling:
    """A labeling with these scores of full text; the rest is shared by boilerplate and comments."""
    scores = np.zeros((len(page), len(Label)))
    scores[:, Label.FULL_TEXT] = full_text
    scores[:, Label.BOILERPLATE] = (1 - scores[:, Label.FULL_TEXT]) * 0.75
    scores[:, Label.COMMENTS] = (1 - scores[:, Label.FULL_TEXT]) * 0.25
    return replace(Labeling.blank(len(page)), scores=scores)


def corrected(page: Page, before: Labeling, view: SiteView, model: StoredModel) -> FloatArray:
    after = SiteCorrection(view=view, load_model=lambda: model)(page, before)
    assert after.labels.tolist() == before.labels.tolist(), "it decides nothing"
    return after.scores


def test_columns_are_added_to_the_log_odds_and_other_labels_share_the_rest() -> None:
    page = body_of(box("text", "Our story", NOTICE))
    view, before = view_from(page, OTHERS), scored(page, [0.8, 0.6])
    after = corrected(page, before, view, stored({"repeated": -2.0, "path_new": 1.0}))
    moved = compute_log_odds(after[:, Label.FULL_TEXT]) - compute_log_odds(
        before.scores[:, Label.FULL_TEXT]
    )
    assert moved == pytest.approx([0.0, -2.0])
    assert after.sum(axis=1) == pytest.approx([1.0, 1.0])
    assert after[:, Label.BOILERPLATE] == pytest.approx(3 * after[:, Label.COMMENTS])


STORIES = [
    body_of(
        box(CONTENT_CLASS, " ".join(f"{letter}{number}" for number in range(30)), NOTICE),
        box("more", f"<a href=/x>{letter}</a>"),
    )
    for letter in "bcde"
]
STORY = sentences(30, "ferry")
# Raises the unsure blocks whose class path other pages have.
RAISING = stored({"path_known_sure": -4.0})


@pytest.mark.parametrize(
    ("html", "scores", "rises"),
    [
        (box(CONTENT_CLASS, STORY, STORY), [0.3, 0.9], True),
        (box(CONTENT_CLASS, STORY, NOTICE), [0.3, 0.6], True),
        (box(CONTENT_CLASS, STORY, NOTICE), [0.3, 0.2], False),  # a page without content
        (box(CONTENT_CLASS, "Another headline", STORY), [0.3, 0.9], False),
        (box(CONTENT_CLASS, f"<a href=/x>{STORY}</a>", STORY), [0.3, 0.9], False),
        (box("more", STORY) + box(CONTENT_CLASS, STORY), [0.3, 0.9], False),
    ],
)
def test_only_paragraphs_at_places_of_content_rise(
    html: str, scores: list[float], rises: bool
) -> None:
    page = body_of(html)
    after = corrected(page, scored(page, scores), view_from(page, STORIES), RAISING)
    first = after[0, Label.FULL_TEXT]
    assert first > 0.4 if rises else first == pytest.approx(0.3)


@pytest.mark.parametrize("html", ["", "<p>one</p>"])
def test_pages_with_hardly_a_block(html: str) -> None:
    page = page_of(document(html))
    correct = SiteCorrection(view=view_from(page, OTHERS), load_model=SHIPPED)
    after = correct(page, scored(page, [0.5] * len(page)))
    assert after.scores.shape == (len(page), len(Label))
    assert np.isfinite(after.scores).all()


def test_the_shipped_one_lowers_repeated_text() -> None:
    page = body_of(box("text", "Our own story is told here in a few words", NOTICE))
    before = scored(page, [0.7, 0.7])
    after = SiteCorrection(view=view_from(page, OTHERS), load_model=SHIPPED)(page, before)
    own, repeated = after.scores[:, Label.FULL_TEXT]
    assert repeated < 0.5 < own
    unknown = SiteCorrection(view=view_from(page, []), load_model=SHIPPED)
    assert unknown(page, before) is before


@pytest.mark.parametrize(
    "change",
    [
        {"columns": tuple(COLUMNS)[1:]},
        {"arrays": {"weights": np.zeros(3)}},
        {"arrays": {"weights": np.full(len(COLUMNS), np.nan)}},
    ],
)
def test_a_model_of_other_columns_or_another_shape_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ModelError):
        check_weights(replace(stored({}), **change))
