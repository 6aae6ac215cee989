"""texrex's nets (Schaefer 2017): on its own vectors, and on pages by our own 37 features."""

from __future__ import annotations

import lzma
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.corpora import corpus_file
from benchmarks.learning.section import Section
from benchmarks.markdown import format_percent, format_table
from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray, Label
from scrapy_boilerplate.systems.texrex.features import TEXREX, SectionBlocks
from scrapy_boilerplate.systems.texrex.mlp import THRESHOLD, Net
from scrapy_boilerplate.training.corpora import read_pages, site_fold
from scrapy_boilerplate.training.examples import collect_block_examples
from scrapy_boilerplate.training.gold import read_gold
from scrapy_boilerplate.training.trainers.mlp import MAX_BLOCKS, fit_mlp

LANGUAGES = ("en", "fr", "sv", "de")
PAGE_LANGUAGES = ("en", "de", "fr", "zh", "pl", "el", "ru")
CORPORA = ("fundus", "trafilatura", "article-extraction", "waddle", "wcxb")
FOLDS = 5

# ways to deal the vectors out; accuracies of own nets are means over them
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
        """Return bool[k]: which of the blocks `test` the net gets right."""
        right: BoolArray = (net(self.rows[test]) >= THRESHOLD) == self.boilerplate[test]
        return right

    def of_language(self, language: str) -> BoolArray:
        """Return bool[n]: the blocks of a language."""
        blocks: BoolArray = self.languages == language
        return blocks

    def cross_validate(self, train: BoolArray, tested: Sequence[str]) -> dict[str, float]:
        """Return the accuracy on languages over all folds, of nets fitted to `train` outside."""
        right: dict[str, list[BoolArray]] = {language: [] for language in tested}
        for fold in range(FOLDS):
            inside = self.folds == fold
            net = self.fit(train & ~inside)
            for language in tested:
                right[language].append(self.test(net, inside & self.of_language(language)))
        return {language: float(np.concatenate(parts).mean()) for language, parts in right.items()}

    def majority_share(self, blocks: BoolArray) -> float:
        """Return the share of the larger class."""
        share = float(self.boilerplate[blocks].mean())
        return max(share, 1 - share)


def measure_vectors(corpora: Path) -> Section:
    """Return accuracies of own, pooled and cross-language nets on texrex's vectors."""
    shuffled = [_read_vectors(corpora, seed) for seed in range(SHUFFLES)]
    blocks = shuffled[0]
    everything = np.ones(len(blocks.folds), dtype=np.bool_)
    pooled = blocks.cross_validate(everything, LANGUAGES)
    nets = {language: blocks.fit(blocks.of_language(language)) for language in LANGUAGES}
    head = ["tested on", "majority class", "own net", "pooled net"]
    rows = [[*head, *(f"trained on {language}" for language in LANGUAGES)]]
    own = {}
    for language in LANGUAGES:
        test = blocks.of_language(language)
        accuracies = [
            shuffle.cross_validate(shuffle.of_language(language), [language])[language]
            for shuffle in shuffled
        ]
        own[language] = float(np.mean(accuracies))
        cross = [
            "" if other == language else format_percent(float(blocks.test(net, test).mean()), 1)
            for other, net in nets.items()
        ]
        shares = (blocks.majority_share(test), own[language], pooled[language])
        rows.append([language, *(format_percent(share, 1) for share in shares), *cross])
    ours = ", ".join(f"{language} {format_percent(own[language], 1)}" for language in LANGUAGES)
    return Section(format_table(rows), {"texrex": (ours, "")})


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
    """Return float[n, 37] and bool[n], whether it is boilerplate: what texrex's nets learned from.

    FANN's text form (Schaefer 2017; rsling/texrex, BSD-2): the numbers of blocks, of features and
    of outputs; then for each block the features, and 1 for boilerplate, 0 for content.
    """
    with lzma.open(path, "rt", encoding="ascii") as file:
        numbers = np.array(file.read().split(), dtype=np.float64)
    rows = numbers[3:].reshape(int(numbers[0]), -1)
    return rows[:, : int(numbers[1])], rows[:, int(numbers[1])] > 0


def measure_pages(corpora: Path, limit: int | None = None) -> Section:
    """Return the share of blocks right on held-out sites, by language."""
    blocks, counts = _read_pages(corpora, limit)
    everything = np.ones(len(blocks.folds), dtype=np.bool_)
    languages = [language for language in PAGE_LANGUAGES if counts[language]]
    pooled = blocks.cross_validate(everything, languages)
    vectors = _read_vectors(corpora)
    header = (
        "language/pages/blocks/majority class/own net/pooled net/net of other languages/"
        "net of texrex's vectors"
    )
    rows = [header.split("/")]
    for language in languages:
        test = blocks.of_language(language)
        own = blocks.cross_validate(test, [language])[language]
        others = blocks.cross_validate(~test, [language])[language]
        shares = (blocks.majority_share(test), own, pooled[language], others)
        of_vectors = ""
        if language in LANGUAGES:
            net = vectors.fit(vectors.of_language(language))
            of_vectors = format_percent(float(blocks.test(net, test).mean()), 1)
        cells = [format_percent(share, 1) for share in shares]
        rows.append([language, str(counts[language]), f"{test.sum():,}", *cells, of_vectors])
    return Section(format_table(rows))


def _read_pages(corpora: Path, limit: int | None) -> tuple[FoldedBlocks, Counter[str]]:
    pages = [
        read_gold(page)
        for corpus in CORPORA
        for page in read_pages(corpus_file(corpora, corpus), limit)
    ]
    languages = np.array([gold.labelled.language or gold.page.language or "" for gold in pages])
    folds = np.array([site_fold(gold.labelled.site, FOLDS) for gold in pages])
    examples = collect_block_examples(pages, SectionBlocks(), TEXREX)
    blocks = FoldedBlocks(
        examples.rows,
        examples.labels == Label.BOILERPLATE,
        folds[examples.pages],
        languages[examples.pages],
    )
    return blocks, Counter(languages[np.unique(examples.pages)].tolist())
