"""The headline of a page."""

from __future__ import annotations

import re

import numpy as np

from scrapy_boilerplate.label import Label, Labeling
from scrapy_boilerplate.page import Page

MIN_FIRST_PART = 1 / 3
"""Length of the first part of a title, of the longest, from which it is the headline (our choice,
until headlines have rules of their own)."""

_parts_of = re.compile(r"\s+[|·•»—–-]\s+|\s*\|\s*").split


def headline_of(page: Page, labeling: Labeling) -> str | None:
    """The headline block's text; without one the main part of the title; None without a title.

    Parts of a title stand between spaced dashes or bars; the others name site and section. The
    first is the headline, unless it is so much shorter than the longest that it names the site.
    """
    blocks = np.flatnonzero(labeling.labels == Label.HEADLINE)
    if len(blocks):
        return page.texts[int(blocks[0])]
    parts: list[str] = [str(part) for part in _parts_of(page.title)]
    longest = max(parts, key=len)
    return (parts[0] if len(parts[0]) >= MIN_FIRST_PART * len(longest) else longest) or None
