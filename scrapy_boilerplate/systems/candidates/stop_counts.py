"""How many stop words each block holds, or what stands in for it without a list of them.

Goose and Newspaper take a text for prose when it holds stop words. A language that jusText has no
list for, scripts without spaces, an undeclared language, or jusText not installed: there a block
counts as prose when it has the marks of clauses, and as `STOP_WORD_SHARE` stop words a word then,
at most `WORDS_PER_MARK` words for each mark. Grades of both kinds have the same size, so that the
methods' thresholds hold for both.
"""

from __future__ import annotations

import re

import numpy as np

from scrapy_boilerplate.page.labels import IntArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.stop_words import stop_words

STOP_WORD_SHARE = 0.53
"""Stop words a word of running text: jusText's lists in the gold text of fundus and
article-extraction, mean of 14 languages (.43 Turkish to .61 Danish)."""
WORDS_PER_MARK = 12
"""Words that one clause mark vouches for (our choice; the median there is 9)."""

_words_of = re.compile(r"[^\W_]+(?:['’][^\W_]+)*").findall
_marks_of = re.compile(
    # Latin, Greek, Cyrillic ...; Arabic; Devanagari; Chinese and Japanese; Thai and Khmer
    r"[.,;:!?…](?=[\s\"'”’»)\]]|$)|[\u060c\u061b\u061f\u06d4]|[\u0964\u0965]"
    r"|[\u3001\u3002\uff0c\uff0e\uff01\uff1f\uff1b\uff1a]|[\u0e2f\u0e5a\u17d4\u17d5]"
).findall


def stop_counts(page: Page) -> IntArray:
    """int[n]: stop words of each block in the page's language, or the grade in their place."""
    listed = stop_words(page.language)
    if listed is None:
        return _grades(page)
    counts = (sum(word in listed for word in _words_of(text.lower())) for text in page.texts)
    return np.fromiter(counts, np.int64, len(page))


def _grades(page: Page) -> IntArray:
    marks = np.fromiter((len(_marks_of(text)) for text in page.texts), np.int64, len(page))
    grades = STOP_WORD_SHARE * np.minimum(page.words, WORDS_PER_MARK * marks)
    rounded: IntArray = np.rint(grades).astype(np.int64)
    return rounded
