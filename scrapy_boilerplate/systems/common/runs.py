"""Runs of fused blocks, in columns: what boilerpipe calls a text block after merging."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray, Labeling
from scrapy_boilerplate.page.page import Page

DELETED = -1  # `Labeling.fused` of a block in no run
FUSION = "block-fusion"  # decider of blocks that are content by fusion


class Runs:
    """m runs of the n blocks of a page, in document order.

    A run's counts are the sums over its blocks, and its flags hold if one block's do (boilerpipe
    1.2, ``TextBlock.mergeNext``). Columns are made on first use. Before anything is fused they are
    the columns of the blocks.
    """

    def __init__(self, page: Page, labeling: Labeling) -> None:
        self.page = page
        self.labeling = labeling
        order = np.arange(len(page))
        self._is_plain = bool((labeling.fused == order).all())
        self._live = self._ids = self._run_of = first = order
        if not self._is_plain:
            self._live = np.flatnonzero(labeling.fused != DELETED)
            self._ids, first, self._run_of = np.unique(
                labeling.fused[self._live], return_index=True, return_inverse=True
            )
        self.first: IntArray = self._live[first]
        """int[m]: the first block of each run."""

    def __len__(self) -> int:
        return len(self._ids)

    @cached_property
    def last(self) -> IntArray:
        """int[m]: the last block of each run."""
        last = np.zeros(len(self), dtype=np.int64)
        np.maximum.at(last, self._run_of, self._live)
        return last

    @cached_property
    def words(self) -> IntArray:
        """int[m]: number of words."""
        return self._total(self.page.words)

    @cached_property
    def link_density(self) -> FloatArray:
        """float[m]: linked words to words; 0 without words."""
        density: FloatArray = self._total(self.page.link_words) / np.maximum(self.words, 1)
        return density

    @cached_property
    def text_density(self) -> FloatArray:
        """float[m]: words to a full line."""
        lines = self._total(self.page.full_lines)
        density: FloatArray = self._total(self.page.full_line_words) / np.maximum(lines, 1)
        return density

    @cached_property
    def content(self) -> BoolArray:
        """bool[m]: runs with a block of content."""
        return self.having(self.labeling.content)

    def marked(self, name: str) -> BoolArray:
        """Return bool[m]: runs with a block that carries the mark `name`."""
        return self.having(self.labeling.marked(name))

    def having(self, blocks: BoolArray) -> BoolArray:
        """Return bool[m]: runs with a block of the mask `blocks` (bool[n])."""
        if self._is_plain:
            return blocks.copy()
        runs: BoolArray = np.bincount(self._run_of, blocks[self._live], len(self)) > 0
        return runs

    def least(self, column: IntArray) -> IntArray:
        """Return int[m]: the smallest value of a column int[n] in each run."""
        values = column[self.first]
        np.minimum.at(values, self._run_of, column[self._live])
        return values

    def blocks(self, runs: BoolArray) -> BoolArray:
        """Return bool[n]: the blocks of the runs of the mask `runs`; False for deleted blocks."""
        if self._is_plain:
            return runs
        mask = np.zeros(len(self.page), dtype=np.bool_)
        mask[self._live] = runs[self._run_of]
        return mask

    def fuse(self, into: IntArray) -> Labeling:
        """Fuse each run i into run ``into[i]``; a fused run is content if one part was."""
        fused = np.full(len(self.page), DELETED)
        fused[self._live] = self._ids[into][self._run_of]
        content = np.zeros(len(self), dtype=np.bool_)
        np.logical_or.at(content, into, self.content)
        labeling = self.labeling.fuse(fused)
        return labeling.revise(self.blocks(content[into]), FUSION)

    def _total(self, column: IntArray) -> IntArray:
        if self._is_plain:
            return column.copy()
        counts = np.bincount(self._run_of, column[self._live], len(self))
        return counts.astype(np.int64)


RunRule = Callable[[Runs], BoolArray]
"""From runs to bool[m]."""


@dataclass(frozen=True)
class ClassifyRuns:
    """Label the runs that `rule` selects as full text, all others as boilerplate."""

    name: str
    rule: RunRule

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        runs = Runs(page, labeling)
        return labeling.classify(runs.blocks(self.rule(runs)), self.name)


@dataclass(frozen=True)
class ReviseRuns(ClassifyRuns):
    """Classify, but a block whose class stays the same keeps its decider."""

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        runs = Runs(page, labeling)
        return labeling.revise(runs.blocks(self.rule(runs)), self.name)


@dataclass(frozen=True)
class FuseRuns:
    """Fuse each run that `rule` selects with the run before it."""

    name: str
    rule: RunRule

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        runs = Runs(page, labeling)
        order = np.arange(len(runs))
        return runs.fuse(np.maximum.accumulate(np.where(self.rule(runs), 0, order)))


@dataclass(frozen=True)
class DropRuns:
    """Delete the blocks of all runs but those that `rule` selects."""

    name: str
    rule: RunRule

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        runs = Runs(page, labeling)
        kept = runs.blocks(self.rule(runs))
        return labeling.fuse(np.where(kept, labeling.fused, DELETED))
