"""Newspaper: Goose with marks of article containers, and several elements of one level.

newspaper3k (Ou-Yang 2013), which the survey of Rangarajan measured at a content F1 of .85 and says
to differ from Goose only by better patterns; followed here as newspaper4k 0.9.6 (540bff3) has it.

1. Containers with a naughty name are dropped unless an `article` stands in them; `figure` too.
2. Paragraphs are those of Goose, `article`, and `div` named article or story (every `div` if
   there are less than 5 others). A paragraph weighs the stop words that are in no inner one.
3. Scores as in Goose, from the deepest paragraphs up; boost 30 / k; the parent gets all, the
   grandparent .4. Elements with the role, class or microdata of an article start with 15 to 100
   points (`candidates.containers`).
4. Content is the element with the highest score, and each of the same depth and tag with more
   than .30 of that score that is not high-link. Texts with less than 3 stop words are dropped.

Without a list of stop words `candidates.stop_counts` says what is counted. Deviations: the boost of
a paragraph looks at three paragraphs before, not at three elements of any kind. Known failures: a
teaser list at the depth of the article; articles in containers of different depth.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.systems.candidates.containers import article_boosts
from scrapy_boilerplate.systems.candidates.counts import covered, holders, tagged
from scrapy_boilerplate.systems.candidates.gravity import (
    MIN_STOP_WORDS,
    Prose,
    naughty_containers,
)
from scrapy_boilerplate.systems.candidates.names import named
from scrapy_boilerplate.systems.candidates.paragraphs import (
    NO_PARAGRAPH,
    Paragraphs,
    paragraphs_of,
)

PARAGRAPH_TAGS = frozenset("p pre td article".split())
STORY = re.compile(r"(?<!\S)(?:article(?:body)?|story)(?!\S)|paragraph")
"""Names of a `div` that is looked at like a paragraph (newspaper4k)."""
FEW_CANDIDATES = 5
"""Paragraphs below which every `div` is one (newspaper4k)."""
MIN_LEVEL_SHARE = 0.30
"""Share of the top score that another element of the level must exceed (newspaper4k)."""


@dataclass(frozen=True, kw_only=True)
class Newspaper:
    """The blocks of the best elements of one depth and tag are content.

    `boost` in stop words; `shares` of a score for the parent, the grandparent (newspaper4k).
    """

    boost: float = 30.0
    shares: tuple[float, ...] = (1.0, 0.4)
    name: str = "newspaper"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        prose = Prose.of(candidates_of(page))
        scores = self.scores(prose)
        content = np.zeros(len(page), dtype=np.bool_)
        if (scores > 0).any():
            content = covered(page.elements, _best_of_level(prose, scores))[page.blocks.elements]
            content &= prose.paragraphs.kept & ~prose.few_words
        return labeling.classify(content, self.name)

    def scores(self, prose: Prose) -> FloatArray:
        """float[n_elements]: gravity and boosts, 0 for elements that got no gravity."""
        elements = prose.page.elements
        good = np.flatnonzero((prose.stop_words >= MIN_STOP_WORDS) & ~prose.linky)
        depths = np.array(elements.depths, dtype=np.int64)[prose.paragraphs.parents[good]]
        order = good[np.argsort(-depths, kind="stable")]
        gravity = prose.gravity(order, _own_stop_words(prose), self.boost, self.shares)
        return np.where(gravity > 0, gravity + article_boosts(elements), 0.0)


def candidates_of(page: Page) -> Paragraphs:
    """The paragraphs and story containers outside the containers with a naughty name."""
    elements = page.elements
    articles = tagged(elements, frozenset({"article"}))
    names = naughty_containers(page) & ~(articles | holders(elements, articles))
    dropped = covered(elements, names | tagged(elements, frozenset({"figure"})))
    asked = tagged(elements, PARAGRAPH_TAGS)
    divs = tagged(elements, frozenset({"div"}))
    story = divs & named(elements, STORY)
    if not story.any() and np.count_nonzero(asked) < FEW_CANDIDATES:
        story = divs
    return paragraphs_of(page, asked | story, dropped)


def _own_stop_words(prose: Prose) -> IntArray:
    """int[m]: stop words of each paragraph that are in no paragraph within it."""
    around = prose.paragraphs.innermost()
    inside = prose.paragraphs.kept & (around != NO_PARAGRAPH)
    own = np.bincount(around[inside], prose.stops[inside], len(prose.paragraphs))
    return own.astype(np.int64)


def _best_of_level(prose: Prose, scores: FloatArray) -> BoolArray:
    """bool[n_elements]: the element with the highest score and its like."""
    elements = prose.page.elements
    top = int(np.argmax(scores))
    alike = tagged(elements, frozenset({elements.tags[top]}))
    alike &= np.array(elements.depths, dtype=np.int64) == elements.depths[top]
    alike &= (scores > MIN_LEVEL_SHARE * scores[top]) & ~prose.linky_elements
    alike[top] = True
    return alike
