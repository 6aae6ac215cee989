"""Learnt word scores: what the words a block starts with, and the names around it, tell of it.

Logistic regressions over bags of words give each word a weight; the score of a block is the sum.
So "Read more" or a class ``newsletter`` are known in every language of the training pages, without
a lexicon. The weights belong to the model (`news.model`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, repeat
from typing import Any

import numpy as np

from scrapy_boilerplate.news.features.facts import Facts
from scrapy_boilerplate.page.labels import FloatArray, IntArray
from scrapy_boilerplate.page.text import HAN_KANA, SOUTH_EAST_ASIAN

FIRST_WORDS = 6
"""Words of a block that count (LEARNING.md, the recipe, 4)."""
FIRST_CHARACTERS = 80
"""Characters of a block in which they are looked for."""
MOST = 8.0
"""Scores beyond this, in log odds, say no more."""

_words_of_names = re.compile("[A-Z]?[a-z]{2,}|[A-Z]{2,}|\n").findall
_character = re.compile(f"([{HAN_KANA}{SOUTH_EAST_ASIAN}])").sub

COLUMNS = {
    "first_words": "score of the words it starts with, in log odds",
    "first_words_around": "mean score of the first words of the blocks with its parent",
    "names": "score of the class and id words of its element and of three above it",
    "comment_names": "the same, trained to tell comments from all else",
}
"""Name to what it is, in the order of `word_columns`."""


KNOWN = 20_000
"""Names, and starts of texts, whose scores are remembered at most; all are forgotten then (our
choice: some 4 MB each). Pages of a site share their classes, menus and buttons."""


@dataclass(frozen=True)
class WordWeights:
    """Weight of each word in log odds; unknown words weigh nothing."""

    first: Mapping[str, float] = field(default_factory=dict)
    names: Mapping[str, float] = field(default_factory=dict)
    comments: Mapping[str, float] = field(default_factory=dict)

    def of_starts(self, texts: Sequence[str]) -> FloatArray:
        """float[texts]: the sum of the weights of the first words of each text."""
        starts, known = [text[:FIRST_CHARACTERS] for text in texts], self._known_starts
        new = _unknown(starts, known)
        bags = list(first_words(new))
        numbers = np.repeat(np.arange(len(bags)), np.fromiter(map(len, bags), np.int64, len(bags)))
        sums = _sums(list(chain.from_iterable(bags)), numbers, self.first, len(bags))
        known.update(zip(new, sums.tolist(), strict=True))
        return np.fromiter(map(known.__getitem__, starts), np.float64, len(starts))

    def of_names(self, names: Sequence[str]) -> tuple[FloatArray, FloatArray]:
        """float[names] twice: the sums over the words of each by `names` and by `comments`."""
        known = self._known_names
        new = _unknown(names, known)
        words, of_name = _words_of(new)
        sums = (_sums(words, of_name, each, len(new)) for each in (self.names, self.comments))
        known.update(zip(new, zip(*(column.tolist() for column in sums), strict=True), strict=True))
        pairs = np.array([known[name] for name in names], dtype=np.float64).reshape(len(names), 2)
        return pairs[:, 0], pairs[:, 1]

    @cached_property
    def _known_starts(self) -> dict[str, float]:
        return {}

    @cached_property
    def _known_names(self) -> dict[str, tuple[float, float]]:
        return {}


def _unknown(wanted: Sequence[str], known: dict[str, Any]) -> list[str]:
    """Those that are not known, each once; a full memory forgets."""
    if len(known) > KNOWN:
        known.clear()
    return [one for one in dict.fromkeys(wanted) if one not in known]


def word_columns(facts: Facts, weights: WordWeights) -> Sequence[FloatArray]:
    """float[n] for each of COLUMNS."""
    first = _clipped(weights.of_starts(facts.page.texts))
    parents = facts.levels[1]
    counts = np.bincount(parents)
    around = np.bincount(parents, first) / np.maximum(counts, 1)
    names, of_element = names_around(facts)
    numbers = [of_element[elements] for elements in facts.levels]
    scores = (
        _clipped(np.sum([of_name[number] for number in numbers], axis=0))
        for of_name in weights.of_names(names)
    )
    return first, around[parents], *scores


def _sums(
    words: Sequence[str], of_bag: IntArray, weights: Mapping[str, float], bags: int
) -> FloatArray:
    """float[bags]: the sum of the weights of the words of each bag."""
    found = np.fromiter(map(weights.get, words, repeat(0.0)), np.float64, len(words))
    summed: FloatArray = np.bincount(of_bag, found, bags).astype(np.float64)
    return summed


def _clipped(scores: FloatArray) -> FloatArray:
    clipped: FloatArray = np.minimum(np.maximum(scores, -MOST), MOST)
    return clipped


def first_words(texts: Sequence[str]) -> Iterator[set[str]]:
    """The first words of each text, without order; characters where words are not spaced."""
    for text in texts:
        start = text[:FIRST_CHARACTERS].lower()
        if not start.isascii():
            start = _character(r" \1 ", start)
        yield set(start.split(None, FIRST_WORDS)[:FIRST_WORDS])


def names_around(facts: Facts) -> tuple[list[str], IntArray]:
    """(the distinct classes and ids, int[m] the number of those of each element around a block).

    Elements around no block have the first, "", whatever they are called.
    """
    classes, ids = facts.page.elements.classes, facts.page.elements.ids
    of_element = np.zeros(len(classes), dtype=np.int64)
    found = [f"{classes[element]} {ids[element]}" for element in facts.around]
    numbers = {"": 0}
    of_element[facts.around] = [numbers.setdefault(name, len(numbers)) for name in found]
    return list(numbers), of_element


def names_of(facts: Facts) -> tuple[list[list[str]], IntArray]:
    """(the words in each distinct class and id, int[m] the one each element around a block has)."""
    names, of_element = names_around(facts)
    words, of_name = _words_of(names)
    found: list[list[str]] = [[] for _ in names]
    for word, number in zip(words, of_name.tolist(), strict=True):
        found[number].append(word)
    return found, of_element


def _words_of(names: Sequence[str]) -> tuple[list[str], IntArray]:
    """(the words in all names, int[words] which name each is of); ``articleBody`` is two words.

    One search over all names is faster than a search in each.
    """
    joined = "\n".join(name.replace("\n", " ") for name in names)
    found = " ".join(_words_of_names(joined)).lower().split(" ")
    breaks = np.fromiter(map("\n".__eq__, found), np.bool_, len(found))
    words = [word for word in found if word and word != "\n"]
    numbers: IntArray = np.cumsum(breaks, dtype=np.int64)[~breaks][: len(words)]
    return words, numbers
