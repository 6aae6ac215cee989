"""The threshold that promises the highest F1, its clips, and the F1 it promises."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_boilerplate.news.content import (
    ExpectedF1Threshold,
    compute_confidence,
    compute_expected_f1,
)
from scrapy_boilerplate.page.labels import Labeling
from tests.builders import HTML_4, document, page_of, paragraphs
from tests.news.scored_pages import after, kept, scored

NEWS = '<script type="application/ld+json">{"@type": "NewsArticle"}</script>'
GRAPH = '<meta property="og:title" content="Rain">'

THRESHOLDS = {
    # words of the blocks, scores, content
    "sure of some": ((20, 20, 20), (0.99, 0.01, 0.98), [0, 2]),
    "over the higher clip: always": ((900, 1), (1.0, 0.61), [0, 1]),
    "the higher clip itself": ((900, 1), (1.0, 0.6), [0, 1]),
    "under the lower clip: never": ((20, 900), (0.29, 0.29), []),
    "a long block of .4 beside little": ((5, 100), (0.9, 0.4), [0, 1]),
    "a long block of .4 beside much": ((500, 100), (0.99, 0.4), [0]),
    "short blocks of .55 beside much": ((500, 5, 5), (0.99, 0.55, 0.45), [0, 1]),
    "equal scores stay together": ((20, 20, 20), (0.5, 0.5, 0.5), [0, 1, 2]),
    "order does not matter": ((20, 20, 20), (0.01, 0.98, 0.99), [1, 2]),
}


@pytest.mark.parametrize(("words", "scores", "content"), THRESHOLDS.values(), ids=THRESHOLDS.keys())
def test_threshold(words: tuple[int, ...], scores: tuple[float, ...], content: list[int]) -> None:
    page = page_of(document(NEWS + paragraphs(*words)))
    assert after(ExpectedF1Threshold(), page, scored(page, scores)) == content


LENIENT_PAGES = {
    # HTML, whether the threshold is lower
    "modern": (document(paragraphs(500, 5, 5)), True),
    "modern news": (document(NEWS + paragraphs(500, 5, 5)), False),
    "old": (HTML_4 + paragraphs(500, 5, 5), False),
    "old, declared": (HTML_4 + GRAPH + paragraphs(500, 5, 5), True),
    "old, declared, news": (HTML_4 + NEWS + paragraphs(500, 5, 5), False),
}


@pytest.mark.parametrize(("html", "is_lenient"), LENIENT_PAGES.values(), ids=LENIENT_PAGES.keys())
def test_a_page_of_today_that_is_no_news_has_a_lower_threshold(html: str, is_lenient: bool) -> None:
    page = page_of(html)
    labeling = scored(page, (0.99, 0.55, 0.45))  # of .55, and .44
    assert after(ExpectedF1Threshold(), page, labeling) == [0, 1, 2][: 2 + is_lenient]
    assert after(ExpectedF1Threshold(lenient_share=0.9), page, labeling) == [0, 1]


def test_clips() -> None:
    for score, content in ((0.3, [0]), (0.29, [])):
        page = page_of(document(paragraphs(20)))
        assert after(ExpectedF1Threshold(), page, scored(page, [score])) == content
    page = page_of(document(paragraphs(500, 20, 20)))
    labeling = scored(page, (0.99, 0.25, 0.05))
    assert after(ExpectedF1Threshold(lowest=0.2, highest=0.2), page, labeling) == [0, 1]
    assert after(ExpectedF1Threshold(lowest=0.0, highest=0.01), page, labeling) == [0, 1, 2]


WITHOUT_CLIPS = ExpectedF1Threshold(lowest=0.0, highest=1.0, lenient_share=1.0)
SCORES = st.lists(
    st.tuples(st.integers(1, 40), st.floats(0, 1).map(lambda score: round(score, 2))), max_size=6
)


@given(SCORES)
def test_without_clips_no_other_choice_of_blocks_promises_more(
    blocks: list[tuple[int, float]],
) -> None:
    page = page_of(document(paragraphs(*(words for words, _ in blocks))))
    labeling = scored(page, [score for _, score in blocks])
    promised = compute_expected_f1(page, WITHOUT_CLIPS(page, labeling))
    for choice in product((False, True), repeat=len(blocks)):
        other = kept(page, [score for _, score in blocks], *np.flatnonzero(choice).tolist())
        assert compute_expected_f1(page, other) <= promised + 1e-6


CONFIDENCE = {
    # words, scores, content, expected F1
    "sure": ((20, 30), (1.0, 1.0), (0, 1), 1.0),
    "one of two that are wanted": ((20, 20), (1.0, 1.0), (0,), 2 * 20 / (20 + 40)),
    "the wrong one": ((20, 20), (0.0, 1.0), (0,), 0.0),
    "mixed": ((10, 20), (0.9, 0.3), (0, 1), 2 * 15 / (30 + 15)),
    "no content": ((20, 20), (0.2, 0.1), (), 0.0),
    "scores of 0": ((20,), (0.0,), (0,), 0.0),
}


@pytest.mark.parametrize(
    ("words", "scores", "content", "f1"), CONFIDENCE.values(), ids=CONFIDENCE.keys()
)
def test_expected_f1(
    words: tuple[int, ...], scores: tuple[float, ...], content: tuple[int, ...], f1: float
) -> None:
    page = page_of(document(paragraphs(*words)))
    assert compute_expected_f1(page, kept(page, scores, *content)) == pytest.approx(f1)


# expected F1 of all words, confidence: its odds, to the power of .75, times 2.5
CALIBRATED = {0.0: 0.0, 0.5: 5 / 7, 16 / 17: 20 / 21, 1.0: 1.0}


@pytest.mark.parametrize(("f1", "confidence"), CALIBRATED.items())
def test_confidence_is_the_expected_f1_of_corpora_left_out(f1: float, confidence: float) -> None:
    page = page_of(document(paragraphs(20)))
    labeling = kept(page, (f1 / (2 - f1),), 0)
    assert compute_expected_f1(page, labeling) == pytest.approx(f1)
    assert compute_confidence(page, labeling) == pytest.approx(confidence)


def test_blocks_without_a_word_count_as_one_and_are_worth_nothing() -> None:
    page = page_of("<p>|<p>—")
    assert after(ExpectedF1Threshold(), page, scored(page, [0.9] * 2)) == [0, 1]
    assert compute_expected_f1(page, kept(page, (1.0, 1.0), 0, 1)) == 0.0
    assert compute_expected_f1(page_of(""), Labeling.blank(0)) == 0.0
