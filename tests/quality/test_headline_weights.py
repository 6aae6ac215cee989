"""The command that fits the weights of headlines."""

from __future__ import annotations

import pytest

from scrapy_boilerplate.metadata.headline import FIXED_WEIGHTS, WEIGHTS
from scrapy_boilerplate.training.corpora import LabelledPage

weights = pytest.importorskip("benchmarks.headline_weights", reason="scipy is not installed")


def pages(count: int) -> list[LabelledPage]:
    """Pages whose h1 is the title, and whose og:title and JSON-LD are not."""
    return [
        LabelledPage(
            id=str(number),
            dataset="own",
            title=f"Ferry number {number} returns",
            html=f"<title>Old news {number}</title>"
            f"<meta property=og:title content='Teaser {number}'>"
            f"<h1>Ferry number {number} returns</h1><p>One.</p>",
        )
        for number in range(count)
    ]


def test_the_source_that_is_right_weighs_more() -> None:
    examples = [weights.build_example(page, "wcxb") for page in pages(20)]
    fitted = weights.fit_weights(examples)
    assert fitted["h1"] > 0 > fitted["og:title"]
    assert {name: fitted[name] for name in FIXED_WEIGHTS} == FIXED_WEIGHTS
    assert tuple(fitted) == tuple(WEIGHTS)
    assert "wcxb 1.000" in weights.format_shares("all", examples, [fitted] * weights.FOLDS)
