"""Learnt word scores: what the words a block starts with, and the names around it, tell of it.

Logistic regressions over bags of words give each word a weight; the score of a block is the sum.
So "Read more" or a class ``newsletter`` are known in every language of the training pages, without
a lexicon. The weights belong to the model (`models.news`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat

import numpy as np

from scrapy_boilerplate.features.news.facts import Facts
from scrapy_boilerplate.label import FloatArray, IntArray
from scrapy_boilerplate.text import HAN_KANA, SOUTH_EAST_ASIAN

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


@dataclass(frozen=True)
class WordWeights:
    """Weight of each word in log odds; unknown words weigh nothing."""

    first: Mapping[str, float] = field(default_factory=dict)
    names: Mapping[str, float] = field(default_factory=dict)
    comments: Mapping[str, float] = field(default_factory=dict)


def word_columns(facts: Facts, weights: WordWeights) -> Sequence[FloatArray]:
    """float[n] for each of COLUMNS."""
    first = _clipped(_first_scores(facts.page.texts, weights.first))
    parents = facts.levels[1]
    counts = np.bincount(parents)
    around = np.bincount(parents, first) / np.maximum(counts, 1)
    words, of_name, of_element = words_of_names(facts)
    scores = []
    for each in (weights.names, weights.comments):
        by_element = _sums(words, of_name, each)[of_element]
        scores.append(_clipped(np.sum([by_element[e] for e in facts.levels], axis=0)))
    return first, around[parents], *scores


def _first_scores(texts: Sequence[str], weights: Mapping[str, float]) -> FloatArray:
    """float[n]: the sum of the weights of the first words of each text."""
    bags = list(first_words(texts))
    numbers = np.repeat(np.arange(len(bags)), np.fromiter(map(len, bags), np.int64, len(bags)))
    found = _sums(list(chain.from_iterable(bags)), numbers, weights)
    return np.concatenate((found, np.zeros(len(bags) - len(found))))


def _sums(words: Sequence[str], of_bag: IntArray, weights: Mapping[str, float]) -> FloatArray:
    """float[bags]: the sum of the weights of the words of each bag, up to the last with a word."""
    found = np.fromiter(map(weights.get, words, repeat(0.0)), np.float64, len(words))
    summed: FloatArray = np.bincount(of_bag, found).astype(np.float64)
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


def words_of_names(facts: Facts) -> tuple[list[str], IntArray, IntArray]:
    """(the words in all distinct classes and ids, int[words] which of these each word is of, int[m]
    which of them each element around a block has). Breaks between names are words as well.

    Elements around no block have the number 0, whatever they are called.
    """
    classes, ids = facts.page.elements.classes, facts.page.elements.ids
    of_element = np.zeros(len(classes), dtype=np.int64)
    found = [f"{classes[element]} {ids[element]}" for element in facts.around]
    distinct = ["", *dict.fromkeys(found)]
    numbers = {name: number for number, name in enumerate(distinct)}
    of_element[facts.around] = [numbers[name] for name in found]
    words = _split("\n".join(name.replace("\n", " ") for name in distinct))
    breaks = np.fromiter(map("\n".__eq__, words), np.bool_, len(words))
    return words, np.cumsum(breaks), of_element


def names_of(facts: Facts) -> tuple[list[list[str]], IntArray]:
    """(the words in each distinct class and id, int[m] the one each element around a block has)."""
    words, of_name, of_element = words_of_names(facts)
    names: list[list[str]] = [[] for _ in range(int(of_element.max(initial=0)) + 1)]
    for word, number in zip(words, of_name.tolist(), strict=True):
        if word != "\n":
            names[number].append(word)
    return names, of_element


def _split(lines: str) -> list[str]:
    """The words of names, with line breaks between names; ``articleBody`` is two."""
    return " ".join(_words_of_names(lines)).lower().split(" ")
