"""Words in the class and id of an element that indicate its content.

Goose, Newspaper and Readability look for words in class and id. The words here come from
names of real pages, grouped by meaning. A word matches anywhere in a name unless a boundary is
written with it.
"""

import re

import numpy as np

from scrapy_boilerplate.page.columns import Elements
from scrapy_boilerplate.page.labels import BoolArray, IntArray

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
