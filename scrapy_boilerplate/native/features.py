# cython: language_level=3, infer_types=True, annotation_typing=False
# cython: wraparound=False, initializedcheck=False
"""The features of `news`: all columns of a page in one pass, each cell written once.

Cython compiles this file with the C types of `features.pxd`. Without a compiler Python runs it.
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Mapping, MutableSequence, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

try:
    import cython
except ImportError:  # Cython is needed to build, not to run
    from scrapy_boilerplate.native import uncompiled as cython

from scrapy_boilerplate.native.text import CATEGORIES, CHARACTERS, HAN_KANA, PLANE, SOUTH_EAST_ASIAN

if not cython.compiled:
    from math import log1p

    from scrapy_boilerplate.native.text import ALONE, BETWEEN_WORDS, IN_WORD, find_separation

COMPILED = cython.compiled

# Minimum words of an unlinked block that reads like a paragraph (between the 10 and 16 of
# Kohlschuetter et al. 2010).
GOOD_WORDS = 12
# Maximum link density of such a block (Kohlschuetter et al. 2010).
GOOD_LINK_DENSITY = 1 / 3
# Elements that are never a container: paragraphs, lists and quotations.
NEVER_CONTAINERS = frozenset("p h1 h2 h3 h4 h5 h6 ul ol li dl dd dt blockquote pre address".split())
# Elements between a block and its container; news pages need 0 to 3.
MAX_CONTAINER_HOPS = 6
# Elements that describe a block: its own or its container, and three ancestors.
LEVELS = 4
# Ancestors that are searched for an element around the best container.
MAX_HOPS = 8
# Levels by which differences of depth are scaled; news pages nest 10 to 40 deep.
DEPTH_SCALE = 10.0
# Blocks; greater distances count as this.
MAX_DISTANCE = 30
# Blocks to either side in which good words are counted.
WINDOWS = (2, 5, 12)
# Characters of a text that are compared with others regardless of case.
LOWERED = 200
# Characters by which the starts of two texts are compared.
START_LENGTH = 48
# Characters of a text that is compared with the description.
MIN_START = 24
# Words of a block that are scored (our sweep, docs/provenance.md).
FIRST_WORDS = 6
# Characters of a block in which these words are searched.
FIRST_CHARACTERS = 80
# Size of a score of words in log odds.
MAX_SCORE = 8.0
# Factor of the codes of words (FNV-1a).
FACTOR = 0x100000001B3
# Multipliers of the hash of elements. Hashes of strings differ from process to process, so no page
# can choose elements with equal hashes.
PARENT_FACTOR, TAG_FACTOR, CLASS_FACTOR = (
    hash(name) & (1 << 64) - 1 | 1 for name in ("parent", "tag", "class")
)
# Bits of the number of a word in a table.
NUMBER_BITS = 20
# Characters of a word that is compared with title, description and main text; one in scripts
# without spaces.
MIN_LENGTH = 4
# The first character of the scripts in which each character counts as a word.
UNSPACED = 0x2E00
# Hash values of these words; a page has a few hundred to two thousand words.
SLOTS = 8192
# Multiplier of their hash.
HASH_FACTOR = 31
# Bits of a word that is in the title, or in the description.
TITLE, DESCRIPTION = 1, 2
# Blocks to either side over which two columns are averaged.
MEAN_WIDTH = 2
# Name of a column to the tags of the block's own element.
OWN: dict[str, tuple[str, ...]] = {
    "p": ("p",),
    "div": ("div",),
    "h1": ("h1",),
    "h2": ("h2",),
    "h3": ("h3", "h4", "h5", "h6"),
    "li": ("li",),
    "cell": ("td", "th"),
    "quote": ("blockquote",),
    "caption": ("figcaption", "caption"),
    "section": ("section", "article"),
    "definition": ("dt", "dd"),
}
# Name of a column to the tags of an element around the block.
AROUND: dict[str, tuple[str, ...]] = {
    "article": ("article",),
    "main": ("main",),
    "aside": ("aside",),
    "nav": ("nav",),
    "header": ("header",),
    "footer": ("footer",),
    "figure": ("figure", "figcaption"),
    "list": ("ul", "ol", "dl"),
    "table": ("table",),
    "form": ("form", "button", "label", "dialog"),
    "quote": ("blockquote",),
    "hidden": ("noscript", "template"),
    "heading": ("h1", "h2", "h3", "h4", "h5", "h6"),
}
# ARIA roles that mean the same as a tag.
ROLES = {
    "main": "main",
    "article": "article",
    "navigation": "nav",
    "menu": "nav",
    "menubar": "nav",
    "contentinfo": "footer",
    "banner": "header",
    "complementary": "aside",
    "dialog": "form",
    "alertdialog": "form",
    "search": "form",
}
# Tags of links, images and buttons.
MEDIA = frozenset("a img svg button input iframe video".split())
# Elements that are no items: paragraphs, headings, rows, and inline elements except links.
PARTS = frozenset(
    "p h1 h2 h3 h4 h5 h6 tr td th br abbr b big bdi bdo cite code data del dfn em font i ins kbd "
    "mark q s samp small span strike strong sub sup time tt u var wbr".split()
)
# Siblings with the same tag and class that are items of a list.
MIN_ITEMS = 3
# Number of kinds of groups of blocks: by class path, by parent, by item, by list of items.
N_GROUP_KINDS = 4
# The group of a block that is in none.
NO_GROUP = -1
# bits of the kind of a tag: the number of its column of OWN, its columns of AROUND, and four more
OWN_MASK, N_OWN = 15, len(OWN)
AROUND_SHIFT, N_AROUND, AROUND_MASK = 4, len(AROUND), (1 << len(AROUND)) - 1
ARTICLE_BIT = 1 << AROUND_SHIFT
MEDIA_BIT, NEVER_BIT, PART_BIT = (bit << AROUND_SHIFT + N_AROUND for bit in (1, 2, 4))
AROUND_BITS = {name: 1 << number for number, name in enumerate(AROUND)}
ROLE_BITS = {role: AROUND_BITS[name] for role, name in ROLES.items()}


def _combine_kinds() -> dict[str, int]:
    kinds: dict[str, int] = dict.fromkeys((*NEVER_CONTAINERS, *MEDIA, *PARTS), 0)
    for number, tags in enumerate(OWN.values(), start=1):
        kinds |= dict.fromkeys(tags, number)
    for name, tags in AROUND.items():
        for tag in tags:
            kinds[tag] = kinds.get(tag, 0) | AROUND_BITS[name] << AROUND_SHIFT
    for tag in kinds:
        kinds[tag] |= MEDIA_BIT * (tag in MEDIA) | NEVER_BIT * (tag in NEVER_CONTAINERS)
        kinds[tag] |= PART_BIT * (tag in PARTS)
    return kinds


TAG_KINDS = _combine_kinds()

# Kinds of characters. Letters are not counted.
LETTER, SPACE, UPPER, DIGIT, STOP, COMMA, QUOTE, SEPARATOR, SYMBOL = range(9)
N_KINDS = 9
# Punctuation of the scripts that news is written in.
PUNCTUATION = {
    STOP: ".!?\u2026\u3002\uff01\uff1f\uff0e\u0964\u06d4\u061f\u037e",
    COMMA: ",;\u060c\u3001\uff0c\uff1b\u061b",
    QUOTE: "\"'\u00ab\u00bb\u2018\u2019\u201a\u201c\u201d\u201e\u2039\u203a"
    "\u300c\u300d\u300e\u300f",
    SEPARATOR: "|\u2022\u00b7\u2192\u2190\u25ba\u25b6/\\>:<\u2013\u2014-_\uff1a\uff5c",
}


def classify_characters() -> bytes:
    """Return the kind of each character of the plane. Those beyond it are SPACE."""
    of_categories = bytes.maketrans(
        b"LMUNZCPS", bytes([LETTER, LETTER, UPPER, DIGIT, SPACE, SPACE, SYMBOL, SYMBOL])
    )
    kinds = bytearray(CATEGORIES.translate(of_categories))
    for kind, characters in PUNCTUATION.items():
        for character in characters:
            kinds[ord(character)] = kind
    return bytes(kinds)


KINDS = classify_characters()


def read_kind(character: str) -> int:
    """Return the kind of a character."""
    return KINDS[ord(character)] if ord(character) < PLANE else SPACE


def fold_characters() -> array[int]:
    """Return the lower case of each letter and digit of the plane, 0 for other characters."""
    # the only character whose lower case has two
    lower = np.array([CHARACTERS.replace("\u0130", "i").lower()]).view(np.uint32)
    is_kept = CATEGORIES.translate(bytes(code in b"LMUN" for code in range(256)))
    folded = lower * np.frombuffer(is_kept, np.uint8)
    return array("H", folded.astype(np.uint16).tobytes())


FOLDED = fold_characters()

# Number of counts whose logarithms are in a table.
N_LOGS = 1024
# log(1 + count) of counts.
LOGS = array("d", map(math.log1p, range(N_LOGS)))

DIGITS = b"0123456789"
find_name_words = re.compile("[A-Z]?[a-z]{2,}|[A-Z]{2,}").findall


def _log_count(count: int) -> float:
    if 0 <= count < N_LOGS:
        return LOGS[count]
    return log1p(count)


def clip(value: float, size: float) -> float:
    """Return the number from -size to size that is nearest to `value`."""
    return max(min(value, size), -size)


class FeatureMatrix:
    """The features of one page.

    `matrix` is float[columns * n], column after column; `groups` is int64[N_GROUP_KINDS * n],
    kind after kind: the number of the group of each block, below n, or NO_GROUP. `of_elements` are
    the parents, the ends, the depths and the four columns of `page.columns.Names`, `of_blocks` the
    element, the words and the words in links of each block, all int64; `title` is the number of
    the block that says the title. The methods are called in order, and each `write_` adds columns.
    Raises IndexError for columns that do not fit.
    """

    def __init__(
        self,
        n_columns: int,
        title: int,
        of_elements: Sequence[NDArray[np.int64]],
        of_blocks: Sequence[NDArray[np.int64]],
    ) -> None:
        n, m = len(of_blocks[0]), len(of_elements[0])
        if [*map(len, of_elements), *map(len, of_blocks)] != [m] * 7 + [n] * 3:
            raise IndexError("columns of different lengths")
        self.n, self.m, self.title, self.first = n, m, title, 0
        self.matrix = self.values = array("f", bytes(4 * n)) * n_columns
        if not cython.compiled:
            of_elements, of_blocks = (
                [c.tolist() for c in of_elements],
                [c.tolist() for c in of_blocks],
            )
        self.parents, self.ends, self.depths = of_elements[:3]
        self.tags, self.classes, self.ids, self.roles = of_elements[3:]
        self.own, self.words, self.linked = of_blocks
        self.groups = self.numbers = array("q", bytes(8 * n)) * N_GROUP_KINDS
        self.space = array("i", bytes(4 * (n + m + 2))) * 9
        self.used = 0
        self.good, self.good_words = self.take(n), self.take(n)
        self.container = self.take(n)
        # the blocks with the same key are counted together
        self.keys = self.take(n)
        self.kinds, self.around, self.above = self.take(m), self.take(m), self.take(m)
        self.direct, self.direct_blocks = self.take(m), self.take(m)
        self.of_article, self.signatures = self.take(m), self.take(m)
        # sums over the blocks, or elements, before
        self.good_before, self.media = self.take(n + 1), self.take(m + 1)
        # sums over the blocks in the order of their elements; where those blocks begin
        self.good_sums, self.word_sums = self.take(n + 1), self.take(n + 1)
        self.linked_sums, self.starts = self.take(n + 1), self.take(m + 2)
        self.main = array("b", bytes(n))
        self.density, self.of_starts = array("d", bytes(8 * n)), array("d", bytes(8 * n))
        self.scores = array("d", bytes(8 * m))

    def take(self, size: int) -> MutableSequence[int]:
        """Return the next numbers of the space."""
        self.used += size
        taken = self.space[self.used - size : self.used]
        return taken if cython.compiled else taken.tolist()

    def read_blocks(self) -> None:
        """Find the good blocks; sum the blocks of the page and of each element."""
        n, own, words, linked, starts = self.n, self.own, self.words, self.linked, self.starts
        good_words, good_before, density = self.good_words, self.good_before, self.density
        good_sums, word_sums, linked_sums = self.good_sums, self.word_sums, self.linked_sums
        self.total_words = self.total_linked = 0
        for i in range(n):
            density[i] = linked[i] / max(words[i], 1)
            if words[i] >= GOOD_WORDS and density[i] <= GOOD_LINK_DENSITY:
                self.good[i], good_words[i] = 1, words[i]
            good_before[i + 1] = good_before[i] + good_words[i]
            self.total_words += words[i]
            self.total_linked += linked[i]
            starts[own[i] + 2] += 1
        self.total_good = good_before[n]
        self.whole_good = max(self.total_good, 1e-9)
        for e in range(self.m):
            starts[e + 2] += starts[e + 1]
        for i in range(n):  # then the blocks of an element begin at the next number
            e = own[i] + 1
            starts[e] += 1
            place = starts[e]
            good_sums[place], word_sums[place], linked_sums[place] = (
                good_words[i],
                words[i],
                linked[i],
            )
        for i in range(n):
            good_sums[i + 1] += good_sums[i]
            word_sums[i + 1] += word_sums[i]
            linked_sums[i + 1] += linked_sums[i]

    def read_elements(self, names: dict[str, int]) -> None:
        """Read the kinds of the elements, and the kinds around them, from the root down."""
        parents, kinds, around, media = self.parents, self.kinds, self.around, self.media
        self.kinds_of_tags = array("q", bytes(8 * len(names)))
        self.bits_of_roles = array("q", bytes(8 * len(names)))
        for tag in TAG_KINDS.keys() & names.keys():
            self.kinds_of_tags[names[tag]] = TAG_KINDS[tag]
        for role in ROLE_BITS.keys() & names.keys():
            self.bits_of_roles[names[role]] = ROLE_BITS[role]
        for e in range(self.m):
            kind = self.kinds_of_tags[self.tags[e]]
            bits = kind >> AROUND_SHIFT & AROUND_MASK | self.bits_of_roles[self.roles[e]]
            if parents[e] >= 0:
                self.above[e] = parents[e]
                bits |= around[parents[e]]
            kinds[e], around[e] = kind, bits
            media[e + 1] = media[e] + (1 if kind & MEDIA_BIT else 0)

    def find_containers(self) -> None:
        """Find the innermost element around each block that holds other blocks, and the best one.

        The best container has the most good words directly in it; without any it is the root.
        """
        parents, starts, direct = self.parents, self.starts, self.direct
        for i in range(self.n):
            e = self.own[i]
            for _ in range(MAX_CONTAINER_HOPS):
                blocks = starts[self.ends[e]] - starts[e]
                if parents[e] < 0 or not (self.kinds[e] & NEVER_BIT or blocks <= 1):
                    break
                e = parents[e]
            self.container[i] = e
            direct[e] += self.good_words[i]
        self.best, most = 0, direct[0]
        for i in range(self.n):
            e = self.container[i]
            if direct[e] > most or (direct[e] == most and e < self.best):
                self.best, most = e, direct[e]
        for i in range(self.n):
            direct[self.container[i]] = 0

    def write_shallow(self, texts: list[str]) -> None:
        """Write the shares of kinds of characters in each text."""
        n, values = self.n, self.values
        self.counts = array("q", bytes(8 * N_KINDS))
        count = self.counts
        for i in range(n):
            text, words, linked = texts[i], self.words[i], self.linked[i]
            for kind in range(N_KINDS):
                count[kind] = 0
            for character in text:
                count[read_kind(character)] += 1
            length, first, last = len(text), SPACE, SPACE
            if length:
                first, last = read_kind(text[0]), read_kind(text[length - 1])
            visible = max(length - count[SPACE], 1)
            at, spaced = self.first + i, max(words, 1)
            values[at] = _log_count(words)
            values[at + n] = _log_count(words - linked)
            values[at + 2 * n] = self.density[i]
            values[at + 3 * n] = _log_count(length)
            values[at + 4 * n] = visible / spaced / 10.0
            values[at + 5 * n] = count[UPPER] / visible
            values[at + 6 * n] = count[DIGIT] / visible
            values[at + 7 * n] = count[STOP] / spaced
            values[at + 8 * n] = count[COMMA] / spaced
            values[at + 9 * n] = count[QUOTE] / spaced
            values[at + 10 * n] = count[SEPARATOR] / spaced
            values[at + 11 * n] = count[SYMBOL] / visible
            values[at + 12 * n] = _log_count(count[STOP])
            values[at + 13 * n] = _log_count(count[COMMA])
            values[at + 14 * n] = last == STOP
            values[at + 15 * n] = last == SEPARATOR
            values[at + 16 * n] = first == UPPER
            values[at + 17 * n] = first == DIGIT
            values[at + 18 * n] = first == QUOTE
            values[at + 19 * n] = self.good[i]
        self.first += 20 * n

    def write_position(self) -> None:
        """Write where each block is, and how far from the title and from good blocks."""
        n, values, title, before, good = self.n, self.values, self.title, 0, self.good_before
        total_words = max(self.total_words, 1e-9)
        of_page = _log_count(n), _log_count(self.total_good)
        linked, good_share = self.total_linked / total_words, self.total_good / total_words
        last = -MAX_DISTANCE
        for i in range(n):
            at = self.first + i
            last = i if self.good[i] else last
            values[at] = i / n
            values[at + n] = before / total_words
            values[at + 2 * n] = good[i] / self.whole_good
            values[at + 3 * n] = _log_count(i)
            values[at + 4 * n] = _log_count(n - i)
            values[at + 5 * n] = clip(i - title, MAX_DISTANCE) / MAX_DISTANCE
            values[at + 6 * n] = (1.0 if i > title else 0.0) if title >= 0 else 0.5
            values[at + 7 * n] = _log_count(min(i - last, MAX_DISTANCE))
            for k in range(3):
                width = WINDOWS[k]
                near = good[min(i + width + 1, n)] - good[max(i - width, 0)]
                values[at + (9 + k) * n] = _log_count(near)
            values[at + 12 * n], values[at + 13 * n] = of_page
            values[at + 14 * n], values[at + 15 * n] = linked, good_share
            before += self.words[i]
        last = n + MAX_DISTANCE
        for i in range(n - 1, -1, -1):
            last = i if self.good[i] else last
            values[self.first + i + 8 * n] = _log_count(min(last - i, MAX_DISTANCE))
        self.first += 16 * n

    def write_tags(self) -> None:
        """Write the kinds of the elements around each block."""
        n, values, kinds, ends, sums = self.n, self.values, self.kinds, self.ends, self.good_sums
        articles, best = 0, 0
        for e in range(self.m):
            if kinds[e] & ARTICLE_BIT:
                articles += 1
                good = sums[self.starts[ends[e]]] - sums[self.starts[e]]
                self.of_article[e] = good
                best = max(best, good)
            elif articles and self.parents[e] >= 0:
                self.of_article[e] = self.of_article[self.parents[e]]
        for i in range(n):
            e, at = self.own[i], self.first + i
            if kinds[e] & OWN_MASK:
                values[at + ((kinds[e] & OWN_MASK) - 1) * n] = 1.0
            bits = self.around[e]
            at += N_OWN * n
            for bit in range(N_AROUND):
                if bits >> bit & 1:
                    values[at + bit * n] = 1.0
            at += N_AROUND * n
            values[at] = _log_count(articles)
            values[at + n] = self.of_article[e] / max(best, 1)
            media = self.media[ends[e]] - self.media[e]
            values[at + 2 * n] = log1p(media / max(self.words[i], 1)) if media else 0.0
        self.first += (N_OWN + N_AROUND + 3) * n

    def write_containers(self) -> None:
        """Write the sums of the elements around each block, and the way to the best container."""
        n, values, keys, levels = self.n, self.values, self.keys, LEVELS
        starts, good, words, linked = self.starts, self.good_sums, self.word_sums, self.linked_sums
        self.held, self.marks = np.empty(4 * self.m), array("b", bytes(self.m))
        held, marks = self.held, self.marks
        for i in range(n):
            at, e = self.first + i, self.container[i]
            for _ in range(levels):
                k = 4 * e
                if not marks[e]:
                    start, end = starts[e], starts[self.ends[e]]
                    inside = words[end] - words[start]
                    marks[e] = 1
                    held[k] = (good[end] - good[start]) / self.whole_good
                    held[k + 1] = (linked[end] - linked[start]) / max(inside, 1)
                    held[k + 2] = _log_count(inside)
                    held[k + 3] = log1p(inside / max(end - start, 1))
                values[at] = held[k]
                values[at + n] = held[k + 1]
                values[at + 2 * n] = held[k + 2]
                values[at + 3 * n] = held[k + 3]
                e, at = self.above[e], at + 4 * n
        self.first += 4 * levels * n
        self.write_direct(self.container)
        for i in range(n):
            keys[i] = self.above[self.own[i]]
        self.write_direct(keys)
        for i in range(n):
            keys[i] = self.above[keys[i]]
        self.write_direct(keys)
        self.write_way()

    def write_direct(self, keys: MutableSequence[int]) -> None:
        """Write the sums over the blocks with the same key, which is an element."""
        n, direct, blocks, most = self.n, self.direct, self.direct_blocks, 1e-9
        for i in range(n):
            e = keys[i]
            direct[e] += self.good_words[i]
            blocks[e] += self.good[i]
            most = max(most, direct[e])
        for i in range(n):
            self.values[self.first + i] = direct[keys[i]] / most
            self.values[self.first + i + n] = _log_count(blocks[keys[i]])
        for i in range(n):
            direct[keys[i]] = blocks[keys[i]] = 0
        self.first += 2 * n

    def write_way(self) -> None:
        """Write the way from each block to the best container, and the row of its container."""
        n, values, depths, ends, main = self.n, self.values, self.depths, self.ends, self.main
        container, best, end, row, good = self.container, self.best, 0, 0, 0
        for i in range(n):
            if i == end:
                while end < n and container[end] == container[i]:
                    end += 1
                row, good = end - i, self.good_before[end] - self.good_before[i]
            own, e, hops = self.own[i], self.own[i], 0
            while hops < MAX_HOPS and not e <= best < ends[e]:
                hops += 1
                e = self.above[e]
            at = self.first + i
            values[at] = hops / MAX_HOPS
            values[at + n] = (depths[best] - depths[e]) / DEPTH_SCALE
            values[at + 2 * n] = (depths[own] - depths[best]) / DEPTH_SCALE
            values[at + 3 * n] = own < best
            values[at + 4 * n] = own >= ends[best]
            values[at + 5 * n] = container[i] == best
            main[i] = self.good[i] and container[i] == best
            values[at + 6 * n] = min(depths[own] / DEPTH_SCALE, 4.0)
            values[at + 7 * n] = _log_count(row)
            values[at + 8 * n] = good / self.whole_good
        self.first += 9 * n

    def read_names(self, names: list[str], weights: WordScores) -> None:
        """Read the scores of the names around blocks, and find elements that are alike.

        Two elements are alike if they have the same tag and the same classes without digits.
        """
        plain: dict[str, int] = {}
        alike: dict[int, int] = {}
        size = len(names)
        self.of_names, self.of_plain = array("d", bytes(16 * size)), array("q", bytes(8 * size))
        self.marks = array("b", bytes(size))
        # for each class: tag and signature of the last element with it
        self.last = array("q", bytes(16 * size))
        signatures, of_plain, last, levels = self.signatures, self.of_plain, self.last, LEVELS
        for i in range(self.n):
            e = self.own[i]
            for _ in range(levels):
                if not signatures[e]:
                    name = self.classes[e]
                    if not of_plain[name]:
                        known: int = plain.setdefault(_drop_digits(names[name]), len(plain))
                        of_plain[name] = known + 1
                    self.score_name(name, names, weights)
                    self.score_name(self.ids[e], names, weights)
                    name, tag = 2 * self.classes[e], self.tags[e] + 1
                    if last[name] != tag:
                        path = of_plain[self.classes[e]] * (size + 1) + tag
                        known = alike.setdefault(path, len(alike))
                        last[name], last[name + 1] = tag, known + 1
                    signatures[e] = last[name + 1]
                e = self.above[e]
        self.n_signatures = len(alike)

    def score_name(self, name: int, names: list[str], weights: WordScores) -> None:
        """Read the scores of a name, once."""
        if not self.marks[name]:
            self.marks[name] = 1
            weights.score_name(names[name])
            self.of_names[2 * name] = weights.sum
            self.of_names[2 * name + 1] = weights.comment_sum

    def write_signatures(self) -> None:
        """Write the sums over the blocks with the same class path."""
        for i in range(self.n):
            self.keys[i] = self.signatures[self.own[i]]
        paths: dict[int, int] = {}
        width = self.n_signatures + 1
        self.write_sums(width)
        for i in range(self.n):
            e, path = self.own[i], 0
            for _ in range(3):
                path = path * width + self.signatures[e]
                e = self.above[e]
            self.keys[i] = paths.setdefault(path, len(paths))
            self.numbers[i] = self.keys[i]
        self.write_sums(len(paths))

    def find_items(self) -> None:
        """Find the item of each element: itself or the nearest one around it.

        Items are siblings with the same tag and class, at least MIN_ITEMS of them. `first_alike`
        gets the first sibling of each element with its tag and class.
        """
        m, parents, tags, classes = self.m, self.parents, self.tags, self.classes
        mask = (1 << (2 * m).bit_length()) - 1
        self.slots, self.counts = array("i", [0]) * (mask + 1), array("q", [0]) * m
        self.first_alike, self.items = array("i", [0]) * m, array("i", [0]) * m
        slots, counts, first, items = self.slots, self.counts, self.first_alike, self.items
        for e in range(m):
            slot = PARENT_FACTOR * parents[e] + TAG_FACTOR * tags[e] + CLASS_FACTOR * classes[e]
            slot = slot >> 32 & mask
            while slots[slot] and not self.is_alike(slots[slot] - 1, e):
                slot = (slot + 1) & mask
            if not slots[slot]:
                slots[slot] = e + 1
            first[e] = slots[slot] - 1
            counts[first[e]] += 1
        for e in range(m):
            items[e] = e
            if counts[first[e]] < MIN_ITEMS or self.kinds[e] & PART_BIT:
                items[e] = items[parents[e]] if parents[e] >= 0 else -1

    def is_alike(self, a: int, b: int) -> bool:
        """Return whether two elements are siblings with the same tag and class."""
        same_names = self.tags[a] == self.tags[b] and self.classes[a] == self.classes[b]
        return bool(same_names and self.parents[a] == self.parents[b])

    def number_groups(self) -> None:
        """Number the groups by parent, by item and by list of items."""
        n, keys, own = self.n, self.keys, self.own
        self.find_items()
        self.known = array("i", [0]) * self.m
        for i in range(n):
            keys[i] = self.parents[own[i]]
        self.number_kind(1)
        for i in range(n):
            keys[i] = self.items[own[i]]
        self.number_kind(2)
        for i in range(n):
            if keys[i] >= 0:
                keys[i] = self.first_alike[keys[i]]
        self.number_kind(3)

    def number_kind(self, kind: int) -> None:
        """Number the groups of a kind by their keys, in the order of blocks; NO_GROUP below 0."""
        n, known, number = self.n, self.known, 0
        for i in range(n):
            e = self.keys[i]
            if e >= 0 and not known[e]:
                number += 1
                known[e] = number
            self.numbers[kind * n + i] = NO_GROUP
            if e >= 0:
                self.numbers[kind * n + i] = known[e] - 1
        for i in range(n):
            if self.keys[i] >= 0:
                known[self.keys[i]] = 0

    def write_sums(self, n_keys: int) -> None:
        """Write the sums over the blocks with the same key, below `n_keys`."""
        n, values, words = self.n, self.values, self.words
        self.sums, self.means = array("q", bytes(40 * n_keys)), array("d", bytes(8 * n_keys))
        sums, keys = self.sums, self.keys
        for i in range(n):
            k = 5 * keys[i]
            sums[k] += 1
            sums[k + 1] += words[i]
            sums[k + 2] += self.linked[i]
            sums[k + 3] += self.good_words[i]
            sums[k + 4] += self.good[i]
        for k in range(n_keys):
            self.means[k] = log1p(sums[5 * k + 1] / max(sums[5 * k], 1))
        for i in range(n):
            at, k = self.first + i, 5 * self.keys[i]
            blocks = sums[k]
            values[at] = _log_count(blocks)
            values[at + n] = self.means[keys[i]]
            values[at + 2 * n] = sums[k + 2] / max(sums[k + 1], 1)
            values[at + 3 * n] = sums[k + 3] / self.whole_good
            values[at + 4 * n] = sums[k + 4] / blocks
        self.first += 5 * n

    def write_likeness(self, texts: list[str], title: str, description: str) -> None:
        """Compare each block with the title and the description, and its start with the others.

        Title and description are in lower case.
        """
        n, values, is_compared = self.n, self.values, len(description) >= MIN_START
        opening, keys = description[:START_LENGTH], self.keys
        numbers: dict[str, int] = {}
        lowered: list[str] = []
        self.counts, self.lowered = array("q", bytes(8 * n)), lowered
        for i in range(n):
            text, at = texts[i][:LOWERED].lower(), self.first + i
            lowered.append(text)
            start = text[:START_LENGTH]
            length = len(start)
            if 3 < length <= len(title) and start in title:
                values[at] = min(length / len(title), 1.0)
            if is_compared:
                is_in = MIN_START <= length <= len(description) and start in description
                values[at + n] = is_in
                values[at + 2 * n] = len(text) > len(opening) and opening in text
            number: int = numbers.setdefault(start, i)
            keys[i] = number
            self.counts[number] += 1
            values[at + 4 * n] = number < i
            values[at + 5 * n] = i == self.title
        for i in range(n):
            values[self.first + i + 3 * n] = _log_count(self.counts[keys[i]] - 1)
        self.first += 6 * n

    def write_words(self, weights: WordScores) -> None:
        """Write the scores of the first words of each block, and of the names around it."""
        n, values, blocks, levels = self.n, self.values, self.direct_blocks, LEVELS
        weights.score_starts(self.lowered, self.of_starts)
        for i in range(n):
            e = self.above[self.own[i]]
            self.of_starts[i] = clip(self.of_starts[i], MAX_SCORE)
            self.scores[e] += self.of_starts[i]
            blocks[e] += 1
        for i in range(n):
            e, first, second = self.own[i], 0.0, 0.0
            for _ in range(levels):
                of_class, of_id = 2 * self.classes[e], 2 * self.ids[e]
                first += self.of_names[of_class]
                first += self.of_names[of_id]
                second += self.of_names[of_class + 1]
                second += self.of_names[of_id + 1]
                e = self.above[e]
            e, at = self.above[self.own[i]], self.first + i
            values[at] = self.of_starts[i]
            values[at + n] = self.scores[e] / max(blocks[e], 1)
            values[at + 2 * n] = clip(first, MAX_SCORE)
            values[at + 3 * n] = clip(second, MAX_SCORE)
        self.first += 4 * n

    def write_topic(self, texts: list[str], title: str, description: str) -> None:
        """Write the overlap of the words of each block with title, description and main text.

        The weight of a word is the log of n + 1 divided by the number of blocks that have it.
        """
        n, values, main, size = self.n, self.values, self.main, len(title) + len(description)
        for i in range(n):
            size += len(texts[i])
        words, starts = PageWords(size), array("q", bytes(8 * (n + 1)))
        words.read(description, 0, 0, DESCRIPTION)
        title_words = words.read(title, 0, 0, TITLE)
        words.used = 0
        for i in range(n):
            words.read(texts[i], 1, main[i], 0)
            starts[i + 1] = words.used
        for i in range(n):
            total = of_title = of_description = of_main = common = 0.0
            in_title, first, end, at = 0, starts[i], starts[i + 1], self.first + i
            for k in range(first, end):
                slot = 4 * words.slots[k]
                others, mark = words.counts[slot + 2] - main[i], words.counts[slot + 3]
                weight = _log_count(n) - _log_count(words.counts[slot + 1] - 1)
                total += weight
                if mark & TITLE:
                    in_title += 1
                    of_title += weight
                if mark & DESCRIPTION:
                    of_description += weight
                if others:
                    of_main += weight
                    common += _log_count(others)
            if end > first:
                values[at] = of_title / total
                values[at + n] = of_description / total
                values[at + 2 * n] = of_main / total
                values[at + 3 * n] = _log_count(in_title)
                values[at + 4 * n] = in_title / max(title_words, 1)
                values[at + 5 * n] = common / (end - first)
                values[at + 6 * n] = log1p(total)
        self.write_means(0, 7)
        self.write_means(2, 8)

    def write_means(self, column: int, target: int) -> None:
        """Write the means of a column over neighbours into the column `target`."""
        n, values, first = self.n, self.values, self.first
        for i in range(n):
            total = 0.0
            for k in range(max(i - MEAN_WIDTH, 0), min(i + MEAN_WIDTH, n - 1) + 1):
                total += values[first + column * n + k]
            values[first + target * n + i] = total / (2 * MEAN_WIDTH + 1)


class PageWords:
    """The different words of texts, distinguished by a hash of SLOTS values.

    `slots` are those of the words of each text, at most `size`; the next text starts at `used`.
    `counts` are for each slot the number of the last text with the word, the blocks and the blocks
    of the main text that have it, and the bits TITLE and DESCRIPTION.
    """

    def __init__(self, size: int) -> None:
        self.slots, self.used, self.readings = np.empty(size, np.int32), 0, 0
        self.counts = array("i", [0]) * (4 * SLOTS)

    def read(self, text: str, in_blocks: int, in_main: int, mark: int) -> int:
        """Add the different words of a text, and the numbers to their counts; return how many."""
        folded, code, length, before = FOLDED, 0, 0, self.used
        self.readings += 1
        for character in text:
            point = ord(character)
            letter = folded[point] if point < PLANE else 0
            if letter and letter < UNSPACED:
                code = (code * HASH_FACTOR + letter) & 0xFFFFFF
                length += 1
                continue
            if length >= MIN_LENGTH:
                self.add(code, in_blocks, in_main, mark)
            if letter:
                self.add(letter, in_blocks, in_main, mark)
            code = length = 0
        if length >= MIN_LENGTH:
            self.add(code, in_blocks, in_main, mark)
        return self.used - before

    def add(self, code: int, in_blocks: int, in_main: int, mark: int) -> None:
        """Add a word, unless the text had it."""
        slot = (code ^ code >> 11) & (SLOTS - 1)
        counts, k = self.counts, 4 * slot
        if counts[k] != self.readings:
            counts[k] = self.readings
            counts[k + 1] += in_blocks
            counts[k + 2] += in_main
            counts[k + 3] |= mark
            self.slots[self.used] = slot
            self.used += 1


def split_first_words(start: str) -> list[str]:
    """Return the first words of a text in lower case; characters where words are not spaced."""
    if not start.isascii():
        for character in start:
            if "\u0e00" <= character < "\u1800" or character > "\u2e00":
                start = re.sub(f"([{HAN_KANA}{SOUTH_EAST_ASIAN}])", r" \1 ", start)
                break
    words = start.split(None, FIRST_WORDS)
    if len(words) > FIRST_WORDS:
        words.pop()  # the rest of the text
    return words


def _drop_digits(name: str) -> str:
    if cython.compiled:
        for character in name:
            if "0" <= character <= "9":
                break
        else:
            return name
    # `translate` of a string takes four times as long
    encoded = name.encode("utf-8", "surrogatepass").translate(None, DIGITS)
    return encoded.decode("utf-8", "surrogatepass")


def _encode_word(word: str) -> int:
    code = 0
    for character in word:
        code = (code ^ ord(character)) * FACTOR
    return code


class WordTable:
    """Numbers of the weights of words, from 1, by the codes of the words. Texts are not compared.

    A slot has the code of its word, with the number as its last NUMBER_BITS. `weights` are the
    different weights; most words share theirs, so that the processor keeps them at hand.
    """

    def __init__(self, weights: Mapping[str, Any]) -> None:
        numbers: dict[Any, int] = {}
        self.mask = (1 << (3 * len(weights) // 2).bit_length()) - 1
        self.slots = array("Q", [0]) * (self.mask + 1)
        for word, weight in weights.items():
            number: int = numbers.setdefault(weight, len(numbers) + 1)
            code = _encode_word(word)
            slot = code & self.mask
            while self.slots[slot]:
                slot = (slot + 1) & self.mask
            self.slots[slot] = code >> NUMBER_BITS << NUMBER_BITS | number
        self.weights = list(numbers)

    def find(self, code: int) -> int:
        """Return the number of the weight of the word with a code, or 0."""
        slot = code & self.mask
        while self.slots[slot]:
            if (self.slots[slot] ^ code) >> NUMBER_BITS == 0:
                return self.slots[slot] & ((1 << NUMBER_BITS) - 1)
            slot = (slot + 1) & self.mask
        return 0


class WordScores:
    """Scores texts and names by the weights of their words; unknown words weigh 0.

    `names` gives two weights for each word. `score_name` sets `sum` and `comment_sum`.
    """

    def __init__(
        self, first: Mapping[str, float], names: Mapping[str, tuple[float, float]]
    ) -> None:
        self.of_first, self.of_names = first, names
        if cython.compiled:
            self.first, self.names = WordTable(first), WordTable(names)
            self.first_weights = array("d", [0.0, *self.first.weights])
            self.name_weights = array("d", [0.0, 0.0, *chain(*self.names.weights)])

    def score_starts(self, starts: list[str], scores: MutableSequence[float]) -> None:
        """Set `scores` to the sums of the weights of the first words of texts in lower case.

        Each word counts once in a text.
        """
        if not cython.compiled:
            for i in range(len(starts)):
                words = dict.fromkeys(split_first_words(starts[i][:FIRST_CHARACTERS]))
                scores[i] = sum([self.of_first.get(word, 0.0) for word in words])
            return
        codes = bytes(8 * FIRST_WORDS * len(starts))
        self.codes, self.entries = array("Q", codes), array("Q", codes)
        for i in range(len(starts)):
            self.read_start(starts[i], FIRST_WORDS * i)
        table = self.first
        # without a branch, the processor reads several slots at once
        for k in range(FIRST_WORDS * len(starts)):
            self.entries[k] = table.slots[self.codes[k] & table.mask]
        for k in range(FIRST_WORDS * len(starts)):
            if self.codes[k] and self.entries[k]:
                scores[k // FIRST_WORDS] += self.first_weights[table.find(self.codes[k])]

    def read_start(self, start: str, first: int) -> None:
        """Write the codes of the first words of a text; 0 for a word that was there before."""
        place, code = first, 0
        start = start[:FIRST_CHARACTERS]
        for character in start:
            kind = IN_WORD if "a" <= character <= "z" else find_separation(character)
            if kind != IN_WORD and code:
                place = self.add_code(code, first, place)
                code = 0
            if place == first + FIRST_WORDS:
                break
            if kind != BETWEEN_WORDS:
                code = (code ^ ord(character)) * FACTOR
            if kind == ALONE:
                place = self.add_code(code, first, place)
                code = 0
        if code and place < first + FIRST_WORDS:
            self.add_code(code, first, place)

    def add_code(self, code: int, first: int, place: int) -> int:
        """Write the code of a word, or 0 if it is one since `first`; return the next place."""
        for earlier in range(first, place):
            if self.codes[earlier] == code:
                code = 0
        self.codes[place] = code
        return place + 1

    def score_name(self, name: str) -> None:
        """Add up the weights of the words in a class or id, as `find_name_words` finds them."""
        self.sum = self.comment_sum = 0.0
        if not cython.compiled:
            for word in find_name_words(name):
                pair = self.of_names.get(word.lower(), (0.0, 0.0))
                self.sum += pair[0]
                self.comment_sum += pair[1]
            return
        code = upper = lower = 0
        for character in name + " ":
            is_upper, is_lower = "A" <= character <= "Z", "a" <= character <= "z"
            if not (is_lower and upper < 2) and not (is_upper and not lower):  # a word ends before
                if lower > 1 or upper > 1:
                    number = self.names.find(code)
                    self.sum += self.name_weights[2 * number]
                    self.comment_sum += self.name_weights[2 * number + 1]
                code = upper = lower = 0
            if is_upper or is_lower:
                code = (code ^ (ord(character) | 32)) * FACTOR
                upper += is_upper
                lower += is_lower


def compute_matrix(page: Any, title: int, weights: WordScores, n_columns: int) -> FeatureMatrix:
    """Return the features of a `Page` with at least one block.

    `title` is the number of the block with the title, or -1.
    """
    elements, names = page.elements, page.elements.names
    of_elements = (elements.parent_column, elements.end_column, elements.depth_column, *names[2:])
    of_blocks = (page.blocks.elements, page.words, page.link_words)
    matrix = FeatureMatrix(n_columns, title, of_elements, of_blocks)
    matrix.read_blocks()
    matrix.read_elements(names.numbers)
    matrix.find_containers()
    matrix.write_shallow(page.texts)
    matrix.write_position()
    matrix.write_tags()
    matrix.write_containers()
    matrix.read_names(names.strings, weights)
    matrix.write_signatures()
    matrix.number_groups()
    matrix.write_likeness(page.texts, page.title.lower(), page.description.lower())
    matrix.write_words(weights)
    matrix.write_topic(page.texts, page.title, page.description)
    return matrix
