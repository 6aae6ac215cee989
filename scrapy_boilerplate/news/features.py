"""The features of `news`: the names of the columns, and the weights of words.

`native.features` computes them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import repeat
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.native.features import (
    AROUND,
    LEVELS,
    N_GROUP_KINDS,
    OWN,
    WINDOWS,
    WordScores,
    compute_matrix,
)
from scrapy_boilerplate.page.labels import IntArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.pickling import PickledFields
from scrapy_boilerplate.steps.titles import find_title_block

# Names and meanings of the columns of each feature set, in matrix order.
FEATURE_SETS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "shallow": {
            "words": "log of 1 + the number of words",
            "unlinked_words": "log of 1 + the number of words outside links",
            "link_density": "share of the words that is in links",
            "characters": "log of 1 + the number of characters",
            "word_length": "mean length of a word, in tens of characters",
            "upper": "share of the characters that is upper case",
            "digits": "share of the characters that is digits",
            "stops": "full stops, question and exclamation marks a word",
            "commas": "commas and semicolons a word",
            "quotes": "quotation marks a word",
            "separators": "bars, dashes, bullets, colons and slashes a word",
            "symbols": "share of the characters that is other punctuation or symbols",
            "n_stops": "log of 1 + the number of full stops and the like",
            "n_commas": "log of 1 + the number of commas and semicolons",
            "ends_sentence": "whether the last character ends a sentence",
            "ends_separator": "whether the last character is a separator",
            "starts_upper": "whether the first character is upper case",
            "starts_digit": "whether the first character is a digit",
            "starts_quote": "whether the first character is a quotation mark",
            "good": "whether it reads like a paragraph: many words, few of them in links",
        },
        "position": {
            "position": "number of the block, of all blocks",
            "words_before": "share of the page's words before the block",
            "good_before": "share of the page's good words before the block",
            "from_start": "log of 1 + the blocks before it",
            "to_end": "log of the blocks from it to the end",
            "from_title": "blocks after the block of the title, of 30; negative before it",
            "after_title": "whether it comes after the block of the title; .5 without a title",
            "since_good": "log of 1 + the blocks since the last good one",
            "until_good": "log of 1 + the blocks until the next good one",
            **{
                f"good_within_{width}": f"log of 1 + the good words up to {width} blocks away"
                for width in WINDOWS
            },
            "page_blocks": "log of 1 + the blocks of the page",
            "page_good_words": "log of 1 + the good words of the page",
            "page_link_density": "share of the page's words that is in links",
            "page_good_share": "share of the page's words that is good",
        },
        "tags": {
            **{f"in_{name}": f"whether its element is {' or '.join(OWN[name])}" for name in OWN},
            **{
                f"around_{name}": f"whether {' or '.join(AROUND[name])} (or that role) is around it"
                for name in AROUND
            },
            "article_elements": "log of 1 + the article elements of the page",
            "best_article": "good words of its article element, divided by the most of any",
            "media_tags": "elements in it that are links, images or buttons, for each word",
        },
        "containers": {
            **{
                f"{name}_{level}": f"{what} {level} levels above the container of the block"
                for level in range(LEVELS)
                for name, what in (
                    ("held", "share of the page's good words inside the element"),
                    ("held_links", "link density of the element"),
                    ("held_words", "log of 1 + the words inside the element"),
                    ("held_mean", "log of 1 + the mean words of a block inside the element"),
                )
            },
            **{
                f"{name}_{whose}": f"{what} of the blocks directly in its {whose}"
                for whose in ("container", "parent", "grandparent")
                for name, what in (
                    ("direct", "good words, divided by the most of any,"),
                    ("good_blocks", "log of 1 + the number of good ones"),
                )
            },
            "hops": "elements up to one that holds the best container, of 8",
            "under_top": "depth of the best container under that element, in tens",
            "depth_to_best": "depth of its element minus the depth of the best container, in tens",
            "before_best": "whether its element starts before the best container",
            "after_best": "whether its element starts after the end of the best container",
            "in_best": "whether its container is the best one",
            "depth": "depth of its element, in tens",
            "run_blocks": "log of 1 + the blocks in a row with its container",
            "run_good": "share of the page's good words in that row",
        },
        "signatures": {
            f"{name}_{depth}": f"{what} with the same class path of {depth}"
            for depth in (1, 3)
            for name, what in (
                ("path_blocks", "log of 1 + the number of blocks"),
                ("path_words", "log of 1 + the mean words of the blocks"),
                ("path_links", "link density of the blocks"),
                ("path_good", "share of the page's good words in the blocks"),
                ("path_good_blocks", "share of good ones of the blocks"),
            )
        },
        "likeness": {
            "in_title": "length of its start, of the title's, if the title holds it",
            "in_description": "whether the page's description holds its start",
            "holds_description": "whether its first lines hold the start of the page's description",
            "same_start": "log of 1 + the other blocks that start alike",
            "repeated": "whether a block before it starts alike",
            "is_title": "whether it is the block of the title",
        },
        "words": {
            "first_words": "score of the words it starts with, in log odds",
            "first_words_around": "mean score of the first words of the blocks with its parent",
            "names": "score of the class and id words of its element and of three above it",
            "comment_names": "such a score, trained to separate comments from other blocks",
        },
        "topic": {
            "topic_title": "share of its words, by rarity on the page, that is in the title",
            "topic_description": "such a share that is in the description",
            "topic_main": "such a share that is in other good blocks of the best container",
            "topic_title_words": "log of 1 + its words that are in the title",
            "topic_of_title": "share of the words of the title that it has",
            "topic_common": "mean log of 1 + the other good blocks with a word of it",
            "topic_rarity": "log of 1 + the rarity of its words",
            "topic_title_around": "mean of topic_title up to 2 blocks away",
            "topic_main_around": "mean of topic_main up to 2 blocks away",
        },
    }
)

# Names and meanings of all columns, in matrix order.
COLUMNS = MappingProxyType(
    {name: what for columns in FEATURE_SETS.values() for name, what in columns.items()}
)


@dataclass(frozen=True)
class WordWeights(PickledFields):
    """Weight of each word in log odds; unknown words weigh 0.

    first     of the words that a block starts with
    names     of the words in the class and id of the elements around a block
    comments  of the same words, for comments
    """

    first: Mapping[str, float] = field(default_factory=dict)
    names: Mapping[str, float] = field(default_factory=dict)
    comments: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def scores(self) -> WordScores:
        """Return the scorer of texts and names with these weights."""
        words = {**self.names, **self.comments}
        of_words = (map(weights.get, words, repeat(0.0)) for weights in (self.names, self.comments))
        return WordScores(self.first, dict(zip(words, zip(*of_words, strict=True), strict=True)))


class BlockFeatures(NamedTuple):
    """What the net reads of a page.

    rows    float32[n, len(COLUMNS)], every column for every block
    groups  int64[N_GROUP_KINDS, n], the number of the group of each block, below n or NO_GROUP
    """

    rows: NDArray[np.float32]
    groups: IntArray


def compute_features(page: Page, weights: WordWeights) -> BlockFeatures:
    """Return the features of a page, in time linear in its size."""
    if not len(page):
        rows = np.empty((0, len(COLUMNS)), dtype=np.float32)
        return BlockFeatures(rows, np.empty((N_GROUP_KINDS, 0), dtype=np.int64))
    features = compute_matrix(page, find_title_block(page), weights.scores, len(COLUMNS))
    rows = np.frombuffer(features.matrix, dtype=np.float32).reshape(len(COLUMNS), -1).T
    groups = np.frombuffer(features.groups, dtype=np.int64).reshape(N_GROUP_KINDS, -1)
    return BlockFeatures(rows, groups)
