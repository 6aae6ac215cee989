"""Match the blocks of a page with its title, and find the headline by the match."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.native.text import find_matches
from scrapy_boilerplate.page.labels import Label, Labeling
from scrapy_boilerplate.page.page import Page

# Match the separator between a headline and the name of its site or section.
title_separator = re.compile(r"\s(?:[·•«›‹—–/~>*♥-]|::?|--)\s|[|ㅣ｜│»]+|:\s")

HEADING_TAGS = frozenset("h1 h2 h3 h4 h5 h6".split())
HEADLINE_TAGS = frozenset({"h1", "h2"})  # headings that can be the headline of an article

START_LENGTH = 48  # characters of the start of a text that are compared; teasers cut the rest
MIN_MATCH_LENGTH = 8  # minimum characters of a headline or title that matches inside the other
# Share of the title's characters in a headline; the rest names the site.
MIN_TITLE_SHARE = 0.4
# Length of a headline as a multiple of the title's; some titles are cut.
MAX_TITLE_EXCESS = 2.0
# ASCII characters that are neither letters nor digits, with and without line ends
_MARKS = bytes(code for code in range(128) if not chr(code).isalnum())
_MARKS_IN_LINES = _MARKS.replace(b"\n", b"")


def fold_letters(text: str) -> str:
    """Return the letters and digits of `text`, case folded, to compare two spellings."""
    if text.isascii():  # `translate` of bytes takes a tenth of the time
        return text.lower().encode().translate(None, _MARKS).decode()
    return "".join(filter(str.isalnum, text.casefold()))


def fold_texts(texts: Sequence[str]) -> list[str]:
    """Return `fold_letters` of each text without line breaks; ASCII texts are folded as one."""
    joined = "\n".join(texts)
    if joined.isascii():
        return joined.lower().encode().translate(None, _MARKS_IN_LINES).decode().split("\n")
    return list(map(fold_letters, texts))


def match_title(page: Page) -> Iterator[tuple[int, int]]:
    """Yield (block, characters in common) for each block that contains the title or is part of it.

    Only letters and digits are compared. MIN_TITLE_SHARE and MAX_TITLE_EXCESS limit the length of a
    block. Linear in the text of the page.
    """
    title = fold_letters(page.title)
    if not title:
        return
    least, most = MIN_TITLE_SHARE * len(title), MAX_TITLE_EXCESS * len(page.title)
    texts = page.texts
    blocks = [n for n, length in enumerate(map(len, texts)) if least <= length <= most]
    if not blocks:  # `fold_texts` gives one text for none
        return
    for block, folded in zip(blocks, fold_texts([texts[block] for block in blocks]), strict=True):
        common = min(len(folded), len(title))
        if folded and common >= least and (folded in title or title in folded):
            yield block, common


def find_title_block(page: Page) -> int:
    """Return the block that matches the title, word for word.

    Among several, an `h1` or `h2` wins, then the longest, then the first. Without a match it is the
    first `h1`; -1 if there is no `h1` either. It is searched once a page.
    """
    return page.remember(_search_title_block)


def _search_title_block(page: Page) -> int:
    title, texts = page.title.lower(), page.texts
    least, most = max(MIN_TITLE_SHARE * len(title), 4), MAX_TITLE_EXCESS * len(title)
    matches = [
        (page.tags[block] in HEADLINE_TAGS, min(len(texts[block]), len(title)), -block)
        for block in (find_matches(texts, title, least, most) if title else ())
    ]
    if matches:
        return -max(matches)[2]
    return page.tags.index("h1") if "h1" in page.tags else -1


def is_named_by(headline: str, title: str) -> bool:
    """Return whether a title names the article of a headline, both in lower case."""
    long = min(len(headline), len(title)) >= MIN_MATCH_LENGTH
    return long and (headline[:START_LENGTH] in title or title in headline)


@dataclass(frozen=True, kw_only=True)
class HeadlineByTitle:
    """Label the headline: the longest block that the title contains, or that contains it.

    Only letters and digits are compared. If several match equally, a heading wins, then the first
    block. Without a match it is the last `h1` before the content, else the first `h1`.
    """

    name: str = "headline-by-title"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        headings = page.in_tags(HEADING_TAGS)
        least = MIN_TITLE_SHARE * len(fold_letters(page.title))
        matches = [
            (common, bool(headings[block]), -block)
            for block, common in match_title(page)
            if common > least or headings[block]
        ]
        if matches:
            block = -max(matches)[2]
        else:
            in_h1 = np.flatnonzero(page.in_tags(frozenset({"h1"})) & (page.words > 0))
            if not len(in_h1):
                return labeling
            content = np.flatnonzero(labeling.content)
            before = in_h1[in_h1 < content[0]] if len(content) else in_h1[:1]
            block = int(before[-1]) if len(before) else int(in_h1[0])
        return labeling.relabel(np.array([block]), Label.HEADLINE, self.name)
