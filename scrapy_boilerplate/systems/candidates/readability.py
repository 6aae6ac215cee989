"""Readability: the element whose paragraphs score best, and its siblings.

Arc90 2009, of which the survey of Rangarajan measured a Python port at a content F1 of .63;
followed here as Readability.js 0.6.0 (mozilla, ab4027a) has it.

1. Left out: hidden elements and modal dialogs; bylines, by name or ``itemprop``; headings that
   repeat the title; elements with an unlikely name unless the name also speaks for them or they
   stand in a table or code; roles of navigation and dialogs.
2. Each paragraph (h2 to h6, p, td, pre, section, and what is a `p` under another name) of 25
   characters or more scores 1 + (commas + 1) + min(characters / 100, 3). The parent gets all, the
   grandparent a half, the n-th ancestor after them 1 / 3n, five levels in all.
3. A candidate starts with points for its tag and +-25 for class and id each; its final score is
   (start + received) x (1 - link density).
4. Best candidate; or an ancestor that holds three rivals of at least 75 % of its score; or the
   first ancestor with a higher score; or an ancestor of which it is the only child.
5. Siblings join with a score of max(10, 20 % of the best) (20 % as a present for the same class),
   paragraphs of their own if long with few links, or short without links and with a sentence.
6. Boxes that do not look like text go (`candidates.cleaning`).
7. If less than 500 characters remain, again without the names and roles of 1, then without the
   names of 3, then without 6; the longest attempt if none is long enough.

Deviations: the names are our own choice (`candidates.names`); every byline goes, not only the
first; the exceptions of Readability.js for videos, lists of images and data tables are not made.
Links to a place on the same page count in full (a `Page` does not tell them apart). Lines between
`br` are paragraphs each; boxes of nothing but an advertiser's or a loading note stay. Known
failures: articles that a script would show (hidden ones go, as in Readability.js); articles in
several containers, where no ancestor outscores them; short articles among long teasers; comments
that score more than the article; other articles below this one in one container.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from scrapy_boilerplate.page.columns import Elements
from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.systems.candidates.choice import chosen_element, joined_blocks
from scrapy_boilerplate.systems.candidates.cleaning import junk_boxes
from scrapy_boilerplate.systems.candidates.containers import authored, hidden
from scrapy_boilerplate.systems.candidates.counts import BlockCounts, covered, share, tagged
from scrapy_boilerplate.systems.candidates.names import (
    BYLINE,
    PERHAPS,
    SHARING,
    UNLIKELY,
    name_weights,
    named,
)
from scrapy_boilerplate.systems.candidates.paragraphs import Paragraphs, paragraphs_of, passed_up

PARAGRAPH_TAGS = frozenset("section h2 h3 h4 h5 h6 p td pre".split())
MIN_PARAGRAPH = 25
"""Characters of a paragraph that scores."""
LONG_PARAGRAPH = 100
"""Characters for a further point, up to `MAX_LENGTH_POINTS`."""
MAX_LENGTH_POINTS = 3
ANCESTOR_SHARES = (1, 1 / 2, 1 / 6, 1 / 9, 1 / 12)

TAG_POINTS = MappingProxyType(
    {
        **dict.fromkeys(["div"], 5),
        **dict.fromkeys("pre td blockquote".split(), 3),
        **dict.fromkeys("address ol ul dl dd dt li form".split(), -3),
        **dict.fromkeys("h1 h2 h3 h4 h5 h6 th".split(), -5),
    }
)

SCENERY_TAGS = frozenset("noscript".split())
"""Dropped before anything is scored."""
FURNITURE_TAGS = frozenset("footer aside button textarea input".split())
"""Dropped from the article, whatever they hold."""
UNLIKELY_ROLES = frozenset("menu menubar complementary navigation alert alertdialog dialog".split())
MAX_BYLINE = 100
"""Characters from which a byline is none."""
MAX_SHARING = 500
"""Characters from which a sharing bar is none."""
MIN_TITLE_LIKENESS = 0.75
"""Share of a heading's characters in words of the title above which it repeats the title."""


@dataclass(frozen=True, kw_only=True)
class Readability:
    """The blocks of the best candidate and its siblings, cleaned, are content.

    `min_characters`: text below which another attempt, less strict, is made.
    """

    min_characters: int = 500
    name: str = "readability"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        longest, content = -1, np.zeros(len(page), dtype=np.bool_)
        characters = BlockCounts(page).characters
        for strictness in (3, 2, 1, 0):
            found = _article(page, strictness)
            length = int(characters[found].sum())
            if length > longest:
                longest, content = length, found
            if length >= self.min_characters:
                break
        return labeling.classify(content, self.name)


def _article(page: Page, strictness: int) -> BoolArray:
    """bool[n]: the article; 3 with all conditions, each less one fewer, in the order of step 7."""
    elements = page.elements
    if not len(page):
        return np.zeros(0, dtype=np.bool_)
    scenery = _scenery(page)
    if strictness == 3:
        scenery |= _unlikely(elements)
    weights = name_weights(elements) if strictness >= 2 else np.zeros(len(elements), dtype=np.int64)
    dropped = covered(elements, scenery)
    paragraphs = paragraphs_of(page, tagged(elements, PARAGRAPH_TAGS), dropped)
    scores = candidate_scores(paragraphs, weights)
    body = elements.tags.index("body") if "body" in elements.tags else 0
    content = joined_blocks(paragraphs, scores, chosen_element(elements, scores, body))
    furniture = _furniture(paragraphs, weights)
    if strictness >= 1:
        furniture |= junk_boxes(paragraphs, weights)
    return content & ~covered(elements, furniture)[page.blocks.elements]


def candidate_scores(paragraphs: Paragraphs, weights: IntArray) -> FloatArray:
    """float[n_elements]: the final scores of the candidates, NaN for other elements."""
    page, counts = paragraphs.page, BlockCounts(paragraphs.page)
    characters = paragraphs.sums(counts.characters)
    good = characters >= MIN_PARAGRAPH
    points = 2 + paragraphs.sums(counts.commas)[good]
    points += np.minimum(characters[good] // LONG_PARAGRAPH, MAX_LENGTH_POINTS)
    parents = paragraphs.parents[good]
    received = passed_up(page.elements, parents, points.astype(np.float64), ANCESTOR_SHARES)
    start = weights + np.array([TAG_POINTS.get(tag, 0) for tag in page.elements.tags])
    columns = (counts.link_characters, counts.characters)
    held = (page.held_by_elements(np.where(paragraphs.kept, c, 0)) for c in columns)
    scores: FloatArray = (start + received) * (1 - share(*held))
    scores[received == 0] = np.nan
    scores[:1] = np.nan  # the root is above the body, and no candidate
    return scores


def _scenery(page: Page) -> BoolArray:
    """bool[n_elements]: what no attempt looks at."""
    elements, characters = page.elements, page.held_by_elements(BlockCounts(page).characters)
    bylines = (named(elements, BYLINE) | authored(elements)) & (characters < MAX_BYLINE)
    scenery = tagged(elements, SCENERY_TAGS) | hidden(elements)
    return scenery | bylines | _repeated_titles(page)


def _repeated_titles(page: Page) -> BoolArray:
    """bool[n_elements]: h1 and h2 whose words stand in the title."""
    title = set(page.title.lower().split())
    found = np.zeros(len(page.elements), dtype=np.bool_)
    for block, tag in enumerate(page.tags):
        if tag in ("h1", "h2"):
            words = page.texts[block].lower().split()
            known = " ".join(word for word in words if word in title)
            alike = len(known) > MIN_TITLE_LIKENESS * len(" ".join(words))
            found[page.blocks.elements[block]] |= alike
    return found


def _unlikely(elements: Elements) -> BoolArray:
    unlikely = named(elements, UNLIKELY) & ~named(elements, PERHAPS)
    unlikely &= ~tagged(elements, frozenset({"html", "body", "a"}))
    unlikely &= ~elements.inside(frozenset({"table", "code"}))
    roles = (role in UNLIKELY_ROLES for role in elements.roles)
    return unlikely | np.fromiter(roles, np.bool_, len(elements))


def _furniture(paragraphs: Paragraphs, weights: IntArray) -> BoolArray:
    """bool[n_elements]: what is never text: sharing bars, headings with a bad name, buttons."""
    page = paragraphs.page
    elements, characters = page.elements, page.held_by_elements(BlockCounts(page).characters)
    sharing = named(elements, SHARING) & (characters < MAX_SHARING)
    headings = tagged(elements, frozenset({"h1", "h2"})) & (weights < 0)
    return tagged(elements, FURNITURE_TAGS) | sharing | headings
