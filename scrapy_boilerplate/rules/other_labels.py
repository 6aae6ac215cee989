"""The labels beside full text and boilerplate, by plain rules, until they are learnt."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import accumulate, repeat
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from scrapy_boilerplate.columns import Elements
from scrapy_boilerplate.label import BoolArray, FloatArray, IntArray, Label, Labeling
from scrapy_boilerplate.page import Page
from scrapy_boilerplate.rules.lexicon import OTHER_LABELS, ContainerKind, says_state

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

KNOWN_NAMES = 20_000
"""Names whose kind is remembered at most; all are forgotten then (our choice: some 2 MB)."""

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
    `ContainerKind.may_outweigh`).
    """

    kinds: tuple[ContainerKind, ...] = OTHER_LABELS
    max_share: float = 0.5
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

    def _held(self, page: Page, labeling: Labeling) -> tuple[BoolArray, FloatArray]:
        """For each element whether it holds the headline, and its share of the content words."""
        headline = (labeling.labels == Label.HEADLINE).astype(np.int64)
        words = np.where(labeling.content, page.words, 0)
        share: FloatArray = page.held_by_elements(words) / max(1, int(words.sum()))
        return page.held_by_elements(headline) > 0, share

    def _containers_of(self, elements: Elements) -> list[tuple[int, int]]:
        """As `_named_containers`; steps that share this rule look once a page."""
        found = self._looked_at.get(elements)
        if found is None:
            found = self._looked_at[elements] = self._named_containers(elements)
        return found

    def _named_containers(self, elements: Elements) -> list[tuple[int, int]]:
        """(element, index of the kind it is called by), in document order."""
        kinds = np.minimum(self._kinds_of(elements.classes), self._kinds_of(elements.ids))
        for names, by_word in ((elements.tags, self._by_tag), (elements.roles, self._by_role)):
            if by_word:
                kind_of = map(by_word.get, names, repeat(NO_KIND))
                kinds = np.minimum(kinds, np.fromiter(kind_of, np.int64, len(names)))
        found: list[int] = np.flatnonzero(kinds != NO_KIND).tolist()
        return [(e, int(kinds[e])) for e in found if elements.tags[e] not in WHOLE_PAGE_TAGS]

    def _kinds_of(self, names: Sequence[str]) -> IntArray:
        """int[names]: for each class or id the first kind that a word of it speaks of."""
        known = self._known_names
        if len(known) > KNOWN_NAMES:
            known.clear()
        words = {name: name.lower().split() for name in set(names).difference(known)}
        by_word = self._kinds_of_words(set().union(*words.values()))
        for name, spelt in words.items():
            known[name] = min((by_word.get(word, NO_KIND) for word in spelt), default=NO_KIND)
        return np.fromiter(map(known.__getitem__, names), np.int64, len(names))

    def _kinds_of_words(self, words: Iterable[str]) -> dict[str, int]:
        """Word to the index of the first kind it speaks of; other words are left out.

        One search over all words is faster than a search in each.
        """
        listed = list(words)
        joined = "\n".join(listed)
        starts = list(accumulate((len(word) + 1 for word in listed), initial=0))
        kinds: dict[str, int] = {}
        for number, kind in enumerate(self.kinds):
            for match in kind.words.finditer(joined) if kind.words else ():
                word = listed[bisect_right(starts, match.start()) - 1]
                if not says_state(word):
                    kinds.setdefault(word, number)
        return kinds

    @cached_property
    def _known_names(self) -> dict[str, int]:
        """Kinds of names on earlier pages: pages of a site are called alike."""
        return {}

    @cached_property
    def _looked_at(self) -> WeakKeyDictionary[Elements, list[tuple[int, int]]]:
        """What was found on the pages that are in use."""
        return WeakKeyDictionary()

    def __getstate__(self) -> dict[str, Any]:
        """The settings alone: what was remembered stays here."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def _by_tag(self) -> dict[str, int]:
        numbered = reversed(tuple(enumerate(self.kinds)))
        return {tag: number for number, kind in numbered for tag in kind.tags}

    @cached_property
    def _by_role(self) -> dict[str, int]:
        numbered = reversed(tuple(enumerate(self.kinds)))
        return {role: number for number, kind in numbered for role in kind.roles}


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
