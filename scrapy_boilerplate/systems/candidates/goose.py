"""Goose: the element whose paragraphs contain the most stop words (docs/systems/goose.md).

Gravity Labs 2011; python-goose (Grangier), which the survey of Rangarajan measured, for the scores;
goose3 c5a8902 for the children of the top element that are kept. Deviations: all marked elements
are searched, as in goose3; older versions use the first, which is a teaser on many pages. Scores
are not cut to integers. Names of removed containers are in `candidates.names`. Without a list of
stop words `candidates.gravity` estimates them.
"""

import re

import numpy as np

from scrapy_boilerplate.page.columns import NO_ELEMENT, Elements
from scrapy_boilerplate.page.labels import BoolArray, FloatArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.extractor import Extractor, build_extractor
from scrapy_boilerplate.systems.candidates.gravity import (
    MIN_STOP_WORDS,
    Prose,
    find_naughty_containers,
)
from scrapy_boilerplate.systems.candidates.names import match_classes
from scrapy_boilerplate.systems.candidates.paragraphs import find_paragraphs
from scrapy_boilerplate.systems.common.rules import ContentRule
from scrapy_boilerplate.systems.common.tokens import count_characters
from scrapy_boilerplate.systems.common.trees import cover_subtrees, list_children

BOOST = 50.0  # stop words added to the first paragraph after text (python-goose)
SHARES = (1.0, 0.5)  # shares of a score for parent and grandparent (python-goose)

# Value of ``itemprop`` of elements that are marked as the article.
KNOWN_PROPERTY = re.compile("articlebody", re.IGNORECASE)
# Their classes (goose3; python-goose: ``post-content``); ids do not count.
KNOWN_CLASS = re.compile("short-story|post-content|g-content|post-outer", re.IGNORECASE)
# Tags in the order in which Goose collects and boosts paragraphs.
PARAGRAPH_TAGS = ("p", "pre", "td")
# Children of the top element that are always kept (goose3; python-goose: only `p`).
SPARED_TAGS = frozenset("p ul ol h1 h2 h3 h4 h5 h6".split())
# Characters of a paragraph that counts for its container (python-goose, and both below).
MIN_PARAGRAPH = 25
MIN_CHILD_SHARE = 0.08  # share of the top score that a child of the top element must have
# A paragraph of a sibling needs more than this share of the mean stop words of top's paragraphs.
MIN_SIBLING_SHARE = 0.30


def _find_goose_blocks(page: Page) -> BoolArray:
    elements = page.elements
    searched = cover_subtrees(elements, find_known_containers(elements))
    if not searched.any():
        searched = np.ones(len(elements), dtype=np.bool_)
    dropped = cover_subtrees(elements, find_naughty_containers(page) & searched) | ~searched
    prose = Prose(find_paragraphs(page, elements.tagged(frozenset(PARAGRAPH_TAGS)), dropped))
    scores = np.where(searched, score_for_goose(prose), 0.0)
    if not (scores > 0).any():
        return np.zeros(len(page), dtype=np.bool_)
    top = int(np.argmax(scores))
    content = _keep_inside(prose, scores, top) | _keep_siblings_before(prose, top)
    return content & prose.paragraphs.kept & ~prose.few_words


def score_for_goose(prose: Prose) -> FloatArray:
    """float[n_elements]: the gravity of each element."""
    good = np.flatnonzero((prose.stop_words >= MIN_STOP_WORDS) & ~prose.high_link)
    elements = prose.paragraphs.elements[good].tolist()
    tags = [prose.page.elements.tags[e] if e != NO_ELEMENT else "p" for e in elements]
    ranks = [PARAGRAPH_TAGS.index(tag) if tag in PARAGRAPH_TAGS else 0 for tag in tags]
    order = good[np.argsort(np.array(ranks, dtype=np.int64), kind="stable")]
    return prose.gravity(order, prose.stop_words, BOOST, SHARES)


def find_known_containers(elements: Elements) -> BoolArray:
    """bool[n_elements]: elements that are marked as the article."""
    known = match_classes(elements, KNOWN_CLASS) | elements.tagged(frozenset({"article"}))
    for element, value in elements.with_attribute("itemprop"):
        known[element] |= KNOWN_PROPERTY.search(value) is not None
    return known


def _keep_inside(prose: Prose, scores: FloatArray, top: int) -> BoolArray:
    elements, paragraphs = prose.page.elements, prose.paragraphs
    long = paragraphs.sums(count_characters(prose.page)) >= MIN_PARAGRAPH
    in_long = np.append(long & paragraphs.plain, False)[paragraphs.innermost()]
    has_text = prose.page.sum_by_element(in_long.astype(np.int64)) > 0
    plain = set(paragraphs.elements[paragraphs.plain].tolist())
    failed = np.zeros(len(elements), dtype=np.bool_)
    for child in list_children(elements, top):
        if elements.tags[child] in SPARED_TAGS or child in plain:
            continue
        poor = not has_text[child] or scores[child] < MIN_CHILD_SHARE * scores[top]
        failed[child] = prose.high_link_elements[child] or (poor and elements.tags[child] != "td")
    failed = cover_subtrees(elements, failed)
    failed[:top] = True
    failed[elements.ends[top] :] = True
    return ~failed[prose.page.blocks.elements]


def _keep_siblings_before(prose: Prose, top: int) -> BoolArray:
    page, paragraphs = prose.page, prose.paragraphs
    parent, end = page.elements.parents[top], page.elements.ends[top]
    if parent == NO_ELEMENT:
        return np.zeros(len(page), dtype=np.bool_)
    owners = page.blocks.elements
    opened = np.array(page.leaves.opened, dtype=np.int64)[page.blocks.first_leaf]
    before = (opened <= top) & (owners >= parent) & (owners < page.elements.ends[parent])
    in_top = (paragraphs.parents >= top) & (paragraphs.parents < end) & paragraphs.plain
    in_top &= (prose.stop_words >= MIN_STOP_WORDS) & ~prose.high_link
    mean = float(prose.stop_words[in_top].mean()) if in_top.any() else np.inf
    enough = prose.stop_words > MIN_SIBLING_SHARE * mean
    good = paragraphs.plain & ((paragraphs.parents == parent) | enough & ~prose.high_link)
    kept: BoolArray = before & np.append(good, False)[paragraphs.innermost()]
    return kept


ROWS: tuple[Extractor, ...] = (
    build_extractor("goose", "Goose (Gravity Labs 2011), python-goose",
        "the element with the most stop words in its paragraphs; articles in one container",
        ContentRule("goose", _find_goose_blocks)),
)  # fmt: skip
