"""boilerpipe's ``ArticleSentencesExtractor``: of an article only what holds a clause.

Reference: boilerpipe 1.2 (Kohlschuetter), ``SplitParagraphBlocksFilter``, ``MinClauseWordsFilter``.
boilerpipe splits a fused block at line ends. White space in a source text is no line end there:
line ends come from fusing alone, so splitting gives back the atomic blocks. Here blocks were never
merged, and `SplitParagraphs` ends the runs. No block is cut at sentences, there or here.

A clause is what ends in one of ``, . : ; ! ?`` after a letter or digit and before white space or
the end. Beyond boilerpipe, the marks of other scripts count too, a space does in the scripts of
South East Asia, and words are ours (`text.count_words`).
Known failures: text whose marks all stand before a closing quotation mark has no clause; headings
and captions are lost.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.page.labels import Labeling
from scrapy_boilerplate.page.page import Page
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


@dataclass(frozen=True, kw_only=True)
class SplitParagraphs:
    """Every block is a run of its own again, deleted ones too (they are no content)."""

    name: str = "split-paragraphs"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        return labeling.fuse(np.arange(len(page)))


@dataclass(frozen=True, kw_only=True)
class MinClauseWords:
    """Content stays if it holds a clause of at least `words` words (see `has_clause`)."""

    words: int = MIN_CLAUSE_WORDS
    name: str = "min-clause-words"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        kept = labeling.content.copy()
        for block in np.flatnonzero(kept).tolist():
            kept[block] = has_clause(page.texts[block], self.words)
        return labeling.revise(kept, self.name)


def has_clause(text: str, words: int = MIN_CLAUSE_WORDS) -> bool:
    """Whether a part of `text` of at least `words` words ends in a mark; linear time."""
    return any(count_words(part) >= words for part in _split_after_clauses(text)[:-1])
