"""Decode bytes to text, in the text encoding that they or their header declare."""

from __future__ import annotations

import codecs
from functools import lru_cache

from w3lib.encoding import (
    html_body_declared_encoding,
    html_to_unicode,
    http_content_type_encoding,
    resolve_encoding,
)

# Python's codecs from bytes to text that no page uses and no browser supports: two fail on every
# page, and the time of punycode grows with the square of the length
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
    except LookupError:  # no encoding of text
        return False
    return True


MARKUP = "<>/!?-=\"' \t\n\f\r"


@lru_cache(maxsize=CACHED_NAMES)
def _has_ascii_markup(name: str) -> bool:
    """Return whether MARKUP has the bytes of ASCII, and these are part of no other character."""
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
    """Return what `encode_for_parser` returns of the decoded text of bytes.

    Bytes that are valid UTF-8 stay as they are: to encode them again takes a tenth of the parse.
    """
    declared = _find_encoding(html, None, encoding)
    trimmed = html.strip(ASCII_SPACES)
    # neither a byte order mark nor white space of Unicode is at an end
    has_plain_ends = trimmed[:1].isascii() and trimmed[-1:].isascii()
    if declared == "utf-8" and has_plain_ends and is_utf_8(trimmed):
        return trimmed.replace(b"\x00", b"")
    return encode_for_parser(html_to_unicode(f"charset={declared}", html)[1])


# bytes that are validated at once: they fit in the cache of a processor, and decoding a whole page
# takes four times as long
PORTION = 1 << 16


def is_utf_8(html: bytes) -> bool:
    """Return whether all bytes are valid UTF-8."""
    view, at = memoryview(html), 0
    try:
        while at < len(html):
            portion = view[at : at + PORTION]
            at += codecs.utf_8_decode(portion, "strict", at + PORTION >= len(html))[1]
    except UnicodeDecodeError:
        return False
    return True


def decode_html(
    html: bytes, content_type: str | None = None, *, encoding: str | None = None
) -> str:
    """Return the text of bytes, decoded as browsers do.

    The byte order mark comes first, then `encoding` or the header, then the encoding that the bytes
    declare. Without any of them the text is UTF-8 if that is valid, else cp1252. Names that are no
    text encoding are ignored.
    """
    declared = _find_encoding(html, content_type, encoding)
    return html_to_unicode(f"charset={declared}", html)[1]


def _find_encoding(html: bytes, content_type: str | None, encoding: str | None) -> str:
    """Return the encoding of bytes without a byte order mark."""
    declared = http_content_type_encoding(content_type)
    if encoding is not None:
        declared = resolve_encoding(encoding)
    if declared is None or not is_encoding(declared):
        declared = html_body_declared_encoding(html)
    if declared is None or not is_encoding(declared):
        declared = "utf-8" if is_utf_8(html) else "cp1252"
    return declared


# the first two bits of a continuation byte of UTF-8
CONTINUES = 0x80


def limit_bytes(html: bytes, n_bytes: int | None) -> bytes:
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
