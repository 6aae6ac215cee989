"""The headline of a page."""

from __future__ import annotations

import re

import numpy as np

from scrapy_boilerplate.label import Label, Labeling
from scrapy_boilerplate.page import Page

_parts_of = re.compile(r"\s+[|·•»—–-]\s+|\s*\|\s*").split


def headline_of(page: Page, labeling: Labeling) -> str | None:
    """The headline block's text; without one the longest part of the title; None without a title.

    Parts of a title stand between spaced dashes or bars: the others are site and section names.
    """
    blocks = np.flatnonzero(labeling.labels == Label.HEADLINE)
    if len(blocks):
        return page.texts[int(blocks[0])]
    parts = [part or "" for part in _parts_of(page.title)]
    return max(parts, key=len) or None
