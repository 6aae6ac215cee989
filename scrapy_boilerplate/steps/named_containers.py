"""Find containers by tag, ARIA role, and words in class and id; label the blocks inside."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.native.steps import (
    BlockMatch,
    Search,
    WordSearch,
    find_bits_around,
    select_containers,
    select_elements,
)
from scrapy_boilerplate.page.columns import Elements
from scrapy_boilerplate.page.labels import BoolArray, IntArray, Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps import class_names
from scrapy_boilerplate.steps.class_names import (
    NamePattern,
    names_comment,
    names_comment_form,
    names_head,
)
from scrapy_boilerplate.steps.pickling import PickledFields
from scrapy_boilerplate.steps.titles import HEADING_TAGS

BESIDE_THE_TEXT = "beside the text"  # mark of blocks in a named container that is not the article

WHOLE_PAGE_TAGS = frozenset("html body main".split())  # elements whose names are ignored

# `ContainerKind.max_share` of long containers. Comments leave at least a short article beside them.
MAX_SHARE = 0.95


@dataclass(frozen=True, kw_only=True)
class ContainerKind:
    """Containers for `label`, found by tag, by ARIA role, or by a word in class or id.

    A block inside gets the label if it has at least `min_words` words and at most
    `max_link_density`. Other content inside becomes boilerplate: buttons, counters
    and headings. A container with more than `max_share` of the page's content words is the article
    under another name.

    `news.content.NamedContainers` relabels content that a model selected in these containers, if
    all containers of the kind have at most `max_text_share` of the words of the text. With
    `may_follow`, they can have more below a longer text (our sweep, docs/provenance.md).
    """

    label: Label
    tags: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    words: NamePattern = class_names.NO_NAMES
    min_words: int = 1
    max_link_density: float = 1.0
    max_share: float = 0.5
    max_text_share: float = 1.0
    may_follow: bool = False


COMMENTS = ContainerKind(
    label=Label.COMMENTS,
    words=class_names.COMMENTS,
    min_words=3,
    max_link_density=0.5,
    max_share=MAX_SHARE,
    max_text_share=0.6,
    may_follow=True,
)
COMMENT_CONTROLS = ContainerKind(
    label=Label.BOILERPLATE, words=class_names.COMMENT_CONTROLS, max_share=MAX_SHARE
)
RELATED = ContainerKind(label=Label.RELATED, words=class_names.RELATED, min_words=2)
SUPPLEMENTAL = ContainerKind(
    label=Label.SUPPLEMENTAL,
    tags=frozenset({"figcaption", "caption"}),
    words=class_names.SUPPLEMENTAL,
    min_words=2,
    max_link_density=0.5,
    max_text_share=0.3,
)
NAVIGATION = ContainerKind(
    label=Label.BOILERPLATE,
    tags=frozenset("nav footer".split()),
    roles=frozenset("navigation contentinfo search menu menubar toolbar".split()),
    max_share=MAX_SHARE,
)
ADVERTISING = ContainerKind(
    label=Label.BOILERPLATE,
    tags=frozenset("form button menu dialog textarea".split()),
    roles=frozenset("banner dialog alertdialog".split()),
    words=class_names.ADVERTISING,
)
TEXT_INPUTS = ContainerKind(
    label=Label.BOILERPLATE, tags=frozenset({"textarea"}), max_share=MAX_SHARE
)
CONSENT = ContainerKind(label=Label.BOILERPLATE, words=class_names.CONSENT, max_share=MAX_SHARE)
DIALOGS = ContainerKind(
    label=Label.BOILERPLATE,
    tags=frozenset({"dialog"}),
    roles=frozenset({"dialog", "alertdialog"}),
    words=class_names.DIALOGS,
    max_share=MAX_SHARE,
    max_text_share=0.5,
)
NOTES = ContainerKind(label=Label.BOILERPLATE, words=class_names.NOTES, max_text_share=0.3)

# The kinds of the last of the steps FINISH (`steps.extractor`).
OTHER_LABEL_KINDS = (COMMENT_CONTROLS, COMMENTS, RELATED, SUPPLEMENTAL)
# The kinds that the extractor `container` leaves out before it chooses the best container.
NON_ARTICLE_KINDS = (*OTHER_LABEL_KINDS, NAVIGATION, ADVERTISING)
# The kinds of `news.content.NamedContainers`, in order.
TEXT_KINDS = (TEXT_INPUTS, CONSENT, DIALOGS, COMMENTS, SUPPLEMENTAL, NOTES)
# The kinds of the steps of `news`; a page is searched for them once.
NEWS_KINDS = (*OTHER_LABEL_KINDS, TEXT_INPUTS, CONSENT, DIALOGS, NOTES)


class ContainerFinder:
    """Finds the containers of `kinds` by their class, id, tag and role."""

    def __init__(self, kinds: Sequence[ContainerKind]) -> None:
        self.kinds = tuple(kinds)
        self._by_tag = dict.fromkeys(HEADING_TAGS, 1 << len(self.kinds))
        self._by_tag |= dict.fromkeys(WHOLE_PAGE_TAGS, -1)
        self._by_role: dict[str, int] = {}
        for number, kind in enumerate(self.kinds):
            for names, by_name in ((kind.tags, self._by_tag), (kind.roles, self._by_role)):
                for name in names:
                    by_name[name] = by_name.get(name, 0) | 1 << number
        self._searches: list[Search] = [kind.words.regex.search for kind in self.kinds]

    def find_containers(self, page: Page) -> list[tuple[int, int]]:
        """Return (element, bits of the kinds that it matches) of each element that matches one.

        In document order; bit 0 is the first kind. The bit after the last kind marks headings.
        The names of WHOLE_PAGE_TAGS do not count.
        """
        names = page.elements.names
        of_tags, of_roles = (
            [(names.numbers[name], bits) for name, bits in by_name.items() if name in names.numbers]
            for by_name in (self._by_tag, self._by_role)
        )
        of_names = self._search.match_names(names.strings, self._searches, class_names.drop_states)
        return select_elements(names, of_tags, of_names, of_roles)

    def find_bits_around(self, page: Page, blocks: BoolArray) -> int:
        """Return the bits of the kinds with a container around a block of a mask."""
        containers, ends = page.remember(self.find_containers), page.elements.end_column
        return find_bits_around(containers, ends, page.inner_elements, blocks.view(np.uint8))

    def find_headings(self, page: Page) -> list[tuple[int, int]]:
        return select_containers(page.remember(self.find_containers), [0, 1 << len(self.kinds)])

    @cached_property
    def _search(self) -> WordSearch:
        return WordSearch([*(kind.words.words for kind in self.kinds), class_names.STATE_WORDS])


@dataclass(frozen=True, kw_only=True)
class LabelsByContainer(PickledFields):
    """Give blocks the label of the innermost named container around them.

    A container with the headline, or with more than `ContainerKind.max_share` of the page's content
    words, is the article under another name, and ignored.
    """

    kinds: tuple[ContainerKind, ...] = OTHER_LABEL_KINDS
    name: str = "labels-by-container"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        matches = self._match(page, labeling, labeling.labels.copy())
        for number in sorted({(match - 1) // 2 for match in matches.tolist() if match}):
            matching, others = matches == 2 * number + 2, matches == 2 * number + 1
            labeling = labeling.relabel(matching, self.kinds[number].label, self.name)
            labeling = labeling.relabel(others & labeling.content, Label.BOILERPLATE, self.name)
            labeling = labeling.mark(BESIDE_THE_TEXT, matching | others)
        return labeling

    def read_labels(self, page: Page, labeling: Labeling, *, of_content: bool = False) -> IntArray:
        """Return int[n]: the labels after this step; `of_content`: it only relabels content."""
        labels = labeling.labels.copy()
        if self.find_containers(page):
            self._match(page, labeling, labels, of_content=of_content)
        return labels

    def _match(
        self, page: Page, labeling: Labeling, labels: IntArray, *, of_content: bool = False
    ) -> NDArray[np.uint8]:
        """Write the labels after this step; return the matches of `BlockMatch`."""
        elements, headings = page.elements, page.remember(self.finder.find_headings)
        of_page = (
            *(elements.parent_column, elements.end_column, page.blocks.elements),
            *(page.inner_elements, page.words, page.link_words, labeling.labels),
        )
        containers = self.find_containers(page)
        matches = self._blocks.label_blocks(of_page, containers, headings, labels, of_content)
        return np.frombuffer(matches, dtype=np.uint8)

    def find_containers(self, page: Page) -> list[tuple[int, int]]:
        """Return (element, index of its kind) of each container of the kinds, in document order."""
        return page.remember(self._select_containers)

    def _select_containers(self, page: Page) -> list[tuple[int, int]]:
        return select_containers(page.remember(self.finder.find_containers), self._places)

    @cached_property
    def finder(self) -> ContainerFinder:
        """The finder of the containers, for several tables of kinds at once."""
        return _NEWS_FINDER if set(self.kinds) <= set(NEWS_KINDS) else _FINDER

    @cached_property
    def _places(self) -> list[int]:
        return [1 << self.finder.kinds.index(kind) for kind in self.kinds]

    @cached_property
    def wanted(self) -> int:
        return sum(self._places)

    @cached_property
    def _blocks(self) -> BlockMatch:
        return BlockMatch(
            [
                (kind.max_share, kind.min_words, kind.max_link_density, int(kind.label))
                for kind in self.kinds
            ]
        )


_NEWS_FINDER, _FINDER = ContainerFinder(NEWS_KINDS), ContainerFinder(NON_ARTICLE_KINDS)


# The places of comments on a page, by the names of containers. A section named like comments
# contains comments and controls: forms, rules, notes, logins, "no comments yet". A comment is an
# element named like a comment, or one of several siblings alike.

# The first kind has precedence: COMMENT_CONTROLS come before COMMENTS.
COMMENT_CONTAINERS = LabelsByContainer(kinds=(COMMENT_CONTROLS, COMMENTS, RELATED))


class Place(IntEnum):
    """The place of a block."""

    OUTSIDE = 0
    """In no container named like comments."""
    SECTION = 1
    """In such a container, outside the comments."""
    CONTROLS = 2
    """In a form, or in a part named like rules, notes, logins and counters."""
    COMMENT = 3
    """In a comment."""


# Words of the longest comment: "Log in to comment" has 4 (docs/provenance.md).
MIN_COMMENT_WORDS = 5
CONTROL_TAGS = frozenset("form button label fieldset textarea summary dialog nav select".split())
LISTED_TAGS = frozenset({"li", "article"})
# Elements that can be comments: LISTED_TAGS always, others if several have the same class.
CONTAINER_TAGS = frozenset("div section tr dd dl table".split())
# Siblings with the same tag and class.
MIN_SIBLINGS = 2


def _classify(classes: str, identifier: str) -> tuple[bool, bool, bool]:
    names = f"{classes} {identifier}".lower()
    if names_comment_form(names):
        return True, False, False
    words = [*classes.lower().split(), identifier.lower()]
    is_comment = "comment" in words[:-1] or any(map(names_comment, words))
    return False, names_head(names) is not None, is_comment


def find_places(page: Page) -> IntArray:
    """Return int[n]: the `Place` of each block."""
    of_blocks: IntArray = page.remember(place_elements)[page.blocks.elements]
    return of_blocks


def place_elements(page: Page) -> IntArray:
    """Return the place of each element with text, and of the elements around it.

    Other elements of a section have the place of the section.
    """
    elements, end = page.elements, 0
    places = np.zeros(len(elements), dtype=np.int64)
    classify = cache(_classify)  # elements of a page share their names
    own: list[int] = []
    for element, number in COMMENT_CONTAINERS.find_containers(page):
        if element >= end and COMMENT_CONTAINERS.kinds[number] is not RELATED:
            end = elements.ends[element]
            places[element:end] = int(Place.SECTION)
            own = own or sorted(set(page.blocks.elements.tolist()))
            inside = own[bisect_left(own, element) : bisect_left(own, end)]
            if inside:
                of_section = _place_section(elements, element, inside, classify)
                places[list(of_section)] = list(of_section.values())
    return places


def _place_section(
    elements: Elements,
    first: int,
    inside: Sequence[int],
    classify: Callable[[str, str], tuple[bool, bool, bool]],
) -> dict[int, int]:
    _, in_section, in_controls, in_comment = map(int, Place)
    tags, parents, classes = elements.tags, elements.parents, elements.classes
    wanted = {first}
    for element in inside:
        around = element
        while around not in wanted:
            wanted.add(around)
            around = parents[around]
    alike: Counter[tuple[int, str, str]] = Counter()
    places: dict[int, int] = {}
    for element in sorted(wanted):
        place = places.get(parents[element], in_section)
        tag, name = tags[element], classes[element]
        is_control, is_head, is_comment = classify(name, elements.ids[element])
        if is_control or (is_head and place == in_section) or tag in CONTROL_TAGS:
            place = in_controls
        elif place == in_controls:
            # a section may be named like it, too: "comments no-reply-button"
            is_comment = tag in LISTED_TAGS and "comment" in name.lower().split()
            place = in_comment if is_comment else place
        elif is_comment or (place == in_section and tag in LISTED_TAGS):
            place = in_comment
        elif place == in_section and name and tag in CONTAINER_TAGS:
            if not alike:
                section = slice(first, elements.ends[first])
                parts = (column[section] for column in (parents, tags, classes))
                alike.update(zip(*parts, strict=True))
            several = alike[parents[element], tag, name] >= MIN_SIBLINGS
            place = in_comment if several else place
        places[element] = place
    return places
