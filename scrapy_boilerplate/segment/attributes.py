"""Tags with more attributes than any page has, before they get to the parser.

libxml2 compares each attribute of an element with all before it: 25,000 of them take .8 s, 50,000
over 4 s (2026-11-21), and no budget of time can end the parse in between.
"""

from __future__ import annotations

import re
from itertools import islice

import numpy as np

MOST_ATTRIBUTES = 10_000
"""Attributes of an element at which its page ends (our choice: they take .1 s to parse)."""

_tag_start = re.compile(rb"<\x00?[A-Za-z]").search
_attributes = re.compile(
    rb"""[^\s"'>/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]*))?""",
).finditer
_RAW = (b"<script", b"<style")
"""Elements whose content is no markup."""


def endless_tag(html: bytes) -> int | None:
    """Where a tag with more than MOST_ATTRIBUTES begins, None on a page without. Linear time.

    Few pages have so many bytes without a ``>`` that one could stand there: the others cost no more
    than a look for these.
    """
    if len(html) < 2 * MOST_ATTRIBUTES:
        return None
    ends = np.flatnonzero(np.frombuffer(html, dtype=np.uint8) == ord(">"))
    edges = np.concatenate(([-1], ends, [len(html)]))
    for gap in np.flatnonzero(np.diff(edges) > 2 * MOST_ATTRIBUTES).tolist():
        start, end = int(edges[gap]) + 1, int(edges[gap + 1])
        before = html.rfind(b"<", 0, start) if gap else 0
        opening = _tag_start(html, start, end)
        if opening is None or html[before : before + 7].lower().startswith(_RAW):
            continue
        found = _attributes(html, opening.end(), end)
        if next(islice(found, MOST_ATTRIBUTES, None), None) is not None:
            return opening.start()
    return None
