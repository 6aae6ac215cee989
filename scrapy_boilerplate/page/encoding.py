"""Bytes to text: in the encoding that they or their header declare, if it is one of text."""

from __future__ import annotations

import codecs
from functools import lru_cache

from w3lib.encoding import (
    html_body_declared_encoding,
    html_to_unicode,
    http_content_type_encoding,
    resolve_encoding,
)

UNFIT = frozenset(
    ("idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "utf-7")
)
"""Python's codecs from bytes to text that no page is written in and no browser knows: two fail
whatever the page, the time of punycode grows with the square of its length."""
KNOWN = 256
"""Names that are remembered."""


@lru_cache(maxsize=KNOWN)
def is_encoding(name: str) -> bool:
    """Whether a page can be decoded by this name: hex, rot13 and zlib are codecs as well."""
    resolved = resolve_encoding(name)
    if resolved is None or codecs.lookup(resolved).name in UNFIT:
        return False
    try:
        b"a".decode(resolved, "replace")
    except LookupError:  # no encoding of text
        return False
    return True


def is_declared(content_type: str | None) -> bool:
    """Whether a header names an encoding that can be used."""
    declared = http_content_type_encoding(content_type)
    return declared is not None and is_encoding(declared)


def decoded(html: bytes, content_type: str | None = None) -> str:
    """The text of bytes by their byte order mark, the header, or what they declare themselves; else
    it is UTF-8, else cp1252, as in browsers. Names that are none of text count for nothing."""
    declared = http_content_type_encoding(content_type)
    if declared is None or not is_encoding(declared):
        declared = html_body_declared_encoding(html)
    if declared is None or not is_encoding(declared):
        declared = _guess(html)
    return html_to_unicode(f"charset={declared}", html)[1]


def _guess(html: bytes) -> str:
    """Undeclared bytes that are valid UTF-8 are UTF-8."""
    try:
        html.decode("utf-8")
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"
