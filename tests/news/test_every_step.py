"""What holds for all steps after the model of `news`."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_boilerplate.news.extractor import build_news
from scrapy_boilerplate.page.labels import Label, Labeling
from tests.builders import page_of
from tests.news.scored_pages import SMALL
from tests.news_models import stored_news
from tests.test_extraction_properties import SOUP

STEPS = {step.name: step for step in build_news(stored_news).steps[1:]}
EVERY = pytest.mark.parametrize("name", STEPS)
HTML = SOUP | st.sampled_from(SMALL)


def any_labeling(n: int, seed: int) -> Labeling:
    """Scores and labels at random."""
    random = np.random.default_rng(seed)
    scores = random.dirichlet(np.full(len(Label), 0.5), n)
    return Labeling.blank(n).predict(random.integers(0, len(Label), n), scores, "x")


@EVERY
@given(html=HTML, seed=st.integers(0, 99))
def test_steps_are_pure_keep_the_scores_and_sign_what_they_change(
    name: str, html: str, seed: int
) -> None:
    page = page_of(html)
    labeling = any_labeling(len(page), seed)
    same = any_labeling(len(page), seed)
    result = STEPS[name](page, labeling)
    for column in ("labels", "scores", "decided_by", "fused"):
        np.testing.assert_array_equal(getattr(labeling, column), getattr(same, column))
    np.testing.assert_array_equal(result.scores, labeling.scores)
    np.testing.assert_array_equal(result.labels, STEPS[name](page, labeling).labels)
    changed = result.labels != labeling.labels
    assert set(result.decided_by[changed]) <= {name}
    assert np.isin(result.labels, list(Label)).all()
