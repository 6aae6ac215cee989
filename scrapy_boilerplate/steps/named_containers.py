"""Find containers by tag, ARIA role, and words in class and id; label the blocks inside."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np

from scrapy_boilerplate.native.names import WordSearch, combine_bits, find_kinds
from scrapy_boilerplate.page.labels import BoolArray, IntArray, Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps import class_names
from scrapy_boilerplate.steps.class_names import NamePattern
from scrapy_boilerplate.steps.titles import HEADING_TAGS

BESIDE_THE_TEXT = "beside the text"  # mark of blocks in a named container that is not the article

WHOLE_PAGE_TAGS = frozenset("html body main".split())  # elements whose names are ignored

MAX_SHARE = 0.95
"""Share of the content words from which a container is the page itself. Comments
leave at least a short article beside them."""

MAX_CACHED_NAMES = 20_000
"""Names whose kinds are cached at most; then the cache is cleared (some 2 MB)."""


@dataclass(frozen=True, kw_only=True)
class ContainerKind:
    """Containers that mean `label`: by tag, by ARIA role, or by a word in class or id.

    A block inside gets the label if it has at least `min_words` words and at most
    `max_link_density`. Other content inside becomes boilerplate: buttons, counters
    and headings. `may_outweigh`: the container can have up to MAX_SHARE of
    the page's content words, not half of them (`LabelsByContainer.max_share`).
    """

    label: Label
    tags: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    words: NamePattern | None = None
    min_words: int = 1
    max_link_density: float = 1.0
    may_outweigh: bool = False


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

    The kinds of names are cached, since pages of a site share them.
    """

    def __init__(self, kinds: Sequence[ContainerKind]) -> None:
        self.kinds = tuple(kinds)
        self._by_tag = dict.fromkeys(HEADING_TAGS, 1 << len(self.kinds))
        self._by_role: dict[str, int] = {}
        for number, kind in enumerate(self.kinds):
            for names, by_name in ((kind.tags, self._by_tag), (kind.roles, self._by_role)):
                for name in names:
                    by_name[name] = by_name.get(name, 0) | 1 << number
        self._by_name: dict[str, int] = {}
        words = (kind.words.words for kind in self.kinds if kind.words)
        self._search = WordSearch(chain.from_iterable(words))

    def find_containers(self, page: Page) -> list[tuple[int, int]]:
        """Return (element, bits of the kinds that it matches) of each element that matches one.

        In document order; bit 0 is the first kind. The bit after the last kind marks headings.
        """
        elements = page.elements
        columns = (elements.classes, elements.ids, elements.tags, elements.roles)
        by_name = self._read_names(*columns[:2])
        return combine_bits(columns, by_name, self._by_tag, self._by_role)

    def mark_headings(self, page: Page) -> BoolArray:
        """Return bool[elements]: headings, and the elements inside them."""
        mask = np.zeros(len(page.elements), dtype=np.bool_)
        for element, bits in page.remember(self.find_containers):
            if bits >> len(self.kinds):
                mask[element : page.elements.ends[element]] = True
        return mask

    def _read_names(self, *columns: Sequence[str]) -> dict[str, int]:
        """Return class or id to the bits of the kinds that it matches."""
        if len(self._by_name) > MAX_CACHED_NAMES:  # another thread may read the old one
            self._by_name = {}
        by_name = self._by_name
        new = dict.fromkeys(set().union(*columns).difference(by_name), 0)
        for name in filter(self._search.holds_word, new):
            for word in name.lower().split():
                if self._search.holds_word(word) and not class_names.match_state(word):
                    new[name] |= self._read_word(word)
        by_name.update(new)
        return by_name

    def _read_word(self, word: str) -> int:
        bits = 0
        for number, kind in enumerate(self.kinds):
            if kind.words is not None and kind.words.regex.search(word):
                bits |= 1 << number
        return bits


@dataclass(frozen=True, kw_only=True)
class LabelsByContainer:
    """Give blocks the label of the innermost named container around them.

    A container with the headline, or with more than `max_share` of the page's content words (half;
    see `ContainerKind.may_outweigh`), is the article under another name, and ignored.
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
        """Return int[n]: the labels that a call gives, with `of_content` only to content."""
        labels = labeling.labels.copy()
        for label, fits, lost in self._match(page, labeling, of_content=of_content):
            labels[fits] = int(label)
            labels[lost & labeling.content] = int(Label.BOILERPLATE)
        return labels

    def _match(
        self, page: Page, labeling: Labeling, *, of_content: bool = False
    ) -> Iterator[tuple[Label, BoolArray, BoolArray]]:
        """Yield for each kind its label, and bool[n] twice: the blocks inside that fit, or not."""
        if not self.find_containers(page):
            return
        skipped = ~labeling.content if of_content else labeling.having(Label.HEADLINE)
        kinds, present = self.find_kinds(page, labeling, skipped)
        if not present:
            return
        headings = page.remember(self._finder.mark_headings)[page.blocks.elements]
        for number, kind in enumerate(self.kinds):
            if not present >> number & 1:
                continue
            inside = kinds == number
            fits = (page.words >= kind.min_words) & (page.link_density <= kind.max_link_density)
            linked_title = (kind.label is Label.RELATED) & (page.link_density > 0)
            fits &= ~headings | linked_title
            yield kind.label, inside & fits, inside & ~fits

    def find_kinds(
        self, page: Page, labeling: Labeling, skipped: BoolArray
    ) -> tuple[IntArray, int]:
        """Return int[n], the index of the kind around each block, and the bits of all kinds.

        Blocks that are `skipped` or in no container have NO_KIND.
        """
        elements, words = page.elements, np.where(labeling.content, page.words, 0)
        columns = (
            *(elements.parent_column, elements.end_column),
            *(page.blocks.elements, page.inner_elements, words),
            *(labeling.having(Label.HEADLINE).view(np.uint8), skipped.view(np.uint8)),
        )
        kinds, present = find_kinds(
            self.find_containers(page), self._max_shares, *(column.data for column in columns)
        )
        return np.frombuffer(kinds, np.int64), present

    def find_containers(self, page: Page) -> list[tuple[int, int]]:
        """Return (element, index of its kind) of each container of the kinds, in document order."""
        return page.remember(self._select_containers)

    def _select_containers(self, page: Page) -> list[tuple[int, int]]:
        tags, selected = page.elements.tags, list[tuple[int, int]]()
        for element, bits in page.remember(self._finder.find_containers):
            if bits & self._wanted and tags[element] not in WHOLE_PAGE_TAGS:
                number = next(n for n, place in enumerate(self._places) if bits & place)
                selected.append((element, number))
        return selected

    @cached_property
    def _finder(self) -> ContainerFinder:
        return _NEWS_FINDER if set(self.kinds) <= set(NEWS_KINDS) else _FINDER

    @cached_property
    def _places(self) -> list[int]:
        """The bit of each kind in the finder."""
        return [1 << self._finder.kinds.index(kind) for kind in self.kinds]

    @cached_property
    def _wanted(self) -> int:
        """The bits of all kinds."""
        return sum(self._places)

    @cached_property
    def _max_shares(self) -> array[float]:
        """The share of the content words with more of which each is the article."""
        most = [MAX_SHARE if kind.may_outweigh else self.max_share for kind in self.kinds]
        return array("d", most)


_NEWS_FINDER, _FINDER = ContainerFinder(NEWS_KINDS), ContainerFinder(NON_ARTICLE_KINDS)
