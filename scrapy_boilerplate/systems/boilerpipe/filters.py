"""The filters of boilerpipe 1.2 that revise what a classifier decided."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.page.labels import BoolArray, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.runs import DELETED, Runs
from scrapy_boilerplate.systems.boilerpipe.marks import END_OF_TEXT, MIGHT_BE_CONTENT, TITLE

FULL_TEXT_DENSITY = 9
"""Words to a line from which the words of a block count as full text (boilerpipe)."""


@dataclass(frozen=True, kw_only=True)
class IgnoreBlocksAfterContent:
    """Nothing is content from the first end-of-text mark on, once `words` words came before."""

    words: int = 60
    name: str = "ignore-blocks-after-content"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        runs = Runs(page, labeling)
        full_text = runs.content & (runs.text_density >= FULL_TEXT_DENSITY)
        seen = np.cumsum(np.where(full_text, runs.words, 0))
        ended = np.logical_or.accumulate(runs.marked(END_OF_TEXT) & (seen >= self.words))
        return labeling.revise(runs.blocks(runs.content & ~ended), self.name)


@dataclass(frozen=True, kw_only=True)
class IgnoreBlocksBeforeTitle:
    """Nothing is content above the last title mark that stands before the largest run.

    The half of the paper's main content filter that boilerpipe's release leaves out.
    """

    name: str = "ignore-blocks-before-title"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        runs = Runs(page, labeling)
        if not runs.content.any():
            return labeling
        largest = _largest(runs)
        titles = np.flatnonzero(runs.marked(TITLE)[: largest + 1])
        above = np.arange(len(runs)) < (titles[-1] if len(titles) else 0)
        return labeling.revise(runs.blocks(runs.content & ~above), self.name)


@dataclass(frozen=True, kw_only=True)
class EqualDensityFusion:
    """Fuse neighbours of exactly the same text density (``SimpleBlockFusionProcessor``)."""

    name: str = "equal-density-fusion"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        runs = Runs(page, labeling)
        starts = np.ones(len(runs), dtype=np.bool_)
        starts[1:] = runs.text_density[1:] != runs.text_density[:-1]
        return runs.fuse(_start_of_each(starts))


@dataclass(frozen=True, kw_only=True)
class BlockProximityFusion:
    """Fuse a content run with the run before it, at most `distance` blocks away.

    Unless `content_only`, the run before may be boilerplate, and becomes content by that.
    """

    distance: int = 1
    content_only: bool = False
    name: str = "block-proximity-fusion"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        runs = Runs(page, labeling)
        joins = np.zeros(len(runs), dtype=np.bool_)
        near = runs.first[1:] - runs.last[:-1] - 1 <= self.distance
        joins[1:] = runs.content[1:] & near
        if self.content_only:
            joins[1:] &= runs.content[:-1]
        return runs.fuse(_start_of_each(~joins))


@dataclass(frozen=True, kw_only=True)
class DropBoilerplate:
    """Take blocks that are not content out of the runs (``BoilerplateBlockFilter``)."""

    name: str = "drop-boilerplate"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        runs = Runs(page, labeling)
        return labeling.fuse(np.where(runs.blocks(runs.content), labeling.fused, DELETED))


@dataclass(frozen=True, kw_only=True)
class KeepLargestRun:
    """Only the content run with most words stays; the others are marked as possible content."""

    name: str = "keep-largest-run"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        runs = Runs(page, labeling)
        if not runs.content.any():
            return labeling
        largest = np.arange(len(runs)) == _largest(runs)
        rest = runs.blocks(~largest)
        return labeling.mark(MIGHT_BE_CONTENT, rest).revise(runs.blocks(largest), self.name)


@dataclass(frozen=True, kw_only=True)
class ExpandTitleToContent:
    """Possible content between the title and the first content becomes content."""

    name: str = "expand-title-to-content"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        runs = Runs(page, labeling)
        start = int(np.argmax(runs.content)) if runs.content.any() else 0
        titles = np.flatnonzero(runs.marked(TITLE)[: start + 1])
        if not len(titles) or titles[-1] >= start:
            return labeling
        order = np.arange(len(runs))
        between = (order >= titles[-1]) & (order < start) & runs.marked(MIGHT_BE_CONTENT)
        return labeling.revise(runs.blocks(runs.content | between), self.name)


def _start_of_each(starts: BoolArray) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """int[m]: for each run the last run at or before it that starts a new one."""
    order = np.arange(len(starts))
    into: np.ndarray[tuple[int], np.dtype[np.int64]] = np.maximum.accumulate(
        np.where(starts, order, 0)
    )
    return into


def _largest(runs: Runs) -> int:
    """The first content run with the most words."""
    return int(np.argmax(np.where(runs.content, runs.words, -1)))
