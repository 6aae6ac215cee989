from __future__ import annotations

import numpy as np
import pytest

from scrapy_boilerplate.systems.tag_ratios.content_code_blurring import (
    MAX_ROUNDS,
    ContentCodeBlurring,
)
from scrapy_boilerplate.systems.tag_ratios.series import gaussian_smooth
from tests.steps.token_pages import content_of, links, paragraph, words

DEFAULT = ContentCodeBlurring().threshold


def test_long_text_stays_and_single_words_fade() -> None:
    html = links(20) + "<p>Lonely</p>" + links(20) + paragraph(120) + links(20)
    assert content_of(ContentCodeBlurring(), html) == [words(120)]


def test_several_regions_are_content() -> None:
    html = paragraph(100, "first") + links(30) + paragraph(100, "second")
    assert len(content_of(ContentCodeBlurring(), html)) == 2


def test_few_tags_within_text_do_not_matter() -> None:
    html = links(20) + paragraph(80, "a") + "<div><h2>Heading here</h2>" + paragraph(80, "b")
    assert "Heading here" in content_of(ContentCodeBlurring(), html)


def test_blurring_stops_when_no_entry_changes_enough() -> None:
    vector = np.repeat([0.0, 1.0], 100)
    once = gaussian_smooth(vector, 5.0)
    assert ContentCodeBlurring(change=1.0).blurred(vector) == pytest.approx(once)
    step = ContentCodeBlurring()
    blurred = step.blurred(vector)
    assert np.abs(gaussian_smooth(blurred, 5.0) - blurred).max() < step.change
    assert np.abs(blurred - once).max() > step.change  # and not after one round


def test_blurring_never_goes_on_for_ever() -> None:
    vector = np.repeat([0.0, 1.0], 100)
    expected = vector
    for _ in range(MAX_ROUNDS):
        expected = gaussian_smooth(expected, 1.0)
    assert ContentCodeBlurring(sigma=1.0, change=0.0).blurred(vector) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("threshold", "plain_words", "kept"),
    [
        (DEFAULT, 4, False),  # with the bold one five words to two tags: .71
        (DEFAULT, 6, True),  # seven to two: .78
        (0.70, 4, True),
        (0.80, 6, False),
    ],
)
def test_the_threshold_is_the_share_of_text(threshold: float, plain_words: int, kept: bool) -> None:
    html = "<p>" + f"{words(plain_words)} <b>bold</b> " * 40 + "</p>"
    assert bool(content_of(ContentCodeBlurring(threshold=threshold), html)) == kept
