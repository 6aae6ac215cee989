"""The 67 shallow text features of Kohlschuetter, Fankhauser, Nejdl (WSDM 2010), section 3.

The paper never lists them. This list is a reconstruction from its section 3, Figure 1 and the
column "Dim" of Table 2: 20 features each of a block, the block before and the block after (60),
four of the block in its page (64 "local" features), and how often the texts of the three blocks
occur in the whole crawl (67). Table 2 counts 23 features of only the current block; here they are
22.

Words are words of `text.split_words`, as in the paper. It names some features without a formula
(sentences, dates, positions, quotients).
"""

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
    shift_column,
    take_previous,
    to_column,
)
from scrapy_boilerplate.systems.common.tokens import sum_by_block

TAGS = ("h1", "h2", "h3", "h4", "h5", "h6", "p", "div")

_sentence_ends = re.compile(r"[.?!;](?=\s|$)").findall
# Tokens of dates and times; the paper gives no list.
_dates = re.compile(
    r"\b(?:(?:19|20)\d\d|\d{1,2}:\d\d(?::\d\d)?|\d{1,4}[/-]\d{1,2}[/-]\d{1,4}"
    r"|\d{1,2}(?:st|nd|rd|th)|[ap]m|gmt|[ecmp][sd]t|bst|utc"
    r"|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
    r"|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?"
    r"|today|yesterday|hours?|minutes?|ago)\b",
    re.IGNORECASE,
).findall


def compute_text_columns(page: Page) -> Columns:
    """Return the 20 features of a block: 9 of its tags, 11 of its text; linear time in the text."""
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


def _compute_position_columns(page: Page) -> Columns:
    position = np.arange(len(page), dtype=np.float64)
    density, words = page.text_density, page.words
    return {
        "absolute_position": position,
        "relative_position": position / max(len(page) - 1, 1),
        "text_density_quotient": take_previous(density) / np.maximum(density, 1),
        "words_quotient": take_previous(words) / np.maximum(words, 1),
    }


def _compute_local_columns(page: Page) -> Columns:
    return {**add_neighbours(compute_text_columns(page)), **_compute_position_columns(page)}


def add_neighbours(columns: Columns) -> Columns:
    """Return the columns, and the same of the block before (``words@-1``) and after (``words@+1``).

    They are 0 where there is no such block.
    """
    around = {
        f"{name}@{offset:+d}": shift_column(column, offset)
        for offset in (-1, 1)
        for name, column in columns.items()
    }
    return {**columns, **around}


_TEXT = (
    *(f"in_{tag}" for tag in (*TAGS, "a")),
    *"word_length sentence_length words upper_starts upper_start_ratio upper_ratio".split(),
    *"full_stop_ratio bars dates link_density text_density".split(),
)
_POSITION = "absolute_position relative_position text_density_quotient words_quotient".split()
LOCAL = FeatureGroup(
    (*(f"{name}{offset}" for offset in ("", "@-1", "@+1") for name in _TEXT), *_POSITION),
    _compute_local_columns,
)


def add_text_frequency(counts: Mapping[str, int]) -> FeatureGroup:
    """Return all 67 features; `counts` is how often each text occurs in the crawl."""
    names = (f"text_frequency{offset}" for offset in ("", "@-1", "@+1"))
    return FeatureGroup((*LOCAL.names, *names), partial(_compute_all_columns, counts))


def _compute_all_columns(counts: Mapping[str, int], page: Page) -> Columns:
    frequency = to_column(counts.get(text, 0) for text in page.texts)
    return {**_compute_local_columns(page), **add_neighbours({"text_frequency": frequency})}


def count_repeated_texts(pages: Iterable[Page]) -> Mapping[str, int]:
    """Return how often each block's text occurs in the blocks of `pages`, more than once."""
    counts = Counter(text for page in pages for text in page.texts)
    return {text: times for text, times in counts.items() if times > 1}
