"""Clauses, which distinguish running text from lists of names in any script.

A clause ends in one of ``, . : ; ! ?`` after a letter or digit and before white space or the end
(boilerpipe 1.2, ``MinClauseWordsFilter``), or in a mark of another script. Known failure: text
whose marks all precede a closing quotation mark has no clause.
"""

from __future__ import annotations

import re

from scrapy_boilerplate.page.text import SOUTH_EAST_ASIAN, count_words

MIN_CLAUSE_WORDS = 5
"""Words of a clause that counts (boilerpipe, ``MinClauseWordsFilter.INSTANCE``)."""

_OTHER_MARKS = (
    "\u037e\u0387"  # Greek question mark and semicolon
    "\u0589\u055d"  # Armenian full stop and comma
    "\u060c\u061b\u061f\u06d4"  # Arabic and Urdu
    "\u0964\u0965"  # Devanagari, Bengali and their relatives
    "\u1362-\u1368"  # Ethiopic
    "\u104a\u104b\u17d4\u17d5"  # Burmese and Khmer
    "、。，．：；！？｡､"  # Chinese and Japanese
)
_split_after_clauses = re.compile(
    r"(?<=[^\W_])[,.:;!?]+(?=\s|\Z)"  # boilerpipe
    rf"|[{_OTHER_MARKS}]+"
    rf"|(?<=[{SOUTH_EAST_ASIAN}])(?:\s+|\Z)"  # Thai and Lao have no marks, but spaces
).split


def has_clause(text: str) -> bool:
    """Return whether `text` has a clause of MIN_CLAUSE_WORDS or more; linear time."""
    return any(count_words(part) >= MIN_CLAUSE_WORDS for part in _split_after_clauses(text)[:-1])
