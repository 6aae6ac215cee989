"""No extractor drops below its pinned score.

Pin again: ``python -m tests.quality.floors CORPORA``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.corpora import corpus_file
from scrapy_boilerplate.extractors import EXTRACTORS
from tests.quality.floors import PAGES, PINS, TOLERANCE, digest, measure, read_floors

AGAIN = "pin again with: python -m tests.quality.floors CORPORA"


@pytest.mark.parametrize("corpus", PINS)
def test_no_extractor_drops(corpora: Path, corpus: str) -> None:
    pinned = read_floors()[corpus]
    assert digest(corpus_file(corpora, corpus)) == pinned["sha256"], f"another corpus; {AGAIN}"
    figures = measure(corpora, corpus)
    dropped = {
        name: (value, figures.get(name))
        for name, value in pinned["floors"].items()
        if figures.get(name, 0.0) < value - TOLERANCE
    }
    assert not dropped, f"(pinned, now) on {corpus}; if it must be so, {AGAIN}"


def test_every_extractor_is_pinned() -> None:
    for corpus, pin in PINS.items():
        pinned = read_floors()[corpus]
        assert set(pinned["floors"]) == set(EXTRACTORS), AGAIN
        assert (pinned["pages"], pinned["metric"], pinned["text"]) == (PAGES, pin.metric, pin.text)
