"""The native steps of news against numpy: thresholds, holes, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_boilerplate.news import content as module
from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.page.labels import Label, Labeling
from scrapy_boilerplate.page.parsing import parse_html
from scrapy_boilerplate.page.reading import read_tree

native: Any = pytest.importorskip("scrapy_boilerplate.native._steps")

SCORES = st.sampled_from([0.0, 0.05, 0.1, 0.25, 0.3, 0.31, 0.5, 0.6, 0.9, 1.0])
PARTS = [
    "<p>one two three",
    "<p><a href=/x>four</a>",
    "<p>five <a>six</a>",
    "<div>seven<p>eight</div>",
]


@given(st.lists(st.tuples(SCORES, st.integers(0, 30)), max_size=30))
def test_thresholds(blocks: list[tuple[float, int]]) -> None:
    scores = np.array([score for score, _ in blocks], dtype=np.float64)
    words = np.array([count for _, count in blocks], dtype=np.int64)
    for bounds in ((0.3, 0.6), (0.0, 1.0), (0.5, 0.5)):
        threshold = native.find_threshold(scores, words, *bounds)
        assert threshold == pytest.approx(
            module.find_threshold_in_numpy(scores, words, *bounds), abs=module.MAX_DIFFERENCE
        )


@given(
    st.lists(st.tuples(st.sampled_from(PARTS), SCORES, st.booleans()), min_size=1, max_size=25),
    st.integers(0, 5),
)
def test_holes(parts: list[tuple[str, float, bool]], longest: int) -> None:
    page = AtomicBlocks()(read_tree(parse_html("".join(part for part, *_ in parts))))
    scores = np.zeros((len(page), len(Label)))
    scores[:, int(Label.FULL_TEXT)] = np.resize([score for _, score, _ in parts], len(page))
    is_content = np.resize([content for *_, content in parts], len(page))
    labels = np.where(is_content, int(Label.FULL_TEXT), int(Label.RELATED)).astype(np.int64)
    labeling = Labeling.blank(len(page)).predict(labels, scores, "")
    options = (page, labeling, longest, module.MIN_GAP_SCORE)
    expected = module.find_holes_in_numpy(*options)
    assert module._find_holes(*options, native=native) == expected


def test_scores_that_are_no_number_are_read() -> None:
    scores = np.array([np.nan, 0.5, np.nan])
    assert 0.3 <= native.find_threshold(scores, np.ones(3, dtype=np.int64), 0.3, 0.6) <= 0.6


def test_columns_of_other_lengths_are_refused() -> None:
    scores, two, three = np.zeros(3), np.zeros(2, dtype=np.int64), np.zeros(3, dtype=np.int64)
    with pytest.raises(ValueError, match="different lengths"):
        native.find_threshold(scores, two, 0.3, 0.6)
    with pytest.raises(ValueError, match="different lengths"):
        native.find_holes(three, scores, two, three, three, three, 2, 3, 0.1, 0.5)
    with pytest.raises(ValueError, match="not there"):
        native.find_holes(three, scores, three, three, three + 3, three, 2, 3, 0.1, 0.5)


@pytest.mark.parametrize("name", ["find_threshold", "find_holes"])
def test_a_module_that_finds_something_else_is_not_used(name: str) -> None:
    class Wrong:
        find_threshold, find_holes = native.find_threshold, native.find_holes

    assert module._agrees(Wrong)
    value: Any = 0.5 if name == "find_threshold" else []
    setattr(Wrong, name, lambda *_: value)
    assert not module._agrees(Wrong)
