"""Learnt word scores: what the words a block starts with, and the names around it, tell of it.

Logistic regressions over bags of words give each word a weight; the score of a block is the sum.
So "Read more" or a class ``newsletter`` are known in every language of the training pages, without
a lexicon. The weights belong to the model (`models.news`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from scrapy_boilerplate.features.news.facts import Facts
from scrapy_boilerplate.label import FloatArray, IntArray
from scrapy_boilerplate.text import HAN_KANA, SOUTH_EAST_ASIAN

FIRST_WORDS = 6
"""Words of a block that count (LEARNING.md, the recipe, 4)."""
FIRST_CHARACTERS = 80
"""Characters of a block in which they are looked for."""
NAME_LEVELS = 4
"""The block's own element and three above it."""
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
    get = weights.first.get
    scores = [sum(get(word, 0.0) for word in words) for words in first_words(facts.page.texts)]
    first = np.clip(np.array(scores, dtype=np.float64), -MOST, MOST)
    parents = facts.above(facts.own)
    counts = np.bincount(parents)
    around = np.bincount(parents, first) / np.maximum(counts, 1)
    return first, around[parents], *_name_scores(facts, (weights.names, weights.comments))


def first_words(texts: Sequence[str]) -> Iterator[set[str]]:
    """The first words of each text, without order; characters where words are not spaced."""
    for text in texts:
        start = text[:FIRST_CHARACTERS].lower()
        if not start.isascii():
            start = _character(r"\1 ", start)
        yield set(start.split(None, FIRST_WORDS)[:FIRST_WORDS])


def names_of(facts: Facts) -> tuple[list[list[str]], IntArray]:
    """(the words in each distinct class and id, int[m] the one each element around a block has).

    Elements around no block have the number 0, whatever they are called.
    """
    elements = facts.page.elements
    around = np.unique(np.concatenate(levels(facts))).tolist() if facts.n else []
    numbers: dict[str, int] = {"": 0}
    of_element = np.zeros(len(elements), dtype=np.int64)
    for element in around:
        name = f"{elements.classes[element]} {elements.ids[element]}"
        of_element[element] = numbers.setdefault(name, len(numbers))
    return _split("\n".join(name.replace("\n", " ") for name in numbers)), of_element


def levels(facts: Facts) -> list[IntArray]:
    """int[n] for each of NAME_LEVELS: the element of each block, its parent, and so on."""
    found = [facts.own]
    for _ in range(NAME_LEVELS - 1):
        found.append(facts.above(found[-1]))
    return found


def _split(lines: str) -> list[list[str]]:
    """The words of names, line by line; ``articleBody`` is two."""
    found: list[list[str]] = [[]]
    for word in _words_of_names(lines):
        if word == "\n":
            found.append([])
        else:
            found[-1].append(word.lower())
    return found


def _name_scores(facts: Facts, weights: Sequence[Mapping[str, float]]) -> list[FloatArray]:
    words, of_element = names_of(facts)
    found = []
    for each in weights:
        scores = np.array([sum(each.get(word, 0.0) for word in name) for name in words])
        by_element = scores[of_element]
        total = np.sum([by_element[element] for element in levels(facts)], axis=0)
        found.append(np.clip(total, -MOST, MOST))
    return found
