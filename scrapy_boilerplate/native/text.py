# cython: language_level=3, infer_types=True, annotation_typing=False
# cython: wraparound=False, initializedcheck=False
"""The white space and the words of text, in one pass over its characters.

Cython compiles this file with the C types of `text.pxd`. Without a compiler Python runs it.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np

try:
    import cython
except ImportError:  # Cython is needed to build, not to run
    from scrapy_boilerplate.native import uncompiled as cython

COMPILED = cython.compiled

HAN_KANA = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3040-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
    + ("\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff")
)
# Tibetan too
SOUTH_EAST_ASIAN = "\u0e00-\u109f\u1780-\u17ff"

# mean word length in scripts without spaces: Chinese and Japanese 1.5 to 2 characters; Thai, Lao,
# Tibetan, Burmese and Khmer 4 to 5 (common segmentation corpora; rounded up)
CHARACTERS_PER_WORD = {HAN_KANA: 2, SOUTH_EAST_ASIAN: 5}

UNPRINTABLE = "\x00-\x08\x0e-\x1b\x7f\xad\ud800-\udfff\ufffe\uffff"
drop_unprintable = re.compile(f"[{UNPRINTABLE}]+").sub

# Start of the codes of words, which differs between processes, and the factors of the codes of
# words (FNV-1a) and runs.
SEED = hash(__name__) & (1 << 63) - 1
FACTOR, RUN_FACTOR = 0x100000001B3, 0x9E3779B97F4A7C15

# kinds of characters; HAN and ASIAN are of scripts without spaces
MARK, SPACE, LETTER, DROPPED, HAN, ASIAN = range(6)
WORD_SIZES = array("q", [0, 0, 0, 0, *CHARACTERS_PER_WORD.values()])

# characters of the Basic Multilingual Plane
PLANE = 0x10000


# `map(chr, ...)` would take a tenth of the time of importing numpy
CHARACTERS = str(np.arange(PLANE, dtype=np.uint32).view(f"U{PLANE}")[0])


def read_categories() -> bytes:
    """Return the Unicode category of each character of the plane: its first letter, U of Lu and Lt.

    Asking for all characters would take half as long as importing numpy. Spaces count as control
    characters, C.
    """
    categories, characters = bytearray(PLANE), CHARACTERS
    for character in characters:
        category = "C"
        if character.isalpha():
            category = "U" if character.isupper() or character.istitle() else "L"
        elif character.isprintable():
            category = unicodedata.category(character)[0]
        categories[ord(character)] = ord(category)
    return bytes(categories)


CATEGORIES = read_categories()


def _build_kinds() -> bytes:
    kinds, characters = bytearray(PLANE), CHARACTERS
    scripts = {DROPPED: UNPRINTABLE, HAN: HAN_KANA, ASIAN: SOUTH_EAST_ASIAN}
    for character in characters:
        if character.isalnum():
            kinds[ord(character)] = LETTER
        elif character.isspace():
            kinds[ord(character)] = SPACE
    for kind, script in scripts.items():
        for first, last in re.findall("(.)(?:-(.))?", script, re.DOTALL):
            end = ord(last or first) + 1
            kinds[ord(first) : end] = bytes([kind]) * (end - ord(first))
    return bytes(kinds[:PLANE])


KINDS = _build_kinds()


def read_kind(character: str) -> int:
    """Return the kind of a character."""
    code = ord(character)
    if code < len(KINDS):
        return KINDS[code]
    if "\U00020000" <= character <= "\U0003ffff":
        return HAN
    return LETTER if character.isalnum() else MARK


def find_matches(texts: list[str], title: str, least: float, most: float) -> list[int]:
    """Return the numbers of the texts that contain a title or are part of it, in any case.

    They have `least` to `most` characters; `title` is in lower case.
    """
    matches = []
    for number in range(len(texts)):
        if least <= len(texts[number]) <= most:
            text = texts[number].lower()
            if text in title or title in text:
                matches.append(number)
    return matches


IN_WORD, BETWEEN_WORDS, ALONE = range(3)


def find_separation(character: str) -> int:
    """Return whether a character is inside a word, white space, or a word of its own."""
    kind = read_kind(character)
    if kind == SPACE:
        return BETWEEN_WORDS
    return ALONE if kind >= HAN else IN_WORD


_UNSPACED = "".join(CHARACTERS_PER_WORD)
_SPACED_WORD = rf"[^\W_{_UNSPACED}][^\s{_UNSPACED}]*"
_UNSPACED_WORDS = (f"[{script}]{{1,{size}}}" for script, size in CHARACTERS_PER_WORD.items())

_find_spaced = re.compile(r"[^\W_]\S*").findall
_ANY_WORD = "|".join((_SPACED_WORD, *_UNSPACED_WORDS))


def has_unspaced(text: str) -> bool:
    """Return whether a text has a character of a script without spaces."""
    # compiled on first use, which takes longer than all other patterns of this module
    return not text.isascii() and re.search(f"[{_UNSPACED}]", text) is not None


def split_words(text: str) -> list[str]:
    """Return the words of `text`, in order; linear time."""
    return re.findall(_ANY_WORD, text) if has_unspaced(text) else list(_find_spaced(text))


def collapse(text: str) -> str:
    """Return `text` with each run of white space as one space, trimmed, without control characters.

    XML feeds cannot contain control characters. Soft hyphens are removed too, because they split
    words.
    """
    spaced = " ".join(text.split())
    if spaced.isprintable():
        return spaced
    return " ".join(drop_unprintable("", text).split())


def scan_words(text: str) -> int:
    """Return the number of words of a text if `collapse` would not change it.

    Otherwise return ~ twice that number, plus 1 if not only its white space would change.
    """
    if not cython.compiled:
        words, clean = len(split_words(text)), collapse(text)
        return words if text == clean else ~(2 * words + (clean != " ".join(text.split())))
    words, left, inside, in_word, was_space, is_spaced, is_dropped = 0, 0, MARK, 0, 1, 0, 0
    for character in text:
        kind = read_kind(character)
        if kind > DROPPED:
            if inside == kind and left > 0:
                left -= 1
            else:
                words += 1
                inside, left = kind, WORD_SIZES[kind] - 1
            in_word = was_space = 0
        else:  # without branches, which take longer
            is_word, is_space = kind == LETTER, kind == SPACE
            words += is_word & ~in_word
            in_word = (in_word | is_word) & ~is_space
            is_spaced |= is_space & (was_space | (character != " "))
            is_dropped |= kind == DROPPED
            inside, was_space = MARK, is_space
    if is_dropped or is_spaced or (was_space and text):
        return ~(2 * words + is_dropped)
    return words


def encode_runs(text: str) -> dict[int, None]:
    """Return codes of the different runs of four words in a text, in order; compiled only.

    A shorter text is one run. `text` is in lower case; words are letters and digits.
    """
    runs: dict[int, None] = {}
    first = second = third = last = 0
    words, left, inside, code = 0, 0, MARK, SEED
    for character in text + " ":
        kind = read_kind(character)
        if kind < LETTER or kind == DROPPED or (kind > DROPPED and not character.isalnum()):
            kind = MARK
        if inside != MARK and (kind != inside or left == 0):
            first, second, third, last = second, third, last, code ^ code >> 32
            words += 1
            if words >= 4:
                code = (first * RUN_FACTOR + second) * RUN_FACTOR + third
                runs[code * RUN_FACTOR + last] = None
            inside, code = MARK, SEED
        if kind != MARK:
            if inside == MARK:
                left = WORD_SIZES[kind]
            code = (code ^ ord(character)) * FACTOR
            left -= 1
        inside = kind
    if words < 4:
        runs[(second * RUN_FACTOR + third) * RUN_FACTOR + last + words] = None
    return runs


# code of `page.columns.Break`
LINE = 1


def cut_blocks(
    breaks: Any, owners: Any, tags: Any, headline: int
) -> tuple[array[int], array[int], array[int]]:
    """Return the first leaf, the end and the owner of each block that breaks surround.

    The arguments are int64 columns: break and owner of each leaf, and the tag of each element. The
    lines of an element with the tag `headline` are one block.
    """
    size = bytes(8 * len(breaks))
    firsts, ends, of_blocks, n = array("q", size), array("q", size), array("q", size), 0
    first_of, end_of, owner_of = firsts, ends, of_blocks  # with C types
    for leaf in range(len(breaks)):
        is_line = breaks[leaf] == LINE and leaf > 0 and owners[leaf] == owners[leaf - 1]
        if breaks[leaf] and not (is_line and tags[owners[leaf]] == headline):
            first_of[n], owner_of[n] = leaf, owners[leaf]
            n += 1
        if n:
            end_of[n - 1] = leaf + 1
    return firsts[:n], ends[:n], of_blocks[:n]


def read_blocks(
    texts: list[str], breaks: Sequence[int], in_link: list[bool], first_leaf: bytes, end_leaf: bytes
) -> tuple[list[str], array[int], array[int], array[int]]:
    """Return the text of each block, its words, its words in links, and its longest leaf.

    The arguments are columns of the leaves, and the first leaf of each block and the leaf after
    its last one (int64 as bytes).
    """
    firsts, ends, collapsed = array("q", first_leaf), array("q", end_leaf), []
    counts, link_counts = array("q", first_leaf), array("q", first_leaf)
    longest_leaves = array("q", first_leaf)
    words_of, linked_of, longest_of = counts, link_counts, longest_leaves  # with C types
    for block in range(len(firsts)):
        first, end = firsts[block], ends[block]
        text = texts[first]
        longest = first
        if end - first > 1:
            parts, most = [text], len(text)
            for leaf in range(first + 1, end):
                if breaks[leaf]:
                    parts.append(" ")
                parts.append(texts[leaf])
                if len(texts[leaf]) > most:
                    longest, most = leaf, len(texts[leaf])
            text = "".join(parts)
        text = text.strip()
        words = scan_words(text)
        if words < 0:
            text, words = " ".join(text.split()), ~words
            if words & 1:
                text = collapse(text)
                words = 2 * scan_words(text)
            words >>= 1
        linked = 0
        for leaf in range(first, max(end, first + 1)):
            if in_link[leaf]:
                of_leaf = scan_words(texts[leaf]) if end - first > 1 else words
                linked += of_leaf if of_leaf >= 0 else ~of_leaf >> 1
        collapsed.append(text)
        words_of[block], linked_of[block], longest_of[block] = words, min(linked, words), longest
    return collapsed, counts, link_counts, longest_leaves
