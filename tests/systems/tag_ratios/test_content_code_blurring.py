from __future__ import annotations

import numpy as np
import pytest

from scrapy_boilerplate.systems.tag_ratios import content_code_blurring as ccb
from scrapy_boilerplate.systems.tag_ratios.series import gaussian_smooth
from tests.systems.token_pages import content_of, links, paragraph, words


def test_long_text_stays_and_single_words_fade() -> None:
    html = links(20) + "<p>Lonely</p>" + links(20) + paragraph(120) + links(20)
    assert content_of("ccb", html) == [words(120)]


def test_blurring_stops_when_no_entry_changes_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    vector = np.repeat([0.0, 1.0], 100)
    once, blurred = gaussian_smooth(vector, 5.0), ccb.blur(vector)
    assert np.abs(gaussian_smooth(blurred, 5.0) - blurred).max() < ccb.CHANGE
    assert np.abs(blurred - once).max() > ccb.CHANGE  # and not after one round
    monkeypatch.setattr(ccb, "CHANGE", 1.0)
    assert ccb.blur(vector) == pytest.approx(once)


def test_the_threshold_is_the_share_of_text() -> None:
    for plain_words, kept in [
        (4, False),  # with the bold one five words to two tags: .71
        (6, True),  # seven to two: .78
    ]:
        html = "<p>" + f"{words(plain_words)} <b>bold</b> " * 40 + "</p>"
        assert bool(content_of("ccb", html)) == kept
