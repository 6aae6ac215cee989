"""Trains `crf`: Victor's linear chain over its own features, with CRFsuite (python-crfsuite)."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from scrapy_boilerplate import import_optional
from scrapy_boilerplate.page.labels import IntArray
from scrapy_boilerplate.steps.model_store import Arrays, StoredModel
from scrapy_boilerplate.systems.common.block_model import CLASSES
from scrapy_boilerplate.systems.victor.crf import CODES, COLUMNS, VICTOR
from scrapy_boilerplate.training.alignment import UNKNOWN
from scrapy_boilerplate.training.examples import Progress, label_chains
from scrapy_boilerplate.training.gold import Gold

# weight of the sum of squared weights, CRFsuite's c2 (docs/provenance.md)
RIDGE = 20.0
# maximum steps of L-BFGS
ITERATIONS = 60


def train_crf(pages: Sequence[Gold], seed: int, progress: Progress = iter) -> StoredModel:
    """Return the weights of the chain. Training is not random: every `seed` gives the same weights.

    A block of unknown class gets the class of the block before it.
    """
    suite = import_optional("pycrfsuite", "training crf", "train")
    chains, labels = label_chains(pages, progress)
    trainer = suite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params({"c1": 0.0, "c2": RIDGE, "max_iterations": ITERATIONS})
    names = [[f"{entry}:{code}" for code in range(CODES)] for entry in range(len(COLUMNS))]
    for page, classes in progress(chains):
        if len(page) and (classes != UNKNOWN).any():
            codes = VICTOR.build_matrix(page).astype(np.int64)
            items = [
                [names[entry][code] for entry, code in enumerate(row) if code]
                for row in codes.tolist()
            ]
            trainer.append(items, [str(code) for code in fill_unknown(classes).tolist()])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "crf")
        trainer.train(str(file))
        arrays = _read_weights(suite, file, len(labels))
    return StoredModel(
        kind="crf",
        columns=COLUMNS,
        facts={CLASSES: labels, "seed": seed, "iterations": ITERATIONS},
        arrays=arrays,
    )


def fill_unknown(classes: IntArray) -> IntArray:
    """Replace UNKNOWN by the previous class, or at the start by the first known class."""
    known = np.flatnonzero(classes != UNKNOWN)
    place = np.searchsorted(known, np.arange(len(classes)), side="right") - 1
    return classes[known[np.maximum(place, 0)]]


def _read_weights(suite: Any, file: Path, size: int) -> Arrays:
    tagger = suite.Tagger()
    tagger.open(str(file))
    info = tagger.info()
    state = np.zeros((len(COLUMNS), CODES, size), dtype=np.float16)
    for (name, label), weight in info.state_features.items():
        entry, _, code = name.partition(":")
        state[int(entry), int(code), int(label)] = weight
    transition = np.zeros((size, size), dtype=np.float16)
    for (first, then), weight in info.transitions.items():
        transition[int(first), int(then)] = weight
    tagger.close()
    return {"state": state, "transition": transition}
