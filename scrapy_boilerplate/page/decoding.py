"""Decode a source to markup within the limits of bytes and attributes."""

from __future__ import annotations

import codecs
import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from lxml import etree
from w3lib.encoding import (
    html_body_declared_encoding,
    html_to_unicode,
    http_content_type_encoding,
    read_bom,
    resolve_encoding,
)

from scrapy_boilerplate import native
from scrapy_boilerplate.page.limits import BYTES, ELEMENTS, NO_LIMITS, Limits

if TYPE_CHECKING:
    from charset_normalizer.models import CharsetMatch

# an end tag of `br`, which libxml2 drops; the HTML Standard ("The rules for parsing tokens in HTML
# content") reads it as a start tag
_break_end = re.compile(rb"</[bB][rR](?=[\s/>])[^<>]*>")


# in a tenth of the time of `re`, which takes a tenth of the parse
_has_break_end = native.walk.has_break_end if native.walk else _break_end.search


class Markup(NamedTuple):
    """Markup within the limits.

    html      in UTF-8 without NUL bytes; None if the source itself has the tree of this markup
    exceeded  the budget that the source exceeds, or None
    encoding  the encoding that was guessed, if none is declared, or None
    """

    html: bytes | None
    exceeded: str | None = None
    encoding: str | None = None


def decode_source(source: Any, limits: Limits = NO_LIMITS) -> Markup:
    """Return the first bytes of the markup of a source, before a tag with too many attributes."""
    if isinstance(source, str):
        characters = source[: limits.bytes]
        return limit_markup(encode_for_parser(characters), is_cut=len(characters) < len(source))
    if isinstance(source, bytes | bytearray | memoryview):
        start = cut_bytes(bytes(source), limits.bytes)
        html, guessed = _transcode(start, None)
        markup = limit_markup(html, is_cut=len(start) < len(source))
        return markup._replace(encoding=guessed)
    body = None if isinstance(source, etree._Element) else getattr(source, "body", None)
    if not isinstance(body, bytes):
        return Markup(None)
    start = cut_bytes(body, limits.bytes)
    is_cut = len(start) < len(body)
    encoding = getattr(source, "encoding", None)
    encoding = encoding if isinstance(encoding, str) else None
    # Scrapy's own selector raises for an unknown encoding
    has_selector = not is_cut and (encoding is None or is_encoding(encoding))
    # its tree lacks these breaks
    has_selector = has_selector and not _has_break_end(body)
    # the tags of a plain body can be found without decoding it
    if has_selector and is_plain(body, encoding) and find_oversized_tag(body) is None:
        return Markup(None)
    markup = limit_markup(transcode_html(start, encoding=encoding), is_cut=is_cut)
    return Markup(None) if has_selector and markup.exceeded is None else markup


def limit_markup(html: bytes, *, is_cut: bool = False) -> Markup:
    """Return UTF-8 up to its first tag with too many attributes."""
    if _has_break_end(html):
        html = _break_end.sub(b"<br>", html)
    end = find_oversized_tag(html)
    if end is not None:
        return Markup(html[:end], ELEMENTS)
    return Markup(html, BYTES if is_cut else None)


# the first two bits of a continuation byte of UTF-8
CONTINUES = 0x80


def cut_bytes(html: bytes, n_bytes: int | None) -> bytes:
    """Return the first `n_bytes` of a page.

    It never cuts a character of UTF-8 in two: half a character would make the whole page invalid.
    """
    if n_bytes is None or len(html) <= n_bytes:
        return html
    end = n_bytes
    for _ in range(3):
        if end and html[end] & 0xC0 == CONTINUES:
            end -= 1
    return html[:end]


# --- encodings ---

# Python's text codecs that no page uses and no browser supports: two fail on every page, and the
# time of punycode is quadratic in the length
UNUSED_CODECS = frozenset(
    ("idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "utf-7")
)

# encoding names that are cached
CACHED_NAMES = 256


@lru_cache(maxsize=CACHED_NAMES)
def is_encoding(name: str) -> bool:
    """Return whether `name` is a text encoding; codecs such as hex, rot13 and zlib are not."""
    resolved = resolve_encoding(name)
    if resolved is None or codecs.lookup(resolved).name in UNUSED_CODECS:
        return False
    try:
        b"a".decode(resolved, "replace")
    except LookupError:  # not a text encoding
        return False
    return True


MARKUP = "<>/!?-=\"' \t\n\f\r"


@lru_cache(maxsize=CACHED_NAMES)
def _has_ascii_markup(name: str) -> bool:
    codec = codecs.lookup(str(resolve_encoding(name)))
    if codec.name.startswith(("iso2022", "hz")):  # any byte is, after an escape sequence
        return False
    if MARKUP.encode(codec.name, "replace") != MARKUP.encode():
        return False
    return all(
        bytes((lead, ord(mark))).decode(codec.name, "replace").endswith(mark)
        for lead in range(0x80, 0x100)
        for mark in MARKUP
    )


def is_plain(html: bytes, encoding: str | None) -> bool:
    """Return whether markup is encoded as in ASCII: not in UTF-16, and without NUL bytes."""
    return encoding is not None and _has_ascii_markup(encoding) and b"\x00" not in html


def declares_encoding(content_type: str | None) -> bool:
    """Return whether a header names an encoding that can be used."""
    declared = http_content_type_encoding(content_type)
    return declared is not None and is_encoding(declared)


# white space of ASCII, as `str.strip` drops it
ASCII_SPACES = b"\t\n\v\f\r\x1c\x1d\x1e\x1f "


def encode_for_parser(html: str) -> bytes:
    """Return markup in UTF-8, without white space around it and without NUL characters."""
    return html.strip().encode("utf-8", "replace").replace(b"\x00", b"")


def transcode_html(html: bytes, *, encoding: str | None = None) -> bytes:
    """Decode bytes, and return the result of `encode_for_parser`.

    Bytes that are valid UTF-8 stay as they are: to encode them again takes a tenth of the parse.
    """
    return _transcode(html, encoding)[0]


def _transcode(html: bytes, encoding: str | None) -> tuple[bytes, str | None]:
    declared = _find_declared(html, None, encoding)
    chosen = declared or guess_encoding(html)
    trimmed = html.strip(ASCII_SPACES)
    # without a byte order mark or white space of Unicode at the ends
    has_plain_ends = trimmed[:1].isascii() and trimmed[-1:].isascii()
    if chosen == "utf-8" and has_plain_ends and is_utf_8(trimmed):
        return trimmed.replace(b"\x00", b""), None
    text = encode_for_parser(html_to_unicode(f"charset={chosen}", html)[1])
    return text, None if declared or chosen == "utf-8" else chosen


def _is_valid(html: bytes) -> bool:
    try:
        html.decode()
    except UnicodeDecodeError:
        return False
    return True


# of bytes that are mostly ASCII, in an eighth of the time
is_utf_8 = native.walk.is_utf_8 if native.walk else _is_valid


def decode_html(html: bytes, content_type: str | None = None) -> str:
    """Return the text of bytes, decoded as browsers do.

    The byte order mark comes first, then the header, then the encoding that the bytes declare.
    Without any of them it is guessed. Names that are no text encoding are ignored.
    """
    declared = _find_declared(html, content_type, None) or guess_encoding(html)
    return html_to_unicode(f"charset={declared}", html)[1]


def _find_declared(html: bytes, content_type: str | None, encoding: str | None) -> str | None:
    if mark := read_bom(html)[0]:
        return str(mark)
    declared = http_content_type_encoding(content_type)
    if encoding is not None:
        declared = resolve_encoding(encoding)
    if declared is None or not is_encoding(declared):
        declared = html_body_declared_encoding(html)
    return declared if declared is not None and is_encoding(declared) else None


# bytes of text of which the encoding is guessed, and bytes beyond ASCII that this needs
GUESS_BYTES, MIN_GUESS_BYTES = 20_000, 10
# share of the words in the text that another encoding must find more than Western Europe's, which
# is the default, and share of broken characters that UTF-8 may have
MIN_GAIN, MAX_BROKEN = 0.02, 0.1
# disorder within which encodings are compared by their words
MAX_DISORDER = 0.02
WESTERN, CENTRAL = "cp1252", "cp1250"
LATIN = ("cp1250", "cp1252", "cp1254", "cp1257", "iso8859_2")
OTHERS = (
    *("cp1251", "cp1253", "cp1255", "cp1256", "koi8_r", "koi8_u", "tis_620"),
    *("cp932", "shift_jis", "euc_jp", "cp949", "euc_kr", "gb18030", "big5"),
)
# share of bytes beyond ASCII in text of another script
MIN_OTHER = 0.3
LABELS = {"cp932": "shift_jis", "cp949": "euc-kr"}

# bytes that the encodings of ISO 8859 do not use
_find_windows = re.compile(rb"[\x80-\x9f]").search


def guess_encoding(html: bytes) -> str:
    """Return the encoding of bytes that declare none: UTF-8 if they are, or almost are, valid.

    The encoding of other bytes is guessed by charset-normalizer, among those of the script. It is
    right for 62 of 66 texts of 20 to 200 words in 24 languages; of 134 pages in windows-1252, two
    get another sign each, and one that shows broken UTF-8 is repaired.
    """
    if is_utf_8(html):
        return "utf-8"
    text = _find_text(html)
    n_high = len(text) - len(text.translate(None, HIGH))
    characters = text.decode("utf-8", "replace")
    n_broken = characters.count("\ufffd")
    n_others = sum(character > "\x7f" for character in characters)
    if n_broken < MAX_BROKEN * n_others:
        return "utf-8"
    names = LATIN if n_high < MIN_OTHER * len(text) else OTHERS
    guessed = WESTERN if n_high < MIN_GUESS_BYTES else _choose_encoding(text, names)
    if guessed == "iso8859_2" and _find_windows(text):
        guessed = CENTRAL
    return LABELS.get(guessed, guessed).replace("cp12", "windows-12").replace("_", "-")


def _find_text(html: bytes) -> bytes:
    pieces: list[bytes] = []
    missing = GUESS_BYTES
    for part in html.split(b"<"):
        tag, _, piece = part.rpartition(b">")
        piece = b" ".join(piece.split())
        if missing > 0 and not piece.isascii() and not tag[:6].lower().startswith(UNREAD):
            # no character of several bytes is cut in two
            short = piece if len(piece) <= missing else piece[:missing].rstrip(NOT_FIRST)
            pieces.append(short)
            missing -= len(piece)
    return b" ".join(pieces)


UNREAD = (b"script", b"style")
# bytes beyond ASCII, and those that may be the last of several
HIGH, NOT_FIRST = bytes(range(0x80, 0x100)), bytes(range(0x30, 0x100))


def _choose_encoding(text: bytes, names: tuple[str, ...]) -> str:
    from charset_normalizer import from_bytes  # noqa: PLC0415 - only such pages need it

    matches = list(from_bytes(text, cp_isolation=list(names)))
    if not matches:
        return WESTERN
    best = min(match.chaos for match in matches) + MAX_DISORDER

    def rate(match: CharsetMatch) -> tuple[float, bool]:
        is_western = WESTERN in match.could_be_from_charset
        return match.coherence + MIN_GAIN * is_western, is_western

    match = max((match for match in matches if match.chaos <= best), key=rate)
    return WESTERN if WESTERN in match.could_be_from_charset else match.encoding


# --- attributes ---
#
# libxml2 compares each attribute of an element with all before it: 25,000 of them take .8 s,
# 50,000 over 4 s, and no budget of time can end the parse in between.

# number of attributes of an element at which its page ends; they take .1 s to parse
MAX_ATTRIBUTES = 10_000

# pieces of markup in a match, which remembers the end of each
PIECES = 1_000

# elements whose content is text up to their end tag; the content of a title is checked when it is
# parsed again
_RAW = rb"title|textarea|style|xmp|iframe|noembed|noframes"

_SPACE, _NAME_ENDS = rb"[\t\n\f\r ]", rb"(?=[\t\n\f\r />])"

# No two alternatives of these patterns match the same text, so they are linear.
_ATTRIBUTE = (
    rb"[\t\n\f\r /]*[^\t\n\f\r />][^\t\n\f\r />=]*(?=[\t\n\f\r />=])"
    rb"(?:S*=S*(?:\"[^\"]*\"|'[^']*'|[^\t\n\f\r >\"'][^\t\n\f\r >]*(?=[\t\n\f\r >])|(?=>))|(?!S*=))"
).replace(b"S", _SPACE)


@cache
def _compile_markup(n_attributes: int) -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
    """Compile the patterns of markup without an oversized tag, and of an oversized tag.

    They read as the tokenizer of the HTML standard and of libxml2 2.14 does.
    """
    end, name = _NAME_ENDS, rb"[a-z][^\t\n\f\r />]*" + _NAME_ENDS
    attributes = rb"(?:%b){0,%d}" % (_ATTRIBUTE, n_attributes)
    tag, open_tag = attributes + rb"[\t\n\f\r /]*>", attributes + rb"(?:[\t\n\f\r /]*[\t\n\f\r ])?>"
    # a script in a comment in a script: the end tag is its own
    inner = rb"<script%b(?:[^<-]+|-(?!->)|<(?!/script%b))*(?:</script%b|(?=-->)|\Z)" % ((end,) * 3)
    escaped = rb"(?:[^<-]+|-(?!->)|<(?!/?script%b)|%b)*(?:-->|(?=</script%b)|\Z)"
    script = rb"(?:[^<]+|<(?!!--|/script%b)|<!--(?:-?>|%b))*" % (end, escaped % (end, inner, end))
    pieces = (
        rb"[^<]+|<(?![a-z!?/])|</(?=\Z)",
        rb"<(?!(?:script|plaintext|%b)%b)%b%b" % (_RAW, end, name, tag),
        rb"</%b(?:%b)*[\t\n\f\r /]*>" % (name, _ATTRIBUTE),
        rb"<!--(?:-?>|(?:[^-]+|-(?!-!?>))*(?:--!?>|\Z))",
        rb"<(?:!(?!--)|\?|/[^a-z>])[^>]*>?|</>",
        # libxml2 closes these at "/>", unlike browsers
        rb"<(?:script|plaintext|%b)%b%b[\t\n\f\r /]*/>" % (_RAW, end, attributes),
        rb"<script%b%b%b" % (end, open_tag, script),
        rb"<(%b)%b%b(?:[^<]+|<(?!/\1%b))*" % (_RAW, end, open_tag, end),
        rb"<plaintext%b%b.*" % (end, open_tag),
    )
    skipped = rb"(?:%b){1,%d}" % (b"|".join(pieces), PIECES)
    oversized = rb"<%b(?:%b){%d}" % (name, _ATTRIBUTE, n_attributes + 1)
    return re.compile(skipped, re.IGNORECASE | re.DOTALL), re.compile(oversized, re.IGNORECASE)


def find_oversized_tag(html: bytes, n_attributes: int = MAX_ATTRIBUTES) -> int | None:
    """Return the offset of the first tag with more than `n_attributes` in UTF-8, or None.

    Linear time. Most pages are cleared by `_is_cleared`, in a hundredth of the time of the parser;
    the tokenizer takes half of it.
    """
    if _is_cleared(html, n_attributes):
        return None
    skip, oversized = _compile_markup(n_attributes)
    at = 0
    while (skipped := skip.match(html, at)) is not None:
        at = skipped.end()
    return None if oversized.match(html, at) is None else at


# ">" that are checked until one ends a tag, and characters before a quotation mark in which an
# equals sign is searched
TRIES, MAX_SPACES = 200, 20

SPACES = b"\t\n\f\r "
SEPARATORS = SPACES + b"/"

_find_start_tag = re.compile(rb"<[A-Za-z]").search


def _is_cleared(html: bytes, n_attributes: int) -> bool:
    """Look for an end of a tag in every stretch of `n_attributes`, of two bytes each.

    False if a stretch is uncertain: without an end, the attributes up to the next one are counted.
    """
    reach, at = 2 * n_attributes, 0
    while len(html) - at > reach:
        step = at + reach
        end = html.rfind(b">", at, step)
        for _ in range(TRIES):
            if end < 0 or _ends_tag(html, at, end):
                break
            end = html.rfind(b">", at, end)
        else:
            return False
        if end < 0:
            end = html.find(b">", step)
            for _ in range(TRIES):
                if end < 0 or _ends_tag(html, at, end):
                    break
                end = html.find(b">", end + 1)
            else:
                return False
            end = end if end >= 0 else len(html)
            if _count_attributes(html[at:end]) > n_attributes:
                return False
        at = end + 1
    return True


def _ends_tag(html: bytes, start: int, end: int) -> bool:
    # a tag only continues behind a ">" in a quoted value: then there is an equals sign before the
    # last quotation mark of a kind
    for quote in (b'"', b"'"):
        at = html.rfind(quote, start, end)
        if at > start:
            before = html[max(start, at - MAX_SPACES) : at].rstrip(SPACES)
            if not before or before.endswith(b"="):
                return False
    return True


def _count_attributes(markup: bytes) -> int:
    """Count at least as many as the tag has: separators, and values in quotes beside each other."""
    tag = _find_start_tag(markup)
    if tag is None:
        return 0
    rest = markup[tag.start() :]
    separators = len(rest) - len(rest.translate(None, SEPARATORS))
    return separators + rest.count(b'="') + rest.count(b"='")
