"""Goose and Newspaper: scores by the stop words of paragraphs, boosted and passed up.

Both programs regard a text with stop words as prose. Without a list of stop words
(`common.running_text`), their number is estimated from clause marks: `STOP_WORD_SHARE` per word,
for at most `WORDS_PER_MARK` words per mark. The thresholds are the same for the estimate.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scrapy_boilerplate.page.columns import NO_ELEMENT, Elements
from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.extractor import Extractor, build_extractor
from scrapy_boilerplate.systems.candidates.paragraphs import (
    NAUGHTY,
    NO_PARAGRAPH,
    Paragraphs,
    count_links,
    divide_counts,
    find_paragraphs,
    match_classes,
    match_names,
    pass_up_scores,
)
from scrapy_boilerplate.systems.common.columns import (
    count_characters,
    cover_subtrees,
    find_ancestors,
    find_blocks_inside,
    list_children,
    measure_texts,
)
from scrapy_boilerplate.systems.common.rules import ContentRule
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

# Stop words per word of running text, mean of 14 languages (.43 Turkish to .61 Danish).
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
        return self.paragraphs.page

    @cached_property
    def block_stop_words(self) -> IntArray:
        return count_stop_words(self.page)

    @cached_property
    def stop_words(self) -> IntArray:
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


# Goose (docs/systems/goose.md): the element whose paragraphs contain the most stop words. As in
# goose3, all marked elements are searched; in older versions the first, often a teaser.

GOOSE_BOOST = 50.0  # stop words added to the first paragraph after text (python-goose)
GOOSE_SHARES = (1.0, 0.5)  # shares of a score for parent and grandparent (python-goose)

# Value of ``itemprop`` of elements that are marked as the article.
KNOWN_PROPERTY = re.compile("articlebody", re.IGNORECASE)
# Their classes (goose3; python-goose: ``post-content``); ids do not count.
KNOWN_CLASS = re.compile("short-story|post-content|g-content|post-outer", re.IGNORECASE)
# Tags in the order in which Goose collects and boosts paragraphs.
GOOSE_PARAGRAPHS = ("p", "pre", "td")
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
    prose = Prose(find_paragraphs(page, elements.tagged(frozenset(GOOSE_PARAGRAPHS)), dropped))
    scores = np.where(searched, score_for_goose(prose), 0.0)
    if not (scores > 0).any():
        return np.zeros(len(page), dtype=np.bool_)
    top = int(np.argmax(scores))
    content = _keep_in_top(prose, scores, top) | _keep_siblings_before(prose, top)
    return content & prose.paragraphs.kept & ~prose.few_words


def score_for_goose(prose: Prose) -> FloatArray:
    """float[n_elements]: the gravity of each element."""
    good = np.flatnonzero((prose.stop_words >= MIN_STOP_WORDS) & ~prose.high_link)
    elements = prose.paragraphs.elements[good].tolist()
    tags = [prose.page.elements.tags[e] if e != NO_ELEMENT else "p" for e in elements]
    ranks = [GOOSE_PARAGRAPHS.index(tag) if tag in GOOSE_PARAGRAPHS else 0 for tag in tags]
    order = good[np.argsort(np.array(ranks, dtype=np.int64), kind="stable")]
    return prose.gravity(order, prose.stop_words, GOOSE_BOOST, GOOSE_SHARES)


def find_known_containers(elements: Elements) -> BoolArray:
    """bool[n_elements]: elements that are marked as the article."""
    known = match_classes(elements, KNOWN_CLASS) | elements.tagged(frozenset({"article"}))
    for element, value in elements.with_attribute("itemprop"):
        known[element] |= KNOWN_PROPERTY.search(value) is not None
    return known


def _keep_in_top(prose: Prose, scores: FloatArray, top: int) -> BoolArray:
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


# Newspaper (docs/systems/newspaper.md): Goose with marks of article containers, and several
# elements of one level.

NEWSPAPER_BOOST = 30.0  # stop words added to the first paragraph after text (newspaper4k)
NEWSPAPER_SHARES = (1.0, 0.4)  # shares of a score for parent and grandparent (newspaper4k)

NEWSPAPER_PARAGRAPHS = frozenset("p pre td article".split())
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
    gravity = prose.gravity(order, own.astype(np.int64), NEWSPAPER_BOOST, NEWSPAPER_SHARES)
    return np.where(gravity > 0, gravity + find_article_boosts(elements), 0.0)


def find_candidates(page: Page) -> Paragraphs:
    """Return the paragraphs and story containers outside removed containers."""
    elements = page.elements
    articles = elements.tagged(frozenset({"article"}))
    naughty = find_naughty_containers(page) & ~(articles | find_ancestors(elements, articles))
    dropped = cover_subtrees(elements, naughty | elements.tagged(frozenset({"figure"})))
    asked, divs = elements.tagged(NEWSPAPER_PARAGRAPHS), elements.tagged(frozenset({"div"}))
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
    build_extractor("goose", "Goose (Gravity Labs 2011), python-goose",
        "the element with the most stop words in its paragraphs; articles in one container",
        ContentRule("goose", _find_goose_blocks)),
    build_extractor("newspaper", "Newspaper (Ou-Yang 2013), newspaper4k 0.9.6",
        "like goose, with similar elements of one depth; articles in several containers",
        ContentRule("newspaper", _find_newspaper_blocks)),
)  # fmt: skip
