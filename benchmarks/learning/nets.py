"""texrex's nets (Schaefer 2017): on its own vectors, and on pages by our own 37 features."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.learning.prose import PAGES, VECTORS, table
from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray, Label
from scrapy_boilerplate.systems.texrex.features import TEXREX, SectionBlocks
from scrapy_boilerplate.systems.texrex.mlp import THRESHOLD, Net
from scrapy_boilerplate.training.corpora import read_pages, site_fold
from scrapy_boilerplate.training.examples import block_examples
from scrapy_boilerplate.training.gold import read_gold
from scrapy_boilerplate.training.trainers.mlp import MAX_BLOCKS, fit_mlp, read_vectors

VECTORS_HEADING, PAGES_HEADING = "Nets on texrex's vectors (2017)", "Nets on pages"
LANGUAGES = ("en", "fr", "sv", "de")
PAGE_LANGUAGES = ("en", "de", "fr", "zh", "pl", "el", "ru")
CORPORA = ("fundus", "trafilatura", "article-extraction", "waddle", "wcxb")
FOLDS = 5
SHUFFLES = 3
"""Ways to deal the vectors out; accuracies of own nets are means over them."""


@dataclass(frozen=True, eq=False)
class Blocks:
    """Blocks in folds: float[n, 37], bool[n], int[n] fold, str[n] language."""

    rows: FloatArray
    boilerplate: BoolArray
    folds: IntArray
    languages: NDArray[np.str_]

    def net(self, train: BoolArray) -> Net:
        """The net trained on the blocks `train`."""
        chosen = np.flatnonzero(train)
        if len(chosen) > MAX_BLOCKS:
            chosen = np.random.default_rng(0).choice(chosen, MAX_BLOCKS, replace=False)
        return fit_mlp(self.rows[chosen], self.boilerplate[chosen], 0)

    def right(self, net: Net, test: BoolArray) -> BoolArray:
        """bool[k]: which of the blocks `test` the net gets right."""
        found: BoolArray = (net(self.rows[test]) >= THRESHOLD) == self.boilerplate[test]
        return found

    def of(self, language: str) -> BoolArray:
        """bool[n]: the blocks of a language."""
        found: BoolArray = self.languages == language
        return found


def vectors(corpora: Path) -> str:
    """Language-specific, pooled and cross-language nets on the vectors that texrex gives."""
    blocks = _vectors(corpora)
    rows = [["tested on", "majority class", "own net", "pooled net", *(f"trained on {one}" for one
             in LANGUAGES)]]  # fmt: skip
    pooled = _by_fold(blocks, np.ones(len(blocks.folds), dtype=np.bool_), LANGUAGES)
    shuffled = [blocks, *(_vectors(corpora, seed) for seed in range(1, SHUFFLES))]
    own = {
        one: float(np.mean([_by_fold(each, each.of(one), [one])[one] for each in shuffled]))
        for one in LANGUAGES
    }
    nets = {one: blocks.net(blocks.of(one)) for one in LANGUAGES}
    for language in LANGUAGES:
        here = blocks.of(language)
        cross = [
            "" if one == language else _percent(blocks.right(net, here).mean())
            for one, net in nets.items()
        ]
        told = map(_percent, (_majority(blocks, here), own[language], pooled[language]))
        rows.append([language, *told, *cross])
    return f"## {VECTORS_HEADING}\n\n{VECTORS}\n\n{table(rows)}"


def _vectors(corpora: Path, seed: int = 0) -> Blocks:
    read = [read_vectors(corpora / "texrex" / f"boilerplate.{one}.dat.xz") for one in LANGUAGES]
    folds = [np.random.default_rng(seed).permutation(len(one.boilerplate)) % FOLDS for one in read]
    return Blocks(
        np.concatenate([one.features for one in read]),
        np.concatenate([one.boilerplate for one in read]),
        np.concatenate(folds),
        np.concatenate([np.full(len(one.boilerplate), one.language) for one in read]),
    )


def _by_fold(blocks: Blocks, train: BoolArray, tested: Sequence[str]) -> dict[str, float]:
    """Accuracy on languages over all folds, of nets trained on `train` outside the fold."""
    right: dict[str, list[BoolArray]] = {language: [] for language in tested}
    for fold in range(FOLDS):
        here = blocks.folds == fold
        net = blocks.net(train & ~here)
        for language in tested:
            right[language].append(blocks.right(net, here & blocks.of(language)))
    return {language: float(np.concatenate(found).mean()) for language, found in right.items()}


def _majority(blocks: Blocks, here: BoolArray) -> float:
    share = float(blocks.boilerplate[here].mean())
    return max(share, 1 - share)


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def pages(corpora: Path, limit: int | None = None) -> str:
    """Blocks right on sites kept apart, by language."""
    blocks, counts = _pages(corpora, limit)
    everything = np.ones(len(blocks.folds), dtype=np.bool_)
    pooled = _by_fold(blocks, everything, PAGE_LANGUAGES)
    given = _vectors(corpora)
    header = (
        "language/pages/blocks/majority class/own net/pooled net/net of other languages/"
        "own less pooled/net of texrex's vectors"
    )
    rows = [header.split("/")]
    for one in PAGE_LANGUAGES:
        here = blocks.of(one)
        own = _by_fold(blocks, here, [one])[one]
        others = _by_fold(blocks, ~here, [one])[one]
        told = map(_percent, (_majority(blocks, here), own, pooled[one], others))
        gain = f"{100 * (own - pooled[one]):+.1f}"
        theirs = blocks.right(given.net(given.of(one)), here).mean() if one in LANGUAGES else None
        foreign = "" if theirs is None else _percent(float(theirs))
        rows.append([one, str(counts[one]), f"{here.sum():,}", *told, gain, foreign])
    return f"## {PAGES_HEADING}\n\n{PAGES}\n\n{table(rows)}"


def _pages(corpora: Path, limit: int | None) -> tuple[Blocks, Counter[str]]:
    read = [
        read_gold(page)
        for corpus in CORPORA
        for page in read_pages(corpora / f"{corpus}.jsonl.xz", limit)
    ]
    languages = np.array([one.labelled.language or one.page.language or "" for one in read])
    folds = np.array([site_fold(one.labelled.site, FOLDS) for one in read])
    examples = block_examples(read, SectionBlocks(), TEXREX)
    boilerplate = examples.labels == Label.BOILERPLATE
    used = np.unique(examples.pages)
    return (
        Blocks(examples.rows, boilerplate, folds[examples.pages], languages[examples.pages]),
        Counter(languages[used].tolist()),
    )
