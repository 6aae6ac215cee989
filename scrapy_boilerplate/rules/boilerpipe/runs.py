"""Runs of fused blocks, in columns: what boilerpipe calls a text block after merging."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.label import BoolArray, FloatArray, IntArray, Labeling
from scrapy_boilerplate.page import Page

DELETED = -1
"""`Labeling.fused` of a block that is in no run any more."""


@dataclass(frozen=True, eq=False)
class Runs:
    """m runs of the n blocks of a page, in document order.

    A run's counts are the sums over its blocks, its flags hold if one block's do, and its level is
    the smallest (boilerpipe 1.2, ``TextBlock.mergeNext``).
    """

    ids: IntArray
    run_of: IntArray
    first: IntArray
    last: IntArray
    words: IntArray
    link_words: IntArray
    full_line_words: IntArray
    full_lines: IntArray
    level: IntArray
    content: BoolArray
    labeling: Labeling

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def link_density(self) -> FloatArray:
        """float[m]: linked words to words."""
        density: FloatArray = self.link_words / np.maximum(self.words, 1)
        return density

    @property
    def text_density(self) -> FloatArray:
        """float[m]: words to a full line."""
        density: FloatArray = self.full_line_words / self.full_lines
        return density

    def marked(self, name: str) -> BoolArray:
        """bool[m]: runs with a block that carries the mark `name`."""
        marked: BoolArray = self._total(self.labeling.marked(name)) > 0
        return marked

    def blocks(self, runs: BoolArray) -> BoolArray:
        """bool[n]: the blocks of the runs of the mask `runs`; False for deleted blocks."""
        mask: BoolArray = np.append(runs, False)[self.run_of]
        return mask

    def fuse(self, into: IntArray) -> Labeling:
        """Run i becomes part of run ``into[i]``; a fused run is content if one part was."""
        fused = np.append(self.ids[into], DELETED)[self.run_of]
        content = np.zeros(len(self), dtype=np.bool_)
        np.logical_or.at(content, into, self.content)
        labeling = self.labeling.fuse(fused)
        return labeling.revise(self.blocks(content[into]), "block-fusion")

    def _total(self, column: IntArray | BoolArray) -> IntArray:
        live = self.run_of >= 0
        counts = np.bincount(self.run_of[live], column[live], len(self))
        total: IntArray = counts.astype(np.int64)
        return total


def runs_of(page: Page, labeling: Labeling) -> Runs:
    """The runs of a labeling, with their columns; linear time but for one sort."""
    live = np.flatnonzero(labeling.fused != DELETED)
    ids, first, inverse = np.unique(labeling.fused[live], return_index=True, return_inverse=True)
    run_of = np.full(len(page), DELETED)
    run_of[live] = inverse
    last = np.zeros(len(ids), dtype=np.int64)
    np.maximum.at(last, inverse, live)
    level = np.full(len(ids), np.iinfo(np.int64).max)
    depths = np.array(page.elements.depths, dtype=np.int64)[page.blocks.elements]
    np.minimum.at(level, inverse, depths[live])

    def total(column: IntArray | BoolArray) -> IntArray:
        return np.bincount(inverse, column[live], len(ids)).astype(np.int64)

    return Runs(
        ids=ids,
        run_of=run_of,
        first=live[first],
        last=last,
        words=total(page.words),
        link_words=total(page.link_words),
        full_line_words=total(page.full_line_words),
        full_lines=np.maximum(total(page.full_lines), 1),
        level=level,
        content=total(labeling.content) > 0,
        labeling=labeling,
    )
