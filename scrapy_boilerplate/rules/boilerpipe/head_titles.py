"""Titles and ends of text as boilerpipe finds them after 1.2.

Reference: kohlschutter/boilerpipe at 2c78035, ``DocumentTitleMatchClassifier`` and
``TerminatingBlocksFinder``. Against 1.2 (`rules.boilerpipe.marks`): more parts of the document
title count, without apostrophes, only the first block that is one of them gets the mark, with or
without its punctuation; a link "Comment" ends the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.label import Labeling
from scrapy_boilerplate.page import Page
from scrapy_boilerplate.rules.boilerpipe.marks import END_OF_TEXT, TITLE

MIN_PART_WORDS = 4
"""Words from which a part of the title between bars or dashes can be the headline (boilerpipe)."""

_separators = tuple(
    # as boilerpipe tries them on the document title
    re.compile(pattern)
    for pattern in (
        r" *[|»-] *",
        r" *[|»:] *",
        r" *[|»:()] *",
        r" *[|»:()-] *",
        r" *[|»,:()-] *",
    )
)
_spaced_separators = (re.compile(r" +\| +"), re.compile(r" +- +"))
_first_part, _last_part = re.compile(r"^[^-]+ - "), re.compile(r" - [^-]+$")
_without_marks = re.compile(r"[?!.:-]+").sub


@dataclass(frozen=True, kw_only=True)
class FirstTitleMatch:
    """Mark the first block whose whole text is the page's title or a part of it."""

    name: str = "first-title-match"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        titles = title_parts(_plain(page.title))
        found = np.zeros(len(page), dtype=np.bool_)
        for block, text in enumerate(map(_plain, page.texts) if titles else ()):
            if text in titles or _without_marks("", text).strip() in titles:
                found[block] = True
                break
        return labeling.mark(TITLE, found)


@dataclass(frozen=True, kw_only=True)
class CommentLinks:
    """Mark blocks that are nothing but a link "Comment" as an end of the text."""

    name: str = "comment-links"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        named = np.array([text == "Comment" for text in page.texts], dtype=np.bool_)
        return labeling.mark(END_OF_TEXT, named & (page.link_density == 1))


def title_parts(title: str) -> frozenset[str]:
    """The title, its longest part under each set of separators, and its long and outer parts.

    Parts with ".com" are site names.
    """
    if not title:
        return frozenset()
    found = {title, _last_part.sub("", title), _first_part.sub("", title)}
    for separator in _separators:
        found.add(_longest(separator.split(title)).strip())
    for separator in _spaced_separators:
        parts = separator.split(title)
        long = (part for part in parts if len(part.split()) >= MIN_PART_WORDS)
        found.update(part for part in long if ".com" not in part and len(parts) > 1)
    return frozenset(found - {""})


def _longest(parts: list[str]) -> str:
    """The part with most words, or most characters; among several the last to beat the others."""
    best, most_words = "", 0
    for part in parts:
        words = len(part.split(" "))
        if ".com" not in part and (words > most_words or len(part) > len(best)):
            best, most_words = part, words
    return best


def _plain(text: str) -> str:
    return text.replace("\xa0", " ").replace("'", "").strip().lower()
