"""The weight of each column in the labels of a learned step, by occlusion.

Zeiler, Fergus 2014 (Visualizing and understanding convolutional networks). Each column is set to a
neutral value on all blocks at once; its weight is the decrease in the log odds of a block's label.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.page.labels import FloatArray, IntArray

MIN_SCORE = 1e-4  # minimum distance of a score from 0 and 1, so that log odds are finite


@dataclass(frozen=True, eq=False, kw_only=True)
class ColumnWeights:
    """The features of a page that a learned step reads, and its scoring function.

    `about` describes each column in a line; `rows` is float[n, columns]; `neutral` float[columns]
    are values without an effect; `scores` returns float[n, 6] for such rows.
    """

    about: Mapping[str, str]
    rows: FloatArray
    neutral: FloatArray
    scores: Callable[[FloatArray], FloatArray]

    def compute(self, labels: IntArray) -> FloatArray:
        """Return float[n, columns]: log odds that each column adds to each block's label int[n].

        The scores are computed once for each column.
        """
        weights = np.zeros(self.rows.shape)
        if not len(self.rows):
            return weights
        whole = self._log_odds(self.rows, labels)
        for column, neutral in enumerate(self.neutral.tolist()):
            if (self.rows[:, column] != neutral).any():
                without = self.rows.copy()
                without[:, column] = neutral
                weights[:, column] = whole - self._log_odds(without, labels)
        return weights

    def _log_odds(self, rows: FloatArray, labels: IntArray) -> FloatArray:
        shares = np.clip(self.scores(rows)[np.arange(len(rows)), labels], MIN_SCORE, 1 - MIN_SCORE)
        return np.log(shares / (1 - shares))
