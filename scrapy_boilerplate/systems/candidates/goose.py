"""Goose: the element whose paragraphs hold most stop words.

Gravity Labs 2011; python-goose (Grangier), which the survey of Rangarajan measured at a content F1
of .69, for the scores, goose3 c5a8902 for the elements that are spared in the top element.

1. If elements are marked as the article (``itemprop=articleBody``, some class names, the tag
   `article`), all that follows is done inside them. Containers with a naughty name are dropped.
   Paragraphs are `p`, `pre`, `td`, and other elements that are used as a `p`
   (`candidates.paragraphs`).
2. Those with 3 stop words or more, not high-link (share of linked words x links >= 1), score:
   stop words + boost. A boost of 50 / k goes to the k-th paragraph with text in one of the three
   `p` before it. Of more than 15 paragraphs the last quarter gets -(d^2) instead, d being the place
   in that quarter, or +5 where d^2 > 40. The parent gets the score, the grandparent half of it.
3. Top is the element with the highest score. In it children other than paragraphs, lists and
   headings are dropped when high-link, without a `p` of 25 characters, or below 8 % of top's score.
4. Siblings before top give their paragraphs: a `p` any, others those with more stop words than
   .30 of the mean of top's paragraphs. Texts with less than 3 stop words are dropped.

Without a list of stop words see `candidates.gravity`. Known failures: articles
in several containers; pages that mark their teasers as articles but not the article; short texts; a
naughty name around the article.
Deviations: all marked elements are searched, as in goose3 and the last sources of python-goose;
older ones take the first of the first kind, which is a teaser on many pages (token F1 .79, not .85,
on article-extraction). Scores are not cut to whole numbers. The naughty names are from
`candidates.names`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.page.columns import NO_ELEMENT, Elements
from scrapy_boilerplate.page.labels import BoolArray, FloatArray, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.extractor import Extractor, build_extractor
from scrapy_boilerplate.systems.candidates.elements import (
    BlockCounts,
    cover_subtrees,
    list_children,
)
from scrapy_boilerplate.systems.candidates.gravity import (
    MIN_STOP_WORDS,
    Prose,
    find_naughty_containers,
)
from scrapy_boilerplate.systems.candidates.names import match_classes
from scrapy_boilerplate.systems.candidates.paragraphs import find_paragraphs

KNOWN_PROPERTY = re.compile("articlebody", re.IGNORECASE)
"""Value of ``itemprop`` of elements that are taken for the article."""
KNOWN_CLASS = re.compile("short-story|post-content|g-content|post-outer", re.IGNORECASE)
"""Their classes (goose3; python-goose: ``post-content``); ids do not count."""
PARAGRAPH_TAGS = ("p", "pre", "td")
"""In the order in which Goose collects and boosts them."""
SPARED_TAGS = frozenset("p ul ol h1 h2 h3 h4 h5 h6".split())
"""Children of the top element that are not judged (goose3; python-goose: only `p`)."""
MIN_PARAGRAPH = 25
"""Characters of a paragraph that counts for its container (python-goose, and both below)."""
MIN_CHILD_SHARE = 0.08
"""Share of the top score that a child of the top element must have."""
MIN_SIBLING_SHARE = 0.30
"""Share of the mean stop words of top's paragraphs that a sibling's paragraph must exceed."""


@dataclass(frozen=True, kw_only=True)
class Goose:
    """The blocks of the top element and of its siblings before it are content.

    `boost` in stop words; `shares` of a score for the parent, the grandparent (python-goose).
    """

    boost: float = 50.0
    shares: tuple[float, ...] = (1.0, 0.5)
    name: str = "goose"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        elements = page.elements
        searched = cover_subtrees(elements, find_known_containers(elements))
        if not searched.any():
            searched = np.ones(len(elements), dtype=np.bool_)
        dropped = cover_subtrees(elements, find_naughty_containers(page) & searched) | ~searched
        asked = elements.tagged(frozenset(PARAGRAPH_TAGS))
        prose = Prose.of(find_paragraphs(page, asked, dropped))
        scores = np.where(searched, self.scores(prose), 0.0)
        content = np.zeros(len(page), dtype=np.bool_)
        if (scores > 0).any():
            top = int(np.argmax(scores))
            content = _keep_inside(prose, scores, top) | _keep_siblings_before(prose, top)
            content &= prose.paragraphs.kept & ~prose.few_words
        return labeling.classify(content, self.name)

    def scores(self, prose: Prose) -> FloatArray:
        """float[n_elements]: the gravity of each element."""
        good = np.flatnonzero((prose.stop_words >= MIN_STOP_WORDS) & ~prose.high_link)
        elements = prose.paragraphs.elements[good].tolist()
        tags = [prose.page.elements.tags[e] if e != NO_ELEMENT else "p" for e in elements]
        ranks = [PARAGRAPH_TAGS.index(tag) if tag in PARAGRAPH_TAGS else 0 for tag in tags]
        order = good[np.argsort(np.array(ranks, dtype=np.int64), kind="stable")]
        return prose.gravity(order, prose.stop_words, self.boost, self.shares)


def find_known_containers(elements: Elements) -> BoolArray:
    """bool[n_elements]: elements that are marked as the article."""
    known = match_classes(elements, KNOWN_CLASS) | elements.tagged(frozenset({"article"}))
    for element, value in elements.with_attribute("itemprop"):
        known[element] |= KNOWN_PROPERTY.search(value) is not None
    return known


def _keep_inside(prose: Prose, scores: FloatArray, top: int) -> BoolArray:
    """bool[n]: blocks in the top element, except in children that fail."""
    elements, paragraphs = prose.page.elements, prose.paragraphs
    long = paragraphs.sums(BlockCounts(prose.page).characters) >= MIN_PARAGRAPH
    in_long = np.append(long & paragraphs.plain, False)[paragraphs.innermost()]
    has_text = prose.page.held_by_elements(in_long.astype(np.int64)) > 0
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
    inside: BoolArray = ~failed[prose.page.blocks.elements]
    return inside


def _keep_siblings_before(prose: Prose, top: int) -> BoolArray:
    """bool[n]: blocks of the paragraphs in top's siblings before it that are as good as top's."""
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
    build_extractor(
        "goose",
        "Goose (Gravity Labs 2011), python-goose",
        "the element with most stop words in its paragraphs; articles in one container",
        Goose(),
    ),
)
