"""What Victor counts in the text of a block (Spousta, Marek, Pecina 2008).

Tokens, classes and details follow the released program (``Victor/Features/Counts/Generic.pm``,
``Characters.pm``, ``CLEANEVAL/Lists.pm``, ``Regexp.pm``); bins and scales its ``cleaneval.conf``.
A *token* is a run of letters, digits and underscores, or of other visible characters.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence

BINS = {
    "sentences": (1, 2, 4, 8, 16),
    "alpha": (1, 2, 4, 8, 16, 32, 64, 128),
    "num": (1, 2, 4, 8, 16),
    "mixed": (1, 2, 4, 8, 16),
    "other": (1, 2, 4, 8, 16),
    "word_length": (1, 2, 4, 6, 8, 10),
    "word_run": (1, 2, 3, 4, 6, 8, 12, 16, 32, 64),
    "twins": (1, 2, 3, 4),
    "split": (1, 2),
    "page_words": (1, 32, 64, 128, 256, 512, 1024, 2048),
    "page_sentences": (1, 8, 16, 32, 64, 128, 256, 512),
    "page_blocks": (1, 8, 16, 32, 64, 128, 256, 512),
}
"""The least number of each bin."""

SCALE, GROUP_SCALE = 10, 4
"""Shares come in steps from 0 to this number; those of a group of blocks in fewer."""

KINDS = ("alpha", "num", "mixed", "other")
"""Tokens of letters, of the digits 0 to 9, of both, and of anything else but punctuation."""

CHARACTERS = ("alpha", "num", "punct", "white", "other")

_DAY = r"\b(?:mon|tue|wed|thu|fri|sat|sun)\s+"
_DAY_MONTH = r"\d\d?.\s?\d\d?"
PATTERNS = {
    "url": (r"\bhttp://", r"\bwww\.[a-z0-9]", r"[a-z0-9]\.(?:com|net|org)\b"),
    "date": tuple(
        rf"{day}{_DAY_MONTH}{year}\b"
        for year in (r".\s?[12]\d\d\d", r".\s?\d\d", "")
        for day in (_DAY, r"\b")
    ),
    "time": (r"\b\d\d?:\d\d\s+(?:am|pm)\b", r"\b\d\d?:\d\d\b"),
}
"""Name to patterns; the feature is the number of the first that is found, 0 for none."""

Search = Callable[[str], object]

_PATTERNS: Mapping[str, list[Search]] = {
    name: [re.compile(pattern, re.IGNORECASE).search for pattern in patterns]
    for name, patterns in PATTERNS.items()
}
_has_digit = re.compile(r"\d").search
_NEEDS: Mapping[str, Search] = {
    "url": re.compile(r"[.:]").search,
    "date": _has_digit,
    "time": _has_digit,
}
"""What a text must hold for any of the patterns to be found: most texts are left alone."""
_tokens = re.compile(r"\w+|[^\w\s]+").findall
_bullet = re.compile(r"\s*(?:([0-9]+)|([a-z]+)|([A-Z]+))(\.|\)|/| -)").match
_BULLET_MARKS = (".", ")", "/", " -")
_only_punctuation = re.compile(r"[,:;.?!]+").fullmatch


def binned(name: str, number: int) -> int:
    """The number of the bin of BINS that `number` is in: 0 below the first."""
    return bisect_right(BINS[name], number)


def scaled(part: int, whole: int, scale: int = SCALE) -> int:
    """A share as a step from 0 to `scale`; 0 without a whole."""
    return min(scale, part * (scale + 1) // whole) if whole else 0


class TokenCounts:
    """The tokens of a text, counted: `counts` of each of KINDS, `sentences` (tokens that end in
    . ? or !), `starts` and `finishes`, whether the first word has a capital and whether a sentence
    ends after the last word."""

    def __init__(self, text: str) -> None:
        self.counts = dict.fromkeys(KINDS, 0)
        self.sentences = self.tokens = self._letters = self._runs = 0
        self.starts = False
        last_word, last_stop = -1, -1
        for place, token in enumerate(_tokens(text)):
            if token[-1] in ".?!":
                self.sentences, last_stop = self.sentences + 1, place
            kind = _kind(token)
            if kind is None:
                continue
            self.tokens += 1
            self.counts[kind] += 1
            if kind == "alpha":
                self._letters += len(token)
                self._runs += last_word < 0 or last_word != place - 1
                self.starts = token[0].isupper() if last_word < 0 else self.starts
                last_word = place
        self.finishes = 0 <= last_word <= last_stop

    def codes(self) -> list[int]:
        """The columns of `victor.COUNTS`, but those of characters and patterns."""
        words = self.counts["alpha"]
        length = _rounded(self._letters, words)
        run = _rounded(self.tokens, self._runs)
        return [
            binned("sentences", self.sentences),
            *(binned(kind, self.counts[kind]) for kind in KINDS),
            *(scaled(self.counts[kind], self.tokens) for kind in KINDS),
            int(not self.starts),
            int(not self.finishes),
            binned("word_length", length),
            binned("word_run", run),
        ]


def character_codes(text: str) -> list[int]:
    """The share of each of CHARACTERS, in steps."""
    alpha = sum(map(str.isalpha, text))
    num, punct = (sum(map(text.count, marks)) for marks in ("0123456789", ",:;.?!"))
    white = sum(map(str.isspace, text))
    counts = (alpha, num, punct, white, len(text) - alpha - num - punct - white)
    return [scaled(count, len(text)) for count in counts]


def pattern_codes(text: str) -> list[int]:
    """The number of the first of each of PATTERNS that is found in a text."""
    return [
        _first(patterns, text) if _NEEDS[name](text) else 0 for name, patterns in _PATTERNS.items()
    ]


def bullet_code(text: str) -> int:
    """Whether a text starts like the entry of a list: 0, or a number for the kind of number
    (digits, small letters, capitals) and the mark."""
    match = _bullet(text)
    if not match:
        return 0
    kind = next(number for number in range(3) if match[number + 1])
    return 1 + kind * len(_BULLET_MARKS) + _BULLET_MARKS.index(match[4])


def _kind(token: str) -> str | None:
    """One of KINDS, or None for punctuation."""
    if token.isalpha():
        return "alpha"
    if token.isascii() and token.isdigit():
        return "num"
    if token.isalnum():
        return "mixed"
    return None if _only_punctuation(token) else "other"


def _rounded(part: int, whole: int) -> int:
    return (2 * part + whole) // (2 * whole) if whole else 0


def _first(patterns: Sequence[Search], text: str) -> int:
    for number, search in enumerate(patterns, start=1):
        if search(text):
            return number
    return 0
