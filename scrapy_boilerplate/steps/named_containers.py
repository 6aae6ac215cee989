"""Containers whose names show what they hold: by tag, ARIA role, and words in class and id.

The words are those of publishers in the languages of the corpora. They match anywhere in a class or
id: in ``articleComments`` and in ``comments-area``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import accumulate, chain
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from scrapy_boilerplate.native import load_twin
from scrapy_boilerplate.page.columns import Elements
from scrapy_boilerplate.page.labels import IntArray, Label, Labeling
from scrapy_boilerplate.page.page import Page
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


@dataclass(frozen=True)
class NamePattern:
    """A regular expression for lower-case names, and words of which each match holds one.

    `words` are of ASCII: a match beyond it may hold none.
    """

    regex: re.Pattern[str]
    words: frozenset[str]


def _build_pattern(*alternatives: str) -> NamePattern:
    """Return one pattern for lower-case names, from regular expressions with spaces between.

    Each begins with a letter. They are grouped by it, since `re` then skips faster to a match.
    """
    by_letter: dict[str, list[str]] = {}
    words: set[str] = set()
    for alternative in " ".join(alternatives).split():
        by_letter.setdefault(alternative[0], []).append(alternative[1:])
        words |= set(filter(str.isascii, _list_words(alternative)))
    regex = "|".join(f"{letter}(?:{'|'.join(by_letter[letter])})" for letter in by_letter)
    return NamePattern(re.compile(regex), frozenset(words))


_match_part = re.compile(
    r"(?:\(\?:(?P<choices>[\w|-]+)\)|(?P<separator>\[-_\])|(?P<letter>[\w-]))(?P<optional>\??)(?![*+{])"
).match


def _list_words(alternative: str) -> list[str]:
    """Return the texts with one of which each match of a regular expression begins.

    Read are letters, ``[-_]``, groups of plain words, and ``?`` after each. What follows anything
    else is left out.
    """
    texts, end = [""], 0
    while part := _match_part(alternative, end):
        choices = (part["choices"] or part["letter"] or "-|_").split("|")
        choices += [""] * bool(part["optional"])
        texts, end = [text + choice for text in texts for choice in choices], part.end()
    return texts


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
    words: NamePattern | None
    min_words: int = 1
    max_link_density: float = 1.0
    may_outweigh: bool = False
    with_headings: bool = False


_match_state = re.compile(
    r"(?:has|no|with|is|js)[-_]|.*[-_](?:open|closed|enabled|disabled|on|off)$"
).match
"""Match a class for the state of the page (``has-comments``), not for what an element holds."""


COMMENTS = ContainerKind(
    label=Label.COMMENTS,
    words=_build_pattern(
        r"comment(?!ary|ator) disqus discussion talkback livefyre reader-?posts",
        r"kommentar comentario commentaire comentári reacties yorum komentar pinglun 评论 留言",
    ),
    min_words=3,
    max_link_density=0.5,
    may_outweigh=True,
)
COMMENT_CONTROLS = ContainerKind(
    label=Label.BOILERPLATE,
    words=_build_pattern(
        r"comments?[-_]*(?:author|meta|date|time|form|reply|info|header|head|count|notes|rules)",
        r"respond(?<![a-z]respond)(?![a-z]) reply[-_]form",
    ),
    may_outweigh=True,
)
RELATED = ContainerKind(
    label=Label.RELATED,
    words=_build_pattern(
        r"related recommend read[-_]?(?:also|next|more) see[-_]?also also[-_]?read similar",
        r"more[-_]?(?:stories|news|from|on|like) recirc up[-_]?next outbrain taboola trending",
        r"most[-_]?(?:read|popular|viewed|shared) inread teaser[-_]?list latest[-_]?news",
        r"mehr[-_]zum siehe[-_]auch lesen[-_]sie weitere[-_]artikel verwandt empfohlen",
        r"relacionad relacionat lire[-_]aussi correlat gerelateerd lees[-_]ook",
    ),
    min_words=2,
)
SUPPLEMENTAL = ContainerKind(
    label=Label.SUPPLEMENTAL,
    tags=frozenset({"figcaption", "caption"}),
    words=_build_pattern(
        r"caption photo[-_]?credit image[-_]?credit picture[-_]?credit",
        r"fact[-_]?box info[-_]?box facts[-_]?box",
        r"bildunterschrift bildtext legenda pie[-_]?de[-_]?foto didascalia factfile key[-_]?facts",
    ),
    min_words=2,
    max_link_density=0.5,
)
NAVIGATION = ContainerKind(
    label=Label.BOILERPLATE,
    tags=frozenset("nav footer".split()),
    roles=frozenset("navigation contentinfo search menu menubar toolbar".split()),
    words=None,
    may_outweigh=True,
)
ADVERTISING = ContainerKind(
    label=Label.BOILERPLATE,
    tags=frozenset("form button menu dialog textarea".split()),
    roles=frozenset("banner dialog alertdialog".split()),
    words=_build_pattern(
        r"newsletter subscri(?:be|ption) sign[-_]?up cookie consent gdpr advert sponsor promo",
        r"ad(?<![a-z0-9]ad)s?(?![a-z0-9]) have[-_]?your[-_]?say",
        r"breadcrumb navbar pagination share[-_]?(?:bar|tools|buttons|links|box) social copyright",
    ),
)

DIALOGS = ContainerKind(
    label=Label.BOILERPLATE,
    tags=frozenset({"dialog"}),
    roles=frozenset({"dialog", "alertdialog"}),
    words=_build_pattern(
        r"modal(?<![a-z]modal)(?!it) onetrust didomi cookiebot cybotcookiebot",
        r"usercentrics qc-cmp trustarc truste-(?:consent|overlay|popup) sp_message_ sourcepoint",
        r"cmpbox cmplz fc-consent consentmanager iubenda-cs osano-cm cookieyes cky-(?<![a-z]cky-)",
        r"cookies?[-_]?(?:banner|pop-?up|overlay|layer|notice|wall)",
        r"consent[-_]?(?:banner|pop-?up|overlay|layer|notice|wall)",
        r"tarteaucitron axeptio borlabs(?:-)?cookie",
    ),
    may_outweigh=True,
)
"""Dialogs over the page, and those of vendors of consent. ``aria-modal`` adds none (our sweep,
docs/provenance.md)."""

OTHER_LABEL_KINDS = (COMMENT_CONTROLS, COMMENTS, RELATED, SUPPLEMENTAL)
"""The kinds of the last of the steps FINISH (`steps.extractor`)."""
NON_ARTICLE_KINDS = (*OTHER_LABEL_KINDS, NAVIGATION, ADVERTISING)
"""The kinds that the extractor `container` leaves out before it chooses the best container."""


class ContainerFinder:
    """Finds the containers of `kinds` by their class, id, tag and role.

    Steps that share a finder search a page once. The kinds of a class or id are cached, since
    pages of a site share them. Only `kinds` is pickled.
    """

    def __init__(self, kinds: Sequence[ContainerKind]) -> None:
        self.kinds = tuple(kinds)
        self._by_tag: dict[str, int] = {}
        self._by_role: dict[str, int] = {}
        for number, kind in enumerate(self.kinds):
            for names, by_name in ((kind.tags, self._by_tag), (kind.roles, self._by_role)):
                for name in names:
                    by_name[name] = by_name.get(name, 0) | 1 << number
        self._cached_bits: dict[str, int] = {}
        self._pages: WeakKeyDictionary[Elements, list[tuple[int, int]]] = WeakKeyDictionary()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.kinds,)

    def find_containers(self, elements: Elements) -> list[tuple[int, int]]:
        """Return (element, bits of the kinds that it matches) of each element that matches one.

        In document order; bit 0 is the first kind.
        """
        containers = self._pages.get(elements)
        if containers is None:
            of_elements = dict(self._read_names(elements.classes))
            others = list(self._read_names(elements.ids))
            for names, by_name in ((elements.tags, self._by_tag), (elements.roles, self._by_role)):
                if not by_name.keys().isdisjoint(names):
                    others += [
                        (n, by_name[name]) for n, name in enumerate(names) if name in by_name
                    ]
            for element, bits in others:
                of_elements[element] = of_elements.get(element, 0) | bits
            containers = self._pages[elements] = sorted(of_elements.items())
        return containers

    def _read_names(self, names: list[str]) -> Iterator[tuple[int, int]]:
        """Yield (place, bits of the kinds) of each class or id that matches one."""
        places = range(len(names)) if self._search is None else self._search.find(names)
        kinds = self._read_all([names[place] for place in places])
        return ((place, bits) for place, bits in zip(places, kinds, strict=True) if bits)

    @cached_property
    def _search(self) -> Any | None:
        """The native search for the names that can match; None where Python reads all names."""
        if (native := _load_native()) is None:
            return None
        return native.NameSearch(chain.from_iterable(k.words.words for k in self.kinds if k.words))

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
        return [cached[name] for name in names]

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
                if not _match_state(word):
                    by_word[word] = by_word.get(word, 0) | 1 << number
        return by_word


@cache
def _load_native() -> Any | None:
    return load_twin("names", _agrees)


def _agrees(native: Any) -> bool:
    """Return whether a compiled module finds the names that hold a word."""
    names = ["", "a", "xABab-c", "ab_", "b-c", "é", "a b-", "ac"]
    places: list[int] = native.NameSearch(["ab-c", "b_", "b-c"]).find(names)
    return places == [2, 3, 4, 5]


@dataclass(frozen=True, kw_only=True)
class LabelsByContainer:
    """Give blocks the label of the innermost container whose name shows what it holds.

    A container with the headline or with more than `max_share` of the page's content words (our
    choice: half; see `ContainerKind.may_outweigh`) is the article under another name, and ignored.
    Steps of one extractor can share a `finder` with all their `kinds`.
    """

    kinds: tuple[ContainerKind, ...] = OTHER_LABEL_KINDS
    max_share: float = 0.5
    finder: ContainerFinder | None = None
    name: str = "labels-by-container"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        kind_around = self._find_kinds(page, labeling)
        if kind_around is None:
            return labeling
        kinds = kind_around[page.inner_elements]
        kinds[labeling.having(Label.HEADLINE)] = NO_KIND
        numbers = set(kinds.tolist()) - {NO_KIND}
        if not numbers:
            return labeling
        headings = page.in_tags(HEADING_TAGS)
        for number in sorted(numbers):
            kind, inside = self.kinds[number], kinds == number
            fits = (page.words >= kind.min_words) & (page.link_density <= kind.max_link_density)
            linked_title = (kind.label is Label.RELATED) & (page.link_density > 0)
            fits &= ~headings | linked_title | kind.with_headings
            labeling = labeling.relabel(inside & fits, kind.label, self.name)
            lost = inside & ~fits & labeling.content
            labeling = labeling.relabel(lost, Label.BOILERPLATE, self.name)
            labeling = labeling.mark(BESIDE_THE_TEXT, inside)
        return labeling

    def find_containers(self, elements: Elements) -> list[tuple[int, int]]:
        """Return (element, index of its kind) of each container of the kinds, in document order."""
        finder, first_kinds = self._lookup
        return [
            (element, first_kinds[bits])
            for element, bits in finder.find_containers(elements)
            if first_kinds[bits] != NO_KIND and elements.tags[element] not in WHOLE_PAGE_TAGS
        ]

    def _find_kinds(self, page: Page, labeling: Labeling) -> IntArray | None:
        """Return int[elements]: the index of the innermost kind around each, or NO_KIND.

        None without any.
        """
        elements = page.elements
        containers = self.find_containers(elements)
        if not containers:
            return None
        kinds = np.full(len(elements), NO_KIND)
        headline = labeling.having(Label.HEADLINE).astype(np.int64)
        words = np.where(labeling.content, page.words, 0)
        with_headline = page.held_by_elements(headline) > 0
        shares = page.held_by_elements(words) / max(1, int(words.sum()))
        for element, kind in containers:
            most = MAX_SHARE if self.kinds[kind].may_outweigh else self.max_share
            if not with_headline[element] and shares[element] <= most:
                kinds[element : elements.ends[element]] = kind
        return kinds

    @cached_property
    def _lookup(self) -> tuple[ContainerFinder, list[int]]:
        """The finder, and for each combination of its bits the index of the first kind."""
        finder = self.finder or ContainerFinder(self.kinds)
        places = [finder.kinds.index(kind) for kind in self.kinds]
        first_kinds = [
            next((n for n, place in enumerate(places) if bits >> place & 1), NO_KIND)
            for bits in range(1 << len(finder.kinds))
        ]
        return finder, first_kinds
