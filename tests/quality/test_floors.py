"""No extractor drops below its pinned score.

Pin again: ``python -m tests.quality.floors CORPORA``.
"""

from pathlib import Path

import pytest

from benchmarks.corpora import corpus_file
from scrapy_boilerplate import EXTRACTORS
from tests.quality.floors import PAGES, PINS, TOLERANCE, digest, measure, read_floors

AGAIN = "pin again with: python -m tests.quality.floors CORPORA"


@pytest.mark.parametrize("corpus", PINS)
def test_no_extractor_drops(corpora: Path, corpus: str) -> None:
    pinned = read_floors()[corpus]
    assert set(pinned["floors"]) == set(EXTRACTORS), AGAIN
    assert (pinned["pages"], pinned["metric"], pinned["text"]) == (PAGES, *PINS[corpus]), AGAIN
    assert digest(corpus_file(corpora, corpus)) == pinned["sha256"], f"another corpus; {AGAIN}"
    figures = measure(corpora, corpus)
    dropped = {
        name: (value, figures[name])
        for name, value in pinned["floors"].items()
        if figures[name] < value - TOLERANCE
    }
    assert not dropped, f"(pinned, now) on {corpus}; if it must be so, {AGAIN}"
