"""Learned word scores, of the first words of a block and of the names of elements around it.

Logistic regressions over bags of words give each word a weight, which the model stores. The score
of a block is the sum.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, repeat
from typing import Any

import numpy as np

from scrapy_boilerplate.news.features.block_columns import BlockColumns
from scrapy_boilerplate.page.labels import FloatArray, IntArray
from scrapy_boilerplate.page.text import HAN_KANA, SOUTH_EAST_ASIAN

FIRST_WORDS = 6
"""Words of a block that count (our sweep, docs/provenance.md)."""
FIRST_CHARACTERS = 80
"""Characters of a block in which they are searched (our choice)."""
MAX_SCORE = 8.0
"""Size of a score in log odds at most (our choice)."""
MAX_CACHED = 20_000
"""Names, and starts of texts, whose scores are cached at most; then the cache is cleared (our
choice: some 4 MB each). Pages of a site share them."""

COLUMNS = {
    "first_words": "score of the words it starts with, in log odds",
    "first_words_around": "mean score of the first words of the blocks with its parent",
    "names": "score of the class and id words of its element and of three above it",
    "comment_names": "the same, trained to tell comments from all else",
}
"""Name to what it is, in the order of `score_words`."""

_words_of_names = re.compile("[A-Z]?[a-z]{2,}|[A-Z]{2,}|\n").findall
separate_characters = re.compile(f"([{HAN_KANA}{SOUTH_EAST_ASIAN}])").sub


@dataclass(frozen=True)
class WordWeights:
    """Weight of each word in log odds; unknown words weigh nothing."""

    first: Mapping[str, float] = field(default_factory=dict)
    names: Mapping[str, float] = field(default_factory=dict)
    comments: Mapping[str, float] = field(default_factory=dict)

    def score_starts(self, texts: Sequence[str]) -> FloatArray:
        """Return float[texts]: the sum of the weights of the first words of each text."""
        starts, cached = [text[:FIRST_CHARACTERS] for text in texts], self._cached_starts
        new = _list_uncached(starts, cached)
        bags = list(split_first_words(new))
        of_text = np.repeat(np.arange(len(bags)), np.fromiter(map(len, bags), np.int64, len(bags)))
        sums = _sum_weights(list(chain.from_iterable(bags)), of_text, self.first, len(bags))
        cached.update(zip(new, sums.tolist(), strict=True))
        return np.fromiter(map(cached.__getitem__, starts), np.float64, len(starts))

    def score_names(self, names: Sequence[str]) -> FloatArray:
        """Return float[2, names]: the sums over the words of each by `names` and by `comments`."""
        cached = self._cached_names
        new = _list_uncached(names, cached)
        words, of_name = _split_names(new)
        by_names = _sum_weights(words, of_name, self.names, len(new))
        by_comments = _sum_weights(words, of_name, self.comments, len(new))
        pairs = zip(by_names.tolist(), by_comments.tolist(), strict=True)
        cached.update(zip(new, pairs, strict=True))
        scores = np.array(list(map(cached.__getitem__, names)), dtype=np.float64)
        return scores.reshape(len(names), 2).T

    @cached_property
    def _cached_starts(self) -> dict[str, float]:
        return {}

    @cached_property
    def _cached_names(self) -> dict[str, tuple[float, float]]:
        return {}


def score_words(blocks: BlockColumns, weights: WordWeights) -> Sequence[FloatArray]:
    """Return float[n] for each of COLUMNS."""
    first = np.clip(weights.score_starts(blocks.page.texts), -MAX_SCORE, MAX_SCORE)
    parents = blocks.levels[1]
    around = np.bincount(parents, first) / np.maximum(np.bincount(parents), 1)
    names, of_element = number_names(blocks)
    scores = weights.score_names(names)
    summed = scores[:, of_element[blocks.own]]
    for elements in blocks.levels[1:]:
        summed = summed + scores[:, of_element[elements]]
    return first, around[parents], *np.clip(summed, -MAX_SCORE, MAX_SCORE)


def _list_uncached(texts: Sequence[str], cached: dict[str, Any]) -> list[str]:
    """Return the texts that are not cached, each once; clear a full cache."""
    if len(cached) > MAX_CACHED:
        cached.clear()
    return [text for text in dict.fromkeys(texts) if text not in cached]


def _sum_weights(
    words: Sequence[str], of_bag: IntArray, weights: Mapping[str, float], bags: int
) -> FloatArray:
    """Return float[bags]: the sum of the weights of the words of each bag."""
    column = np.fromiter(map(weights.get, words, repeat(0.0)), np.float64, len(words))
    sums: FloatArray = np.bincount(of_bag, column, bags).astype(np.float64)
    return sums


def split_first_words(texts: Sequence[str]) -> Iterator[set[str]]:
    """Yield the first words of each text, without order; characters where words are not spaced."""
    for text in texts:
        start = text[:FIRST_CHARACTERS].lower()
        if not start.isascii():
            start = separate_characters(r" \1 ", start)
        yield set(start.split(None, FIRST_WORDS)[:FIRST_WORDS])


def number_names(blocks: BlockColumns) -> tuple[list[str], IntArray]:
    """Return the distinct classes and ids, and int[m], which of them each element has.

    Elements around no block have the first, "", whatever they are called.
    """
    classes, ids = blocks.page.elements.classes, blocks.page.elements.ids
    numbers = {"": 0}
    of_element = np.zeros(len(classes), dtype=np.int64)
    of_element[blocks.around] = [
        numbers.setdefault(f"{classes[element]} {ids[element]}", len(numbers))
        for element in blocks.around
    ]
    return list(numbers), of_element


def collect_name_words(blocks: BlockColumns) -> tuple[list[list[str]], IntArray]:
    """Return the words in each distinct class and id, and int[m], which of them an element has."""
    names, of_element = number_names(blocks)
    words_of_names: list[list[str]] = [[] for _ in names]
    words, of_name = _split_names(names)
    for word, number in zip(words, of_name.tolist(), strict=True):
        words_of_names[number].append(word)
    return words_of_names, of_element


def _split_names(names: Sequence[str]) -> tuple[list[str], IntArray]:
    """Return the words in all names (two in ``articleBody``), and int[words], the name of each.

    One search over all names is faster than one in each.
    """
    joined = "\n".join(name.replace("\n", " ") for name in names)
    parts = " ".join(_words_of_names(joined)).lower().split(" ")
    breaks = np.fromiter(map("\n".__eq__, parts), np.bool_, len(parts))
    words = [word for word in parts if word and word != "\n"]
    numbers: IntArray = np.cumsum(breaks, dtype=np.int64)[~breaks][: len(words)]
    return words, numbers
