"""NCleaner (Evert, A Lightweight and Efficient Tool for Cleaning Web Pages, LREC 2008).

Two character n-gram models, of clean and of dirty text (`models.ngrams`). A block is content if it
takes no more bits a character by the clean one than by the dirty one. No markup is looked at.

Before that, two kinds of blocks are dirty: separators without a letter or digit, and navigation
bars. The paper has such a filter, its patterns were not at hand: those below are ours, as is the
unit, a text block where the program has the paragraphs of a text dump.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scrapy_boilerplate.label import FloatArray, IntArray, Label, Labeling
from scrapy_boilerplate.models.classifier import checked_array
from scrapy_boilerplate.models.ngrams import ORDER, Alphabet, TrigramModel, trigrams
from scrapy_boilerplate.models.store import ModelError, StoredModel
from scrapy_boilerplate.page import Page

Q = 0.75
"""Interpolation factor (SEEDS.md, from the paper; the released program's default is .6)."""

MODELS = ("clean", "dirty")
MAX_ALPHABET = 128
"""Characters told apart at most: the table of counts grows with the cube."""

MIN_SEPARATORS = 2
"""Separators between the short entries of a navigation bar (our choice)."""
MAX_ENTRY_WORDS = 4
"""Words of an entry on average (our choice)."""

_separators = re.compile(r"\s[|•·»›>]\s|\s(?:::|\|\|)\s").findall
_has_letter = re.compile(r"[^\W_]").search


@dataclass(frozen=True, eq=False)
class CharacterModels:
    """The models of clean and of dirty text, over one alphabet."""

    alphabet: Alphabet
    clean: TrigramModel
    dirty: TrigramModel

    def gains(self, texts: Sequence[str]) -> FloatArray:
        """float[n]: bits a character that the clean model saves on each text; linear time."""
        if not texts:
            return np.zeros(0)
        found = [trigrams(self.alphabet.numbers(text), len(self.alphabet)) for text in texts]
        together = np.concatenate(found)
        lengths = np.array([len(one) for one in found], dtype=np.int64)
        bits = self.clean(together) - self.dirty(together)
        gains: FloatArray = np.add.reduceat(bits, np.cumsum(lengths) - lengths) / lengths
        return gains


@dataclass(frozen=True, kw_only=True)
class NCleaner:
    """Blocks become full text or boilerplate.

    `bias` bits are asked of a block: more for precision, less for recall. A score is how likely the
    block is clean if both kinds are as frequent and characters tell as much as `INDEPENDENT` of
    them. `stored` gives the model when the first page comes.
    """

    stored: Callable[[], StoredModel]
    bias: float = 0.0
    name: str = "ncleaner"

    @cached_property
    def _models(self) -> CharacterModels:
        return character_models(self.stored())

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        """Every block is relabelled; linear time in the text."""
        models = self._models
        gains = models.gains(page.texts) - self.bias
        dirty = np.fromiter(map(is_dirty, page.texts), np.bool_, len(page))
        clean = (gains >= 0) & ~dirty
        scores = np.zeros((len(page), len(Label)))
        shares = 1 / (1 + np.exp2(-np.clip(gains, -1, 1) * INDEPENDENT))
        scores[:, Label.FULL_TEXT] = np.where(dirty, 0.0, shares)
        scores[:, Label.BOILERPLATE] = 1 - scores[:, Label.FULL_TEXT]
        labels = np.where(clean, Label.FULL_TEXT, Label.BOILERPLATE).astype(np.int64)
        return labeling.predict(labels, scores, self.name)


INDEPENDENT = 16
"""Characters that tell as much as a text (our choice: characters of one text tell nearly the same,
and the sum over all of them would make every score 0 or 1)."""


def is_dirty(text: str) -> bool:
    """Whether a text is a separator or a navigation bar."""
    if not _has_letter(text):
        return True
    bars = len(_separators(f" {text} "))
    return bars >= MIN_SEPARATORS and len(text.split()) <= (bars + 1) * (MAX_ENTRY_WORDS + 1)


def character_models(model: StoredModel) -> CharacterModels:
    """The two models of a stored one. Raises ModelError if it is none of NCleaner."""
    characters = model.facts.get("alphabet")
    model.check_columns(())
    if not isinstance(characters, str) or not 0 < len(set(characters)) == len(characters):
        raise ModelError(f"the model {model.kind!r} has no alphabet: train it anew")
    if len(characters) > MAX_ALPHABET:
        raise ModelError(f"the alphabet of the model {model.kind!r} is too large: train it anew")
    alphabet = Alphabet(characters)
    clean, dirty = (
        TrigramModel(_counts(model, name, len(alphabet)), len(alphabet), Q) for name in MODELS
    )
    return CharacterModels(alphabet, clean, dirty)


def _counts(model: StoredModel, name: str, size: int) -> IntArray:
    """int[A ** 3]: how often each three characters were found."""
    found = checked_array(model, f"{name}_trigrams", (None,)).astype(np.int64)
    counts = checked_array(model, f"{name}_counts", (len(found),)).astype(np.int64)
    if (found < 0).any() or (found >= size**ORDER).any() or (counts < 0).any():
        raise ModelError(f"the arrays of the model {model.kind!r} do not fit: train it anew")
    table = np.zeros(size**ORDER, dtype=np.int64)
    table[found] = counts
    return table
