"""Content extraction via text density (CETD): elements with much text, few tags and few links.

Sun, Song and Liao 2011; docs/systems/cetd.md has the formulas with the names used here. Divisors of
0 count as 1. It follows the authors' C++ (FeiSun/ContentExtraction, 82750ef). Deviations: white
space of text nodes is collapsed before characters are counted; only NOT_RENDERED is hidden; r of a
page without links is 1/C, while the C++ divides by ln(ln(e)) = 0.
"""

from functools import cached_property, partial

import numpy as np

from scrapy_boilerplate.page.columns import NO_ELEMENT
from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import collapse, count_words
from scrapy_boilerplate.steps.extractor import Extractor, build_extractor
from scrapy_boilerplate.systems.common.columns import find_ancestors, measure_texts, select_blocks
from scrapy_boilerplate.systems.common.rules import ContentRule

# Elements whose text is link text (FeiSun/ContentExtraction).
LINK_TAGS = frozenset(("a", "button", "select"))
# Elements that a browser does not render (HTML Standard, 15.3.1), without those whose text
# `page.reading` keeps (`noscript`, `template`, ...).
NOT_RENDERED = frozenset("head title style script link meta base param datalist rp area".split())


class ElementCounts:
    """Characters, tags, links and densities of each element of a page; computed on first use."""

    def __init__(self, page: Page) -> None:
        self.elements = page.elements
        self.leaf_elements: IntArray = np.array(page.leaves.elements, dtype=np.int64)
        self.in_link = self.elements.inside(LINK_TAGS)[self.leaf_elements]
        self._lengths = measure_texts(page.leaves.texts, lambda text: len(collapse(text)))
        self._opened = np.array(page.leaves.opened, dtype=np.int64)

    @cached_property
    def body(self) -> int:
        """The root of the search: the body, or the root of the page if text is outside the body."""
        tags, ends = self.elements.tags, self.elements.ends
        body = tags.index("body") if "body" in tags else 0
        outside = (self.leaf_elements < body) | (self.leaf_elements >= ends[body])
        return 0 if outside.any() else body

    @cached_property
    def characters(self) -> IntArray:
        """int[n_elements]: C."""
        return self._sum_inside(self._lengths)

    @cached_property
    def link_characters(self) -> IntArray:
        """int[n_elements]: LC."""
        return self._sum_inside(np.where(self.in_link, self._lengths, 0))

    @cached_property
    def tag_counts(self) -> IntArray:
        """int[n_elements]: T, the rendered elements inside."""
        rendered = (~self.elements.tagged(NOT_RENDERED)).astype(np.int64)
        return self.elements.sum_subtrees(rendered) - rendered

    @cached_property
    def link_tag_counts(self) -> IntArray:
        """int[n_elements]: LT, all in a link, the link itself, and a child that has only links."""
        elements, counts = self.elements, [0] * len(self.elements)
        only_links = (self.characters == self.link_characters).tolist()
        tags = self.tag_counts.tolist()
        for element, parent in elements.upwards():
            is_link = elements.tags[element] in LINK_TAGS
            if is_link:
                counts[element] = tags[element]
            links = counts[element]
            like_link = is_link or (links == tags[element] != 0 and only_links[element])
            counts[parent] += links + like_link
        return np.array(counts, dtype=np.int64)

    @cached_property
    def bare(self) -> IntArray:
        """int[leaves]: characters of a run of text between two tags, at its first leaf.

        0 for the other leaves of the run, and in elements without children: they have no runs.
        """
        first = np.ones(len(self.leaf_elements), dtype=np.bool_)
        first[1:] = (np.diff(self.leaf_elements) != 0) | (np.diff(self._opened) != 0)
        run = np.cumsum(first) - 1
        lengths = np.bincount(run, self._lengths).astype(np.int64)[run]
        return np.where(first & (self.tag_counts[self.leaf_elements] > 0), lengths, 0)

    @cached_property
    def link_ratio(self) -> float:
        """r: LC/C of the body."""
        characters, in_links = self.characters[self.body], self.link_characters[self.body]
        return float(max(in_links, 1) / max(characters, 1))

    @cached_property
    def composite_density(self) -> FloatArray:
        """float[n_elements]: the composite text density."""
        text = np.maximum(self.characters, 1).astype(np.float64)
        tags, links = np.maximum(self.tag_counts, 1), np.maximum(self.link_tag_counts, 1)
        plain = np.maximum(self.characters - self.link_characters, 1)
        in_links = np.maximum(self.link_characters, 1)
        balance = text * in_links / plain + self.link_ratio * text
        density = _divide_by_log(text / tags * np.log(text * tags / (in_links * links)), balance)
        return np.where(self.characters > 0, density, 0.0)

    @cached_property
    def simple_density(self) -> FloatArray:
        """float[n_elements]: C/T without the text of links."""
        plain = self.characters - self.link_characters
        return plain / np.maximum(self.tag_counts, 1)

    def density_sums(self, density: FloatArray, bare: FloatArray) -> FloatArray:
        """float[n_elements]: the densities of the children and of the bare text between them."""
        parents = self.elements.parent_column
        inside = np.flatnonzero(parents != NO_ELEMENT)
        sums = np.bincount(parents[inside], density[inside], len(parents)).astype(np.float64)
        sums += np.bincount(self.leaf_elements, bare, len(parents))
        return np.where(self.tag_counts > 0, sums, density)

    def _sum_inside(self, column: IntArray) -> IntArray:
        held = np.bincount(self.leaf_elements, column, len(self.elements))
        return self.elements.sum_subtrees(held.astype(np.int64))


# Decimals to which densities and sums are compared (the C++ stores them with these decimals).
DIGITS = 6


def _find_dense_blocks(page: Page, *, composite: bool) -> BoolArray:
    if not len(page):
        return np.zeros(0, dtype=np.bool_)
    counts = ElementCounts(page)
    bare = counts.bare.astype(np.float64)
    if composite:
        bare = _divide_by_log(bare * np.log(np.maximum(bare, 1.0)), counts.link_ratio * bare)
        kept = choose_elements(counts, counts.composite_density, bare)
    else:
        kept = choose_elements(counts, counts.simple_density, np.where(counts.in_link, 0.0, bare))
    words = measure_texts(page.leaves.texts, count_words)
    return select_blocks(page, np.where(kept[counts.leaf_elements], words, 0), words)


def choose_elements(counts: ElementCounts, density: FloatArray, bare: FloatArray) -> BoolArray:
    """Return bool[n_elements]: content elements and their ancestors, whose bare text stays.

    `density` of each element, `bare` the density sum of each leaf as bare text.
    """
    elements, body, density = counts.elements, counts.body, density.round(DIGITS)
    best = find_densest_inside(counts, density, bare)
    chosen, content = [False] * len(elements), [False] * len(elements)

    def keep(element: int) -> None:
        end = elements.ends[element]
        chosen[element], content[element:end] = True, [True] * (end - element)

    keep(best[body])
    way = [element for element in elements.ancestors(best[body]) if element >= body]
    dense = (density >= density[way].min()).tolist()
    reached = [False] * len(elements)
    for element in range(body, elements.ends[body]):
        below = element == body or reached[elements.parents[element]]
        if below and dense[element] and not content[element]:
            reached[element] = True
            keep(best[element])
    kept: BoolArray = np.array(content) | find_ancestors(elements, np.array(chosen))
    kept[:body] = False
    return kept


def find_densest_inside(counts: ElementCounts, density: FloatArray, bare: FloatArray) -> list[int]:
    """Return the element with the largest density sum in each element, the first if several."""
    values = counts.density_sums(density, bare).round(DIGITS).tolist()
    best = list(range(len(values)))
    for element, parent in counts.elements.upwards():
        candidate = best[element]
        ahead = values[candidate] - values[best[parent]]
        if ahead > 0 or (ahead == 0 and best[parent] != parent):
            best[parent] = candidate
    return best


def _divide_by_log(amount: FloatArray, balance: FloatArray) -> FloatArray:
    """``amount / ln(ln(balance + e))``; 0 where the balance is 0, which would divide by 0."""
    logs = np.log(np.log(balance + np.e))
    return np.divide(amount, logs, out=np.zeros_like(logs), where=balance > 0)


SUN = "Sun, Song, Liao 2011"

ROWS: tuple[Extractor, ...] = (
    build_extractor("cetd", f"{SUN}, composite text density",
        "the densest elements of the tree; pages of any kind, high recall, keeps teasers",
        ContentRule("composite-density", partial(_find_dense_blocks, composite=True))),
    build_extractor("text-density", f"{SUN}, text density",
        "cetd with plain characters per tag; slightly more precise on news",
        ContentRule("simple-density", partial(_find_dense_blocks, composite=False))),
)  # fmt: skip
