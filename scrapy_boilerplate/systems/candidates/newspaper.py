"""Newspaper: Goose with marks of article containers, and several elements of one level.

The survey of Rangarajan measured newspaper3k (Ou-Yang 2013); this module follows newspaper4k 0.9.6
(540bff3). See docs/systems/newspaper.md. Deviation: the boost of a paragraph depends on the three
paragraphs before it, not on three elements of any kind. Without a list of stop words
`candidates.gravity` estimates them.
"""

import re

import numpy as np

from scrapy_boilerplate.page.columns import Elements
from scrapy_boilerplate.page.labels import BoolArray, FloatArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.extractor import Extractor, build_extractor
from scrapy_boilerplate.systems.candidates.gravity import (
    MIN_STOP_WORDS,
    Prose,
    find_naughty_containers,
)
from scrapy_boilerplate.systems.candidates.names import match_classes, match_names
from scrapy_boilerplate.systems.candidates.paragraphs import (
    NO_PARAGRAPH,
    Paragraphs,
    find_paragraphs,
)
from scrapy_boilerplate.systems.common.rules import ContentRule
from scrapy_boilerplate.systems.common.trees import (
    cover_subtrees,
    find_ancestors,
    find_blocks_inside,
)

BOOST = 30.0  # stop words added to the first paragraph after text (newspaper4k)
SHARES = (1.0, 0.4)  # shares of a score for parent and grandparent (newspaper4k)

PARAGRAPH_TAGS = frozenset("p pre td article".split())
# Names of a `div` that counts as a paragraph (newspaper4k).
STORY = re.compile(r"(?<!\S)(?:article(?:body)?|story)(?!\S)|paragraph")
FEW_CANDIDATES = 5  # with fewer paragraphs, every `div` counts as one (newspaper4k)
# Share of the top score that another element of the level must exceed (newspaper4k).
MIN_LEVEL_SHARE = 0.30
# Elements that can start with a boost (newspaper4k).
BOOSTED_TAGS = frozenset("p pre td article div".split())
BODY_CLASS = re.compile(r"paragraph|entry-content|article-(?:text|body)", re.IGNORECASE)
BODY_CLASS_BOOST = 15.0  # points for a class of BODY_CLASSES (newspaper4k)
ARTICLE_ROLE_BOOST = 25.0  # points of an `article` with ``role=article`` (newspaper4k)
_SCHEMA = "https://schema.org/"
# Points for microdata (newspaper4k 0.9.6, ``ARTICLE_BODY_TAGS``), values in lower case.
ITEM_BOOSTS = {
    ("itemprop", "articlebody"): 100.0,
    ("itemprop", "articletext"): 40.0,
    **{("itemtype", f"{_SCHEMA}{kind}"): 30.0 for kind in ("article", "newsarticle")},
    **{
        ("itemtype", f"{_SCHEMA}{kind}"): 20.0
        for kind in "blogposting scholarlyarticle socialmediaposting techarticle".split()
    },
}


def _find_newspaper_blocks(page: Page) -> BoolArray:
    elements, prose = page.elements, Prose(find_candidates(page))
    scores = score_for_newspaper(prose)
    if not (scores > 0).any():
        return np.zeros(len(page), dtype=np.bool_)
    top = int(np.argmax(scores))
    alike = elements.tagged(frozenset({elements.tags[top]}))
    alike &= elements.depth_column == elements.depths[top]
    alike &= (scores > MIN_LEVEL_SHARE * scores[top]) & ~prose.high_link_elements
    alike[top] = True
    return find_blocks_inside(page, alike) & prose.paragraphs.kept & ~prose.few_words


def score_for_newspaper(prose: Prose) -> FloatArray:
    """float[n_elements]: gravity and boosts, 0 for elements without gravity."""
    elements, paragraphs = prose.page.elements, prose.paragraphs
    good = np.flatnonzero((prose.stop_words >= MIN_STOP_WORDS) & ~prose.high_link)
    depths = elements.depth_column[paragraphs.parents[good]]
    order = good[np.argsort(-depths, kind="stable")]
    # the weight of a paragraph is its stop words outside inner paragraphs
    around = paragraphs.innermost()
    inside = paragraphs.kept & (around != NO_PARAGRAPH)
    own = np.bincount(around[inside], prose.block_stop_words[inside], len(paragraphs))
    gravity = prose.gravity(order, own.astype(np.int64), BOOST, SHARES)
    return np.where(gravity > 0, gravity + find_article_boosts(elements), 0.0)


def find_candidates(page: Page) -> Paragraphs:
    """Return the paragraphs and story containers outside removed containers."""
    elements = page.elements
    articles = elements.tagged(frozenset({"article"}))
    naughty = find_naughty_containers(page) & ~(articles | find_ancestors(elements, articles))
    dropped = cover_subtrees(elements, naughty | elements.tagged(frozenset({"figure"})))
    asked, divs = elements.tagged(PARAGRAPH_TAGS), elements.tagged(frozenset({"div"}))
    story = divs & match_names(elements, STORY)
    if not story.any() and np.count_nonzero(asked) < FEW_CANDIDATES:
        story = divs
    return find_paragraphs(page, asked | story, dropped)


def find_article_boosts(elements: Elements) -> FloatArray:
    """float[n_elements]: the highest bonus of each element, with which it starts."""
    boosts = BODY_CLASS_BOOST * match_classes(elements, BODY_CLASS)
    roles = np.fromiter((role == "article" for role in elements.roles), np.bool_, len(elements))
    roles &= elements.tagged(frozenset({"article"}))
    boosts = np.maximum(boosts, ARTICLE_ROLE_BOOST * roles)
    for attribute in ("itemprop", "itemtype"):
        for element, value in elements.with_attribute(attribute):
            points = ITEM_BOOSTS.get((attribute, value.lower()), 0.0)
            boosts[element] = max(boosts[element], points)
    return np.where(elements.tagged(BOOSTED_TAGS), boosts, 0.0)


ROWS: tuple[Extractor, ...] = (
    build_extractor("newspaper", "Newspaper (Ou-Yang 2013), newspaper4k 0.9.6",
        "like goose, with similar elements of one depth; articles in several containers",
        ContentRule("newspaper", _find_newspaper_blocks)),
)  # fmt: skip
