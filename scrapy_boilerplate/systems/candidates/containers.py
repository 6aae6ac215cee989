"""What attributes say of an element: that it holds the article, that it is hidden, a byline."""

from __future__ import annotations

import re
from types import MappingProxyType

import numpy as np

from scrapy_boilerplate.page.columns import Elements
from scrapy_boilerplate.page.labels import BoolArray, FloatArray
from scrapy_boilerplate.systems.candidates.counts import tagged

KNOWN_PROPERTY = re.compile("articlebody", re.IGNORECASE)
"""Value of ``itemprop`` of elements that Goose takes for the article."""
KNOWN_CLASS = re.compile("short-story|post-content|g-content|post-outer", re.IGNORECASE)
"""Their classes (goose3; python-goose: ``post-content``); ids do not count."""

BOOSTED_TAGS = frozenset("p pre td article div".split())
"""Elements that can start with a boost (newspaper4k)."""
BODY_CLASS = re.compile(r"paragraph|entry-content|article-(?:text|body)", re.IGNORECASE)
BODY_CLASS_BOOST = 15.0
ARTICLE_ROLE_BOOST = 25.0
"""Points of an `article` with ``role=article`` (newspaper4k)."""
_SCHEMA = "https://schema.org/"
ITEM_BOOSTS = MappingProxyType(
    {
        ("itemprop", "articlebody"): 100.0,
        ("itemprop", "articletext"): 40.0,
        **{("itemtype", f"{_SCHEMA}{kind}"): 30.0 for kind in ("article", "newsarticle")},
        **{
            ("itemtype", f"{_SCHEMA}{kind}"): 20.0
            for kind in "blogposting scholarlyarticle socialmediaposting techarticle".split()
        },
    }
)
"""Points for microdata (newspaper4k 0.9.6, ``ARTICLE_BODY_TAGS``), values in lower case."""

_hides = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE).search
_SHOWN_ANYWAY = re.compile("fallback-image")
"""Class of an image that is there for readers without the other one (Readability.js)."""


def known_containers(elements: Elements) -> BoolArray:
    """bool[n_elements]: elements that are marked as the article (Goose)."""
    found = _in_class(elements, KNOWN_CLASS) | tagged(elements, frozenset({"article"}))
    for element, value in elements.with_attribute("itemprop"):
        found[element] |= KNOWN_PROPERTY.search(value) is not None
    return found


def article_boosts(elements: Elements) -> FloatArray:
    """float[n_elements]: the points with which elements start, the highest that they earn."""
    boosts = BODY_CLASS_BOOST * _in_class(elements, BODY_CLASS)
    roles = np.fromiter((role == "article" for role in elements.roles), np.bool_, len(elements))
    roles &= tagged(elements, frozenset({"article"}))
    boosts = np.maximum(boosts, ARTICLE_ROLE_BOOST * roles)
    for attribute in ("itemprop", "itemtype"):
        for element, value in elements.with_attribute(attribute):
            earned = ITEM_BOOSTS.get((attribute, value.lower()), 0.0)
            boosts[element] = max(boosts[element], earned)
    found: FloatArray = np.where(tagged(elements, BOOSTED_TAGS), boosts, 0.0)
    return found


def hidden(elements: Elements) -> BoolArray:
    """bool[n_elements]: elements that are not shown as the page is written, or modal dialogs."""
    found = np.zeros(len(elements), dtype=np.bool_)
    for element, values in elements.attributes.items():
        found[element] = (
            "hidden" in values
            or _hides(values.get("style", "")) is not None
            or (
                values.get("aria-hidden") == "true"
                and not _SHOWN_ANYWAY.search(elements.classes[element])
            )
            or (values.get("aria-modal") == "true" and elements.roles[element] == "dialog")
        )
    return found


def authored(elements: Elements) -> BoolArray:
    """bool[n_elements]: elements that say they name an author."""
    found = np.zeros(len(elements), dtype=np.bool_)
    for element, values in elements.attributes.items():
        found[element] = values.get("rel") == "author" or "author" in values.get("itemprop", "")
    return found


def _in_class(elements: Elements, pattern: re.Pattern[str]) -> BoolArray:
    matching = {name for name in set(elements.classes) if pattern.search(name)}
    return np.fromiter((name in matching for name in elements.classes), np.bool_, len(elements))
