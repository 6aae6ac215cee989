"""The labels beside full text and boilerplate, by plain rules, until they are learnt."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scrapy_boilerplate.page.columns import Elements
from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray, Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.container_names import OTHER_LABELS, ContainerKind, ContainerNames

BESIDE_THE_TEXT = "beside the text"
"""Mark of blocks in a container that says it holds something else than the article."""

HEADING_TAGS = frozenset("h1 h2 h3 h4 h5 h6".split())
WHOLE_PAGE_TAGS = frozenset("html body main".split())
"""Elements that are never a box beside the text, whatever they are called."""

NO_KIND = 1_000
"""In place of the index of a kind of container: no kind."""

MAX_SHARE_OF_ANY = 0.95
"""Share of the content words from which a container is the page itself, whatever its name (our
choice: comments alone leave at least a short article beside them)."""

MIN_TITLE_SHARE = 0.4
"""A headline has at least this share of the title's characters; the rest of a title is the name of
the site (our choice: half, less room for long names)."""
MAX_TITLE_EXCESS = 2.0
"""A headline has at most this many times the title's characters; titles are cut at times (our
choice)."""

_letters = re.compile(r"[\W_]+")


@dataclass(frozen=True, kw_only=True)
class HeadlineByTitle:
    """One block is the headline: the longest that the title contains, or that contains it.

    Of equal texts a heading wins, then the first. Without a match it is the last `h1` before the
    content (the first of the page, if there is no content).
    """

    name: str = "headline-by-title"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        headings = page.in_tags(HEADING_TAGS)
        block = _title_match(page, headings.tolist())
        if block is None:
            block = _nearest_h1(page, labeling)
        if block is None:
            return labeling
        return labeling.relabel(np.array([block]), Label.HEADLINE, self.name)


@dataclass(frozen=True, kw_only=True)
class LabelsByContainer:
    """Blocks take the label of the innermost container that says what it holds.

    A container with the headline in it, or with more than `max_share` (our choice: half) of the
    page's content words, says nothing: it is the whole article under that name (see
    `ContainerKind.may_outweigh`). Steps of one extractor can share `names`, which know all their
    `kinds`.
    """

    kinds: tuple[ContainerKind, ...] = OTHER_LABELS
    max_share: float = 0.5
    names: ContainerNames | None = None
    name: str = "labels-by-container"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        within = self._kind_around(page, labeling)
        if within.min(initial=NO_KIND) == NO_KIND:
            return labeling
        found = within[np.array(page.leaves.elements, dtype=np.int64)[page.longest_leaves]]
        headings = page.in_tags(HEADING_TAGS)
        for number, kind in enumerate(self.kinds):
            inside = (found == number) & (labeling.labels != Label.HEADLINE)
            if not inside.any():
                continue
            fits = (page.words >= kind.min_words) & (page.link_density <= kind.max_link_density)
            linked_title = (kind.label == Label.RELATED) & (page.link_density > 0)
            fits &= ~headings | linked_title | kind.with_headings
            labeling = labeling.relabel(inside & fits, kind.label, self.name)
            lost = inside & ~fits & labeling.content
            labeling = labeling.relabel(lost, Label.BOILERPLATE, self.name)
            labeling = labeling.mark(BESIDE_THE_TEXT, inside)
        return labeling

    def _kind_around(self, page: Page, labeling: Labeling) -> IntArray:
        """For each element the index of the kind of container it stands in, or NO_KIND."""
        around = np.full(len(page.elements), NO_KIND)
        named = self._containers_of(page.elements)
        whole_page, share = self._held(page, labeling) if named else ((), ())
        for element, kind in named:
            most = MAX_SHARE_OF_ANY if self.kinds[kind].may_outweigh else self.max_share
            if not whole_page[element] and share[element] <= most:
                around[element : page.elements.ends[element]] = kind
        return around

    def _containers_of(self, elements: Elements) -> list[tuple[int, int]]:
        """(element, index of the first kind it is called by), in document order."""
        first = self._first_kinds
        return [
            (element, first[bits])
            for element, bits in self._names.among(elements)
            if first[bits] != NO_KIND and elements.tags[element] not in WHOLE_PAGE_TAGS
        ]

    @cached_property
    def _names(self) -> ContainerNames:
        return self.names or ContainerNames(self.kinds)

    @cached_property
    def _first_kinds(self) -> list[int]:
        """For each combination of the bits of `names` the first of `kinds` among them."""
        places = [self._names.kinds.index(kind) for kind in self.kinds]
        return [
            next((n for n, place in enumerate(places) if bits >> place & 1), NO_KIND)
            for bits in range(1 << len(self._names.kinds))
        ]

    def _held(self, page: Page, labeling: Labeling) -> tuple[BoolArray, FloatArray]:
        """For each element whether it holds the headline, and its share of the content words."""
        headline = (labeling.labels == Label.HEADLINE).astype(np.int64)
        words = np.where(labeling.content, page.words, 0)
        share: FloatArray = page.held_by_elements(words) / max(1, int(words.sum()))
        return page.held_by_elements(headline) > 0, share


def _title_match(page: Page, headings: list[bool]) -> int | None:
    title = _letters.sub("", page.title.lower())
    best, found = (MIN_TITLE_SHARE * len(title), False), None
    for block, text in enumerate(page.texts):
        if not best[0] <= len(text) <= MAX_TITLE_EXCESS * len(page.title):
            continue
        letters = _letters.sub("", text.lower())
        if letters and (letters in title or title in letters):
            rank = (float(min(len(letters), len(title))), headings[block])
            if rank > best:
                best, found = rank, block
    return found


def _nearest_h1(page: Page, labeling: Labeling) -> int | None:
    in_h1 = np.flatnonzero(page.in_tags(frozenset({"h1"})) & (page.words > 0))
    if not len(in_h1):
        return None
    content = np.flatnonzero(labeling.content)
    before = in_h1[in_h1 < content[0]] if len(content) else in_h1[:1]
    return int(before[-1]) if len(before) else int(in_h1[0])
