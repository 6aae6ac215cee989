"""Tags with more attributes than any page has, before they get to the parser.

libxml2 compares each attribute of an element with all before it: 25,000 of them take .8 s, 50,000
over 4 s (2026-11-21), and no budget of time can end the parse in between.
"""

from __future__ import annotations

import re
from itertools import islice

MOST_ATTRIBUTES = 10_000
"""Attributes of an element at which its page ends (our choice: they take .1 s to parse)."""

_tag_start = re.compile(rb"<\x00?[A-Za-z]").search
_attributes = re.compile(
    rb"""[^\s"'>/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]*))?""",
).finditer
RAW = ((b"<script", b"</script"), (b"<style", b"</style"), (b"<!--", b"-->"))
"""How what is no markup begins and ends. A script can compare (``i<n``) and go on for long."""
MOST_LOOKS = 20
"""Times that a page is looked through for these (our choice: two in 5,439 pages of the corpora need
one look)."""
WINDOW = MOST_ATTRIBUTES
"""Bytes without a ``>``, counted from a multiple of them, that lie in each such tag: attributes
take two bytes and more."""


def endless_tag(html: bytes) -> int | None:
    """Where a tag with more than MOST_ATTRIBUTES begins, None on a page without. Linear time."""
    lower, start = b"", 0
    for _ in range(MOST_LOOKS):
        found = _suspect(html, start)
        if found is None:
            return None
        lower = lower or html.lower()
        ends = [end for raw in RAW if (end := _end_around(lower, found, *raw)) is not None]
        if not ends:
            return found
        start = max(ends)
    return _suspect(html, start)


def _suspect(html: bytes, start: int) -> int | None:
    """Where, from `start` on, something begins that would be an endless tag if it were markup."""
    window = start
    while (window := -(-window // WINDOW) * WINDOW) <= len(html) - WINDOW:
        if html.find(b">", window, window + WINDOW) >= 0:
            window += 1
            continue
        begin = max(start, html.rfind(b">", start, window) + 1)
        end = html.find(b">", window + WINDOW)
        end = end if end >= 0 else len(html)
        opening = _tag_start(html, begin, end)
        if opening is not None:
            attributes = islice(_attributes(html, opening.end(), end), MOST_ATTRIBUTES, None)
            if next(attributes, None) is not None:
                return opening.start()
        window = end
    return None


def _end_around(lower: bytes, at: int, begins: bytes, ends: bytes) -> int | None:
    """Where what is no markup around `at` ends; None if there is nothing of the kind."""
    begin = lower.rfind(begins, 0, at)
    if begin < 0 or lower.find(ends, begin, at) >= 0:
        return None
    end = lower.find(ends, at)
    return end if end >= 0 else len(lower)
