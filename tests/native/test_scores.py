"""The native scores against numpy: log odds of all sizes, wrong sizes, numbers that are none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_boilerplate.news import model as module
from scrapy_boilerplate.page.labels import Label

native: Any = pytest.importorskip("scrapy_boilerplate.native._scores")


def draw_odds(members: int, n: int, conventions: int) -> np.ndarray:
    size = (members, n, conventions + len(Label))
    return np.random.default_rng(n).normal(0, 6, size).astype(np.float32)


@given(st.integers(1, 4), st.integers(0, 40), st.integers(1, 5))
def test_scores_of_all_sizes(members: int, n: int, conventions: int) -> None:
    random = np.random.default_rng(conventions)
    mix = random.dirichlet(np.ones(conventions)) * random.integers(0, 2, conventions)
    arguments = draw_odds(members, n, conventions), mix
    computed, expected = (
        module._score_natively(native, *arguments),
        module._score_in_numpy(*arguments),
    )
    np.testing.assert_allclose(computed, expected, rtol=1e-12, atol=1e-15)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan, 3e38])
@pytest.mark.parametrize("place", [0, 2, 7])
def test_numbers_beyond_all_sizes(value: float, place: int) -> None:
    log_odds = draw_odds(2, 3, 2)
    log_odds[1, 1, place] = value
    arguments = log_odds, np.array([0.5, 0.5])
    computed, expected = (
        module._score_natively(native, *arguments),
        module._score_in_numpy(*arguments),
    )
    np.testing.assert_allclose(computed, expected, rtol=1e-12, atol=1e-15)


def arguments(**changed: Any) -> dict[str, Any]:
    named = {
        "log_odds": draw_odds(2, 5, 3),
        "mix": np.ones(3) / 3,
        "full_text": 2,
        "least_share": 1e-9,
        "scores": np.zeros((5, 6)),
    }
    return {**named, **changed}


WRONG: dict[str, dict[str, Any]] = {
    "rows": {"scores": np.zeros((6, 6))},
    "labels": {"scores": np.zeros((5, 7))},
    "no labels": {"scores": np.zeros((5, 0))},
    "conventions": {"mix": np.ones(2)},
    "no members": {"log_odds": draw_odds(0, 5, 3)},
    "full text": {"full_text": 6},
    "negative": {"full_text": -1},
    "many labels": {
        "scores": np.zeros((5, 17)),
        "log_odds": np.zeros((2, 5, 20), dtype=np.float32),
    },
}


@pytest.mark.parametrize("name", WRONG)
def test_sizes_that_do_not_fit_are_refused(name: str) -> None:
    native.score_labels(**arguments())
    with pytest.raises(ValueError, match="do not fit each other"):
        native.score_labels(**arguments(**WRONG[name]))


def test_a_module_that_computes_something_else_is_not_used() -> None:
    class Wrong:
        @staticmethod
        def score_labels(*arguments: Any) -> None:
            native.score_labels(*arguments)
            arguments[-1][1, 2] += 1e-3

    assert module._agrees(native)
    assert not module._agrees(Wrong)
