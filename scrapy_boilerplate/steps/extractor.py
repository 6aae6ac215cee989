"""An extractor: a segmenter and a table of named steps, from a page to a labeling."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from scrapy_boilerplate.page.labels import Labeling
from scrapy_boilerplate.page.page import Page


class Segmenter(Protocol):
    """Cuts the leaves of a page into other text blocks; never drops or reorders a leaf."""

    @property
    def name(self) -> str:
        """The name shown in traces."""

    def __call__(self, page: Page) -> Page:
        """The same page with its blocks."""


class Step(Protocol):
    """Relabels blocks; pure and total: pages with 0, 1 or 2 blocks are ordinary pages."""

    @property
    def name(self) -> str:
        """The name shown in traces and noted as the decider of a block's label."""

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        """A labeling of the same blocks."""


class Confidence(Protocol):
    """How far to trust what an extractor made of a page."""

    def __call__(self, page: Page, labeling: Labeling) -> float:
        """0 (no text, or surely wrong) to 1."""


@dataclass(frozen=True, kw_only=True)
class Extractor:
    """A named way to tell the main content of a page from the rest.

    `steps` decide what is content (full text against boilerplate) as the paper `source` has it;
    `finish` tells the other labels apart and is shared by all. `summary` says in one line when to
    use it.
    """

    name: str
    summary: str
    source: str
    segmenter: Segmenter
    steps: tuple[Step, ...]
    finish: tuple[Step, ...]
    confidence: Confidence

    def label(self, page: Page) -> Labeling:
        """The final labeling of a segmented page."""
        labeling = self.decide_content(page)
        for step in self.finish:
            labeling = step(page, labeling)
        return labeling

    def decide_content(self, page: Page) -> Labeling:
        """The labeling after the extractor's own steps: what the paper's figures are about."""
        labeling = Labeling.blank(len(page))
        for step in self.steps:
            labeling = step(page, labeling)
        return labeling

    def trace(self, page: Page) -> Iterator[tuple[str, Labeling]]:
        """(step name, labeling) after every step, in order."""
        labeling = Labeling.blank(len(page))
        for step in (*self.steps, *self.finish):
            labeling = step(page, labeling)
            yield step.name, labeling
