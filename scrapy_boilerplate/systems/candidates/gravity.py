"""Gravity scores of Goose and Newspaper: stop words of paragraphs, boosted, passed up.

Both programs regard a text with stop words as prose. Without a list of stop words
(`common.running_text`), their number is estimated from clause marks: `STOP_WORD_SHARE` per word,
for at most `WORDS_PER_MARK` words per mark. The thresholds are the same for the estimate.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.systems.candidates.names import NAUGHTY, match_names
from scrapy_boilerplate.systems.candidates.paragraphs import (
    NO_PARAGRAPH,
    Paragraphs,
    count_links,
    divide_counts,
    pass_up_scores,
)
from scrapy_boilerplate.systems.common.features import measure_texts
from scrapy_boilerplate.systems.common.running_text import get_stop_words

MIN_STOP_WORDS = 3  # stop words of the shortest text that counts (both programs)
# Share of linked words times number of links at which a text is only links (both).
HIGH_LINK = 1.0

MAX_STEPS = 3  # earlier paragraphs that decide about the boost of a paragraph (both)
# Stop words of an earlier paragraph that is text (both: more than 5).
MIN_NEIGHBOUR_STOP_WORDS = 6
MANY_PARAGRAPHS = 15  # with more paragraphs, the last of them get a penalty (both)
TAIL = 0.25  # share of the paragraphs that counts as the last of them (both)
MAX_PENALTY = 40.0  # a higher penalty is replaced by `BEYOND_PENALTY` (both)
BEYOND_PENALTY = 5.0

# Stop words per word of running text: jusText's lists in the gold text of fundus and
# article-extraction, mean of 14 languages (.43 Turkish to .61 Danish).
STOP_WORD_SHARE = 0.53
WORDS_PER_MARK = 12  # maximum words per clause mark (the median there is 9)

_find_words = re.compile(r"[^\W_]+(?:['’][^\W_]+)*").findall
_find_clause_marks = re.compile(
    # Latin, Greek, Cyrillic ...; Arabic; Devanagari; Chinese and Japanese; Thai and Khmer
    r"[.,;:!?…](?=[\s\"'”’»)\]]|$)|[\u060c\u061b\u061f\u06d4]|[\u0964\u0965]"
    r"|[\u3001\u3002\uff0c\uff0e\uff01\uff1f\uff1b\uff1a]|[\u0e2f\u0e5a\u17d4\u17d5]"
).findall


def count_stop_words(page: Page) -> IntArray:
    """int[n]: stop words of each block in the page's language, estimated without a list."""
    listed = get_stop_words(page.language)
    if listed is not None:
        return measure_texts(
            page.texts, lambda text: sum(word in listed for word in _find_words(text.lower()))
        )
    marks = measure_texts(page.texts, lambda text: len(_find_clause_marks(text)))
    estimates = STOP_WORD_SHARE * np.minimum(page.words, WORDS_PER_MARK * marks)
    return np.rint(estimates).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Prose:
    """The m paragraphs of a page with the values that both programs read."""

    paragraphs: Paragraphs

    @property
    def page(self) -> Page:
        """The page of the paragraphs."""
        return self.paragraphs.page

    @cached_property
    def block_stop_words(self) -> IntArray:
        """int[n]: stop words of each block."""
        return count_stop_words(self.page)

    @cached_property
    def stop_words(self) -> IntArray:
        """int[m]: stop words of each paragraph."""
        return self.paragraphs.sums(self.block_stop_words)

    @cached_property
    def high_link(self) -> BoolArray:
        """bool[m]: paragraphs that consist of links."""
        return self._is_high_link(self.paragraphs.sums)

    @cached_property
    def high_link_elements(self) -> BoolArray:
        """bool[n_elements]: elements that contain only links."""
        return self._is_high_link(self.paragraphs.sum_by_element)

    @cached_property
    def boostable(self) -> BoolArray:
        """bool[m]: one of the last `MAX_STEPS` plain paragraphs in the same parent is text."""
        before: dict[int, list[bool]] = {}
        boostable = []
        rich = self.stop_words >= MIN_NEIGHBOUR_STOP_WORDS
        columns = (self.paragraphs.parents, self.paragraphs.plain, rich)
        for parent, plain, enough in zip(*(c.tolist() for c in columns), strict=True):
            last = before.setdefault(parent, [])
            boostable.append(any(last))
            if plain:
                before[parent] = [*last[1 - MAX_STEPS :], enough]
        return np.array(boostable, dtype=np.bool_)

    @cached_property
    def few_words(self) -> BoolArray:
        """bool[n]: blocks in paragraphs, and blocks outside paragraphs, with too few stop words."""
        enough = np.append(self.stop_words >= MIN_STOP_WORDS, False)
        around = self.paragraphs.innermost()
        alone = (around == NO_PARAGRAPH) & (self.block_stop_words >= MIN_STOP_WORDS)
        few: BoolArray = ~(enough[around] | alone)
        return few

    def _is_high_link(self, total: Callable[[IntArray], IntArray]) -> BoolArray:
        columns = (self.page.words, self.page.link_words, self.page.remember(count_links))
        words, link_words, links = map(total, columns)
        return divide_counts(link_words, words) * links >= HIGH_LINK

    def gravity(
        self, order: IntArray, words: IntArray, boost: float, shares: tuple[float, ...]
    ) -> FloatArray:
        """float[n_elements]: the scores of the paragraphs `order`, in that order, passed up.

        `words` int[m] is the weight of each paragraph. The k-th boostable one gets ``boost / k``
        more. `shares` are the parts of a score for the parent, the grandparent and so on.
        """
        count = len(order)
        boosts = np.zeros(count)
        boosted = np.flatnonzero(self.boostable[order])
        boosts[boosted] = boost / np.arange(1, len(boosted) + 1)
        if count > MANY_PARAGRAPHS:
            depth = TAIL * count - (count - np.arange(count))
            penalties = np.where(depth**2 > MAX_PENALTY, BEYOND_PENALTY, -(depth**2))
            boosts = np.where(depth >= 0, penalties, boosts)
        parents = self.paragraphs.parents[order]
        return pass_up_scores(self.page.elements, parents, words[order] + boosts, shares)


def find_naughty_containers(page: Page) -> BoolArray:
    """bool[n_elements]: elements, except the page, with a name that articles do not have."""
    elements = page.elements
    return match_names(elements, NAUGHTY) & ~elements.tagged(frozenset({"html", "body"}))
