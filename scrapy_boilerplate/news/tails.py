"""The step of `news` that leaves out what a site adds to a text: links, offers, invitations."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np

from scrapy_boilerplate.native.steps import build_regex
from scrapy_boilerplate.news.content import LEFT_OUT, MIN_TEXT_WORDS
from scrapy_boilerplate.page.labels import Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import count_words

# maximum words of such a block, and minimum words of a link to another article
MAX_WORDS, MIN_LINK_WORDS = 40, 3
# blocks at the end of the text that can be an offer, or ask for tips
LAST_BLOCKS = 4
# regular expressions for lower case, each begins with a letter or digit, by kind and language
PHRASES = Path(__file__).parent / "tails.json"

# scripts without spaces between words: Thai, Japanese, Chinese, Korean
_UNSPACED = r"[\u0e00-\u0e7f\u3040-\u9fff\uac00-\ud7af]"
_WORD_START = rf"(?:(?<!\w)|(?<={_UNSPACED})|(?={_UNSPACED}))"
_WORD_END = rf"(?:(?!\w)|(?<={_UNSPACED}))"
_CLAUSE_END = r"[.!?,:;|\u00bb\u2013\u2014\u2026\u061f\u0964\u3002\uff01\uff1f]"
# no quotation mark: the article quotes what follows
_SIGNS = r"[^\w\"\u201c\u201e\u00ab\u2018]*"
_CLAUSE_START = rf"(?:(?:^|{_CLAUSE_END}\s){_SIGNS}|(?<={_UNSPACED})|(?<=[\u3002\uff01\uff1f]))"
# up to three words more, and a sign, between a phrase and the link
_SEPARATOR = (
    r"[^.!?:\uff1a\u00bb]{0,25}?\s*[:>|\]\u00bb\u203a\u2013\u2014\u2192\u25b6\u25ba\u3011\uff1a-]"
)


class Patterns(NamedTuple):
    """The phrases of PHRASES.

    also     before a link to another article
    call     at the start of a clause that asks readers to follow a `channel` or subscribe to it
    offer    at the start of a clause that asks readers to subscribe to read on
    tip      at the start of a clause that asks readers to write
    police   who ask for tips in the article itself: names begin with these letters
    """

    also: re.Pattern[str]
    call: re.Pattern[str]
    channel: re.Pattern[str]
    offer: re.Pattern[str]
    tip: re.Pattern[str]
    police: re.Pattern[str]


@dataclass(frozen=True, kw_only=True)
class Tails:
    """Leave out short blocks that lead to other articles or to the site, by their words.

    These are links to other articles after a phrase such as "Read also:", and invitations to
    channels and newsletters; at the end of the text also offers of subscriptions and requests for
    tips. The links become related content. On pages with metadata that declare no news article
    such blocks are mostly part of the text (docs/provenance.md).
    """

    name: str = "tails"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        if page.has_open_graph_or_json_ld and not page.declares_news_article:
            return labeling
        content = labeling.content
        blocks = content.nonzero()[0]
        last = set(blocks[-LAST_BLOCKS:].tolist())
        links, found = np.zeros((2, len(page)), dtype=np.bool_)
        for block in blocks[page.words[blocks] <= MAX_WORDS].tolist():
            text = page.texts[block].lower()
            if end := _find_end_of_links(page, block, text):
                links[block:end] = True
            else:
                found[block] = _is_promotion(text, block in last)
        found |= links & content
        if not found.any() or page.words[content & ~found].sum() < MIN_TEXT_WORDS:
            return labeling
        labels = np.where(links, Label.RELATED, Label.BOILERPLATE)[found]
        labeling = labeling.relabel(found, labels, self.name, keep_scores=True)
        return labeling.mark(LEFT_OUT, found)


def _find_end_of_links(page: Page, block: int, text: str) -> int | None:
    """Return the end of a block with a phrase and a link, or of the links below a phrase."""
    words, link_words = page.words, page.link_words
    before = _read_patterns().also.match(text)
    if not before or words[block] - link_words[block] > count_words(before[0]):
        return None
    if link_words[block] >= MIN_LINK_WORDS:
        return block + 1
    end = block + 1
    while end < len(page) and link_words[end] == words[end] >= MIN_LINK_WORDS:
        end += 1
    return end if end > block + 1 else None


def _is_promotion(text: str, is_last: bool) -> bool:
    patterns = _read_patterns()
    if patterns.call.search(text) and patterns.channel.search(text):
        return True
    if not is_last:
        return False
    asks_for_tips = patterns.tip.search(text) and not patterns.police.search(text)
    return bool(asks_for_tips or patterns.offer.search(text))


@cache
def _read_patterns() -> Patterns:
    stored = json.loads(PHRASES.read_text(encoding="utf-8"))
    also, call, channel, offer, tip, police = (
        build_regex(chain(*stored[kind].values())).pattern for kind in Patterns._fields
    )
    return Patterns(
        re.compile(rf"[\W_]*(?:{also}){_WORD_END}{_SEPARATOR}"),
        re.compile(f"{_CLAUSE_START}(?:{call}){_WORD_END}"),
        re.compile(f"{_WORD_START}(?:{channel}){_WORD_END}"),
        re.compile(f"{_CLAUSE_START}(?:{offer}){_WORD_END}"),
        re.compile(f"{_CLAUSE_START}(?:{tip}){_WORD_END}"),
        re.compile(f"{_WORD_START}(?:{police})"),
    )
