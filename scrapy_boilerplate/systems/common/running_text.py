"""Marks of running text: the stop words of a language, and clauses in any script.

The lists of stop words come from the package jusText (Pomikalek 2011: the most frequent words of
each language's Wikipedia), an extra. Each system documents its behaviour without a list.

A clause ends in one of ``, . : ; ! ?`` after a letter or digit and before white space or the end
(boilerpipe 1.2, ``MinClauseWordsFilter``), or in a mark of another script. Known failure: text
whose marks all precede a closing quotation mark has no clause.
"""

import json
import re
from functools import cache
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec

from scrapy_boilerplate.page.text import SOUTH_EAST_ASIAN, count_words

# Language code (ISO 639, also withdrawn or unofficial) to the name of jusText's list.
JUSTEXT_NAMES: dict[str, str] = json.loads(
    files(__package__).joinpath("stop_word_lists.json").read_text("utf-8")
)


def get_stop_words(language: str | None) -> frozenset[str] | None:
    """Return the stop words of `language` (ISO 639 code) in lower case; None if there is no list.

    Compare them with lower-case words between white space, because some contain punctuation.
    """
    name = JUSTEXT_NAMES.get(language or "")
    return None if name is None else _load_list(name)


@cache
def _load_list(name: str) -> frozenset[str] | None:
    if find_spec("justext") is None:
        return None
    words: frozenset[str] = import_module("justext").get_stoplist(name)
    return words


# Words of a clause (boilerpipe, ``MinClauseWordsFilter.INSTANCE``).
MIN_CLAUSE_WORDS = 5

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
