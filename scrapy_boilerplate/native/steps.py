# cython: language_level=3, infer_types=True, annotation_typing=False
# cython: wraparound=False, initializedcheck=False
"""The loops of the steps of `news`: names of containers, the blocks inside, the threshold.

Cython compiles this file with the C types of `steps.pxd`. Without a compiler Python runs it.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any

try:
    import cython
except ImportError:  # Cython is needed to build, not to run
    from scrapy_boilerplate.native import uncompiled as cython

COMPILED = cython.compiled

# Elements in document order, each with a number: bits of kinds, or the index of a kind.
KindBits = list[tuple[int, int]]
Search = Callable[[str], object]
Drop = Callable[[str, str], str]

LETTERS = "abcdefghijklmnopqrstuvwxyz-_"
# Classes of characters: LETTERS have 1 and up, in any case, and other characters 0.
N_CLASSES = len(LETTERS) + 1


def build_classes() -> bytes:
    """Return the class of each character of ASCII."""
    return bytes(LETTERS.find(chr(code).lower()) + 1 for code in range(128))


CLASSES = build_classes()
DASH, UNDERSCORE = CLASSES[ord("-")], CLASSES[ord("_")]
# Numbers of a row of a table: the next states, and bits.
ROW_SIZE = N_CLASSES + 1


def join_words(words: Iterable[str]) -> str:
    """Return one regular expression for several.

    It is faster where they are grouped by first letter.
    """
    groups: dict[str, list[str]] = {}
    for word in words:
        groups.setdefault(word[0], []).append(word[1:])
    named = (f"{letter}(?:{'|'.join(ends)})" for letter, ends in groups.items())
    return "|".join(named) or "(?!)"


def _build_table(kinds: Sequence[Iterable[str]]) -> array[int]:
    """Return the `next_states` of a `WordSearch`, which has words; compiled only."""
    listed = list(map(list, kinds))
    most = 1 + sum(len(word) * (3 if word[0] == " " else 1) for words in listed for word in words)
    rows = array("i", bytes(4 * ROW_SIZE * most))
    table, size = rows, ROW_SIZE
    for number in range(len(listed)):
        for word in listed[number]:
            for before in [0, DASH, UNDERSCORE] if word[0] == " " else [0]:
                state = 0
                for character in word:
                    letter = before if character == " " else CLASSES[ord(character)]
                    if not table[state + letter]:
                        table[state + letter] = size
                        size += ROW_SIZE
                    state = table[state + letter]
                table[state + N_CLASSES] |= 1 << number
    waiting, fallback = array("i", bytes(4 * size)), array("i", bytes(4 * size))
    end = 1
    for turn in range(size // ROW_SIZE):  # short texts come first
        state = waiting[turn]
        behind = fallback[state]
        for letter in range(N_CLASSES):
            child, other = table[state + letter], table[behind + letter] if state else 0
            if child:
                fallback[child] = other
                table[child + N_CLASSES] |= table[other + N_CLASSES]
                waiting[end] = child
                end += 1
            else:
                table[state + letter] = other
    return rows[:size]


class WordSearch:
    """Finds names that contain words, in any case, of several kinds.

    Words consist of LETTERS; a leading space means that no letter precedes the word. An automaton
    reads each character once (Aho, Corasick 1975).
    `next_states` is its table: a row for each state, with the start of the next row for each class
    of characters, and last the bits of the kinds of which the state ends a word.
    """

    def __init__(self, kinds: Sequence[Iterable[str]]) -> None:
        self.all_kinds = (1 << len(kinds)) - 1
        for word in chain.from_iterable(kinds):
            if not set(word.removeprefix(" ")) <= set(LETTERS):
                raise ValueError(f"letters are not found in {LETTERS!r}: {word!r}")
        if not cython.compiled:
            words = map(str.lstrip, chain.from_iterable(kinds))
            self.search = re.compile(join_words(words)).search
            return
        table = _build_table(kinds)
        self.next_states = array("H", table)
        self.start = table[0]  # the start of a name is like a character before it

    def find_kinds(self, name: str) -> int:
        """Return the bits of the kinds of which a name may hold a word.

        These are all kinds for a name with a character beyond ASCII, and where nothing is compiled.
        """
        if not cython.compiled:
            return 0 if name.isascii() and not self.search(name.lower()) else self.all_kinds
        state, bits = self.start, 0
        for character in name:
            if character > "\x7f":
                return self.all_kinds
            state = self.next_states[state + CLASSES[ord(character)]]
            bits |= self.next_states[state + N_CLASSES]
        return bits

    def select_names(self, names: list[str]) -> KindBits:
        """Return (index, bits of `find_kinds`) of each of the names that has any."""
        selected: KindBits = []
        for index in range(len(names)):
            bits = self.find_kinds(names[index])
            if bits:
                selected.append((index, bits))
        return selected

    def match_names(self, names: list[str], searches: list[Search], drop_states: Drop) -> KindBits:
        """Return (index, bits of the kinds that it matches) of each of the names that matches one.

        `searches` of the first kinds match names in lower case that hold one of their words. The
        last kind are the words of `drop_states`, which drops parts of a name.
        """
        matched: KindBits = []
        last_bit = 1 << len(searches)
        for index in range(len(names)):
            maybe = self.find_kinds(names[index])
            if maybe & (last_bit - 1):
                name = names[index].lower()
                bits = _match_searches(name, maybe, searches)
                if bits and maybe & last_bit:
                    bits = _match_searches(drop_states("", name), bits, searches)
                if bits:
                    matched.append((index, bits))
        return matched


def _match_searches(name: str, maybe: int, searches: list[Search]) -> int:
    bits = 0
    for number in range(len(searches)):
        if maybe >> number & 1 and searches[number](name):
            bits |= 1 << number
    return bits


# Codes of `page.labels.Label`.
FULL_TEXT, HEADLINE, BOILERPLATE, RELATED = 2, 1, 0, 4
# Added to the words of a page, which can be 0.
MARGIN = 1e-9


def _to_list(column: Any) -> list[int]:
    numbers: list[int] = column.tolist()
    return numbers


def select_elements(
    names: Any, of_tags: KindBits, of_names: KindBits, of_roles: KindBits
) -> KindBits:
    """Return (element, bits) of the elements whose tag, class, id or role has bits.

    `names` are the `page.columns.Names` of a page; the others are indices of its strings and their
    bits. A tag with bits below 0 excludes its elements.
    """
    selected: KindBits = []
    tags, classes, ids, roles = names[2:]
    if not cython.compiled:
        tags, classes, ids, roles = map(_to_list, (tags, classes, ids, roles))
    by_string = array("q", bytes(24 * len(names[0])))
    for number, bits in of_tags:
        by_string[3 * number] = bits
    for number, bits in of_names:
        by_string[3 * number + 1] = bits
    for number, bits in of_roles:
        by_string[3 * number + 2] = bits
    for element in range(len(tags)):
        of_tag = by_string[3 * tags[element]]
        bits = by_string[3 * classes[element] + 1] | by_string[3 * ids[element] + 1]
        bits |= of_tag | by_string[3 * roles[element] + 2]
        if bits and of_tag >= 0:
            selected.append((element, bits))
    return selected


def select_containers(marked: KindBits, places: list[int]) -> KindBits:
    """Return (element, index of the first of the bits that it has) of elements with any."""
    selected: KindBits = []
    for element, bits in marked:
        for number in range(len(places)):
            if bits & places[number]:
                selected.append((element, number))
                break
    return selected


def find_bits_around(marked: KindBits, ends: Any, inner: Any, mask: Any) -> int:
    """Return the bits of the elements around a block of a mask (uint8[n])."""
    if not cython.compiled:
        ends, inner, mask = map(_to_list, (ends, inner, mask))
    n_elements, around = len(ends), 0
    before = array("q", bytes(8 * (n_elements + 1)))
    for block in range(len(inner)):
        if mask[block]:
            before[inner[block] + 1] += 1
    for element in range(n_elements):
        before[element + 1] += before[element]
    for element, bits in marked:
        if bits & ~around and before[ends[element]] > before[element]:
            around |= bits
    return around


class BlockMatch:
    """Matches blocks with the innermost container of some kinds around them.

    `rows` are (`max_share`, `min_words`, `max_link_density`, `label`) of each kind.
    """

    def __init__(self, rows: list[tuple[float, int, float, int]]) -> None:
        self.rows = rows

    def label_blocks(
        self,
        of_page: tuple[Any, ...],
        containers: KindBits,
        headings: KindBits,
        labels: Any,
        of_content: bool,
    ) -> bytearray:
        """Write the labels of the blocks of a kind to `labels` (int[n]).

        `of_page` are the int64 columns: parents and ends of the elements; element, inner element,
        words, linked words and label of the blocks. `containers` have indices of kinds.

        Returns for each block 0 if it is in no container, 2 * kind + 2 if it fits the kind, and
        2 * kind + 1 if it does not.
        """
        if not cython.compiled:
            of_page = tuple(map(_to_list, of_page))
        _, _, own, inner, words, link_words, old = of_page
        marks = self.mark_elements(of_page, containers, headings)
        matches = bytearray(len(own))
        for block in range(len(own)):
            number = marks[inner[block]] >> 1
            if number == 0 or old[block] == HEADLINE or (of_content and old[block] != FULL_TEXT):
                continue
            _, min_words, max_link_density, label = self.rows[number - 1]
            density = link_words[block] / max(words[block], 1)
            fits = words[block] >= min_words and density <= max_link_density
            if marks[own[block]] & 1 and not (label == RELATED and density > 0):
                fits = False
            matches[block] = 2 * number - (not fits)
            if fits:
                labels[block] = label
            elif old[block] == FULL_TEXT:
                labels[block] = BOILERPLATE
        return matches

    def mark_elements(
        self, of_page: tuple[Any, ...], containers: KindBits, headings: KindBits
    ) -> array[int]:
        """Return for each element 2 * kind + 2 of the innermost container around it, or 0.

        Plus 1 inside a heading. Containers with the headline or a larger share of the words of the
        text than their kind allows do not count.
        """
        parents, ends, own, _, words, _, old = of_page
        n_elements = len(ends)
        zeros = bytes(8 * (n_elements + 1))
        text, headlines, marks = array("q", zeros), array("q", zeros), array("q", zeros)
        for block in range(len(own)):
            if old[block] == FULL_TEXT:
                text[own[block] + 1] += words[block]
            elif old[block] == HEADLINE:
                headlines[own[block] + 1] += 1
        for element in range(n_elements):
            text[element + 1] += text[element]
            headlines[element + 1] += headlines[element]
        total = max(text[n_elements], 1)
        for element, number in containers:
            max_share = self.rows[number][0]
            end = ends[element]
            inside = text[end] - text[element]
            if inside <= max_share * total and headlines[end] == headlines[element]:
                marks[element] = 2 * number + 2
        for element, _ in headings:
            marks[element] |= 1
        for element in range(n_elements):
            parent = parents[element]
            if parent >= 0:
                marks[element] |= marks[parent] if marks[element] < 2 else marks[parent] & 1
        return marks


def find_threshold(scores: Any, words: Any) -> float:
    """Return the lowest score that is kept for the highest expected F1 of float[n] scores.

    Blocks with a score of more than half of the F1 increase it (Dinkelbach 1967).
    """
    if not cython.compiled:
        scores, words = _to_list(scores), _to_list(words)
    n, threshold, before = len(scores), 0.0, -1.0
    wanted, least = 0.0, 0.0
    for block in range(n):
        wanted += scores[block] * max(words[block], 1)
        least = max(least, scores[block])
    while threshold > before:
        before = threshold
        right, kept = 0.0, wanted + MARGIN
        for block in range(n):
            if scores[block] > before:
                right += scores[block] * max(words[block], 1)
                kept += max(words[block], 1)
        threshold = right / kept
    for block in range(n):
        if scores[block] > before:
            least = min(least, scores[block])
    return least


# codes of the kinds of units
TABLE, LIST, CODE, QUOTE, BOX, DETAILS = range(6)
# kinds of lists that are mostly links: announced by a colon, and others
ANNOUNCED, LINKS = 6, 7
# what a block ends with, and that by its last character
SENTENCE, COLON, NUMBER = 1, 2, 3
ENDS = {
    **dict.fromkeys(".!?\u2026\u3002\uff01\uff1f\u061f\u0964", SENTENCE),
    **dict.fromkeys(":\uff1a", COLON),
    **dict.fromkeys("0123456789)", NUMBER),
}


def find_ends(texts: list[str]) -> bytearray:
    """Return for each text the code of its last character, as in ENDS."""
    ends, known = bytearray(len(texts)), ENDS
    for number in range(len(texts)):
        text = texts[number]
        if text:
            ends[number] = known.get(text[len(text) - 1], 0)
    return ends


# bits of a tag: the number of its kind plus 1, and what it is for the units around it
KIND_MASK, BARS, MEDIUM, ROW, CELL, IS_TABLE, ENTRY, HEADER = 15, 16, 32, 64, 128, 256, 512, 1024
# of tags: what contains one of BARS is no unit, of MEDIUM no box
UNIT_BITS = {
    **dict.fromkeys("h1 article main form nav header footer".split(), BARS),
    **dict.fromkeys("img picture video audio iframe figure object input amp-img".split(), MEDIUM),
    "td": CELL,
    "th": CELL | HEADER,
    **dict.fromkeys("li dt dd".split(), ENTRY),
    "tr": ROW,
    "table": IS_TABLE | TABLE + 1,
    **dict.fromkeys("ul ol dl menu".split(), LIST + 1),
    **dict.fromkeys("pre listing xmp".split(), CODE + 1),
    "blockquote": QUOTE + 1,
    **dict.fromkeys("div aside section".split(), BOX + 1),
    "details": DETAILS + 1,
}
# maximum linked words of a unit, as a share, and blocks of an entry of a list: longer ones are
# comments or a layout
MAX_LINK_DENSITY, MAX_ENTRY_BLOCKS = 0.45, 3.0
# maximum words and blocks of a box, and minimum rows of several cells of a table of data
MAX_BOX_WORDS, MAX_BOX_BLOCKS, MIN_ROWS = 150, 8, 2
# a named container with a larger share of the blocks of a page is the text
MAX_NAMED_SHARE = 0.5


class Units:
    """The units of a page: tables of data, lists and the like.

    `content` (uint8[n]) are the blocks of the text, `aside` (uint8[n]) those that are no part of a
    unit, `closed` (uint8[n]) the ENDS of the blocks. Element columns are int64:
    `parents` and `ends`. The methods are called in order.
    """

    def __init__(self, parents: Any, ends: Any, content: Any, aside: Any, closed: Any) -> None:
        if not cython.compiled:
            columns = (parents, ends, content, aside, closed)
            parents, ends, content, aside, closed = map(_to_list, columns)
        self.parents, self.ends, self.content, self.aside = parents, ends, content, aside
        self.closed = closed
        self.n, self.m = len(content), len(ends)
        of_elements, of_blocks = bytes(4 * (self.m + 1)), bytes(4 * (self.n + 1))
        self.tags, self.firsts = array("i", of_elements), array("i", of_elements)
        self.counts, self.own = array("i", of_elements), array("i", of_elements)
        self.barred, self.media = array("i", of_elements), array("i", of_elements)
        self.beside, self.entries = array("i", of_elements), array("i", of_elements)
        self.before, self.after = array("i", of_blocks), array("i", of_blocks)
        self.named, self.last = array("i", of_blocks), array("i", of_blocks)
        of_blocks *= 2
        self.weights, self.scores = array("d", of_blocks), array("d", of_blocks)
        self.chosen, self.links = array("d", of_blocks), array("d", of_blocks)

    def read_blocks(self, holders: Any, words: Any, linked: Any, scores: Any) -> None:
        """Sum the words of the blocks before each, and what they say.

        `holders` are the elements of the first leaves, `words` and `linked` the words in all and in
        links (int64[n]), `scores` is float[n].
        """
        if not cython.compiled:
            holders, words, linked, scores = map(_to_list, (holders, words, linked, scores))
        self.last[0] = -1
        for block in range(self.n):
            used = 0 if self.aside[block] else 1
            weight = used * max(words[block], 1)
            self.weights[block + 1] = self.weights[block] + weight
            self.scores[block + 1] = self.scores[block] + weight * scores[block]
            self.chosen[block + 1] = self.chosen[block] + weight * self.content[block]
            self.links[block + 1] = self.links[block] + used * linked[block]
            self.last[block + 1] = block if used else self.last[block]
            self.counts[holders[block] + 1] += 1
            self.own[holders[block] + 1] += used

    def read_elements(self, tags: Any, bits: Any, opened: Any) -> None:
        """Find the blocks and the parts of each element.

        `tags` are int64[m], `bits` the bits of each tag; `opened` (int64[n]) are the elements that
        start before a block.
        """
        if not cython.compiled:
            tags, opened = _to_list(tags), _to_list(opened)
        block = 0
        for element in range(self.m):
            tag = bits[tags[element]]
            while block < self.n and opened[block] <= element:
                block += 1
            self.tags[element], self.firsts[element] = tag, block
            self.counts[element + 1] += self.counts[element]
            self.own[element + 1] += self.own[element]
            self.barred[element + 1] = self.barred[element] + (tag & BARS > 0)
            self.media[element + 1] = self.media[element] + (tag & MEDIUM > 0)
            self.entries[element + 1] = self.entries[element] + (tag & ENTRY > 0)

    def read_named(self, containers: list[tuple[int, bool]]) -> None:
        """Count the blocks before each that are in one of the containers, which come in order.

        Find the blocks before and after each that are in none.
        Of boxes of facts, those with a title and one sentence do not count: they are notes.
        """
        for element, is_fact_box in containers:
            first, end = self.firsts[element], self.find_end(element)
            is_note = is_fact_box and end - first == 2 and self.closed[first] != SENTENCE
            if first < end and end - first <= MAX_NAMED_SHARE * self.n and not is_note:
                self.named[first] += 1
                self.named[end] -= 1
        inside, total, before = 0, 0, -1
        for block in range(self.n + 1):
            inside += self.named[block]
            self.named[block], self.before[block] = total, before
            is_own = block < self.n and not self.aside[block]
            total += is_own and inside > 0
            before = block if is_own and not inside else before
        self.after[self.n] = self.n
        for block in range(self.n - 1, -1, -1):
            is_beside = self.before[block + 1] == block
            self.after[block] = block if is_beside else self.after[block + 1]

    def find_end(self, element: int) -> int:
        """Return the end of the blocks of an element."""
        n_blocks = self.counts[self.ends[element]] - self.counts[element]
        return int(self.firsts[element] + n_blocks)

    def count_own(self, element: int) -> int:
        """Return how many blocks of an element are not aside."""
        return int(self.own[self.ends[element]] - self.own[element])

    def find(self) -> list[tuple[int, int, int, int, float]]:
        """Return the outermost units with content in them or beside them, in document order.

        Of each: kind, first block, end, blocks of content beside it, mean score of its words. Units
        that are mostly links are left out.
        """
        units: list[tuple[int, int, int, int, float]] = []
        candidates = self.find_candidates()
        # a box with nothing beside another unit is the wrapper of that unit
        wrapped = {
            (self.firsts[element], self.count_own(element))
            for element in candidates
            if self.tags[element] & KIND_MASK != BOX + 1
        }
        end_element = 0
        for element in candidates:
            if element < end_element:
                continue
            kind, own = (self.tags[element] & KIND_MASK) - 1, self.count_own(element)
            first, end = self.firsts[element], self.find_end(element)
            if kind == BOX and (first, own) in wrapped:
                continue
            weight = self.weights[end] - self.weights[first]
            is_linked = self.links[end] - self.links[first] > MAX_LINK_DENSITY * weight
            n_beside = self.beside[element]
            if is_linked and kind <= LIST:
                if self.is_announced(first):
                    is_linked, kind = False, ANNOUNCED
                elif n_beside < 2 or kind == TABLE:
                    is_linked, kind = False, LINKS
            if n_beside < 2 and (kind == BOX or is_linked):
                continue  # units inside of it are looked at
            n_named = self.named[end] - self.named[first]
            if n_named and (kind == BOX or n_named >= own):
                continue
            if not is_linked:
                score = (self.scores[end] - self.scores[first]) / weight
                units.append((kind, first, end, n_beside, score))
            end_element = self.ends[element]
        return units

    def is_announced(self, first: int) -> bool:
        """Return whether the content before a block ends with a colon."""
        before = self.before[first]
        is_after = before >= 0 and self.content[before] > 0
        return bool(is_after and self.closed[before] == COLON)

    def find_candidates(self) -> list[int]:
        """Return the elements that may be units, with content in them or beside them.

        Units of one kind that follow each other, as questions with answers do, have the same blocks
        beside them.
        """
        rows: dict[int, list[int]] = {}
        near: list[int] = []
        for element in range(self.m):
            if not self.may_be_unit(element):
                continue
            place = self.parents[element] * (KIND_MASK + 1) + (self.tags[element] & KIND_MASK)
            row = rows.get(place, [])
            # Cython reads an index below 0 through a slow call here
            if row and self.follows(element, row[len(row) - 1]):
                row.append(element)
            else:
                near += self.select_near(row)
                rows[place] = [element]
        for row in rows.values():
            near += self.select_near(row)
        return sorted(near)

    def follows(self, element: int, last: int) -> bool:
        """Return whether a unit comes directly after another."""
        return bool(self.after[self.find_end(last)] == self.after[self.firsts[element]])

    def is_near(self, row: list[int]) -> bool:
        """Return whether the block before or after a row is content, in any parent."""
        before = self.before[self.firsts[row[0]]]
        after = self.after[self.find_end(row[len(row) - 1])]
        is_after = before >= 0 and self.content[before] > 0
        return bool(is_after or (after < self.n and self.content[after] > 0))

    def select_near(self, row: list[int]) -> list[int]:
        """Return the units of a row with content in them or beside the row."""
        if not row:
            return []
        n_beside, is_near = self.count_beside(row), self.is_near(row)
        near: list[int] = []
        for element in row:
            self.beside[element] = n_beside
            first, end = self.firsts[element], self.find_end(element)
            is_box = self.tags[element] & KIND_MASK == BOX + 1
            if is_near or (not is_box and self.chosen[end] > self.chosen[first]):
                near.append(element)
        return near

    def may_be_unit(self, element: int) -> bool:
        """Return whether an element is a unit of its kind, and small enough."""
        kind, end_element = (self.tags[element] & KIND_MASK) - 1, self.ends[element]
        own = self.own[end_element] - self.own[element]
        is_barred = kind != QUOTE and self.barred[end_element] > self.barred[element]
        if kind < 0 or own == 0 or is_barred:
            return False
        first, end = self.firsts[element], self.find_end(element)
        weight = self.weights[end] - self.weights[first]
        if kind == BOX:
            is_small = 1 < own <= MAX_BOX_BLOCKS and weight <= MAX_BOX_WORDS
            is_small = is_small and self.closed[self.last[end]] == SENTENCE
            has_media = self.media[end_element] > self.media[element]
            is_plain = not has_media and self.links[end] == self.links[first]
            return bool(is_small and is_plain)
        if kind == LIST:
            entries = self.entries[end_element] - self.entries[element]
            return bool(own <= MAX_ENTRY_BLOCKS * entries + 1)
        return kind != TABLE or self.is_data(element)

    def is_data(self, table: int) -> bool:
        """Return whether a table has rows of several cells, or a header and a short column.

        A table with a table inside is a layout.
        """
        rows, lines, filled, headers = 0, 0, 0, 0
        for element in range(table + 1, self.ends[table]):
            tag = self.tags[element]
            if tag & IS_TABLE:
                return False
            if tag & ROW:
                filled = 0
            elif tag & CELL and self.counts[self.ends[element]] > self.counts[element]:
                filled += 1
                lines += filled == 1
                headers += tag & HEADER > 0
                rows += filled == 2
        first, end = self.firsts[table], self.find_end(table)
        is_short = self.weights[end] - self.weights[first] <= MAX_BOX_WORDS
        return bool(rows >= MIN_ROWS or (headers and lines > MIN_ROWS and is_short))

    def count_beside(self, row: list[int]) -> int:
        """Return how many of the blocks before and after a row, in one parent, are content."""
        first, end, own, around = self.firsts[row[0]], self.find_end(row[len(row) - 1]), 0, row[0]
        for element in row:
            own += self.count_own(element)
        while around >= 0 and self.count_own(around) <= own:
            around = self.parents[around]
        start, stop = 0, self.n
        if around >= 0:
            start, stop = self.firsts[around], self.find_end(around)
        before, after = self.before[first], self.after[end]
        n_beside = int(start <= before and self.content[before] > 0)
        return n_beside + int(after < stop and self.content[after] > 0)
