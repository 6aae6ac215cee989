"""Training of the boosted trees of `news` with lightgbm, in one thread: same seed, same trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scrapy_boilerplate.extras import import_optional
from scrapy_boilerplate.news.net import Floats
from scrapy_boilerplate.page.labels import FloatArray
from scrapy_boilerplate.training.trainers.news_net import NetPage

# slow trees: many, small steps, few columns to each (docs/provenance.md)
TREES, LEAVES, RATE = 400, 24, 0.05

# share of the columns that a tree may split on
COLUMN_SHARE = 0.25

# blocks to a leaf at least
MIN_BLOCKS = 100

# pages below which no trees are trained: so few blocks fill a leaf or two
MIN_PAGES = 200


@dataclass(frozen=True, eq=False)
class Trees:
    """Boosted trees that split on the columns and on the convention.

    model        lightgbm's
    conventions  numbers of those that are asked for
    """

    model: Any
    conventions: tuple[int, ...]

    def __call__(self, rows: FloatArray | Floats) -> dict[int, FloatArray]:
        """Return convention -> the scores of full text float[n] for float[n, columns]."""
        return {
            number: self.model.predict(append_convention(rows, number), num_threads=1)
            for number in self.conventions
        }


def train_trees(pages: Sequence[NetPage], conventions: Sequence[int], seed: int) -> Trees | None:
    """Train the trees of the blocks whose full text is known; None if there are too few pages.

    The convention is a category that they split on; `conventions` are asked for.
    """
    if len(pages) < MIN_PAGES:
        return None
    lightgbm = import_optional("lightgbm", "training news", "train")
    known = [~np.isnan(page.content) for page in pages]
    sizes = [int(where.sum()) for where in known]
    matrix = np.concatenate(
        [
            append_convention(page.rows[where], page.convention)
            for page, where in zip(pages, known, strict=True)
        ]
    )
    data = lightgbm.Dataset(
        matrix,
        np.concatenate([page.content[where] for page, where in zip(pages, known, strict=True)]),
        weight=np.repeat([page.weight for page in pages], sizes),
        categorical_feature=[matrix.shape[1] - 1],
        params={"verbose": -1},
    )
    parameters = {
        "objective": "cross_entropy",
        "num_leaves": LEAVES,
        "learning_rate": RATE,
        "feature_fraction": COLUMN_SHARE,
        "min_data_in_leaf": MIN_BLOCKS,
        "num_threads": 1,
        "seed": seed,
        "deterministic": True,
        "force_row_wise": True,
        "verbose": -1,
    }
    return Trees(lightgbm.train(parameters, data, num_boost_round=TREES), tuple(conventions))


def append_convention(rows: FloatArray | Floats, convention: int) -> Floats:
    """Return the rows with the convention as their last column."""
    column = np.full((len(rows), 1), convention, dtype=np.float32)
    return np.concatenate((rows.astype(np.float32, copy=False), column), axis=1)
