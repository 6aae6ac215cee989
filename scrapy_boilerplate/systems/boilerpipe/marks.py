"""Steps that note on blocks what they look like, without deciding anything."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.page.labels import Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import count_words

TITLE = "title"
END_OF_TEXT = "end of text"
MIGHT_BE_CONTENT = "might be content"

MAX_WORDS_OF_END = 15
"""A block with this many words or more does not announce the end of the text (boilerpipe)."""

_ends_text = re.compile(
    # boilerpipe 1.2, TerminatingBlocksFinder: English and one Swedish phrase
    r"comments|\d+ (?:comments|users responded in)|© reuters|please rate this|post a comment"
    r"|.*(?:what you think\.\.\.|add (?:your )?comment|reader views|have your say"
    r"|reader comments|rätta artikeln)"
    r"|thanks for your comments - this feedback is now closed$",
    re.IGNORECASE,
).match

_separators = tuple(
    # growing sets, as boilerpipe 1.2 tries them on the document title
    re.compile(pattern)
    for pattern in (r"\s*[|»:]\s*", r"\s*[|»:()]\s*", r"\s*[|»:()-]\s*", r"\s*[|»,:()-]\s*")
)


@dataclass(frozen=True, kw_only=True)
class TerminatingBlocks:
    """Mark short blocks that announce comments or another end of the text.

    The phrases are boilerpipe's, so this is a filter for English pages; the comments of other
    languages are told apart by `steps.other_labels`.
    """

    name: str = "terminating-blocks"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        short = page.words < MAX_WORDS_OF_END
        found = np.zeros(len(page), dtype=np.bool_)
        for block in np.flatnonzero(short).tolist():
            found[block] = _ends_text(page.texts[block]) is not None
        return labeling.mark(END_OF_TEXT, found)


@dataclass(frozen=True, kw_only=True)
class TitleMatch:
    """Mark blocks whose whole text is the page's title, or the title's longest part."""

    name: str = "title-match"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        titles = possible_titles(page.title)
        found = [text.lower() in titles for text in page.texts] if titles else [False] * len(page)
        return labeling.mark(TITLE, np.array(found, dtype=np.bool_))


def possible_titles(title: str) -> frozenset[str]:
    """The title and its longest part under each set of separators, in lower case.

    Parts with ".com" are site names (boilerpipe 1.2, DocumentTitleMatchClassifier).
    """
    if not title:
        return frozenset()
    found = {title.lower(), *(_longest_part(title, separator) for separator in _separators)}
    return frozenset(found - {""})


def _longest_part(title: str, separator: re.Pattern[str]) -> str:
    """The last part that has more words or more characters than the longest before it."""
    longest, most_words = "", 0
    for part in separator.split(title):
        words = count_words(part)
        if ".com" not in part and (words > most_words or len(part) > len(longest)):
            longest, most_words = part, words
    return longest.strip().lower()
