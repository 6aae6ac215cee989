"""Scores of an extracted text against the gold text."""

from __future__ import annotations

import re
from collections import Counter

from scrapy_boilerplate.text import HAN_KANA, SOUTH_EAST_ASIAN

_HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
_CHARACTERS = f"{HAN_KANA}{SOUTH_EAST_ASIAN}{_HANGUL}"
_find_tokens = re.compile(rf"[{_CHARACTERS}]|[^\W{_CHARACTERS}]+").findall


def tokens(text: str) -> list[str]:
    """Lower-case tokens: words, but one token for each CJK, kana, hangul or Thai character."""
    return list(_find_tokens(text.lower()))


def token_f1(text: str, gold: str) -> float:
    """F1 of the bags of tokens (Kohlschuetter et al. 2010, section 4.3.2); 1 if both are empty."""
    found, wanted = Counter(tokens(text)), Counter(tokens(gold))
    if not found and not wanted:
        return 1.0
    shared = (found & wanted).total()
    return 2 * shared / (found.total() + wanted.total())
