"""Measure how much of a text occurs in other texts, by runs of words (Broder 1997, shingles)."""

import re
from collections.abc import Callable, Iterable
from typing import Any

from scrapy_boilerplate import native
from scrapy_boilerplate.native.text import encode_runs, has_unspaced, split_words

RUN_WORDS = 4
MAX_CHARACTERS = 1_000_000  # characters of a text that are read
MAX_RUNS = 100_000  # maximum runs of a `RunIndex`; later texts are not added
SEVERAL = -1

Run = tuple[str, ...] | int
# A dict, since it keeps the order and the hashes.
Runs = dict[Run, None]

_to_spaces = {code: " " for code in range(128) if not chr(code).isalnum()}
_find_words = re.compile(r"[^\W_]+").findall


def list_words(text: str) -> list[str]:
    """Return the words of a text in lower case, without punctuation."""
    if text.isascii():
        return text.translate(_to_spaces).split()
    words: list[str] = _find_words(text)
    return split_words(" ".join(words)) if has_unspaced(text) else words


def list_runs(text: str) -> Runs:
    """Return the different runs of RUN_WORDS words in order; a shorter text is one run."""
    runs: Runs = _list_runs(text[:MAX_CHARACTERS].lower())
    return runs


def _list_tuples(text: str) -> Runs:
    words = list_words(text)
    if len(words) <= RUN_WORDS:
        return {tuple(words): None}
    return dict.fromkeys(zip(*(words[k:] for k in range(RUN_WORDS)), strict=False))


_list_runs: Callable[[str], Any] = native.choose("text", encode_runs, _list_tuples)


class RunIndex:
    """The runs of texts, each with the number of its text, or SEVERAL."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._numbers: dict[Run, int] = {}
        for number, text in enumerate(texts):
            if self.is_full:
                break
            self.add(list_runs(text), number)

    @property
    def is_full(self) -> bool:
        """Whether no more texts are added."""
        return len(self._numbers) >= MAX_RUNS

    def add(self, runs: Runs, number: int = 0) -> None:
        if not self.is_full:
            new, numbers = dict.fromkeys(runs, number), self._numbers
            for run in numbers.keys() & runs.keys():
                if numbers[run] != number:
                    new[run] = SEVERAL
            numbers.update(new)

    def has(self, runs: Runs, min_share: float) -> bool:
        """Return whether the texts have at least `min_share` of the runs."""
        return len(self._numbers.keys() & runs.keys()) >= min_share * len(runs)

    def locate(self, runs: Iterable[Run]) -> list[int]:
        """Return, in order, the numbers of the texts of the runs that only one text has."""
        numbers = (self._numbers.get(run, SEVERAL) for run in runs)
        return [number for number in numbers if number != SEVERAL]
