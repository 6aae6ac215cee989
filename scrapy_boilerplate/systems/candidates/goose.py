"""Goose: the element whose paragraphs hold most stop words.

Gravity Labs 2011; python-goose (Grangier), which the survey of Rangarajan measured at a content F1
of .69, for the scores, goose3 c5a8902 for what is spared in the top element.

1. If elements are marked as the article (``itemprop=articleBody``, some class names, the tag
   `article`), all that follows is done inside them. Containers with a naughty name are dropped.
   Paragraphs are `p`, `pre`, `td`, and what is a `p` under another name
   (`candidates.paragraphs`).
2. Those with 3 stop words or more, not high-link (share of linked words x links >= 1), score:
   stop words + boost. The k-th paragraph with text in one of three `p` before
   it gets 50 / k. Of more than 15 paragraphs the last quarter gets -(d^2), d being how deep it is
   in that quarter, or +5 where d^2 > 40. The parent gets the score, the grandparent half of it.
3. Top is the element with the highest score. In it children other than paragraphs, lists and
   headings are dropped when high-link, without a `p` of 25 characters, or below 8 % of top's score.
4. Siblings before top give their paragraphs: a `p` any, others those with more stop words than
   .30 of the mean of top's paragraphs. Texts with less than 3 stop words are dropped.

Without a list of stop words `candidates.stop_counts` says what is counted. Known failures: articles
in several containers; pages that mark their teasers as articles but not the article; short texts; a
naughty name around the article.
Deviations: with all marked elements we follow goose3; python-goose takes the first of the first
kind, which is a teaser on many pages (token F1 .79 in place of .85 on article-extraction). Scores
are not cut to whole numbers. The naughty names are our own choice (`candidates.names`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.page.columns import NO_ELEMENT, Elements
from scrapy_boilerplate.page.labels import BoolArray, FloatArray, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.systems.candidates.containers import known_containers
from scrapy_boilerplate.systems.candidates.counts import BlockCounts, children_of, covered, tagged
from scrapy_boilerplate.systems.candidates.gravity import (
    MIN_STOP_WORDS,
    Prose,
    naughty_containers,
)
from scrapy_boilerplate.systems.candidates.paragraphs import paragraphs_of

PARAGRAPH_TAGS = ("p", "pre", "td")
"""In the order in which Goose collects them, which is that of the boosts."""
SPARED_TAGS = frozenset("p ul ol h1 h2 h3 h4 h5 h6".split())
"""Children of the top element that are not judged (goose3; python-goose: only `p`)."""
MIN_PARAGRAPH = 25
"""Characters of a paragraph that counts for its container."""
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
        looked_at = _looked_at(page.elements)
        naughty = naughty_containers(page) & looked_at
        dropped = covered(page.elements, naughty) | ~looked_at
        asked = tagged(page.elements, frozenset(PARAGRAPH_TAGS))
        prose = Prose.of(paragraphs_of(page, asked, dropped))
        scores = np.where(looked_at, self.scores(prose), 0.0)
        content = np.zeros(len(page), dtype=np.bool_)
        if (scores > 0).any():
            top = int(np.argmax(scores))
            content = _inside(prose, scores, top) | _before(prose, top)
            content &= prose.paragraphs.kept & ~prose.few_words
        return labeling.classify(content, self.name)

    def scores(self, prose: Prose) -> FloatArray:
        """float[n_elements]: the gravity of each element."""
        good = np.flatnonzero((prose.stop_words >= MIN_STOP_WORDS) & ~prose.linky)
        elements = prose.paragraphs.elements[good].tolist()
        tags = [prose.page.elements.tags[e] if e != NO_ELEMENT else "p" for e in elements]
        ranks = [PARAGRAPH_TAGS.index(tag) if tag in PARAGRAPH_TAGS else 0 for tag in tags]
        order = good[np.argsort(np.array(ranks, dtype=np.int64), kind="stable")]
        return prose.gravity(order, prose.stop_words, self.boost, self.shares)


def _looked_at(elements: Elements) -> BoolArray:
    """bool[n_elements]: what is inside elements marked as the article, or everything."""
    known = known_containers(elements)
    return covered(elements, known) if known.any() else np.ones(len(elements), dtype=np.bool_)


def _inside(prose: Prose, scores: FloatArray, top: int) -> BoolArray:
    """bool[n]: blocks in the top element, without those of children that fail."""
    elements, paragraphs = prose.page.elements, prose.paragraphs
    long = paragraphs.sums(BlockCounts(prose.page).characters) >= MIN_PARAGRAPH
    in_long = np.append(long & paragraphs.plain, False)[paragraphs.innermost()]
    has_text = prose.page.held_by_elements(in_long.astype(np.int64)) > 0
    plain = set(paragraphs.elements[paragraphs.plain].tolist())
    failed = np.zeros(len(elements), dtype=np.bool_)
    for child in children_of(elements, top):
        if elements.tags[child] in SPARED_TAGS or child in plain:
            continue
        poor = not has_text[child] or scores[child] < MIN_CHILD_SHARE * scores[top]
        failed[child] = prose.linky_elements[child] or (poor and elements.tags[child] != "td")
    failed = covered(elements, failed)
    failed[:top] = True
    failed[elements.ends[top] :] = True
    inside: BoolArray = ~failed[prose.page.blocks.elements]
    return inside


def _before(prose: Prose, top: int) -> BoolArray:
    """bool[n]: blocks of the paragraphs in top's siblings before it that are as good as top's."""
    page, paragraphs = prose.page, prose.paragraphs
    parent = page.elements.parents[top]
    if parent == NO_ELEMENT:
        return np.zeros(len(page), dtype=np.bool_)
    owners = page.blocks.elements
    opened = np.array(page.leaves.opened, dtype=np.int64)[page.blocks.first_leaf]
    before = (opened <= top) & (owners >= parent) & (owners < page.elements.ends[parent])
    enough = prose.stop_words > MIN_SIBLING_SHARE * _mean_stop_words(prose, top)
    good = paragraphs.plain & ((paragraphs.parents == parent) | enough & ~prose.linky)
    found: BoolArray = before & np.append(good, False)[paragraphs.innermost()]
    return found


def _mean_stop_words(prose: Prose, top: int) -> float:
    """Mean stop words of the good plain paragraphs in `top`; infinite without any."""
    paragraphs, end = prose.paragraphs, prose.page.elements.ends[top]
    within = (paragraphs.parents >= top) & (paragraphs.parents < end)
    good = within & paragraphs.plain & (prose.stop_words >= MIN_STOP_WORDS) & ~prose.linky
    return float(prose.stop_words[good].mean()) if good.any() else np.inf
