"""The paragraphs of a page as candidate scoring sees them, counts of blocks, and names."""

import re
from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.page.columns import NO_ELEMENT, Elements
from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import collapse
from scrapy_boilerplate.systems.common.columns import (
    count_characters,
    find_ancestors,
    find_innermost,
    measure_texts,
    sum_over_links,
)

_find_commas = re.compile(
    # Latin, Arabic, small, vertical (two), two- and three-dot, Chinese and fullwidth comma:
    # the scripts that Readability.js 0.6.0 knows
    "[,\u060c\ufe50\ufe10\ufe11\u2e41\u2e34\u2e32\uff0c\u3001]"
).findall


def count_link_characters(page: Page) -> IntArray:
    """int[n]: characters of each block that a hyperlink encloses."""
    linked = sum_over_links(page, lambda text: len(collapse(text)))
    return np.minimum(linked, page.remember(count_characters))


def count_links(page: Page) -> IntArray:
    """int[n]: text nodes of each block inside hyperlinks, about the number of its links."""
    return sum_over_links(page, lambda text: int(not text.isspace()))


def count_commas(page: Page) -> IntArray:
    """int[n]: commas of each block, of any script."""
    return measure_texts(page.texts, lambda text: len(_find_commas(text)))


def divide_counts(part: IntArray, whole: IntArray) -> FloatArray:
    """Return the quotient of two counts, 0 where the whole is 0."""
    return part / np.maximum(whole, 1)


NO_PARAGRAPH = -1

# A `div` without any of these counts as a `p` (Readability, Goose).
NOT_IN_A_PARAGRAPH = frozenset("blockquote dl div img ol p pre table ul".split())

_DIV = frozenset({"div"})
_P = frozenset({"p"})


@dataclass(frozen=True, eq=False)
class Paragraphs:
    """Paragraphs in document order, one entry each; all with text.

    A paragraph is an element with a requested tag, a `div` that contains only running text, or a
    loose block between the children of another `div`.

    kept      bool[n]: the blocks that are not dropped
    elements  int[m], NO_ELEMENT for a loose block
    blocks    int[m]: the loose block, 0 for an element
    parents   int[m]: the element that the paragraph is in
    plain     bool[m]: whether the paragraph counts as a `p`
    """

    page: Page
    kept: BoolArray
    elements: IntArray
    blocks: IntArray
    parents: IntArray
    plain: BoolArray

    def __len__(self) -> int:
        return len(self.elements)

    def sums(self, column: IntArray) -> IntArray:
        """int[m]: for each paragraph the sum of a block column over the kept blocks in it."""
        if not len(self):
            return np.zeros(0, dtype=np.int64)
        of_elements = self.sum_by_element(column)[self.elements]
        of_blocks = np.where(self.kept, column, 0)[self.blocks]
        return np.where(self.elements == NO_ELEMENT, of_blocks, of_elements)

    def sum_by_element(self, column: IntArray) -> IntArray:
        """int[n_elements]: the sum of a block column over the kept blocks in each element."""
        return self.page.sum_by_element(np.where(self.kept, column, 0))

    def innermost(self) -> IntArray:
        """int[n]: the innermost paragraph around each block, NO_PARAGRAPH without one."""
        elements, loose = self.page.elements, np.flatnonzero(self.elements == NO_ELEMENT)
        numbers = np.full(len(elements) + 1, NO_PARAGRAPH)  # the last is for NO_ELEMENT
        numbers[self.elements] = np.arange(len(self))
        numbers[-1] = NO_PARAGRAPH
        around = find_innermost(elements, numbers[:-1] != NO_PARAGRAPH)
        paragraphs: IntArray = numbers[around[self.page.blocks.elements]]
        paragraphs[self.blocks[loose]] = loose
        return paragraphs


def find_paragraphs(page: Page, asked: BoolArray, dropped: BoolArray) -> Paragraphs:
    """Return the elements `asked` and the other paragraphs, without the elements `dropped`."""
    elements = page.elements
    holds_others = find_ancestors(elements, elements.tagged(NOT_IN_A_PARAGRAPH) & ~dropped)
    plain = elements.tagged(_P) & asked | elements.tagged(_DIV) & ~holds_others
    chosen, plain = (asked | plain) & ~dropped, plain & ~dropped
    kept = ~dropped[page.blocks.elements]
    with_text = page.sum_by_element(kept.astype(np.int64)) > 0
    tagged = np.flatnonzero(chosen & with_text)
    loose_in = elements.tagged(_DIV) & ~chosen
    loose = np.flatnonzero(kept & loose_in[page.blocks.elements])
    opened = np.array(page.leaves.opened, dtype=np.int64)[page.blocks.first_leaf[loose]]
    # a loose block is before the element that is opened next
    order = np.argsort(np.concatenate((2 * tagged, 2 * opened - 1)), kind="stable")
    none = np.full(len(loose), NO_ELEMENT)
    parents = elements.parent_column[tagged]
    return Paragraphs(
        page=page,
        kept=kept,
        elements=np.concatenate((tagged, none))[order],
        blocks=np.concatenate((np.zeros(len(tagged), dtype=np.int64), loose))[order],
        parents=np.concatenate((parents, page.blocks.elements[loose]))[order],
        plain=np.concatenate((plain[tagged], none == NO_ELEMENT))[order],
    )


def pass_up_scores(
    elements: Elements, parents: IntArray, scores: FloatArray, shares: tuple[float, ...]
) -> FloatArray:
    """float[n_elements]: the `shares` of scores for parent, grandparent and so on, added up."""
    totals = np.zeros(len(elements))
    for part in shares:
        reached = parents != NO_ELEMENT
        parents, scores = parents[reached], scores[reached]
        totals += np.bincount(parents, part * scores, len(elements))
        parents = elements.parent_column[parents]
    return totals


# Words of real pages in class and id. A word matches anywhere in a name unless a boundary is
# written with it.

# Points for a good word, minus points for a bad word, in class and id each (Readability.js 0.6.0).
NAME_WEIGHT = 25

_FIRST = r"(?<!\S)"  # where a name starts; names are between white space
_LAST = r"(?!\S)"
# Where a part of a name starts and ends: ``nav`` in ``main-nav``, not in ``navy``.
_START, _END = r"(?<![a-z])", r"(?![a-z])"


def _any_of(*groups: str) -> re.Pattern[str]:
    return re.compile("|".join(" ".join(groups).split()))


_ADS = rf"{_FIRST}ads?{_END} advert sponsor promo(?!t) banner taboola outbrain skyscraper"
_DISCUSSION = r"comment(?!ary) disqus combx replies respond shoutbox remark kommentar(?!e)"
_NAVIGATION = rf"breadcrumb menu navbar {_FIRST}nav{_END} pager pagination"
_ASIDE = rf"{_START}side-?bar{_LAST}"
_CONSENT = r"gdpr cookie consent agegate popup modal"
_SOCIAL = rf"{_START}social {_START}share sharing tweet"
_ELSEWHERE = r"related recommend supplement most[-_]?read newsletter"

# Containers that Readability ignores, unless a name of `PERHAPS` matches too.
UNLIKELY = _any_of(
    *(_ADS, _DISCUSSION, _NAVIGATION, _ASIDE, _CONSENT, _SOCIAL, _ELSEWHERE),
    rf"{_START}header{_LAST} {_START}footer extra community {_START}rss{_END} legends",
)
# Names of containers that may contain the article in spite of `UNLIKELY`.
PERHAPS = _any_of(rf"article body column content main shadow {_START}and{_END}")
POSITIVE = _any_of(
    "article story blog post entry body text content main page hentry",
    "artikel articulo noticia beitrag inhalt",
)
NEGATIVE = _any_of(
    *(_ADS, _DISCUSSION, _ASIDE, _SOCIAL, _ELSEWHERE),
    rf"foot masthead contact widget scroll shopping {_START}tags{_END} {_START}meta{_END}",
    rf"media {_START}hid(?:den)?{_END} {_START}tool",
)
# Containers that Goose and Newspaper remove first.
NAUGHTY = _any_of(
    *(_DISCUSSION, _NAVIGATION, _ASIDE, _SOCIAL),
    rf"sponsor promo(?!t) advert {_FIRST}ads?{_END} related outbrain taboola newsletter subscri",
    rf"foot(?:er|note) masthead contact byline author vcard timestamp {_START}dat(?:e|um){_END}",
    rf"caption legend credit {_START}tags{_END} {_START}tools{_END} {_START}links{_END}",
    rf"{_START}meta{_LAST} popup cookie consent",
)
BYLINE = _any_of(rf"byline dateline written-?by p-author {_START}author{_END}")
SHARING = _any_of(rf"{_START}share(?:daddy)?{_END}")


def match_names(elements: Elements, pattern: re.Pattern[str]) -> BoolArray:
    """bool[n_elements]: elements with a match of `pattern` in class or id, in lower case."""
    names = [f"{c} {i}" for c, i in zip(elements.classes, elements.ids, strict=True)]
    matching = {name for name in set(names) if pattern.search(name.lower())}
    return np.fromiter(map(matching.__contains__, names), np.bool_, len(names))


def match_classes(elements: Elements, pattern: re.Pattern[str]) -> BoolArray:
    """bool[n_elements]: elements with a match of `pattern` in the class as written."""
    matching = {name for name in set(elements.classes) if pattern.search(name)}
    return np.fromiter(map(matching.__contains__, elements.classes), np.bool_, len(elements))


def weigh_names(elements: Elements) -> IntArray:
    """int[n_elements]: `NAME_WEIGHT` for a good word, minus it for a bad one, class plus id."""
    weights: dict[str, int] = {"": 0}
    for name in {*elements.classes, *elements.ids} - {""}:
        lower = name.lower()
        verdict = bool(POSITIVE.search(lower)) - bool(NEGATIVE.search(lower))
        weights[name] = NAME_WEIGHT * verdict
    pairs = zip(elements.classes, elements.ids, strict=True)
    return np.fromiter((weights[c] + weights[i] for c, i in pairs), np.int64, len(elements))
