"""Readability: the element whose paragraphs score best, and its siblings.

Arc90 2009; the survey of Rangarajan measured a Python port. This module follows Readability.js
0.6.0 (mozilla, ab4027a), the source of all numbers below. docs/systems/readability.md has the rule
in seven steps. Deviations: the names are in `candidates.paragraphs`; every byline is ignored, not
only the first; there are no exceptions for videos, lists of images and data tables; links within
the page count in full (a `Page` does not distinguish them); each line between `br` is a paragraph;
boxes that contain only a note about advertising or loading are kept.
"""

import re

import numpy as np

from scrapy_boilerplate.page.columns import NO_ELEMENT, Elements
from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.extractor import Extractor, build_extractor
from scrapy_boilerplate.systems.candidates.paragraphs import (
    BYLINE,
    NAME_WEIGHT,
    PERHAPS,
    SHARING,
    UNLIKELY,
    Paragraphs,
    count_commas,
    count_link_characters,
    divide_counts,
    find_paragraphs,
    match_names,
    pass_up_scores,
    weigh_names,
)
from scrapy_boilerplate.systems.common.columns import (
    count_characters,
    cover_subtrees,
    find_ancestors,
    find_blocks_inside,
    list_children,
    match_texts,
)
from scrapy_boilerplate.systems.common.rules import ContentRule

MIN_CHARACTERS = 500  # with a shorter text, a less strict attempt follows


def _find_readability_blocks(page: Page) -> BoolArray:
    longest, content = -1, np.zeros(len(page), dtype=np.bool_)
    characters = page.remember(count_characters)
    for strictness in (3, 2, 1, 0):
        attempt = _attempt(page, strictness)
        length = int(characters[attempt].sum())
        if length > longest:
            longest, content = length, attempt
        if length >= MIN_CHARACTERS:
            break
    return content


def _attempt(page: Page, strictness: int) -> BoolArray:
    elements = page.elements
    if not len(page):
        return np.zeros(0, dtype=np.bool_)
    ignored = _find_ignored_elements(page)
    if strictness == 3:
        ignored |= _find_unlikely_elements(elements)
    weights = weigh_names(elements) if strictness >= 2 else np.zeros(len(elements), dtype=np.int64)
    ignored = cover_subtrees(elements, ignored)
    paragraphs = find_paragraphs(page, elements.tagged(PARAGRAPH_TAGS), ignored)
    scores = score_candidates(paragraphs, weights)
    body = elements.tags.index("body") if "body" in elements.tags else 0
    content = _join_siblings(paragraphs, scores, choose_candidate(elements, scores, body))
    characters = page.sum_by_element(page.remember(count_characters))
    removed = elements.tagged(REMOVED_TAGS)
    removed |= match_names(elements, SHARING) & (characters < MAX_SHARING)
    removed |= elements.tagged(frozenset({"h1", "h2"})) & (weights < 0)
    if strictness >= 1:
        removed |= find_junk_boxes(paragraphs, weights)
    return content & ~find_blocks_inside(page, removed)


# Ignored elements (step 1)

UNLIKELY_ROLES = frozenset("menu menubar complementary navigation alert alertdialog dialog".split())
MAX_BYLINE = 100  # a byline has fewer characters
# A heading with a larger share of its characters in words of the title repeats the title.
MIN_TITLE_LIKENESS = 0.75

_hides = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE).search


def _find_ignored_elements(page: Page) -> BoolArray:
    elements, characters = page.elements, page.sum_by_element(page.remember(count_characters))
    bylines = match_names(elements, BYLINE) | find_authored_elements(elements)
    ignored = elements.tagged(frozenset({"noscript"})) | find_hidden_elements(elements)
    return ignored | bylines & (characters < MAX_BYLINE) | _find_repeated_titles(page)


def find_hidden_elements(elements: Elements) -> BoolArray:
    """bool[n_elements]: elements that the markup hides, and modal dialogs."""
    hidden = np.zeros(len(elements), dtype=np.bool_)
    for element, values in elements.attributes.items():
        hidden[element] = (
            "hidden" in values
            or _hides(values.get("style", "")) is not None
            or (
                values.get("aria-hidden") == "true"
                and "fallback-image" not in elements.classes[element]
            )
            or (values.get("aria-modal") == "true" and elements.roles[element] == "dialog")
        )
    return hidden


def find_authored_elements(elements: Elements) -> BoolArray:
    """bool[n_elements]: elements with the relation or microdata of an author."""
    authored = np.zeros(len(elements), dtype=np.bool_)
    for element, values in elements.attributes.items():
        authored[element] = values.get("rel") == "author" or "author" in values.get("itemprop", "")
    return authored


def _find_repeated_titles(page: Page) -> BoolArray:
    title = set(page.title.lower().split())
    repeated = np.zeros(len(page.elements), dtype=np.bool_)
    for block, tag in enumerate(page.tags):
        if tag in ("h1", "h2"):
            words = page.texts[block].lower().split()
            known = " ".join(word for word in words if word in title)
            alike = len(known) > MIN_TITLE_LIKENESS * len(" ".join(words))
            repeated[page.blocks.elements[block]] |= alike
    return repeated


def _find_unlikely_elements(elements: Elements) -> BoolArray:
    unlikely = match_names(elements, UNLIKELY) & ~match_names(elements, PERHAPS)
    unlikely &= ~elements.tagged(frozenset({"html", "body", "a"}))
    unlikely &= ~elements.inside(frozenset({"table", "code"}))
    roles = (role in UNLIKELY_ROLES for role in elements.roles)
    return unlikely | np.fromiter(roles, np.bool_, len(elements))


# Scores of the candidates (steps 2 and 3)

PARAGRAPH_TAGS = frozenset("section h2 h3 h4 h5 h6 p td pre".split())
MIN_PARAGRAPH = 25  # characters of a paragraph that scores
LONG_PARAGRAPH = 100  # characters for a further point, up to `MAX_LENGTH_POINTS`
MAX_LENGTH_POINTS = 3
ANCESTOR_SHARES = (1, 1 / 2, 1 / 6, 1 / 9, 1 / 12)

TAG_POINTS = {
    **dict.fromkeys(["div"], 5),
    **dict.fromkeys("pre td blockquote".split(), 3),
    **dict.fromkeys("address ol ul dl dd dt li form".split(), -3),
    **dict.fromkeys("h1 h2 h3 h4 h5 h6 th".split(), -5),
}


def score_candidates(paragraphs: Paragraphs, weights: IntArray) -> FloatArray:
    """float[n_elements]: the final scores of the candidates, NaN for other elements."""
    page = paragraphs.page
    characters = paragraphs.sums(page.remember(count_characters))
    good = characters >= MIN_PARAGRAPH
    points = 2 + paragraphs.sums(page.remember(count_commas))[good]
    points += np.minimum(characters[good] // LONG_PARAGRAPH, MAX_LENGTH_POINTS)
    parents = paragraphs.parents[good]
    received = pass_up_scores(page.elements, parents, points.astype(np.float64), ANCESTOR_SHARES)
    start = weights + np.array([TAG_POINTS.get(tag, 0) for tag in page.elements.tags])
    columns = map(page.remember, (count_link_characters, count_characters))
    held = map(paragraphs.sum_by_element, columns)
    scores: FloatArray = (start + received) * (1 - divide_counts(*held))
    scores[received == 0] = np.nan
    scores[:1] = np.nan  # the root is above the body, so it is not a candidate
    return scores


# The best candidate (step 4)

TOP_CANDIDATES = 5
# An ancestor of so many alternatives replaces the best candidate.
MIN_ALTERNATIVES = 3
ALTERNATIVE_SHARE = 0.75  # minimum share of the top score of an alternative
MIN_PARENT_SHARE = 1 / 3  # a parent with a smaller share of the top score ends the search


def choose_candidate(elements: Elements, scores: FloatArray, body: int) -> int:
    """Return the element of the article; `scores` are NaN for elements that are not candidates."""
    ranked = np.argsort(-np.nan_to_num(scores, nan=-np.inf), kind="stable")
    ranked = ranked[~np.isnan(scores[ranked])][:TOP_CANDIDATES]
    if not len(ranked) or ranked[0] == body:
        return body
    top = _find_shared_ancestor(elements, scores, ranked.tolist(), body)
    top = _climb_to_better(elements, scores, top, body)
    parent = elements.parents[top]
    while parent not in (body, NO_ELEMENT):
        only_child = top == parent + 1 and elements.ends[top] == elements.ends[parent]
        if not only_child:
            break
        top, parent = parent, elements.parents[parent]
    return top


def _find_shared_ancestor(
    elements: Elements, scores: FloatArray, ranked: list[int], body: int
) -> int:
    top, *others = ranked
    rivals = [other for other in others if scores[other] >= ALTERNATIVE_SHARE * scores[top]]
    for ancestor in elements.ancestors(elements.parents[top]):
        if ancestor <= body:
            break
        held = sum(ancestor < rival < elements.ends[ancestor] for rival in rivals)
        if held >= MIN_ALTERNATIVES:
            return ancestor
    return top


def _climb_to_better(elements: Elements, scores: FloatArray, top: int, body: int) -> int:
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


# Its siblings (step 5)

# Minimum share of the top score of a sibling, and the bonus for the class of the top element.
SIBLING_SHARE = 0.2
MIN_SIBLING_SCORE = 10.0
LONG_SIBLING = 80  # a sibling paragraph with more characters belongs to the article
# Link density from which a long sibling paragraph does not belong to the article.
MAX_SIBLING_LINK_DENSITY = 0.25

_ends_sentence = re.compile(r"[.!?…।۔؟](?:\s|$)|[。！？]").search


def _join_siblings(paragraphs: Paragraphs, scores: FloatArray, top: int) -> BoolArray:
    elements = paragraphs.page.elements
    parent = elements.parents[top]
    joined = np.zeros(len(elements), dtype=np.bool_)
    joined[top] = True
    if parent != NO_ELEMENT:
        best = 0.0 if np.isnan(scores[top]) else scores[top]
        lowest = max(MIN_SIBLING_SCORE, SIBLING_SHARE * best)
        for sibling in list_children(elements, parent):
            name = elements.classes[sibling]
            bonus = SIBLING_SHARE * best if name and name == elements.classes[top] else 0.0
            joined[sibling] |= bool(scores[sibling] + bonus >= lowest)
    lone = np.append(_find_lone_paragraphs(paragraphs, parent), False)[paragraphs.innermost()]
    inside: BoolArray = find_blocks_inside(paragraphs.page, joined) | lone
    return inside & paragraphs.kept


def _find_lone_paragraphs(paragraphs: Paragraphs, parent: int) -> BoolArray:
    page = paragraphs.page
    characters = paragraphs.sums(page.remember(count_characters))
    density = divide_counts(paragraphs.sums(page.remember(count_link_characters)), characters)
    beside = paragraphs.plain & (paragraphs.parents == parent)
    lone: BoolArray = beside & (characters > LONG_SIBLING) & (density < MAX_SIBLING_LINK_DENSITY)
    short = beside & (characters <= LONG_SIBLING) & (density == 0)
    ends = match_texts(page.texts, _ends_sentence).astype(np.int64)
    lone |= short & (paragraphs.sums(ends) > 0)
    return lone


# Cleaning (step 6)

# Elements that are always removed from the article.
REMOVED_TAGS = frozenset("footer aside button textarea input".split())
MAX_SHARING = 500  # a sharing bar has fewer characters
JUDGED_TAGS = frozenset("form fieldset table ul div".split())
MIN_COMMAS = 10  # a box with so many commas is text
SHORT = 25  # minimum characters of a box without a picture
MIN_EMBED_CHARACTERS = 75  # minimum characters of a box with one embed
MAX_LINK_DENSITY = 0.2
MAX_LINK_DENSITY_OF_GOOD_NAME = 0.5
MAX_HEADING_SHARE = 0.9  # a short box with this share of characters in headings may stay
LIST_ITEMS_ALLOWED = 100  # list items beyond the paragraphs that a box may hold
LIST_SHARE = 0.9  # a box with this share of characters in lists is a list
DATA_CELLS = 10  # a table with more cells contains data

_COUNTED = tuple(
    frozenset(tags.split()) for tags in ("img picture", "li", "input", "object embed iframe")
)
_LISTS = frozenset("ul ol".split())
_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
_TABLE_MARKS = frozenset("caption col colgroup tfoot thead th".split())


def find_junk_boxes(paragraphs: Paragraphs, weights: IntArray) -> BoolArray:
    """bool[n_elements]: the boxes to remove; inner boxes are removed before outer ones.

    `weights` int[n_elements] are the points for names. Readability.js judges tag after tag, this
    function all tags in one pass. Linear time.
    """
    elements = paragraphs.page.elements
    tables = _find_data_tables(elements)
    judged = elements.tagged(JUDGED_TAGS) & ~elements.inside(frozenset({"code"}))
    judged &= ~(cover_subtrees(elements, tables) | find_ancestors(elements, tables))
    rows = _count_directly_in(paragraphs).tolist()
    columns = (judged, weights, elements.inside(frozenset({"figure"})))
    is_judged, weight_of, in_figure = (column.tolist() for column in columns)
    junk = np.zeros(len(elements), dtype=np.bool_)
    for element in range(len(elements) - 1, -1, -1):
        row, parent = rows[element], elements.parents[element]
        if is_judged[element] and _is_junk(
            elements.tags[element], weight_of[element], row, in_figure[element]
        ):
            junk[element] = True
        elif parent != NO_ELEMENT:
            rows[parent] = [a + b for a, b in zip(rows[parent], row, strict=True)]
    return junk


def _is_junk(tag: str, weight: int, row: list[int], in_figure: bool) -> bool:
    characters, linked, commas, headings, listed, paragraphs, images, items, inputs, embeds = row
    if weight < 0:
        return True
    if commas >= MIN_COMMAS:
        return False
    is_list = tag in _LISTS or listed > LIST_SHARE * characters
    density = linked / max(characters, 1)
    of_headings = headings / max(characters, 1)
    most = MAX_LINK_DENSITY if weight < NAME_WEIGHT else MAX_LINK_DENSITY_OF_GOOD_NAME
    short = characters < SHORT and images not in (1, 2) and density > 0
    return (
        (not in_figure and images > 1 and paragraphs < images / 2)
        or (not is_list and items - LIST_ITEMS_ALLOWED > paragraphs)
        or inputs > paragraphs // 3
        or (not (is_list or in_figure) and short and of_headings < MAX_HEADING_SHARE)
        or (density > most and not (is_list and weight < NAME_WEIGHT))
        or (embeds == 1 and characters < MIN_EMBED_CHARACTERS)
        or embeds > 1
    )


def _count_directly_in(paragraphs: Paragraphs) -> IntArray:
    page = paragraphs.page
    size, owners = len(page.elements), page.blocks.elements
    columns = (count_characters, count_link_characters, count_commas)
    characters, linked, commas = map(page.remember, columns)
    headings, lists = (np.where(page.in_tags(tags), characters, 0) for tags in (_HEADINGS, _LISTS))
    blocks = (characters, linked, commas, headings, lists)
    sums = [np.bincount(owners, np.where(paragraphs.kept, column, 0), size) for column in blocks]
    plain, loose = paragraphs.plain, paragraphs.elements == NO_ELEMENT
    places = np.where(loose, paragraphs.parents, paragraphs.elements)[plain]
    tags = [page.elements.tagged(tags) for tags in _COUNTED]
    rows = np.stack((*sums, np.bincount(places, minlength=size), *tags), axis=1)
    return rows.astype(np.int64)


def _find_data_tables(elements: Elements) -> BoolArray:
    tables = elements.tagged(frozenset({"table"}))
    cells = elements.sum_subtrees(elements.tagged(frozenset({"td", "th"})).astype(np.int64))
    marked = find_ancestors(elements, elements.tagged(_TABLE_MARKS))
    return tables & ~find_ancestors(elements, tables) & (marked | (cells > DATA_CELLS))


ROWS: tuple[Extractor, ...] = (
    build_extractor("readability", "Readability (Arc90 2009), Readability.js 0.6.0",
        "the best-scored element and its siblings, cleaned; articles of any kind",
        ContentRule("readability", _find_readability_blocks)),
)  # fmt: skip
