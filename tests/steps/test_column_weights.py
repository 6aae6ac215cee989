"""What weighed most: columns that a model reads weigh, others do not."""

import numpy as np
import pytest

from scrapy_boilerplate import EXTRACTORS, Label
from scrapy_boilerplate.steps.column_weights import ColumnWeights
from tests.builders import page_of, sentences, trace_steps


def by_first_column(rows: np.ndarray) -> np.ndarray:
    """Full text by the first column, boilerplate else; the second one is not read."""
    scores = np.zeros((len(rows), len(Label)))
    scores[:, Label.FULL_TEXT] = 1 / (1 + np.exp(-rows[:, 0]))
    scores[:, Label.BOILERPLATE] = 1 - scores[:, Label.FULL_TEXT]
    return scores


def test_a_column_weighs_what_it_adds_to_the_log_odds_of_the_label() -> None:
    columns = ColumnWeights(
        about={"read": "", "not read": ""},
        rows=np.array([[2.0, 5.0], [-1.0, 5.0], [0.0, 5.0]]),
        neutral=np.zeros(2),
        scores=by_first_column,
    )
    weights = columns.compute(np.array([Label.FULL_TEXT, Label.BOILERPLATE, Label.FULL_TEXT]))
    assert weights == pytest.approx(np.array([[2.0, 0.0], [1.0, 0.0], [0.0, 0.0]]))


def test_the_net_of_news_weighs_its_columns() -> None:
    extractor = EXTRACTORS["news"]
    page = extractor.segmenter(page_of(f"<p>{sentences(60, 'tide')}</p><p>end</p>"))
    [step] = [step for step in extractor.steps if hasattr(step, "weigh_columns")]
    columns = step.weigh_columns(page)
    assert columns.rows.shape == (len(page), len(columns.about))
    assert columns.scores(columns.rows) == pytest.approx(
        trace_steps(extractor, page)[0][1].scores, abs=1e-4
    )
    assert np.isfinite(columns.compute(extractor.label(page).labels)).all()
