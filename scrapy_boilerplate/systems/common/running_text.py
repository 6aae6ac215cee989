"""Marks of running text: the stop words of a language, and clauses in any script.

The lists of stop words come from the package jusText (Pomikalek 2011: the most frequent words of
each language's Wikipedia), an extra. Each system documents its behaviour without a list.

A clause ends in one of ``, . : ; ! ?`` after a letter or digit and before white space or the end
(boilerpipe 1.2, ``MinClauseWordsFilter``), or in a mark of another script. Known failure: text
whose marks all precede a closing quotation mark has no clause.
"""

import re
from functools import cache
from importlib import import_module
from importlib.util import find_spec

from scrapy_boilerplate.page.text import SOUTH_EAST_ASIAN, count_words

# Language code to the name of jusText's list.
JUSTEXT_NAMES = dict(
    pair.split(":")
    for pair in (
        # ISO 639-1 (639-2 where there is no other) to the name of jusText's list
        "af:Afrikaans sq:Albanian ar:Arabic an:Aragonese hy:Armenian rup:Aromanian "
        "ast:Asturian az:Azerbaijani eu:Basque be:Belarusian bn:Bengali "
        "bpy:Bishnupriya_Manipuri bs:Bosnian br:Breton bg:Bulgarian ca:Catalan ceb:Cebuano "
        "cv:Chuvash hr:Croatian cs:Czech da:Danish nl:Dutch en:English eo:Esperanto "
        "et:Estonian fi:Finnish fr:French gl:Galician ka:Georgian de:German el:Greek "
        "gu:Gujarati ht:Haitian he:Hebrew hi:Hindi hu:Hungarian is:Icelandic io:Ido ig:Igbo "
        "id:Indonesian ga:Irish it:Italian jv:Javanese kn:Kannada kk:Kazakh ko:Korean "
        "ku:Kurdish ky:Kyrgyz la:Latin lv:Latvian lt:Lithuanian lmo:Lombard nds:Low_Saxon "
        "lb:Luxembourgish mk:Macedonian ms:Malay ml:Malayalam mt:Maltese mr:Marathi "
        "nap:Neapolitan ne:Nepali new:Newar nb:Norwegian_Bokmal no:Norwegian_Bokmal "
        "nn:Norwegian_Nynorsk oc:Occitan fa:Persian pms:Piedmontese pl:Polish pt:Portuguese "
        "qu:Quechua ro:Romanian ru:Russian sgs:Samogitian sr:Serbian sh:Serbo_Croatian "
        "scn:Sicilian sk:Slovak sl:Slovenian es:Spanish su:Sundanese sw:Swahili sv:Swedish "
        "tl:Tagalog ta:Tamil te:Telugu tr:Turkish tk:Turkmen uk:Ukrainian ur:Urdu uz:Uzbek "
        "vi:Vietnamese vo:Volapuk wa:Walloon war:Waray_Waray cy:Welsh fy:West_Frisian "
        "pnb:Western_Panjabi yo:Yoruba "
        # withdrawn or unofficial codes of the same languages
        "iw:Hebrew in:Indonesian fil:Tagalog mo:Romanian"
    ).split()
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
