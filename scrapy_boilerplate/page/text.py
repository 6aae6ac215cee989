"""Words and lines of plain text, in any script.

A word is a run of visible characters with at least one letter or digit (boilerpipe's tokenizer
also cuts at dashes, ampersands and curly apostrophes). Scripts that write without spaces have no
such runs; there a word is a fixed number of characters (``CHARACTERS_PER_WORD``), so that rules
stated in words mean about the same length of text in every language.

`load_reader` gives the native twin of what reads many texts.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.native import load_twin

# characters to a line for text density (Kohlschuetter et al. 2010, section 3.4)
LINE_WIDTH = 80

HAN_KANA = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3040-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
    + ("\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff")
)
SOUTH_EAST_ASIAN = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"

# mean word length in scripts without spaces: Chinese and Japanese 1.5 to 2 characters; Thai, Lao,
# Burmese and Khmer 4 to 5 (common segmentation corpora; rounded up)
CHARACTERS_PER_WORD = {HAN_KANA: 2, SOUTH_EAST_ASIAN: 5}

# kinds of characters by which words are counted
MARK, SPACE, LETTER = range(3)

# characters of the Basic Multilingual Plane
PLANE = 0x10000

# characters to a portion (our choice: more than most pages have, fits in the cache of a processor)
PORTION = 1 << 18

# characters of a text that are read for each word that it shall have (our choice: most texts have
# more words in them)
CHARACTERS_READ = 12

_UNSPACED = "".join(CHARACTERS_PER_WORD)
_SPACED_WORD = rf"[^\W_{_UNSPACED}][^\s{_UNSPACED}]*"
_UNSPACED_WORDS = (f"[{script}]{{1,{size}}}" for script, size in CHARACTERS_PER_WORD.items())

_find_spaced = re.compile(r"[^\W_]\S*").findall
_find_any = re.compile("|".join((_SPACED_WORD, *_UNSPACED_WORDS))).findall
_has_unspaced = re.compile(f"[{_UNSPACED}]").search

_drop_unprintable = re.compile("[\x00-\x08\x0e-\x1b\x7f\ud800-\udfff\ufffe\uffff]+").sub
_drop_controls = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]").sub
_has_visible = re.compile(
    "[^\\s\x00-\x1f\x7f\u00ad\u200b-\u200f\u2060\ud800-\udfff\ufeff\ufffe\uffff]"
).search


def collapse(text: str) -> str:
    """Return `text` with each run of white space as one space, trimmed, without control characters.

    XML feeds cannot hold control characters.
    """
    spaced = " ".join(text.split())
    if spaced.isprintable():
        return spaced
    return " ".join(_drop_unprintable("", text).split())


def compose(text: str) -> str:
    """Return `text` in Unicode's form NFC, the one of the web (W3C, Character Model)."""
    return text if text.isascii() else normalize("NFC", text)


def drop_controls(text: str) -> str:
    """Return `text` without the characters that lxml refuses to write (XML 1.0, 2.2).

    The parser accepts them.
    """
    return _drop_controls("", text)


def is_blank(text: str) -> bool:
    """Return whether a text has only spaces, control characters and zero-width characters."""
    return text.isspace() or not _has_visible(text)


def split_words(text: str) -> list[str]:
    """Return the words of `text`, in order; linear time."""
    if text.isascii() or not _has_unspaced(text):
        return list(_find_spaced(text))
    return list(_find_any(text))


def split_portions(texts: Sequence[str], characters: int = PORTION) -> Iterator[Sequence[str]]:
    """Yield the texts in order, in portions of about so many `characters`.

    Columns of characters take many times the memory of the text, so a huge page is read in
    portions. There is at least one portion.
    """
    first, size = 0, 0
    for number, text in enumerate(texts):
        if size > characters:
            yield texts[first:number]
            first, size = number, 0
        size += len(text) + 1
    yield texts[first:]


def count_words_in(texts: Sequence[str]) -> NDArray[np.int64]:
    """Return int[texts]: the number of words of each text, as by `count_words`; linear time."""
    if (reader := load_reader()) is None:
        return _count_in_portions(texts)
    counts = np.empty(len(texts), dtype=np.int64)
    reader.count_words(texts, counts)
    return counts


def _count_in_portions(texts: Sequence[str]) -> NDArray[np.int64]:
    counts = []
    for portion in split_portions(texts):
        joined = "\n".join(portion)
        if not joined.isascii() and _has_unspaced(joined):
            counts.append(np.fromiter(map(count_words, portion), np.int64, len(portion)))
            continue
        kinds = _kinds_of(joined)
        seen = np.flatnonzero(kinds != MARK)
        seen_kinds = kinds[seen]
        starts = seen[(seen_kinds == LETTER) & (np.append(SPACE, seen_kinds[:-1]) == SPACE)]
        ends = np.cumsum(np.fromiter(map(len, portion), np.int64, len(portion)) + 1)
        counts.append(np.bincount(np.searchsorted(ends, starts, "right"), minlength=len(portion)))
    return np.concatenate(counts)


def to_code_points(text: str) -> NDArray[np.uint32]:
    """Return uint32[characters]: the code point of each character, lone surrogates too."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def _kinds_of(text: str) -> NDArray[np.uint8]:
    """uint8[characters]: MARK, SPACE or LETTER; digits are LETTER."""
    if text.isascii():
        return _kind_of_character()[np.frombuffer(text.encode(), dtype=np.uint8)]
    codes = to_code_points(text)
    kinds = _kind_of_character()[np.minimum(codes, PLANE - 1)]
    for code in set(codes[codes >= PLANE].tolist()):  # few: emoji
        kinds[codes == code] = LETTER if chr(code).isalnum() else MARK
    return kinds


@cache
def _kind_of_character() -> NDArray[np.uint8]:
    """uint8[PLANE]: the kind of each character of the Basic Multilingual Plane."""
    characters = [chr(code) for code in range(PLANE)]
    kinds = np.fromiter(map(str.isalnum, characters), np.uint8, PLANE) * np.uint8(LETTER)
    kinds[np.fromiter(map(str.isspace, characters), np.bool_, PLANE)] = SPACE
    return kinds


def count_words(text: str) -> int:
    """Return the number of words of `text`."""
    return len(split_words(text))


def has_words(text: str, least: int) -> bool:
    """Return whether `text` has at least so many words; its start tells that of most texts."""
    start = text[: CHARACTERS_READ * least]  # a word that is cut is one word
    return count_words(start) >= least or count_words(text) >= least


def wrap_lines(text: str, width: int = LINE_WIDTH) -> tuple[int, int]:
    """Return (words on full lines, number of full lines) of `text` wrapped at `width` characters.

    The last line is never full. Text that fits on one line counts as one full line with all its
    words. Text density is the quotient of the two (Kohlschuetter et al. 2010, section 3.4).
    """
    words = split_words(text)
    lines, length, on_line = 0, -1, 0
    for word in words:
        length, on_line = length + len(word) + 1, on_line + 1
        if length > width:
            lines, length, on_line = lines + 1, len(word), 1
    return (len(words) - on_line, lines) if lines else (len(words), 1)


def wrap_lines_in(texts: Sequence[str], width: int = LINE_WIDTH) -> NDArray[np.int64]:
    """Return int[texts, 2]: what `wrap_lines` returns for each text."""
    rows = np.empty((len(texts), 2), dtype=np.int64)
    if (reader := load_reader()) is not None:
        reader.wrap_lines(texts, width, rows)
    elif len(texts):
        rows[:] = [wrap_lines(text, width) for text in texts]
    return rows


# --- the native twin ---

SCRIPTS = tuple(
    (re.findall("(.)-(.)", ranges), size) for ranges, size in CHARACTERS_PER_WORD.items()
)
"""The ranges of each script, first and last character, and its characters to a word."""

EXAMPLES = (
    "",
    " ",
    "one",
    "two",
    "Fähre\x00 \u3000 24-7 _ ab\x1cc",
    "東京の新しい港 opens 9\U0001f600x",
    "ไทยแลนด์",
)
"""Texts whose words a twin counts before it is used."""

COPIES = (
    (1, "Eine Fähre two three"),
    (2, "eine FÄHRE two three"),
    (2, "four five six seven"),
    (2, "four five six seven"),
    (3, "eight four Five six seven"),
    (3, "東京の新 six five four"),
)
"""Groups and texts: of the second and fifth most pairs of words stand in groups before."""


@cache
def load_reader() -> Any | None:
    """Return the native `TextReader`, or None where Python reads texts."""
    native = load_twin("text", _agrees)
    return None if native is None else native.TextReader(SCRIPTS)


def _agrees(native: Any) -> bool:
    """Return whether a compiled module reads EXAMPLES as Python does."""
    reader, n = native.TextReader(SCRIPTS), len(EXAMPLES)
    counts, of_blocks, in_links = np.zeros((3, n), dtype=np.int64)
    reader.count_words(EXAMPLES, counts)
    leaves = list(EXAMPLES), [1] * n, [True] * n
    blocks = np.arange(n), np.arange(1, n + 1)
    texts = reader.read_blocks(*leaves, *blocks, of_blocks, in_links)
    lines = np.empty((n, 2), dtype=np.int64)
    reader.wrap_lines(EXAMPLES, 8, lines)
    groups, copies = zip(*COPIES, strict=True)
    return (
        counts.tolist() == list(map(count_words, EXAMPLES))
        and texts == list(map(collapse, EXAMPLES))
        and of_blocks.tolist() == list(map(count_words, texts))
        and lines.tolist() == [list(wrap_lines(text, 8)) for text in EXAMPLES]
        and reader.find_copies(list(copies), np.array(groups, dtype=np.int64), 2, 3, 0.7) == [1, 4]
    )
