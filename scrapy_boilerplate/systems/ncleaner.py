"""NCleaner (Evert, A Lightweight and Efficient Tool for Cleaning Web Pages, LREC 2008).

Two character n-gram models, of clean and of dirty text (docs/systems/ncleaner.md). The models are
trigrams with geometric interpolation. The probability of a character is the weighted mean of three
estimates: after the two characters before it, after the last one, and without context (with one
added to the count of every character). The weights are 1, q and q * q, normalized, and 0 for an
unknown history. The patterns of the paper's filter were not available, so `is_dirty` has other
patterns. The unit is a text block; the program reads the paragraphs of a text dump.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from scrapy_boilerplate.page.labels import FloatArray, IntArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import collapse
from scrapy_boilerplate.steps.model_store import ModelError, StoredModel, read_array
from scrapy_boilerplate.systems.common.block_model import BlockModel, Prediction, predict_content
from scrapy_boilerplate.systems.common.columns import match_texts

ORDER = 3  # characters of an n-gram: a character and two before it (the paper's choice)

# The number of all characters outside the alphabet.
OTHER = 0


@dataclass(frozen=True)
class Alphabet:
    """The characters that a model knows, with a space; texts are padded with spaces."""

    characters: str

    def __len__(self) -> int:
        return len(self.characters) + 1

    def trigrams(self, text: str) -> IntArray:
        """Return the numbers of the trigrams of a text with two spaces before and one after it."""
        padded = f"{' ' * (ORDER - 1)}{collapse(text)} "
        codes = np.frombuffer(padded.encode("utf-32-le", "replace"), dtype=np.uint32)
        numbers, size = self._table[np.minimum(codes, len(self._table) - 1)], len(self)
        return (numbers[:-2] * size + numbers[1:-1]) * size + numbers[2:]

    @cached_property
    def _table(self) -> IntArray:
        table = np.full(max(map(ord, self.characters), default=0) + 2, OTHER, dtype=np.int64)
        for number, character in enumerate(self.characters, start=1):
            table[ord(character)] = number
        return table


def count_trigrams(texts: Iterable[str], alphabet: Alphabet) -> IntArray:
    """int[A ** 3]: how often each trigram occurs, with spaces around texts."""
    trigrams = np.concatenate([alphabet.trigrams(text) for text in texts])
    return np.bincount(trigrams, minlength=len(alphabet) ** ORDER)


class TrigramModel:
    """A model of `counts` (int[A ** 3], of an alphabet of `size` A); `q` is over 0, at most 1."""

    def __init__(self, counts: IntArray, size: int, q: float) -> None:
        self._size, self._q = size, q
        self._threes = counts
        self._after_two = counts.reshape(-1, size).sum(axis=1)
        self._twos = counts.reshape(size, -1).sum(axis=0)
        self._after_one = self._twos.reshape(size, size).sum(axis=1)
        self._ones = self._twos.reshape(size, size).sum(axis=0) + 1

    def __call__(self, trigrams: IntArray) -> FloatArray:
        """float[m]: log2 of the probability of the last character of each of `trigrams`."""
        twos, ones = trigrams % self._size**2, trigrams % self._size
        levels = (
            (1.0, self._threes[trigrams], self._after_two[trigrams // self._size]),
            (self._q, self._twos[twos], self._after_one[twos // self._size]),
            (self._q**2, self._ones[ones], np.int64(self._ones.sum())),
        )
        total = sum(weight * count / np.maximum(history, 1) for weight, count, history in levels)
        weights = sum(weight * (history > 0) for weight, _, history in levels)
        logs: FloatArray = np.log2(total / weights)
        return logs


Q = 0.75  # interpolation factor (the paper; the released program's default is .6)

# Minimum bits per character that the clean model saves: more for precision, less for recall.
BIAS = 0.0

SIDES = ("clean", "dirty")
MAX_ALPHABET = 128  # maximum size of an alphabet: the table of counts grows with the cube

MIN_SEPARATORS = 2  # minimum separators between the short entries of a navigation bar
MAX_ENTRY_WORDS = 4  # maximum words of an entry on average

# Characters of a text that count as independent in its score; with all, it would be 0 or 1.
INDEPENDENT = 16

_find_separators = re.compile(r"\s[|•·»›>]\s|\s(?:::|\|\|)\s").findall
_has_letter = re.compile(r"[^\W_]").search


def label_by_characters(
    alphabet: Alphabet, clean: TrigramModel, dirty: TrigramModel, page: Page
) -> Prediction:
    """Return full text or boilerplate for each block; linear time in the text.

    A clean block saves at least BIAS bits per character. The score is the probability that a block
    is clean, with equal priors and `INDEPENDENT` characters per text.
    """
    gains = np.zeros(len(page))
    if len(page):
        trigrams = [alphabet.trigrams(text) for text in page.texts]
        lengths = np.array([len(numbers) for numbers in trigrams], dtype=np.int64)
        together = np.concatenate(trigrams)
        bits = clean(together) - dirty(together)
        gains = np.add.reduceat(bits, np.cumsum(lengths) - lengths) / lengths - BIAS
    unclean = match_texts(page.texts, is_dirty)
    shares = 1 / (1 + np.exp2(-np.clip(gains, -1, 1) * INDEPENDENT))
    return predict_content((gains >= 0) & ~unclean, np.where(unclean, 0.0, shares))


def is_dirty(text: str) -> bool:
    """Return whether a text is a separator or a navigation bar."""
    if not _has_letter(text):
        return True
    bars = len(_find_separators(f" {text} "))
    return bars >= MIN_SEPARATORS and len(text.split()) <= (bars + 1) * (MAX_ENTRY_WORDS + 1)


def read_character_models(model: StoredModel) -> BlockModel:
    """Return the two models in a stored model. Raises ModelError for another model."""
    characters = model.facts.get("alphabet")
    model.check_columns(())
    if not isinstance(characters, str) or not 0 < len(set(characters)) == len(characters):
        raise ModelError(f"the model {model.kind!r} has no alphabet: train it again")
    if len(characters) > MAX_ALPHABET:
        raise ModelError(f"the alphabet of the model {model.kind!r} is too large: train it again")
    alphabet = Alphabet(characters)
    size = len(alphabet)
    clean, dirty = (TrigramModel(_read_counts(model, name, size), size, Q) for name in SIDES)
    return partial(label_by_characters, alphabet, clean, dirty)


def _read_counts(model: StoredModel, name: str, size: int) -> IntArray:
    trigrams = read_array(model, f"{name}_trigrams", (None,)).astype(np.int64)
    counts = read_array(model, f"{name}_counts", (len(trigrams),)).astype(np.int64)
    if (trigrams < 0).any() or (trigrams >= size**ORDER).any() or (counts < 0).any():
        raise ModelError(f"the arrays of the model {model.kind!r} do not fit: train it again")
    table = np.zeros(size**ORDER, dtype=np.int64)
    table[trigrams] = counts
    return table
