"""Containers whose names show what they hold: by tag, ARIA role, and words in class and id.

The words are those of publishers in the languages of the corpora. They match anywhere in a class or
id: in ``articleComments`` and in ``comments-area``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import accumulate, chain, compress, repeat
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from scrapy_boilerplate.native import load_twin
from scrapy_boilerplate.page.columns import NO_ELEMENT, Blocks, Break, Elements, Leaves
from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray, Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.titles import HEADING_TAGS

T = TypeVar("T")

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
        r"newsletter subscri(?:be|ption) sign[-_]?up(?<!designup)(?<!design[-_]up)",
        r"cookie consent gdpr advert sponsor promo",
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
NOTES = ContainerKind(
    label=Label.BOILERPLATE,
    words=_build_pattern(
        r"disclaimer disclosure(?![-_]?panel) newsletter footnote tooltip",
        r"sign[-_]?up(?<!designup)(?<!design[-_]up)",
        r"author[-_]?(?:box|bio) about[-_]?(?:the[-_]?)?author",
        r"bio(?<![a-z]bio)(?![a-z]) cta(?<![a-z]cta)(?![a-z])",
    ),
)
"""What stands beside an article: disclaimers, boxes for newsletters and about the author, calls to
action, footnotes (our sweep, docs/provenance.md)."""

OTHER_LABEL_KINDS = (COMMENT_CONTROLS, COMMENTS, RELATED, SUPPLEMENTAL)
"""The kinds of the last of the steps FINISH (`steps.extractor`)."""
NON_ARTICLE_KINDS = (*OTHER_LABEL_KINDS, NAVIGATION, ADVERTISING)
"""The kinds that the extractor `container` leaves out before it chooses the best container."""


class ContainerFinder:
    """Finds the containers of `kinds` by their class, id, tag and role.

    Steps that share a finder search a page once, and `remember` what else they all ask for. The
    kinds of a class or id are cached, since pages of a site share them. Only `kinds` is pickled.
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
        self._pages: WeakKeyDictionary[Elements, dict[Hashable, Any]] = WeakKeyDictionary()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.kinds,)

    def remember(self, elements: Elements, name: Hashable, compute: Callable[[], T]) -> T:
        """Return what `compute` returned when it was called for `name` and this page first."""
        of_page = self._pages.setdefault(elements, {})
        if name not in of_page:
            of_page[name] = compute()
        value: T = of_page[name]
        return value

    def list_containers(self, elements: Elements) -> list[tuple[int, int]]:
        """Return what `find_containers` finds; it searches a page once."""
        return self.remember(elements, "", partial(self.find_containers, elements))

    def find_containers(self, elements: Elements) -> list[tuple[int, int]]:
        """Return (element, bits of the kinds that it matches) of each element that matches one.

        In document order; bit 0 is the first kind. The bit after the last kind is that of headings.
        """
        if self._search is None:
            return self._find_in_python(elements)
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
                if not _match_state(word):
                    by_word[word] = by_word.get(word, 0) | 1 << number
        return by_word


@cache
def _load_native() -> Any | None:
    return load_twin("names", _agrees)


def _agrees(native: Any) -> bool:
    """Return whether a compiled module finds the names that hold a word, and kinds as Python."""
    names = ["", "a", "xABab-c", "ab_", "b-c", "é", "a b-", "ac"]
    columns = names, names[::-1], ["p", "b", *names[2:]], ["a"] * len(names)
    bits = {"xABab-c": 1, "ab_": 2, "b-c": 1}, {"b": 4}, {"x": 8}
    containers, unknown = native.NameSearch(["ab-c", "b_", "b-c"]).find_containers(*columns, *bits)
    expected = [(1, 4), (2, 1), (3, 3), (4, 3), (5, 1)]
    return (containers, unknown) == (expected, ["é", "é"]) and _agrees_on_kinds(native)


def _agrees_on_kinds(native: Any) -> bool:
    """Return whether both find the kinds of four paragraphs in five containers."""
    parents, ends = [NO_ELEMENT, 0, 1, 2, 1, 0, 0], [7, 5, 4, 4, 5, 6, 7]
    own = np.array([3, 4, 5, 6])
    texts = ["one two", "three", "four", "five"]
    leaves = Leaves(texts, own.tolist(), own.tolist(), own.tolist(), [False] * 4, [Break.LINE] * 4)
    elements = Elements(["p"] * len(ends), parents, ends)
    page = Page(elements, leaves, Blocks(np.arange(4), np.arange(4) + 1, own))
    labels = np.array([Label.FULL_TEXT, Label.FULL_TEXT, Label.HEADLINE, Label.BOILERPLATE])
    labeling = Labeling.blank(len(own)).predict(labels.astype(np.int64), np.eye(4, 6), "")
    containers, shares = [(1, 2), (2, 0), (4, 1), (5, 1), (6, 0)], np.array([0.7, 0.2, 0.9])
    for of_content in (False, True):
        options = (page, labeling, containers, shares, of_content)
        expected, present = find_kinds_in_python(*options)
        kinds, bits = _find_kinds(*options, native=native)
        if bits != present or kinds.tolist() != expected.tolist():
            return False
    return True


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
        if not (containers := self.find_containers(page.elements)):
            return
        native = _load_native()
        find = find_kinds_in_python if native is None else partial(_find_kinds, native=native)
        kinds, present = find(page, labeling, containers, self._max_shares, of_content)
        if not present:
            return
        finder = self._lookup[0]
        headings = finder.remember(
            page.elements, HEADING_TAGS, partial(_mark_headings, finder, page.elements)
        )[page.blocks.elements]
        for number, kind in enumerate(self.kinds):
            if not present >> number & 1:
                continue
            inside = kinds == number
            fits = (page.words >= kind.min_words) & (page.link_density <= kind.max_link_density)
            if not kind.with_headings:
                linked_title = (kind.label is Label.RELATED) & (page.link_density > 0)
                fits &= ~headings | linked_title
            yield kind.label, inside & fits, inside & ~fits

    def find_containers(self, elements: Elements) -> list[tuple[int, int]]:
        """Return (element, index of its kind) of each container of the kinds, in document order."""
        return self.remember(elements, "containers", partial(self._select_containers, elements))

    def remember(self, elements: Elements, name: Hashable, compute: Callable[[], T]) -> T:
        """Return what `compute` returned when steps with these kinds called it first for a page."""
        finder, places, _ = self._lookup
        return finder.remember(elements, (name, places), compute)

    def _select_containers(self, elements: Elements) -> list[tuple[int, int]]:
        finder, _, first_kinds = self._lookup
        mask = len(first_kinds) - 1  # without the bit of headings
        return [
            (element, first_kinds[bits & mask])
            for element, bits in finder.list_containers(elements)
            if first_kinds[bits & mask] != NO_KIND and elements.tags[element] not in WHOLE_PAGE_TAGS
        ]

    @cached_property
    def _max_shares(self) -> FloatArray:
        """float[kinds]: the share of the content words with more of which each is the article."""
        most = [MAX_SHARE if kind.may_outweigh else self.max_share for kind in self.kinds]
        return np.array(most, dtype=np.float64)

    @cached_property
    def _lookup(self) -> tuple[ContainerFinder, tuple[int, ...], list[int]]:
        """The finder, the places of the kinds in it, and the first kind of each set of its bits."""
        finder = self.finder or ContainerFinder(self.kinds)
        places = tuple(finder.kinds.index(kind) for kind in self.kinds)
        first_kinds = [
            next((n for n, place in enumerate(places) if bits >> place & 1), NO_KIND)
            for bits in range(1 << len(finder.kinds))
        ]
        return finder, places, first_kinds


def _mark_headings(finder: ContainerFinder, elements: Elements) -> BoolArray:
    """Return bool[elements]: headings, and what is in them."""
    mask = np.zeros(len(elements), dtype=np.bool_)
    for element, bits in finder.list_containers(elements):
        if bits >> len(finder.kinds):
            mask[element : elements.ends[element]] = True
    return mask


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


def _find_kinds(  # noqa: PLR0913 - as the twin of Python
    page: Page,
    labeling: Labeling,
    containers: list[tuple[int, int]],
    max_shares: FloatArray,
    of_content: bool,
    *,
    native: Any,
) -> tuple[IntArray, int]:
    elements, kinds = page.elements, np.empty(len(page), dtype=np.int64)
    present: int = native.find_kinds(
        *(containers, max_shares, elements.parent_column, elements.end_column),
        *(page.blocks.elements, page.inner_elements, page.words, labeling.labels),
        *(int(Label.FULL_TEXT), int(Label.HEADLINE), of_content, NO_KIND, kinds),
    )
    return kinds, present
