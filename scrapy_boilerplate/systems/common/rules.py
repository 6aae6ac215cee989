"""Steps that label by a rule: over the blocks of a page, or over runs of fused blocks.

A run is a merged text block of boilerpipe.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.shallow_rules import MAX_LINK_DENSITY, MAX_LINK_DENSITY_BEFORE
from scrapy_boilerplate.systems.common.columns import take_next, take_previous

# Maps a page to bool[n], the blocks that are content.
Rule = Callable[[Page], BoolArray]


@dataclass(frozen=True)
class ContentRule:
    """Label the blocks that `rule` selects as full text, all others as boilerplate."""

    name: str
    rule: Rule

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        return labeling.classify(self.rule(page), self.name)


DELETED = -1  # value of `Labeling.fused` for deleted blocks
FUSION = "block-fusion"  # decider of blocks that become content by fusion


class Runs:
    """m runs of the n blocks of a page, in document order.

    The counts of a run are the sums over its blocks; a flag is set if one block has it (boilerpipe
    1.2, ``TextBlock.mergeNext``). Columns are computed on first use.
    """

    def __init__(self, page: Page, labeling: Labeling) -> None:
        self.page = page
        self.labeling = labeling
        self._live = np.flatnonzero(labeling.fused != DELETED)
        self._ids, first, self._run_of = np.unique(
            labeling.fused[self._live], return_index=True, return_inverse=True
        )
        # int[m]: the first block of each run
        self.first: IntArray = self._live[first]

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
        return self._total(self.page.words)

    @cached_property
    def link_density(self) -> FloatArray:
        """float[m]: share of linked words; 0 without words."""
        return self._total(self.page.link_words) / np.maximum(self.words, 1)

    @cached_property
    def text_density(self) -> FloatArray:
        """float[m]: words per full line."""
        lines = self._total(self.page.full_lines)
        return self._total(self.page.full_line_words) / np.maximum(lines, 1)

    @cached_property
    def content(self) -> BoolArray:
        return self.having(self.labeling.content)

    def marked(self, name: str) -> BoolArray:
        return self.having(self.labeling.marked(name))

    def having(self, blocks: BoolArray) -> BoolArray:
        """Return bool[m]: runs with a block of the mask `blocks` (bool[n])."""
        return np.bincount(self._run_of, blocks[self._live], len(self)) > 0

    def least(self, column: IntArray) -> IntArray:
        """Return int[m]: the smallest value of a column int[n] in each run."""
        values = column[self.first]
        np.minimum.at(values, self._run_of, column[self._live])
        return values

    def blocks(self, runs: BoolArray) -> BoolArray:
        """Return bool[n]: the blocks of the runs of the mask `runs`; False for deleted blocks."""
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
        return labeling.update_content(self.blocks(content[into]), FUSION)

    def _total(self, column: IntArray) -> IntArray:
        counts = np.bincount(self._run_of, column[self._live], len(self))
        return counts.astype(np.int64)


@dataclass(frozen=True)
class RunStep:
    """Apply a rule to the runs of a page.

    `rule` selects runs (bool[m]). `apply` is one of the functions below, which relabel, fuse or
    delete the selected runs.
    """

    name: str
    rule: Callable[[Runs], BoolArray]
    apply: Callable[[Runs, BoolArray, str], Labeling]

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        runs = Runs(page, labeling)
        return self.apply(runs, self.rule(runs), self.name)


def classify(runs: Runs, selected: BoolArray, by: str) -> Labeling:
    """Label the selected runs as full text, all others as boilerplate."""
    return runs.labeling.classify(runs.blocks(selected), by)


def update_content(runs: Runs, selected: BoolArray, by: str) -> Labeling:
    """Relabel only the runs that become full text, and those that no longer are."""
    return runs.labeling.update_content(runs.blocks(selected), by)


def fuse_with_previous(runs: Runs, selected: BoolArray, _by: str) -> Labeling:
    """Fuse each selected run with the run before it."""
    return runs.fuse(np.maximum.accumulate(np.where(selected, 0, np.arange(len(runs)))))


def delete_others(runs: Runs, selected: BoolArray, _by: str) -> Labeling:
    """Delete the blocks of all other runs."""
    return runs.labeling.fuse(np.where(runs.blocks(selected), runs.labeling.fused, DELETED))


def apply_density_rules(runs: Runs) -> BoolArray:
    """bool[m]: Algorithm 1 of Kohlschuetter et al. 2010; numbers are words per line."""
    density = runs.text_density
    before, after = take_previous(density), take_next(density)
    linked_before = take_previous(runs.link_density) > MAX_LINK_DENSITY_BEFORE
    sparse_after_text = (after > 10) | (before > 4)
    after_text = ((density <= 9) & sparse_after_text) | ((density > 9) & (after > 0))
    return (runs.link_density <= MAX_LINK_DENSITY) & (
        (~linked_before & after_text) | (linked_before & (after > 11))
    )


DENSITY_RULES = RunStep("density-rules", apply_density_rules, classify)
