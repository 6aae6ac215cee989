"""What the name of a container says about the blocks in it: tags, roles, class and id words.

The words are those publishers use, in the languages of the corpora; a word matches anywhere in a
class or id, so that ``articleComments`` and ``comments-area`` both do.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, repeat
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from scrapy_boilerplate.page.columns import Elements
from scrapy_boilerplate.page.labels import IntArray, Label


@dataclass(frozen=True, kw_only=True)
class ContainerKind:
    """Containers that mean `label`: by tag, by ARIA role, or by a word in class or id.

    A block in one gets the label if it has at least `min_words` words and a link density of at
    most `max_link_density`; the rest in it (buttons, counters) is boilerplate, and so are headings
    unless the kind is `with_headings`.
    A container with more than half of the page's content words is the article under a misleading
    name, unless the kind `may_outweigh` the article; with nearly all of them it always is. The
    limits of words and link density are our choice, looked at on pages of fundus and L3S-GN1.
    """

    label: Label
    tags: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    words: re.Pattern[str] | None
    min_words: int = 1
    max_link_density: float = 1.0
    may_outweigh: bool = False
    with_headings: bool = False


says_state = re.compile(
    r"(?:has|no|with|is|js)[-_]|.*[-_](?:open|closed|enabled|disabled|on|off)$"
).match
"""Whether a class says how the page is (``has-comments``), not what an element holds."""


def _words(*alternatives: str) -> re.Pattern[str]:
    """One pattern for lower-case names, from regular expressions with spaces between.

    Each starts with a letter, and those with the same letter are tried together: `re` then skips
    fast to where a match can start.
    """
    by_letter: dict[str, list[str]] = {}
    for alternative in " ".join(alternatives).split():
        by_letter.setdefault(alternative[0], []).append(alternative[1:])
    return re.compile(
        "|".join(f"{letter}(?:{'|'.join(by_letter[letter])})" for letter in by_letter)
    )


COMMENTS = ContainerKind(
    label=Label.COMMENTS,
    words=_words(
        r"comment(?!ary|ator) disqus discussion talkback livefyre reader-?posts",
        r"r(?<![a-z]r)espond(?![a-z])",
        r"kommentar comentario commentaire comentári reacties yorum komentar pinglun 评论 留言",
    ),
    min_words=3,
    max_link_density=0.5,
    may_outweigh=True,
)
COMMENT_FURNITURE = ContainerKind(
    label=Label.BOILERPLATE,
    words=_words(
        r"comments?[-_]*(?:author|meta|date|time|form|reply|info|header|head|count|notes|rules)",
        r"r(?<![a-z]r)espond(?![a-z]) reply[-_]form",
    ),
)
RELATED = ContainerKind(
    label=Label.RELATED,
    words=_words(
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
    words=_words(
        r"caption photo[-_]?credit image[-_]?credit picture[-_]?credit",
        r"fact[-_]?box info[-_]?box facts[-_]?box",
        r"bildunterschrift bildtext legenda pie[-_]?de[-_]?foto didascalia factfile key[-_]?facts",
    ),
    min_words=2,
    max_link_density=0.5,
)
FURNITURE = ContainerKind(
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
    words=_words(
        r"newsletter subscri(?:be|ption) sign[-_]?up cookie consent gdpr advert sponsor promo",
        r"a(?<![a-z0-9]a)ds?(?![a-z0-9]) have[-_]?your[-_]?say",
        r"breadcrumb navbar pagination share[-_]?(?:bar|tools|buttons|links|box) social copyright",
    ),
)

OTHER_LABELS = (COMMENT_FURNITURE, COMMENTS, RELATED, SUPPLEMENTAL)
"""What the shared last step tells apart."""
OUTSIDE_THE_TEXT = (*OTHER_LABELS, FURNITURE, ADVERTISING)
"""What the default extractor leaves out before it looks for the best container."""


# ---- rules/container_names: Which elements of a page are called by a name that says what they
# hold.

KNOWN_NAMES = 20_000
"""Names whose kinds are remembered at most; all are forgotten then (our choice: some 2 MB)."""

NamedElement = tuple[int, int]
"""An element, and a bit for each kind that it is called by: bit 0 for the first."""


class ContainerNames:
    """Finds the containers of `kinds` by their class, id, tag and role.

    Steps that share one look at the elements of a page once, and remember what a class or an id
    means: pages of a site are called alike. Only `kinds` is pickled.
    """

    def __init__(self, kinds: Sequence[ContainerKind]) -> None:
        self.kinds = tuple(kinds)
        self._by_tag = self._bits(kind.tags for kind in self.kinds)
        self._by_role = self._bits(kind.roles for kind in self.kinds)
        self._known: dict[str, int] = {}
        self._looked_at: WeakKeyDictionary[Elements, list[NamedElement]] = WeakKeyDictionary()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.kinds,)

    def among(self, elements: Elements) -> list[NamedElement]:
        """The elements that are called by any of the kinds, in document order."""
        found = self._looked_at.get(elements)
        if found is None:
            found = self._looked_at[elements] = self._named(elements)
        return found

    def _named(self, elements: Elements) -> list[NamedElement]:
        bits = self._of_names(elements.classes) | self._of_names(elements.ids)
        for names, by_word in ((elements.tags, self._by_tag), (elements.roles, self._by_role)):
            if by_word:
                bits |= np.fromiter(map(by_word.get, names, repeat(0)), np.int64, len(names))
        named = np.flatnonzero(bits)
        return list(zip(named.tolist(), bits[named].tolist(), strict=True))

    def _of_names(self, names: Sequence[str]) -> IntArray:
        """int[names]: for each class or id the kinds that its words speak of."""
        if len(self._known) > KNOWN_NAMES:
            self._known.clear()
        words = {name: name.lower().split() for name in set(names).difference(self._known)}
        by_word = self._of_words(set().union(*words.values()))
        for name, spelt in words.items():
            bits = 0
            for word in spelt:
                bits |= by_word.get(word, 0)
            self._known[name] = bits
        return np.fromiter(map(self._known.__getitem__, names), np.int64, len(names))

    def _of_words(self, words: Iterable[str]) -> dict[str, int]:
        """Word to the kinds it speaks of; other words are left out.

        One search over all words is faster than a search in each.
        """
        listed = list(words)
        joined = "\n".join(listed)
        starts = list(accumulate((len(word) + 1 for word in listed), initial=0))
        found: dict[str, int] = {}
        for number, kind in enumerate(self.kinds):
            for match in kind.words.finditer(joined) if kind.words else ():
                word = listed[bisect_right(starts, match.start()) - 1]
                if not says_state(word):
                    found[word] = found.get(word, 0) | 1 << number
        return found

    @staticmethod
    def _bits(words: Iterable[Iterable[str]]) -> dict[str, int]:
        found: dict[str, int] = {}
        for number, of_kind in enumerate(words):
            for word in of_kind:
                found[word] = found.get(word, 0) | 1 << number
        return found
