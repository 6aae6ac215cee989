"""`Label`, the classes of text blocks, and `Labeling`, the labels of the blocks of one page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


class Label(IntEnum):
    """The six classes of a text block, with the codes of L3S-GN1 (Kohlschuetter 2010)."""

    BOILERPLATE = 0
    HEADLINE = 1
    FULL_TEXT = 2
    SUPPLEMENTAL = 3
    RELATED = 4
    COMMENTS = 5

    @property
    def text(self) -> str:
        """The label as items and feeds spell it: ``full_text``, ``boilerplate``, ..."""
        return self.name.lower()


# the scores of each label: 1 for the label, 0 for the others
_SCORES = np.eye(len(Label))

# The rule of a site, as decider of blocks and as evidence of fields; also the mark of the blocks
# that the rule selects as content.
RULE = "override"

# the mark of blocks that the rule removes
REMOVED = "override-removed"


@dataclass(frozen=True, eq=False)
class Labeling:
    """Labels of the blocks of one page; every change gives a new labeling.

    `labels` int[n]; `scores` float[n, 6], each row a distribution over `Label`; `decided_by`
    str[n], the step that set the label. `relabel`, `classify` and `update_content` set the score of
    the new label to 1. `marks` are notes on blocks for later steps, from name to bool[n]. `fused`
    int[n] is the run of each block; steps treat a run as one block (-1: in no run).
    """

    labels: IntArray
    scores: FloatArray
    decided_by: NDArray[np.object_]
    fused: IntArray
    marks: Mapping[str, BoolArray] = field(default_factory=dict)

    @classmethod
    def blank(cls, n_blocks: int) -> Labeling:
        """Return a labeling with nothing decided: every block is boilerplate, without a decider."""
        labels = np.zeros(n_blocks, np.int64)
        return cls(labels, one_hot(labels), _repeat("", n_blocks), np.arange(n_blocks))

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def content(self) -> BoolArray:
        """bool[n]: the blocks that are full text."""
        return self.having(Label.FULL_TEXT)

    def having(self, label: Label) -> BoolArray:
        """Return bool[n]: the blocks with `label`."""
        # as a number: numpy looks for many attributes of an enum before it compares
        mask: BoolArray = self.labels == int(label)
        return mask

    def relabel(
        self,
        where: BoolArray | IntArray,
        label: Label | IntArray,
        by: str,
        *,
        keep_scores: bool = False,
    ) -> Labeling:
        """Give the blocks at `where` (mask or indices) `label`, decided by the step `by`.

        `label` is one for all blocks at `where`, or one for each. Its score becomes 1, unless
        `keep_scores`.
        """
        # `any` takes eight times as long on a page, and most calls select no block
        if not (np.count_nonzero(where) if where.dtype == np.bool_ else len(where)):
            return self
        codes = int(label) if isinstance(label, Label) else label
        labels, scores, decided_by = self.labels.copy(), self.scores, self.decided_by.copy()
        labels[where], decided_by[where] = codes, by
        if not keep_scores:
            scores = scores.copy()
            scores[where] = _SCORES[codes]
        return Labeling(labels, scores, decided_by, self.fused, self.marks)

    def classify(self, content: BoolArray, by: str) -> Labeling:
        """Label every block as full text or boilerplate, with the score 1, decided by `by`."""
        labels = np.where(content, Label.FULL_TEXT, Label.BOILERPLATE).astype(np.int64)
        return self.set_predictions(labels, one_hot(labels), by)

    def update_content(self, content: BoolArray, by: str) -> Labeling:
        """Relabel only the blocks that become full text, and those that no longer are."""
        gained, lost = content & ~self.content, ~content & self.content
        return self.relabel(gained, Label.FULL_TEXT, by).relabel(lost, Label.BOILERPLATE, by)

    def set_predictions(self, labels: IntArray, scores: FloatArray, by: str) -> Labeling:
        """Give every block its label and its row of scores (float[n, 6]), decided by `by`.

        Scores that are not a number (weights can be too large) become 0.
        """
        if not np.isfinite(scores).all():
            scores = np.nan_to_num(scores, posinf=0.0, neginf=0.0)
        return Labeling(labels, scores, _repeat(by, len(self)), self.fused, self.marks)

    def mark(self, name: str, where: BoolArray) -> Labeling:
        """Note `name` on the blocks of the mask `where`, beside earlier notes of that name."""
        marks = {**self.marks, name: self.marked(name) | where}
        return Labeling(self.labels, self.scores, self.decided_by, self.fused, marks)

    def marked(self, name: str) -> BoolArray:
        """Return bool[n]: the blocks that carry the note `name`."""
        mask = self.marks.get(name)
        return np.zeros(len(self), dtype=np.bool_) if mask is None else mask

    def fuse(self, fused: IntArray) -> Labeling:
        """Return the same labels with other runs of blocks."""
        return replace(self, fused=fused)


def _repeat(text: str, n: int) -> NDArray[np.object_]:
    column = np.empty(n, object)  # `np.full` takes three times as long
    column.fill(text)
    return column


def one_hot(labels: IntArray) -> FloatArray:
    """Return float[n, 6]: score 1 for the label of each block, 0 for the others."""
    rows: FloatArray = _SCORES[labels]
    return rows
