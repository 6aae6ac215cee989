# cython: language_level=3, infer_types=True, annotation_typing=False
# cython: wraparound=False, initializedcheck=False
"""Searches over the class names of a page.

Cython compiles this file with the C types of `names.pxd`. Without a compiler Python runs it.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable

try:
    import cython
except ImportError:  # Cython is needed to build, not to run
    from scrapy_boilerplate.native import uncompiled as cython

COMPILED = cython.compiled

LETTERS = "abcdefghijklmnopqrstuvwxyz-_"
N_CLASSES = len(LETTERS) + 1
"""Classes of characters: LETTERS have 1 and up, in any case, and other characters 0."""
FOUND = -1
"""The state after a word."""


def build_classes() -> bytes:
    """Return the class of each character of ASCII."""
    return bytes(LETTERS.find(chr(code).lower()) + 1 for code in range(128))


CLASSES = build_classes()


def build_regex(words: Iterable[str]) -> re.Pattern[str]:
    """Return a regular expression for the words, grouped by their letters: `re` skips faster."""
    groups: dict[str, list[str]] = {}
    for word in words:
        if not set(word) <= set(LETTERS):
            raise ValueError(f"letters are not found in {LETTERS!r}: {word!r}")
        groups.setdefault(word[0], []).append(word[1:])
    named = (f"{letter}(?:{'|'.join(ends)})" for letter, ends in groups.items())
    return re.compile("|".join(named) or "(?!)")


class WordSearch:
    """Finds the names that hold one of `words`, in any case, or a character beyond ASCII.

    The words are of LETTERS. An automaton reads each character once (Aho, Corasick 1975).
    `next_states` is its table: a row of N_CLASSES for each state, with the start of the next row.
    """

    def __init__(self, words: Iterable[str]) -> None:
        if not cython.compiled:
            self.search = build_regex(words).search
            return
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
        if not cython.compiled:
            return self.search(name.lower()) is not None
        state = 0
        for character in name:
            state = self.next_states[state + CLASSES[ord(character)]]
            if state == FOUND:
                return True
        return False


def find_bits(name: str, bits_of_names: dict[str, int], read_name: Callable[[str], int]) -> int:
    """Return the bits of a name; new names are added to `bits_of_names`."""
    bits = bits_of_names.get(name)
    if bits is None:
        bits = bits_of_names[name] = read_name(name)
    return bits


def combine_bits(
    columns: tuple[list[str], list[str], list[str], list[str]],
    bits_of_names: dict[str, int],
    bits_of_tags: dict[str, int],
    bits_of_roles: dict[str, int],
    read_name: Callable[[str], int],
) -> list[tuple[int, int]]:
    """Return (element, bits of its names, tag and role) of each that has any, ascending.

    The columns are the classes, ids, tags and roles of the elements. `read_name` returns the bits
    of a name that is not among `bits_of_names`, where they are added.
    """
    classes, ids, tags, roles = columns
    containers: list[tuple[int, int]] = []
    for element in range(len(tags)):
        bits = bits_of_tags.get(tags[element], 0)
        if classes[element]:
            bits |= find_bits(classes[element], bits_of_names, read_name)
        if ids[element]:
            bits |= find_bits(ids[element], bits_of_names, read_name)
        if roles[element]:
            bits |= bits_of_roles.get(roles[element], 0)
        if bits:
            containers.append((element, bits))
    return containers
