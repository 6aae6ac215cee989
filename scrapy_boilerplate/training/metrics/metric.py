"""What a metric is, and what it looks at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from scrapy_boilerplate.metadata.article import metadata_of
from scrapy_boilerplate.metadata.fields import Metadata
from scrapy_boilerplate.page.labels import FloatArray, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.training.corpora import LabelledPage
from scrapy_boilerplate.training.gold import Gold
from scrapy_boilerplate.training.metrics.bootstrap import Figures


@dataclass(frozen=True, eq=False)
class Output:
    """What an extractor made of one page; `kept` are the blocks of its text, in order."""

    text: str
    page: Page
    labeling: Labeling
    kept: Sequence[int]

    @cached_property
    def metadata(self) -> Metadata:
        """What the page says of itself, computed on first use."""
        return metadata_of(self.page, self.labeling)


@dataclass(frozen=True, kw_only=True)
class Metric:
    """`count` gives one row of numbers for a page; `figures` what rows of pages add up to.

    The first figure is the one that ranks systems. `judges` tells the pages it can judge.
    `ranked` gives a score a page, 0 to 1, for the curves of ranked scores; None where a page alone
    has none.
    """

    name: str
    source: str
    judges: Callable[[LabelledPage], bool]
    count: Callable[[Gold, Output], Sequence[float] | FloatArray]
    figures: Figures
    ranked: Callable[[FloatArray], FloatArray] | None = None
