"""Words and lines of plain text, in any script.

A word is a run of visible characters with at least one letter or digit (boilerpipe's tokenizer
also cuts at dashes, ampersands and curly apostrophes). Scripts that write without spaces have no
such runs; there a word is a fixed number of characters (``CHARACTERS_PER_WORD``), so that rules
stated in words mean about the same length of text in every language.

`native.text` reads the texts of whole pages.
"""

import re
from textwrap import dedent
from typing import Literal
from unicodedata import combining, normalize

from scrapy_boilerplate.native.text import (
    CHARACTERS_PER_WORD,
    HAN_KANA,
    SOUTH_EAST_ASIAN,
    collapse,
    drop_unprintable,
    has_unspaced,
    split_words,
)

__all__ = ["CHARACTERS_PER_WORD", "HAN_KANA", "SOUTH_EAST_ASIAN"]
__all__ += ["collapse", "has_unspaced", "split_words"]

# characters per line for text density (Kohlschuetter et al. 2010, section 3.4)
LINE_WIDTH = 80

# characters of a text that are read for each required word (most texts have more words in them)
CHARACTERS_READ = 12

# combining marks in a row (Unicode's stream-safe text format, UAX 15)
MAX_MARKS = 30

# a character beyond ASCII that is neither of a word nor usual punctuation
_MARK = r"[^\w\s\x00-\x7f\xa0-\xbf\u2010-\u2070]"
_may_have_mark = re.compile(_MARK).search
_cut_marks = re.compile(rf"{_MARK}{{{MAX_MARKS + 1},}}").sub
_replace_long_references = re.compile(r"&#\d{9,};?").sub
_drop_controls = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]").sub
_replace_blank_lines = re.compile(r"\n{3,}").sub
_has_visible = re.compile(
    "[^\\s\x00-\x1f\x7f\u00ad\u200b-\u200f\u2060\ud800-\udfff\ufeff\ufffe\uffff]"
).search


def compose(text: str, form: Literal["NFC", "NFD"] = "NFC") -> str:
    """Return `text` in a form of Unicode; NFC is recommended for the web (W3C, Character Model).

    The time of `normalize` grows with the square of a run of combining marks, so marks after
    MAX_MARKS in a row are dropped.
    """
    if text.isascii():
        return text
    # one character of a longer run is here
    if _may_have_mark(text[:: MAX_MARKS + 1]):
        text = _cut_marks(_drop_marks, text)
    return normalize(form, text)


def _drop_marks(run: re.Match[str]) -> str:
    kept, marks = [], 0
    for character in run[0]:
        marks = marks + 1 if combining(character) else 0
        if marks <= MAX_MARKS:
            kept.append(character)
    return "".join(kept)


def resolve_references(text: str) -> str:
    """Return `text` with character references resolved; those with too many digits as U+FFFD.

    `html.unescape` fails on thousands of digits.
    """
    if "&" not in text:
        return text
    from html import unescape  # noqa: PLC0415 - its table of entities takes 3 ms

    return unescape(_replace_long_references("\ufffd", text))


def keep_lines(text: str) -> str:
    """Return preformatted text with its lines, its indentation, and single blank lines."""
    lines = [drop_unprintable("", line).rstrip() for line in text.expandtabs().splitlines()]
    return dedent(_replace_blank_lines("\n\n", "\n".join(lines)).strip("\n"))


def split_paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a text, which blank lines separate."""
    return [paragraph for paragraph in text.split("\n\n") if paragraph]


def drop_controls(text: str) -> str:
    """Return `text` without the characters that lxml refuses to write (XML 1.0, 2.2).

    The parser accepts them.
    """
    return _drop_controls("", text)


def replace_surrogates(text: str) -> str:
    """Return `text` with U+FFFD for each lone surrogate, which UTF-8 cannot encode.

    JSON can hold half of a surrogate pair, and so can a URL from the caller; a tree cannot.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def is_blank(text: str) -> bool:
    """Return whether a text has only spaces, control characters and zero-width characters."""
    return text.isspace() or not _has_visible(text)


def count_words(text: str) -> int:
    """Return the number of words of `text`."""
    return len(split_words(text))


def has_words(text: str, least: int) -> bool:
    """Return whether `text` has at least `least` words; usually only its start is read."""
    start = text[: CHARACTERS_READ * least]  # a cut word counts as one word
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


def matches_start(text: str, pattern: str) -> bool:
    """Return whether a text begins with a pattern, whose ``*`` stand for any characters."""
    first, *others = pattern.split("*")
    if not text.startswith(first):
        return False
    place = len(first)
    for part in others:
        place = text.find(part, place)
        if place < 0:
            return False
        place += len(part)
    return True
