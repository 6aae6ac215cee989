"""Tags with more attributes than any page has, before they get to the parser.

libxml2 compares each attribute of an element with all before it: 25,000 of them take .8 s, 50,000
over 4 s (2026-11-21), and no budget of time can end the parse in between.
"""

from __future__ import annotations

import re

MOST_ATTRIBUTES = 10_000
"""Attributes of an element at which its page ends (our choice: they take .1 s to parse)."""
WINDOW = MOST_ATTRIBUTES
"""Bytes without a ``>``, counted from a multiple of them, that lie in each such tag: attributes
take two bytes and more. A tag that has one in the quotes of every window is not noticed."""

_tag = re.compile(rb"<\x00?[A-Za-z]").search
_opening = re.compile(rb"<!--(?:-?>|.*?(?:--!?>|\Z))|<\x00?[A-Za-z][^\s/>]*", re.DOTALL).search
"""A comment, or the start of a tag with its name."""
_attribute = re.compile(
    rb"""[\s/="'\x00]*[^\s"'>/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]*))?"""
).match
_RAW_ENDS = {
    b"<script": re.compile(rb"</script", re.IGNORECASE).search,
    b"<style": re.compile(rb"</style", re.IGNORECASE).search,
}
"""Elements that hold no markup: scripts compare (``i<n``), and go on for long."""


def endless_tag(html: bytes) -> int | None:
    """Where a tag with more than MOST_ATTRIBUTES begins, None on a page without. Linear time.

    Tags are looked through only on pages with a stretch that could be one, such as a script that
    compares and holds data.
    """
    if not _has_stretch(html):
        return None
    at = 0
    while (opening := _opening(html, at)) is not None:
        at, attributes = opening.end(), 0
        if opening.group().startswith(b"<!--"):
            continue
        while (found := _attribute(html, at)) is not None:
            at, attributes = found.end(), attributes + 1
            if attributes > MOST_ATTRIBUTES:
                return opening.start()
        raw_end = _RAW_ENDS.get(opening.group().lower())
        if raw_end is not None:
            closing = raw_end(html, at)
            at = len(html) if closing is None else closing.start()
    return None


def _has_stretch(html: bytes) -> bool:
    """Whether something that looks like a tag has room for so many attributes before its ``>``."""
    window = 0
    while window <= len(html) - WINDOW:
        if html.find(b">", window, window + WINDOW) >= 0:
            window += WINDOW
            continue
        end = html.find(b">", window + WINDOW)
        end = end if end >= 0 else len(html)
        tag = _tag(html, html.rfind(b">", 0, window) + 1, end)
        if tag is not None and end - tag.start() > 2 * MOST_ATTRIBUTES:
            return True
        window = -(-(end + 1) // WINDOW) * WINDOW
    return False
