"""Containers whose names show what they hold: by tag, ARIA role, and words in class and id."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import accumulate, chain, compress, repeat
from operator import or_
from typing import Any

import numpy as np

from scrapy_boilerplate import native
from scrapy_boilerplate.page.columns import Elements
from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray, Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps import class_names
from scrapy_boilerplate.steps.class_names import NamePattern
from scrapy_boilerplate.steps.titles import HEADING_TAGS

BESIDE_THE_TEXT = "beside the text"
"""Mark of blocks in a container with another name than that of the article."""

WHOLE_PAGE_TAGS = frozenset("html body main".split())
"""Elements whose names are ignored."""

NO_KIND = 1_000
"""Index of a kind of container: none."""

MAX_SHARE = 0.95
"""Share of the content words from which a container is the page itself, whatever its name (our
choice: comments alone leave at least a short article beside them)."""

MAX_CACHED_NAMES = 20_000
"""Names whose kinds are cached at most; then the cache is cleared (our choice: some 2 MB)."""


@dataclass(frozen=True, kw_only=True)
class ContainerKind:
    """Containers that mean `label`: by tag, by ARIA role, or by a word in class or id.

    A block inside gets the label if it has at least `min_words` words and at most
    `max_link_density` (our choice). Other content inside becomes boilerplate: buttons, counters,
    and headings unless `with_headings`. `may_outweigh`: the container can have up to MAX_SHARE of
    the page's content words, not half of them (`LabelsByContainer.max_share`).
    """

    label: Label
    tags: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    words: NamePattern | None = None
    min_words: int = 1
    max_link_density: float = 1.0
    may_outweigh: bool = False
    with_headings: bool = False


COMMENTS = ContainerKind(
    label=Label.COMMENTS,
    words=class_names.COMMENTS,
    min_words=3,
    max_link_density=0.5,
    may_outweigh=True,
)
COMMENT_CONTROLS = ContainerKind(
    label=Label.BOILERPLATE, words=class_names.COMMENT_CONTROLS, may_outweigh=True
)
RELATED = ContainerKind(label=Label.RELATED, words=class_names.RELATED, min_words=2)
SUPPLEMENTAL = ContainerKind(
    label=Label.SUPPLEMENTAL,
    tags=frozenset({"figcaption", "caption"}),
    words=class_names.SUPPLEMENTAL,
    min_words=2,
    max_link_density=0.5,
)
NAVIGATION = ContainerKind(
    label=Label.BOILERPLATE,
    tags=frozenset("nav footer".split()),
    roles=frozenset("navigation contentinfo search menu menubar toolbar".split()),
    may_outweigh=True,
)
ADVERTISING = ContainerKind(
    label=Label.BOILERPLATE,
    tags=frozenset("form button menu dialog textarea".split()),
    roles=frozenset("banner dialog alertdialog".split()),
    words=class_names.ADVERTISING,
)
TEXT_INPUTS = ContainerKind(
    label=Label.BOILERPLATE, tags=frozenset({"textarea"}), may_outweigh=True
)
CONSENT = ContainerKind(label=Label.BOILERPLATE, words=class_names.CONSENT, may_outweigh=True)
DIALOGS = ContainerKind(
    label=Label.BOILERPLATE,
    tags=frozenset({"dialog"}),
    roles=frozenset({"dialog", "alertdialog"}),
    words=class_names.DIALOGS,
    may_outweigh=True,
)
NOTES = ContainerKind(label=Label.BOILERPLATE, words=class_names.NOTES)

OTHER_LABEL_KINDS = (COMMENT_CONTROLS, COMMENTS, RELATED, SUPPLEMENTAL)
"""The kinds of the last of the steps FINISH (`steps.extractor`)."""
NON_ARTICLE_KINDS = (*OTHER_LABEL_KINDS, NAVIGATION, ADVERTISING)
"""The kinds that the extractor `container` leaves out before it chooses the best container."""
NEWS_KINDS = (*OTHER_LABEL_KINDS, TEXT_INPUTS, CONSENT, DIALOGS, NOTES)
"""The kinds of the steps of `news`; a page is searched for them once."""


class ContainerFinder:
    """Finds the containers of `kinds` by their class, id, tag and role.

    The kinds of a class or id are cached, since pages of a site share them.
    """

    def __init__(self, kinds: Sequence[ContainerKind]) -> None:
        self.kinds = tuple(kinds)
        self._by_tag: dict[str, int] = {}
        self._by_role: dict[str, int] = {}
        self._by_tag.update(dict.fromkeys(HEADING_TAGS, 1 << len(self.kinds)))
        for number, kind in enumerate(self.kinds):
            for names, by_name in ((kind.tags, self._by_tag), (kind.roles, self._by_role)):
                for name in names:
                    by_name[name] = by_name.get(name, 0) | 1 << number
        self._cached_bits: dict[str, int] = {}

    def search(self, page: Page) -> tuple[list[tuple[int, int]], int]:
        """Return what `find_containers` finds on a page, and the bits of all kinds on it."""
        containers = self.find_containers(page.elements)
        return containers, reduce(or_, {bits for _, bits in containers}, 0)

    def mark_headings(self, page: Page) -> BoolArray:
        """Return bool[elements]: headings, and the elements inside them."""
        mask = np.zeros(len(page.elements), dtype=np.bool_)
        for element, bits in page.remember(self.search)[0]:
            if bits >> len(self.kinds):
                mask[element : page.elements.ends[element]] = True
        return mask

    def find_containers(self, elements: Elements) -> list[tuple[int, int]]:
        """Return (element, bits of the kinds that it matches) of each element that matches one.

        In document order; bit 0 is the first kind. The bit after the last kind is that of headings.
        """
        return self._find(elements)

    def _find_natively(self, elements: Elements) -> list[tuple[int, int]]:
        columns = (elements.classes, elements.ids, elements.tags, elements.roles)
        cached = self._cached_bits
        containers: list[tuple[int, int]]
        containers, unknown = self._search.find_containers(
            *columns, cached, self._by_tag, self._by_role
        )
        if unknown:
            # another thread may have put a new one in its place
            cached.update(zip(unknown, self._read_all(unknown), strict=True))
            containers, _ = self._search.find_containers(
                *columns, cached, self._by_tag, self._by_role
            )
        return containers

    def _find_in_python(self, elements: Elements) -> list[tuple[int, int]]:
        columns = [self._read_all(elements.classes), self._read_all(elements.ids)]
        for names, by_name in ((elements.tags, self._by_tag), (elements.roles, self._by_role)):
            if not by_name.keys().isdisjoint(names):  # few pages have such roles
                columns.append(list(map(by_name.get, names, repeat(0))))
        of_elements: dict[int, int] = {}
        for column in columns:
            for element in compress(range(len(column)), column):
                of_elements[element] = of_elements.get(element, 0) | column[element]
        return sorted(of_elements.items())

    _find = _find_in_python if native.names is None else _find_natively

    @cached_property
    def _search(self) -> Any:
        """The compiled search for the names that can match."""
        words = (kind.words.words for kind in self.kinds if kind.words)
        return native.names.NameSearch(chain.from_iterable(words))

    def _read_all(self, names: Sequence[str]) -> list[int]:
        """Return the bits of the kinds that each class or id matches."""
        cached = self._cached_bits
        if len(cached) > MAX_CACHED_NAMES:  # another thread may read the old one
            cached = self._cached_bits = {}
        words = {name: name.lower().split() for name in set(names).difference(cached)}
        by_word = self._read_words(set().union(*words.values()))
        for name, parts in words.items():
            bits = 0
            for word in parts:
                bits |= by_word.get(word, 0)
            cached[name] = bits
        return list(map(cached.__getitem__, names))

    def _read_words(self, words: Iterable[str]) -> dict[str, int]:
        """Return word to the bits of its kinds, if it has any.

        One search over all words is faster than one in each.
        """
        listed = list(words)
        joined = "\n".join(listed)
        starts = list(accumulate((len(word) + 1 for word in listed), initial=0))
        by_word: dict[str, int] = {}
        for number, kind in enumerate(self.kinds):
            for match in kind.words.regex.finditer(joined) if kind.words else ():
                word = listed[bisect_right(starts, match.start()) - 1]
                if not class_names.match_state(word):
                    by_word[word] = by_word.get(word, 0) | 1 << number
        return by_word


@dataclass(frozen=True, kw_only=True)
class LabelsByContainer:
    """Give blocks the label of the innermost container whose name shows what it holds.

    A container with the headline or with more than `max_share` of the page's content words (our
    choice: half; see `ContainerKind.may_outweigh`) is the article under another name, and ignored.
    """

    kinds: tuple[ContainerKind, ...] = OTHER_LABEL_KINDS
    max_share: float = 0.5
    name: str = "labels-by-container"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        for label, fits, lost in self._match(page, labeling):
            labeling = labeling.relabel(fits, label, self.name)
            labeling = labeling.relabel(lost & labeling.content, Label.BOILERPLATE, self.name)
            labeling = labeling.mark(BESIDE_THE_TEXT, fits | lost)
        return labeling

    def read_labels(self, page: Page, labeling: Labeling, *, of_content: bool = False) -> IntArray:
        """Return int[n]: the labels that a call gives; `of_content` to content alone."""
        labels = labeling.labels.copy()
        for label, fits, lost in self._match(page, labeling, of_content=of_content):
            labels[fits] = int(label)
            labels[lost & labeling.content] = int(Label.BOILERPLATE)
        return labels

    def _match(
        self, page: Page, labeling: Labeling, *, of_content: bool = False
    ) -> Iterator[tuple[Label, BoolArray, BoolArray]]:
        """Yield for each kind its label, and bool[n] twice: the blocks inside that fit, or not."""
        if not (containers := self.find_containers(page)):
            return
        kinds, present = find_kinds(page, labeling, containers, self._max_shares, of_content)
        if not present:
            return
        headings = page.remember(self._finder.mark_headings)[page.blocks.elements]
        for number, kind in enumerate(self.kinds):
            if not present >> number & 1:
                continue
            inside = kinds == number
            fits = (page.words >= kind.min_words) & (page.link_density <= kind.max_link_density)
            if not kind.with_headings:
                linked_title = (kind.label is Label.RELATED) & (page.link_density > 0)
                fits &= ~headings | linked_title
            yield kind.label, inside & fits, inside & ~fits

    def find_containers(self, page: Page) -> list[tuple[int, int]]:
        """Return (element, index of its kind) of each container of the kinds, in document order."""
        return page.remember(self._select_containers)

    def _select_containers(self, page: Page) -> list[tuple[int, int]]:
        places, tags = self._places, page.elements.tags
        containers, present = page.remember(self._finder.search)
        if not present & sum(places):
            return []
        numbers = {
            bits: next((number for number, place in enumerate(places) if bits & place), NO_KIND)
            for bits in {bits for _, bits in containers}
        }
        return [
            (element, numbers[bits])
            for element, bits in containers
            if numbers[bits] != NO_KIND and tags[element] not in WHOLE_PAGE_TAGS
        ]

    @cached_property
    def _finder(self) -> ContainerFinder:
        return _NEWS_FINDER if set(self.kinds) <= set(NEWS_KINDS) else _FINDER

    @cached_property
    def _places(self) -> list[int]:
        """The bit of each kind in the finder."""
        return [1 << self._finder.kinds.index(kind) for kind in self.kinds]

    @cached_property
    def _max_shares(self) -> FloatArray:
        """float[kinds]: the share of the content words with more of which each is the article."""
        most = [MAX_SHARE if kind.may_outweigh else self.max_share for kind in self.kinds]
        return np.array(most, dtype=np.float64)


_NEWS_FINDER, _FINDER = ContainerFinder(NEWS_KINDS), ContainerFinder(NON_ARTICLE_KINDS)


def find_kinds_in_python(
    page: Page,
    labeling: Labeling,
    containers: Sequence[tuple[int, int]],
    max_shares: FloatArray,
    of_content: bool,
) -> tuple[IntArray, int]:
    """Return int[n], the kind of the container around each block, and the bits of all kinds.

    NO_KIND is that of headlines, of blocks in no container, and, for `of_content`, of all other
    blocks than content. A container with the headline or with more than the share of its kind in
    `max_shares` is the article under another name.
    """
    content, elements, ends = labeling.content, page.blocks.elements, page.elements.ends
    words = np.bincount(elements[content], page.words[content], len(page.elements))
    before = np.concatenate(([0.0], np.cumsum(words)))
    total, shares = max(1.0, float(before[-1])), max_shares.tolist()
    headlines = elements[labeling.having(Label.HEADLINE)].tolist()
    kind_around = np.full(len(page.elements), NO_KIND)
    for element, number in containers:
        end = ends[element]
        is_around = float(before[end] - before[element]) / total <= shares[number]
        if is_around and not any(element <= headline < end for headline in headlines):
            kind_around[element:end] = number
    kinds = kind_around[page.inner_elements]
    kinds[labeling.having(Label.HEADLINE) | (of_content & ~content)] = NO_KIND
    return kinds, sum(1 << number for number in set(kinds.tolist()) - {NO_KIND})


def find_kinds_natively(
    page: Page,
    labeling: Labeling,
    containers: list[tuple[int, int]],
    max_shares: FloatArray,
    of_content: bool,
) -> tuple[IntArray, int]:
    """Return the same from compiled code."""
    elements, kinds = page.elements, np.empty(len(page), dtype=np.int64)
    present: int = native.names.find_kinds(
        *(containers, max_shares, elements.parent_column, elements.end_column),
        *(page.blocks.elements, page.inner_elements, page.words, labeling.labels),
        *(int(Label.FULL_TEXT), int(Label.HEADLINE), of_content, NO_KIND, kinds),
    )
    return kinds, present


find_kinds = find_kinds_in_python if native.names is None else find_kinds_natively
