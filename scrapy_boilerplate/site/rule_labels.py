"""Apply the rule for a site to a page: labels and values of a document by its selectors."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
from lxml import etree

from scrapy_boilerplate.metadata.date_parsing import parse_date
from scrapy_boilerplate.metadata.person_names import drop_duplicates, find_names
from scrapy_boilerplate.page.labels import REMOVED, RULE, BoolArray, Label, Labeling
from scrapy_boilerplate.page.limits import Clock
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.reading import find_elements
from scrapy_boilerplate.page.text import collapse, compose, is_blank
from scrapy_boilerplate.site.rules import SiteRule

# maximum nodes for a headline, authors or a date, and characters of the text of each
MAX_VALUES, MAX_VALUE_LENGTH = 50, 5_000


def relabel(
    rule: SiteRule, page: Page, tree: etree._Element, labeling: Labeling, clock: Clock
) -> Labeling:
    """Apply the selectors; mark blocks of `content` RULE and blocks of `remove` REMOVED.

    Headlines inside the content and labels outside of it, except full text, are kept. Blocks of
    authors and date become boilerplate. Raises OutOfTimeError.
    """
    headline = _find_inside(rule, "headline", page, tree, clock)
    labeling = labeling.relabel(headline, Label.HEADLINE, RULE)
    if headline.any():
        others = (labeling.labels == Label.HEADLINE) & ~headline
        labeling = labeling.relabel(others, Label.BOILERPLATE, RULE)
    content = _find_inside(rule, "content", page, tree, clock)
    removed = _find_inside(rule, "remove", page, tree, clock)
    if removed.any():
        labeling = labeling.mark(REMOVED, removed)
    for name in ("authors", "date"):
        removed = removed | (_find_inside(rule, name, page, tree, clock) & content)
    kept = content & ~removed
    if kept.any():
        inside = kept & (labeling.labels != Label.HEADLINE)
        labeling = labeling.relabel(inside, Label.FULL_TEXT, RULE)
        outside = labeling.content & ~kept
        labeling = labeling.relabel(outside, Label.BOILERPLATE, RULE).mark(RULE, kept)
    return labeling.relabel(removed, Label.BOILERPLATE, RULE)


def _find_inside(
    rule: SiteRule, name: str, page: Page, tree: etree._Element, clock: Clock
) -> BoolArray:
    selected = []
    for selector in rule.compiled[name]:
        clock.check()
        selected += selector.find_elements(tree)
    if not selected:
        return np.zeros(len(page), dtype=np.bool_)
    inside = page.elements.within(find_elements(page.elements, tree, selected))
    is_inside = inside[page.leaves.element_column]
    is_outside = ~is_inside & ~np.fromiter(map(is_blank, page.leaves.texts), np.bool_)
    n_inside, n_outside = (
        np.bincount(page.leaf_blocks, leaves, len(page)) for leaves in (is_inside, is_outside)
    )
    is_held: BoolArray = (n_inside > 0) & (n_outside == 0)
    return is_held


def find_values(
    rule: SiteRule, page: Page, tree: etree._Element, labeling: Labeling, clock: Clock
) -> dict[str, Any]:
    """Return the values of a document by the rule, after `relabel`. Raises OutOfTimeError."""
    values = _read_metadata(rule, page, tree, clock)
    has_matched = {
        "content": labeling.marked(RULE).any(),
        "remove": labeling.marked(REMOVED).any(),
        "headline": "headline" in values,
        "authors": "authors" in values,
        "date": "date_published" in values,
    }
    names = [*values, *(["text"] if has_matched["content"] else [])]
    matches = tuple(key for key, is_matched in has_matched.items() if is_matched)
    return {**values, "evidence": dict.fromkeys(names, RULE), "rule_matches": matches}


def _read_metadata(
    rule: SiteRule, page: Page, tree: etree._Element, clock: Clock
) -> dict[str, Any]:
    values: dict[str, Any] = {}
    names = ("headline", "authors", "date")
    texts = {name: _read_texts(rule, name, tree, clock) for name in names}
    if texts["headline"]:
        values["headline"] = compose(texts["headline"][0])
    authors = drop_duplicates(
        compose(name) for text in texts["authors"] for name in find_names(text) or (text,)
    )
    if authors:
        values["authors"] = authors
    dates = (parse_date(text, page.language) for text in texts["date"])
    date = next((each for each in dates if each is not None), None)
    if date is not None:
        values["date_published"] = date
    return values


def _find_nodes(
    rule: SiteRule, name: str, tree: etree._Element, clock: Clock
) -> Iterator[etree._Element | str]:
    for selector in rule.compiled[name]:
        clock.check()
        yield from selector.find_values(tree)


def _read_texts(rule: SiteRule, name: str, tree: etree._Element, clock: Clock) -> list[str]:
    texts = []
    for node in islice(_find_nodes(rule, name, tree, clock), MAX_VALUES):
        if isinstance(node, etree._Element):
            if name == "date" and node.get("datetime"):
                texts.append(str(node.get("datetime")))
            text = etree.tostring(node, method="text", encoding="unicode", with_tail=False)
        else:
            text = str(node)
        texts.append(collapse(text.lstrip()[:MAX_VALUE_LENGTH]))
    return list(filter(None, texts))
