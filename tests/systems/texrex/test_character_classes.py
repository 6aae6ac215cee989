"""Letters, numbers and punctuation by Unicode's categories."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from scrapy_boilerplate.systems.texrex.features import (
    CLASSES,
    count_classes,
)


@given(st.lists(st.text(max_size=20), max_size=5))
def test_each_text_is_counted_for_itself(texts: list[str]) -> None:
    wanted = [
        [sum(unicodedata.category(one)[0] == initial for one in text) for initial in CLASSES]
        for text in texts
    ]
    assert count_classes(texts)[:, 1:].tolist() == wanted
