"""Likeness to what the page says of itself, and to its other blocks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from scrapy_boilerplate.news.features.facts import Facts, FeatureTable
from scrapy_boilerplate.page.labels import FloatArray

START = 48
"""Characters by which two texts are told apart; teasers cut the rest (our choice)."""
MIN_START = 24
"""Characters from which a text is long enough to be recognised."""


def _likeness(facts: Facts) -> Sequence[FloatArray]:
    page = facts.page
    starts = [text[:START].lower() for text in page.texts]
    seen = Counter(starts)
    title, description = page.title.lower(), page.description.lower()
    in_title = [
        len(start) / len(title) if len(start) > 3 and start in title else 0.0 for start in starts
    ]
    in_description = [len(start) >= MIN_START and start in description for start in starts]
    starts_description = description[:START]
    holds = [
        len(starts_description) >= MIN_START and starts_description in text.lower()
        if len(text) > len(starts_description)
        else False
        for text in page.texts
    ]
    first: dict[str, int] = {}
    repeated = [first.setdefault(start, block) != block for block, start in enumerate(starts)]
    return (
        np.minimum(np.array(in_title), 1.0),
        np.array(in_description, dtype=np.float64),
        np.array(holds, dtype=np.float64),
        np.log1p(np.array([seen[start] - 1 for start in starts], dtype=np.float64)),
        np.array(repeated, dtype=np.float64),
        (facts.order == facts.title).astype(np.float64),
    )


LIKENESS = FeatureTable(
    {
        "in_title": "length of its start, of the title's, if the title holds it",
        "in_description": "whether the page's description holds its start",
        "holds_description": "whether it holds the start of the page's description",
        "same_start": "log of 1 + the other blocks that start alike",
        "repeated": "whether a block before it starts alike",
        "is_title": "whether it is the block of the title",
    },
    _likeness,
)
