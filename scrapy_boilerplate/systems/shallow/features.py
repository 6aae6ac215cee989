"""The 67 shallow text features of Kohlschuetter, Fankhauser, Nejdl (WSDM 2010), section 3.

The paper never lists them. This list is a reconstruction from its section 3, Figure 1 and the
column "Dim" of Table 2: 20 features each of a block, the block before and the block after (60),
four of the block in its page (64 "local" features), and how often the texts of the three blocks
occur in the whole crawl (67). Table 2 counts 23 features of only the current block; here they are
22.

Words are words of `text.split_words`, as in the paper. If the paper names a feature without a
formula (sentences, dates, positions, quotients), the line in `about` has the formula used here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import partial

import numpy as np

from scrapy_boilerplate.page.labels import BoolArray, FloatArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import split_words
from scrapy_boilerplate.systems.common.features import (
    Columns,
    FeatureGroup,
    add_neighbours,
    join_groups,
    take_previous,
    to_column,
)
from scrapy_boilerplate.systems.common.tokens import sum_by_block

TAGS = ("h1", "h2", "h3", "h4", "h5", "h6", "p", "div")

_sentence_ends = re.compile(r"[.?!;](?=\s|$)").findall
_dates = re.compile(
    r"\b(?:(?:19|20)\d\d|\d{1,2}:\d\d(?::\d\d)?|\d{1,4}[/-]\d{1,2}[/-]\d{1,4}"
    r"|\d{1,2}(?:st|nd|rd|th)|[ap]m|gmt|[ecmp][sd]t|bst|utc"
    r"|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
    r"|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?"
    r"|today|yesterday|hours?|minutes?|ago)\b",
    re.IGNORECASE,
).findall
"""Tokens of dates and times; the paper gives no list."""


TEXT_COLUMNS = {
    **{f"in_{tag}": f"1 if the block is directly in {tag}" for tag in TAGS},
    "in_a": "1 if a link encloses the whole block",
    "word_length": "mean characters of a word",
    "sentence_length": "words to a sentence (ends: . ? ! ; before a space or the end)",
    "words": "number of words",
    "upper_starts": "number of words that start with a capital",
    "upper_start_ratio": "share of words that start with a capital",
    "upper_ratio": "share of words all in capitals",
    "full_stop_ratio": "full stops to a word",
    "bars": "number of vertical bars",
    "dates": "number of tokens of a date or time",
    "link_density": "share of words in links",
    "text_density": "words to a full line of 80 characters",
}
"""The 20 features of a block: 9 of its tags, 11 of its text."""


def compute_text_columns(page: Page) -> Columns:
    """Return TEXT_COLUMNS; linear time in the text."""
    tags = np.array(page.tags, dtype=object)
    columns: dict[str, FloatArray | BoolArray] = {f"in_{tag}": tags == tag for tag in TAGS}
    linked = sum_by_block(page, np.array(page.leaves.in_link, dtype=np.bool_))
    columns["in_a"] = linked == page.blocks.end_leaf - page.blocks.first_leaf
    counts = np.zeros((len(page), 4))
    for block, text in enumerate(page.texts):
        listed = split_words(text)
        upper = sum(word[0].isupper() for word in listed)
        capitals = sum(word.isupper() for word in listed) if upper else 0
        counts[block] = len(listed), upper, capitals, sum(map(len, listed))
    words, starts, all_upper, length = counts.T
    least_one = np.maximum(words, 1)
    texts = page.texts
    sentences = to_column(len(_sentence_ends(text)) for text in texts)
    return columns | {
        "word_length": length / least_one,
        "sentence_length": words / np.maximum(sentences, 1),
        "words": words,
        "upper_starts": starts,
        "upper_start_ratio": starts / least_one,
        "upper_ratio": all_upper / least_one,
        "full_stop_ratio": to_column(text.count(".") for text in texts) / least_one,
        "bars": to_column(text.count("|") for text in texts),
        "dates": to_column(len(_dates(text)) for text in texts),
        "link_density": page.link_density,
        "text_density": page.text_density,
    }


POSITION_COLUMNS = {
    "absolute_position": "number of the block, from 0",
    "relative_position": "0 for the first block of the page, 1 for the last",
    "text_density_quotient": "text density of the block before, by this one's (1 if lower)",
    "words_quotient": "words of the block before, by this one's (1 if lower)",
}
"""The four features of a block in its page."""


def compute_position_columns(page: Page) -> Columns:
    """Return POSITION_COLUMNS; linear time."""
    position = np.arange(len(page), dtype=np.float64)
    density, words = page.text_density, page.words
    return {
        "absolute_position": position,
        "relative_position": position / max(len(page) - 1, 1),
        "text_density_quotient": take_previous(density) / np.maximum(density, 1),
        "words_quotient": take_previous(words) / np.maximum(words, 1),
    }


_TEXT = FeatureGroup(TEXT_COLUMNS, compute_text_columns)
_POSITION = FeatureGroup(POSITION_COLUMNS, compute_position_columns)
CURRENT = join_groups(_TEXT, _POSITION)
"""The features of the current block, including its two quotients."""
LOCAL = join_groups(add_neighbours(_TEXT), _POSITION)
"""The 64 features that need nothing but the page."""


def add_text_frequency(counts: Mapping[str, int]) -> FeatureGroup:
    """Return all 67 features; `counts` is how often each text occurs in the crawl."""
    about = {"text_frequency": "how often the text of the block occurs in the crawl"}
    frequency = FeatureGroup(about, partial(_compute_text_frequency, counts))
    return join_groups(LOCAL, add_neighbours(frequency))


def _compute_text_frequency(counts: Mapping[str, int], page: Page) -> Columns:
    return {"text_frequency": to_column(counts.get(text, 0) for text in page.texts)}


def count_repeated_texts(pages: Iterable[Page]) -> Mapping[str, int]:
    """Return how often each block's text occurs in the blocks of `pages`, more than once."""
    counts = Counter(text for page in pages for text in page.texts)
    return {text: times for text, times in counts.items() if times > 1}
