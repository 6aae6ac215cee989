"""Leave out the links, offers and invitations that a site adds to a text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np

from scrapy_boilerplate.native.steps import ENDS
from scrapy_boilerplate.news.content import LEFT_OUT, MIN_TEXT_WORDS
from scrapy_boilerplate.page.columns import CONTROLS
from scrapy_boilerplate.page.labels import IntArray, Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import count_words, has_unspaced

# maximum words of such a block, and minimum words of a link to another article
MAX_WORDS, MIN_LINK_WORDS = 40, 3
# blocks at the end of the text that can be an offer, or ask for tips
LAST_BLOCKS = 4
# maximum words before a link to another article and of the label of a box, and maximum characters
# of a label of advertising
MAX_LEAD_WORDS, MAX_LABEL_WORDS, MAX_LABEL_LENGTH = 12, 5, 50
# maximum blocks of a box; minimum score (docs/provenance.md) and words of a paragraph below it, and
# the maximum levels of elements around a paragraph that are like those of another
MAX_BOX_BLOCKS, MIN_CLOSING_SCORE, MIN_CLOSING_WORDS, MAX_LEVELS = 12, 0.25, 8, 2
# regular expressions for lower case, each begins with a letter or digit, by kind and language
PHRASES = Path(__file__).parent / "tails.json"

# scripts without spaces between words: Thai, Japanese, Chinese, Korean
_UNSPACED = r"[\u0e00-\u0e7f\u3040-\u9fff\uac00-\ud7af]"
_WORD_START = rf"(?:(?<!\w)|(?<={_UNSPACED})|(?={_UNSPACED}))"
# the end of a phrase that begins in such a script, which ends in it or with a space; `_UNSPACED` in
# a pattern takes a millisecond
_FIRST_UNSPACED = "\u0e00"
_WORD_END, _UNSPACED_END = r"(?!\w)", r"(?:(?<!\s)|(?!\w))"
# up to three words more, and a sign, between a phrase and the link
_SEPARATOR = (
    r"[^.!?:\uff1a\u00bb]{0,25}?\s*[:>|\]\u00bb\u203a\u2013\u2014\u2192\u25b6\u25ba\u3011\uff1a-]"
)
# no quotation mark: the article quotes what follows
_SIGNS = r"[^\w\"\u201c\u201e\u00ab\u2018]*"


match_signs = re.compile(_SIGNS).match
match_marks = re.compile(r"[\W_]*").match
find_clauses = re.compile(rf"[.!?,:;|\u00bb\u2013\u2014\u2026\u061f\u0964]\s{_SIGNS}").finditer


class Phrases:
    """Regular expressions by their first letter, each compiled for the first text with that letter.

    Compiling all of them takes 80 ms. The end of a word and `ending` follow each of them.
    """

    def __init__(self, words: Iterable[str], ending: str = "") -> None:
        self._ending = ending
        self._groups: dict[str, list[str]] = {}
        for word in words:
            self._groups.setdefault(word[0], []).append(word[1:])
        self._compiled: dict[str, re.Pattern[str]] = {}

    def match(self, text: str, starts: Iterable[int]) -> re.Match[str] | None:
        """Match a phrase at the first possible of the places of a text in lower case."""
        for start in starts:
            letter = text[start : start + 1]
            pattern = self._compiled.get(letter)
            if pattern is None and letter in self._groups:
                phrases = "|".join(self._groups[letter])
                word_end = _UNSPACED_END if letter >= _FIRST_UNSPACED else _WORD_END
                pattern = re.compile(f"{letter}(?:{phrases}){word_end}{self._ending}")
                self._compiled[letter] = pattern
            if pattern is not None and (match := pattern.match(text, start)):
                return match
        return None


class Patterns(NamedTuple):
    """The phrases of PHRASES.

    also     before a link to another article
    call     at the start of a clause that asks readers to follow a channel or subscribe to it
    offer    at the start of a clause that asks readers to subscribe to read on
    tip      at the start of a clause that asks readers to write
    note     at the start of a block about the rights of the site
    label    a whole block: names an advertisement, or asks readers to share
    """

    also: Phrases
    call: Phrases
    offer: Phrases
    tip: Phrases
    note: Phrases
    label: Phrases


@dataclass(frozen=True, kw_only=True)
class Tails:
    """Leave out short blocks that lead to other articles or to the site, by their words.

    These are links to other articles after a phrase such as "Read also:", invitations to channels
    and newsletters, and labels of advertising; at the end of the text also offers of subscriptions,
    requests for tips and notes of rights. The links become related content. On pages with metadata
    that declare no news article such blocks are mostly part of the text (docs/provenance.md).

    Closing paragraphs below such a box, which have low scores, become content.
    """

    name: str = "tails"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        if page.has_open_graph_or_json_ld and not page.declares_news_article:
            return labeling
        closing = _list_closing(page, labeling)
        labeling = labeling.relabel(closing, Label.FULL_TEXT, self.name, keep_scores=True)
        content = labeling.content
        blocks = content.nonzero()[0]
        last = set(blocks[-LAST_BLOCKS:].tolist())
        links, left_out = np.zeros((2, len(page)), dtype=np.bool_)
        # the label of a list may be boilerplate already
        near = content.copy()
        near[:-1] |= content[1:]
        for block in (near & (page.words <= MAX_WORDS)).nonzero()[0].tolist():
            text = page.texts[block].lower()
            if end := _find_end_of_links(page, block, text):
                links[block:end] = True
            elif content[block]:
                left_out[block] = _is_promotion(text, block in last)
        left_out |= links & content
        if not left_out.any() or page.words[content & ~left_out].sum() < MIN_TEXT_WORDS:
            return labeling
        labels = np.where(links, Label.RELATED, Label.BOILERPLATE)[left_out]
        labeling = labeling.relabel(left_out, labels, self.name, keep_scores=True)
        return labeling.mark(LEFT_OUT, left_out)


def _list_closing(page: Page, labeling: Labeling) -> IntArray:
    """Return the blocks of the paragraphs of the text below a box after its last block."""
    content = labeling.content.nonzero()[0]
    closing = np.zeros(0, dtype=np.int64)
    if not len(content):
        return closing
    last = int(content[-1])
    below = np.arange(last + 2, min(last + 1 + MAX_BOX_BLOCKS, len(page)))
    below = below[labeling.scores[below, int(Label.FULL_TEXT)] >= MIN_CLOSING_SCORE]
    below = below[(page.link_words[below] == 0) & (page.words[below] >= MIN_CLOSING_WORDS)]
    below = below[~labeling.marked(LEFT_OUT)[below]]
    closing = np.array([b for b in below.tolist() if _continues(page, last, b)], dtype=np.int64)
    is_box = len(closing) and any(_is_of_box(page, b) for b in range(last + 1, int(closing[0])))
    return closing if is_box else closing[:0]


def _continues(page: Page, last: int, block: int) -> bool:
    """Return whether a paragraph has the same ancestors as the last block of the text."""
    elements = page.elements
    above, below = page.blocks.elements[[last, block]].tolist()
    for _ in range(MAX_LEVELS):
        if above == below or min(above, below) < 0:
            break
        if any(names[above] != names[below] for names in (elements.tags, elements.classes)):
            return False
        above, below = elements.parents[above], elements.parents[below]
    return above == below and ENDS.get(page.texts[block][-1:]) == ENDS["."]


def _is_of_box(page: Page, block: int) -> bool:
    text = page.texts[block].lower()
    if page.words[block] <= MAX_LABEL_WORDS and _read_patterns().also.match(
        text, [_skip(match_marks, text)]
    ):
        return True
    element, known = int(page.blocks.elements[block]), dict[int, bool]()
    tags = page.elements.tags
    in_control = page.elements.has_around(element, lambda around: tags[around] in CONTROLS, known)
    return in_control or _is_promotion(text, is_last=False)


def _find_end_of_links(page: Page, block: int, text: str) -> int | None:
    """Return the end of a block with a phrase and a link, or of the links below a phrase."""
    words, link_words = page.words, page.link_words
    unlinked = words[block] - link_words[block]
    if unlinked > MAX_LEAD_WORDS:
        return None
    before = _read_patterns().also.match(text, [_skip(match_marks, text)])
    if not before or unlinked > count_words(before[0]):
        return None
    if link_words[block] >= MIN_LINK_WORDS:
        return block + 1
    end = block + 1
    while end < len(page) and link_words[end] == words[end] >= MIN_LINK_WORDS:
        end += 1
    return end if end > block + 1 else None


def _is_promotion(text: str, is_last: bool) -> bool:
    patterns, starts = _read_patterns(), _list_clauses(text)
    channel_end = rf"(?:{_WORD_END}|(?<={_UNSPACED}))"
    if patterns.call.match(text, starts) and _compile_search("channel", channel_end)(text):
        return True
    if len(text) <= MAX_LABEL_LENGTH and patterns.label.match(text, [_skip(match_marks, text)]):
        return True
    if not is_last:
        return False
    # the police ask for tips in the article itself: names begin with these letters
    if patterns.tip.match(text, starts) and not _compile_search("police", "")(text):
        return True
    is_offer = patterns.offer.match(text, starts) is not None
    return is_offer or patterns.note.match(text, [_skip(match_signs, text)]) is not None


def _list_clauses(text: str) -> Sequence[int]:
    """Return where clauses may start: anywhere in a script without spaces."""
    if has_unspaced(text):
        return range(len(text))
    return [_skip(match_signs, text), *[signs.end() for signs in find_clauses(text)]]


def _skip(match: Callable[[str], re.Match[str] | None], text: str) -> int:
    signs = match(text)
    return signs.end() if signs else 0


@cache
def _read_phrases() -> Mapping[str, Sequence[str]]:
    stored = json.loads(PHRASES.read_text(encoding="utf-8"))
    return {kind: list(chain(*of_languages.values())) for kind, of_languages in stored.items()}


@cache
def _read_patterns() -> Patterns:
    phrases = _read_phrases()
    endings = {"also": rf"(?:{_SEPARATOR}|\s*$)", "label": r"\W*\Z"}
    return Patterns(*(Phrases(phrases[kind], endings.get(kind, "")) for kind in Patterns._fields))


@cache
def _compile_search(kind: str, ending: str) -> Callable[[str], re.Match[str] | None]:
    return re.compile(f"{_WORD_START}(?:{'|'.join(_read_phrases()[kind])}){ending}").search
