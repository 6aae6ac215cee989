"""Which candidate Readability takes, and which of its siblings join it."""

from __future__ import annotations

import re

import numpy as np

from scrapy_boilerplate.page.columns import NO_ELEMENT, Elements
from scrapy_boilerplate.page.labels import BoolArray, FloatArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.systems.candidates.counts import BlockCounts, children_of, covered, share
from scrapy_boilerplate.systems.candidates.paragraphs import Paragraphs

TOP_CANDIDATES = 5
MIN_ALTERNATIVES = 3
"""Alternatives that must share an ancestor for it to be taken in place of the best candidate."""
ALTERNATIVE_SHARE = 0.75
"""Share of the top score that makes a candidate an alternative."""
MIN_PARENT_SHARE = 1 / 3
"""Share of the top score below which the climb to better parents stops."""
SIBLING_SHARE = 0.2
"""Share of the top score that a sibling must have, or gets if its class is that of the top."""
MIN_SIBLING_SCORE = 10.0
LONG_SIBLING = 80
"""Characters above which a paragraph beside the article belongs to it by itself."""
MAX_LINK_DENSITY = 0.25
"""Link density from which a long paragraph beside the article does not belong to it."""

_ends_sentence = re.compile(r"[.!?…।۔؟](?:\s|$)|[。！？]").search


def chosen_element(elements: Elements, scores: FloatArray, body: int) -> int:
    """The element that holds the article; `scores` are NaN for elements that are no candidates."""
    ranked = np.argsort(-np.nan_to_num(scores, nan=-np.inf), kind="stable")
    ranked = ranked[~np.isnan(scores[ranked])][:TOP_CANDIDATES]
    if not len(ranked) or ranked[0] == body:
        return body
    top = _shared_ancestor(elements, scores, ranked.tolist(), body)
    top = _climb(elements, scores, top, body)
    parent = elements.parents[top]
    while parent not in (body, NO_ELEMENT) and _only_child(elements, parent, top):
        top, parent = parent, elements.parents[parent]
    return top


def _shared_ancestor(elements: Elements, scores: FloatArray, ranked: list[int], body: int) -> int:
    """The nearest ancestor of the best candidate that holds `MIN_ALTERNATIVES` of its rivals."""
    top, *others = ranked
    rivals = [other for other in others if scores[other] >= ALTERNATIVE_SHARE * scores[top]]
    for ancestor in elements.ancestors(elements.parents[top]):
        if ancestor <= body:
            break
        held = sum(ancestor < rival < elements.ends[ancestor] for rival in rivals)
        if held >= MIN_ALTERNATIVES:
            return ancestor
    return top


def _climb(elements: Elements, scores: FloatArray, top: int, body: int) -> int:
    """The first ancestor with a higher score than the candidate below it, else `top`."""
    if np.isnan(scores[top]):
        return top
    last, lowest = scores[top], scores[top] * MIN_PARENT_SHARE
    for ancestor in elements.ancestors(elements.parents[top]):
        if ancestor <= body or scores[ancestor] < lowest:
            break
        if scores[ancestor] > last:
            return ancestor
        last = last if np.isnan(scores[ancestor]) else scores[ancestor]
    return top


def _only_child(elements: Elements, parent: int, child: int) -> bool:
    return child == parent + 1 and elements.ends[child] == elements.ends[parent]


def joined_blocks(paragraphs: Paragraphs, scores: FloatArray, top: int) -> BoolArray:
    """bool[n]: the kept blocks of the element `top` and of the siblings that belong to it."""
    elements = paragraphs.page.elements
    parent = elements.parents[top]
    joined = np.zeros(len(elements), dtype=np.bool_)
    joined[top] = True
    if parent != NO_ELEMENT:
        best = 0.0 if np.isnan(scores[top]) else scores[top]
        lowest = max(MIN_SIBLING_SCORE, SIBLING_SHARE * best)
        for sibling in children_of(elements, parent):
            name = elements.classes[sibling]
            bonus = SIBLING_SHARE * best if name and name == elements.classes[top] else 0.0
            joined[sibling] |= bool(scores[sibling] + bonus >= lowest)
    loose = np.append(_lone_paragraphs(paragraphs, parent), False)[paragraphs.innermost()]
    found: BoolArray = covered(elements, joined)[paragraphs.page.blocks.elements] | loose
    return found & paragraphs.kept


def _lone_paragraphs(paragraphs: Paragraphs, parent: int) -> BoolArray:
    """bool[m]: plain paragraphs directly in `parent` that are text by themselves."""
    counts = BlockCounts(paragraphs.page)
    characters = paragraphs.sums(counts.characters)
    density = share(paragraphs.sums(counts.link_characters), characters)
    beside = paragraphs.plain & (paragraphs.parents == parent)
    found: BoolArray = beside & (characters > LONG_SIBLING) & (density < MAX_LINK_DENSITY)
    short = beside & (characters <= LONG_SIBLING) & (density == 0)
    ends = _sentences(paragraphs.page)
    found |= short & (paragraphs.sums(ends.astype(np.int64)) > 0)
    return found


def _sentences(page: Page) -> BoolArray:
    found = (_ends_sentence(text) is not None for text in page.texts)
    return np.fromiter(found, np.bool_, len(page))
