"""The native twin of `table.compute_features`: all columns of a page in one pass."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.native import load_twin
from scrapy_boilerplate.news.features import block_columns, containers, position, text, word_scores
from scrapy_boilerplate.news.features.block_columns import BlockColumns
from scrapy_boilerplate.news.features.table import COLUMNS, compute_features
from scrapy_boilerplate.news.features.word_scores import WordWeights
from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.parsing import parse_html
from scrapy_boilerplate.page.reading import read_tree
from scrapy_boilerplate.page.text import SCRIPTS
from scrapy_boilerplate.steps.titles import START_LENGTH, find_title_block

Matrix = NDArray[np.float32]

MAX_WEIGHTS = 4
"""Sets of word weights whose tables are kept (our choice)."""

NEVER_BIT = position.MEDIA_BIT << 1
"""Bit of the tags that are never a container."""

MAX_DIFFERENCE = 1e-6
"""By which a column may differ, of its size: sums of weights in another order, another log1p."""

EXAMPLE = """<html><head><title>Ferry sails - News</title><meta name=description
content="The old ferry sails to the harbour again"></head><body id=Top class="pageWrap NEWS2">
<div role=navigation class=menu1><a href=/a>Home</a> <a href=/b>Sport</a></div><article>
<h1 class=articleTitle>Ferry sails</h1><div class="articleBody box2"><p>“The old ferry sails to the
harbour again”, said 12 of the 13 people who had waited there since noon; it was late.</p><p>东京的
新港口今天开放 and more of it, <b>at last</b>: the old ferry sails every day but on Sundays!</p>
<figure><img><figcaption>Photo | 2024</figcaption></figure></div></article><footer class=box7>
<ul><li>Home<li><a href=/c>Imprint</a></ul></footer></body></html>"""


class NativeTable:
    """Computes the features of pages by a compiled module."""

    def __init__(self, native: Any) -> None:
        tags = dict.fromkeys(block_columns.NEVER_CONTAINERS, NEVER_BIT)
        for tag, kind in position.KINDS.items():
            tags[tag] = tags.get(tag, 0) | kind
        self._native = native
        self._reader = native.FeatureReader(
            tags=tags,
            roles={role: position.AROUND_BITS[name] for role, name in position.ROLES.items()},
            never_bit=NEVER_BIT,
            own_mask=position.OWN_MASK,
            article_bit=position.ARTICLE_BIT,
            media_bit=position.MEDIA_BIT,
            around_shift=position.AROUND_SHIFT,
            n_own=len(position.OWN),
            n_around=len(position.AROUND),
            max_container_hops=block_columns.MAX_CONTAINER_HOPS,
            max_hops=containers.MAX_HOPS,
            first_words=word_scores.FIRST_WORDS,
            first_characters=word_scores.FIRST_CHARACTERS,
            start_length=START_LENGTH,
            min_start=text.MIN_START,
            good_words=block_columns.GOOD_WORDS,
            good_link_density=block_columns.GOOD_LINK_DENSITY,
            max_distance=position.MAX_DISTANCE,
            depth_scale=containers.DEPTH_SCALE,
            max_score=word_scores.MAX_SCORE,
            windows=position.WINDOWS,
            characters=text.build_kind_table(),
            unspaced=[pair for ranges, _ in SCRIPTS for pair in ranges],
        )
        self._tables: dict[int, tuple[WordWeights, Any, Any]] = {}

    def compute(self, page: Page, weights: WordWeights) -> Matrix:
        """Return float[n, len(COLUMNS)], as `compute_features` does."""
        elements, title = page.elements, find_title_block(page)
        _, first, names = self._load_tables(weights)
        matrix = np.empty((len(COLUMNS), len(page)), dtype=np.float32)
        self._reader.compute(
            *(page.texts, elements.tags, elements.classes, elements.ids, elements.roles),
            *(elements.parent_column, elements.end_column, elements.depth_column),
            *(page.blocks.elements, page.words, page.link_words),
            *(title, page.title.lower(), page.description.lower(), first, names, matrix),
        )
        return matrix.T

    def _load_tables(self, weights: WordWeights) -> tuple[WordWeights, Any, Any]:
        tables = self._tables.get(id(weights))
        if tables is None:
            if len(self._tables) >= MAX_WEIGHTS:
                self._tables.clear()
            names = {
                word: (weights.names.get(word, 0.0), weights.comments.get(word, 0.0))
                for word in (*weights.names, *weights.comments)
            }
            first = {word: (weight, 0.0) for word, weight in weights.first.items()}
            build = self._native.WordTable
            tables = self._tables[id(weights)] = (weights, build(first), build(names))
        return tables


def compute_page_features(page: Page, weights: WordWeights) -> Matrix:
    """Return the features of a page, natively where that is compiled."""
    if (table := _load_native()) is None:
        return compute_features(BlockColumns(page), weights)
    return table.compute(page, weights)


@cache
def _load_native() -> NativeTable | None:
    native = load_twin("features", _agrees)
    return None if native is None else NativeTable(native)


def _agrees(native: Any) -> bool:
    """Return whether a compiled module computes what numpy computes of EXAMPLE."""
    words = "the old ferry home photo article title body box menu news 东".split()
    weights = [{word: 1 / (n + k) for n, word in enumerate(words)} for k in (2, 3, 4)]
    page = AtomicBlocks()(read_tree(parse_html(EXAMPLE)))
    expected = compute_features(BlockColumns(page), WordWeights(*weights))
    computed = NativeTable(native).compute(page, WordWeights(*weights))
    return np.allclose(computed, expected, rtol=MAX_DIFFERENCE, atol=MAX_DIFFERENCE)
