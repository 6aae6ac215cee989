# cython: language_level=3, infer_types=True, annotation_typing=False
# cython: wraparound=False, initializedcheck=False
"""Searches over the class names of a page, and the kind of container around each block.

Cython compiles this file with the C types of `names.pxd`. Without a compiler Python runs it.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

try:
    import cython
except ImportError:  # Cython is needed to build, not to run
    from scrapy_boilerplate.native import uncompiled as cython

COMPILED = cython.compiled

NO_KIND = 1_000
"""Index of a kind of container: none."""

LETTERS = "abcdefghijklmnopqrstuvwxyz-_"
N_CLASSES = len(LETTERS) + 1
"""Classes of characters: LETTERS have 1 and up, in any case, and other characters 0."""
FOUND = -1
"""The state after a word."""


def build_classes() -> bytes:
    """Return the class of each character of ASCII."""
    return bytes(LETTERS.find(chr(code).lower()) + 1 for code in range(128))


CLASSES = build_classes()


class WordSearch:
    """Finds the names that hold one of `words`, in any case, or a character beyond ASCII.

    The words are of LETTERS. An automaton reads each character once (Aho, Corasick 1975).
    `next_states` is its table: a row of N_CLASSES for each state, with the start of the next row.
    """

    def __init__(self, words: Iterable[str]) -> None:
        children: list[dict[int, int]] = [{}]
        last: set[int] = set()
        for word in words:
            state = 0
            for letter in word:
                state = children[state].setdefault(LETTERS.index(letter) + 1, len(children))
                if state == len(children):
                    children.append({})
            last.add(state)
        rows: list[list[int]] = [[] for _ in children]
        waiting, fallback = [0], [0] * len(children)
        for state in waiting:  # grows; short texts come first
            rows[state] = list(rows[fallback[state]]) if state else [0] * N_CLASSES
            for letter_class, child in children[state].items():
                fallback[child] = rows[state][letter_class] if state else 0
                if fallback[child] in last:
                    last.add(child)
                rows[state][letter_class] = child
                waiting.append(child)
        table = [FOUND if state in last else state * N_CLASSES for row in rows for state in row]
        self.next_states = array("i", table)

    def holds_word(self, name: str) -> bool:
        """Return whether a name holds one of the words, or a character beyond ASCII."""
        if not name.isascii():
            return True
        state = 0
        for character in name:
            state = self.next_states[state + CLASSES[ord(character)]]
            if state == FOUND:
                return True
        return False


def combine_bits(
    columns: tuple[list[str], list[str], list[str], list[str]],
    bits_of_names: dict[str, int],
    bits_of_tags: dict[str, int],
    bits_of_roles: dict[str, int],
) -> list[tuple[int, int]]:
    """Return (element, bits of its names, tag and role) of each that has any, ascending.

    The columns are the classes, ids, tags and roles of the elements.
    """
    classes, ids, tags, roles = columns
    containers: list[tuple[int, int]] = []
    for element in range(len(tags)):
        bits = bits_of_tags.get(tags[element], 0)
        if classes[element]:
            bits |= bits_of_names.get(classes[element], 0)
        if ids[element]:
            bits |= bits_of_names.get(ids[element], 0)
        if roles[element]:
            bits |= bits_of_roles.get(roles[element], 0)
        if bits:
            containers.append((element, bits))
    return containers


def find_kinds(  # noqa: PLR0913, PLR0917
    containers: list[tuple[int, int]],
    max_shares: Sequence[float],
    parents: Sequence[int],
    ends: Sequence[int],
    own: Sequence[int],
    inner: Sequence[int],
    words: Sequence[int],
    headlines: Sequence[int],
    skipped: Sequence[int],
) -> tuple[array[int], int]:
    """Return the kind of the container around each block, and the bits of all kinds there are.

    `containers` are (element, number of its kind) in document order. A container with a headline,
    or with more of the `words` than the share of its kind in `max_shares`, is the article under
    another name. NO_KIND is the kind of `skipped` blocks, and of blocks in no container.

    `parents` and `ends` are columns of the elements. The others are columns of the blocks: `own`
    and `inner` are elements, `headlines` and `skipped` are masks.
    """
    n, m, no_kind, present = len(own), len(parents), NO_KIND, 0
    if not (len(ends) == m and len(inner) == len(words) == len(headlines) == len(skipped) == n):
        raise IndexError("columns of different lengths")
    # the sums over the blocks of the elements before each
    words_before, headlines_before = array("q", bytes(8 * m + 8)), array("q", bytes(8 * m + 8))
    for block in range(n):
        words_before[own[block] + 1] += words[block]
        headlines_before[own[block] + 1] += headlines[block]
    for element in range(m):
        words_before[element + 1] += words_before[element]
        headlines_before[element + 1] += headlines_before[element]
    total: float = max(words_before[m], 1)
    kinds, around = array("q", bytes(8 * n)), array("q", bytes(8 * m))
    for element, kind in containers:
        end: int = ends[element]
        n_words = words_before[end] - words_before[element]
        has_headline = headlines_before[end] > headlines_before[element]
        if not has_headline and n_words / total <= max_shares[kind]:
            around[element] = kind + 1
    for element in range(m):  # parents come first
        if around[element] == 0 and 0 <= parents[element] < element:
            around[element] = around[parents[element]]
    for block in range(n):
        kind = around[inner[block]] - 1
        if kind < 0 or skipped[block]:
            kinds[block] = no_kind
        else:
            kinds[block] = kind
            present |= 1 << kind
    return kinds, present
