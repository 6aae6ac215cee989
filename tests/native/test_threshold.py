"""The threshold with the highest expected F1, against every threshold."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from scrapy_boilerplate.native.steps import find_threshold

SCORES = st.floats(0, 1).map(lambda score: round(score, 3))


@given(st.lists(st.tuples(SCORES, st.integers(0, 90)), min_size=1, max_size=12))
@example([(0.0, 0)])
@example([(1.0, 0), (0.9, 3)])
def test_no_threshold_has_a_higher_expected_f1(blocks: list[tuple[float, int]]) -> None:
    scores, words = map(np.array, zip(*blocks, strict=True))
    weights = np.maximum(words, 1)

    def expect_f1(threshold: float) -> float:
        kept = scores >= threshold
        right, wanted = (scores * weights)[kept].sum(), (scores * weights).sum()
        return float(2 * right / (weights[kept].sum() + wanted))

    found = find_threshold(scores.astype(float), words)
    assert found in scores
    assert expect_f1(found) >= max(map(expect_f1, scores)) - 1e-9


def test_no_blocks() -> None:
    assert find_threshold(np.zeros(0), np.zeros(0, dtype=np.int64)) == 0
