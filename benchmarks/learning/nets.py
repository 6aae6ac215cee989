"""texrex's nets (Schaefer 2017) on its own vectors."""

import lzma
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.learning import Section
from benchmarks.markdown import format_percent
from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray
from scrapy_boilerplate.systems.texrex import MIN_BOILERPLATE, Net
from scrapy_boilerplate.training.trainers.systems import MAX_BLOCKS, fit_mlp

LANGUAGES = ("en", "fr", "sv", "de")
FOLDS = 5

# number of shuffles of the vectors; accuracies of trained nets are means over them
SHUFFLES = 3


@dataclass(frozen=True, eq=False)
class FoldedBlocks:
    """Blocks in folds: float[n, 37], bool[n], int[n] fold, str[n] language."""

    rows: FloatArray
    boilerplate: BoolArray
    folds: IntArray
    languages: NDArray[np.str_]

    def fit(self, train: BoolArray) -> Net:
        """Fit the net to the blocks `train`."""
        chosen = np.flatnonzero(train)
        if len(chosen) > MAX_BLOCKS:
            chosen = np.random.default_rng(0).choice(chosen, MAX_BLOCKS, replace=False)
        return fit_mlp(self.rows[chosen], self.boilerplate[chosen], 0)

    def test(self, net: Net, test: BoolArray) -> BoolArray:
        """Return bool[k]: the blocks of `test` that the net classifies correctly."""
        right: BoolArray = (net(self.rows[test]) >= MIN_BOILERPLATE) == self.boilerplate[test]
        return right

    def of_language(self, language: str) -> BoolArray:
        """Return bool[n]: the blocks of a language."""
        blocks: BoolArray = self.languages == language
        return blocks

    def cross_validate(self, train: BoolArray, tested: str) -> float:
        """Return the accuracy on a language over all folds, of nets fitted to `train` outside."""
        right = []
        for fold in range(FOLDS):
            inside = self.folds == fold
            net = self.fit(train & ~inside)
            right.append(self.test(net, inside & self.of_language(tested)))
        return float(np.concatenate(right).mean())


def measure(corpora: Path) -> Section:
    """Return the accuracies of nets of one language on texrex's vectors."""
    shuffled = [_read_vectors(corpora, seed) for seed in range(SHUFFLES)]
    own = {}
    for language in LANGUAGES:
        accuracies = [
            blocks.cross_validate(blocks.of_language(language), language) for blocks in shuffled
        ]
        own[language] = format_percent(float(np.mean(accuracies)), 1)
    ours = ", ".join(f"{language} {share}" for language, share in own.items())
    return Section(learned={"texrex": (ours, "")})


def _read_vectors(corpora: Path, seed: int = 0) -> FoldedBlocks:
    files = [read_vectors(corpora / "texrex" / f"boilerplate.{name}.dat.xz") for name in LANGUAGES]
    folds = [np.random.default_rng(seed).permutation(len(kept)) % FOLDS for _, kept in files]
    return FoldedBlocks(
        np.concatenate([features for features, _ in files]),
        np.concatenate([boilerplate for _, boilerplate in files]),
        np.concatenate(folds),
        np.repeat(LANGUAGES, [len(boilerplate) for _, boilerplate in files]),
    )


def read_vectors(path: Path) -> tuple[FloatArray, BoolArray]:
    """Return the training vectors of texrex's nets: float[n, 37], and bool[n] for boilerplate.

    FANN's text form (Schaefer 2017; rsling/texrex, BSD-2): the numbers of blocks, of features and
    of outputs; then for each block the features, and 1 for boilerplate, 0 for content.
    """
    with lzma.open(path, "rt", encoding="ascii") as file:
        numbers = np.array(file.read().split(), dtype=np.float64)
    rows = numbers[3:].reshape(int(numbers[0]), -1)
    return rows[:, : int(numbers[1])], rows[:, int(numbers[1])] > 0
