"""The name of a site, as the titles of its pages repeat it."""

from __future__ import annotations

import re
from collections import Counter

MAX_LETTERS = 60
"""Characters of a part of a title that can be the name of a site or section."""
MIN_PAGES = 2
"""Pages that repeat a part of a title, before it is a name."""
MIN_SHARE = 0.3
"""Share of the site's pages that repeat it: sections have names too (our choice)."""

_separator = re.compile(r"\s(?:[·•«›‹—–/~>*♥-]|::?|--)\s|[|ㅣ｜│»]+|:\s")


def title_ends(title: str) -> tuple[str, ...]:
    """The first and the last part of a title with several; () for one without separators."""
    parts = [part.strip() for part in _separator.split(title)]
    if len(parts) < 2:
        return ()
    ends = dict.fromkeys((parts[0], parts[-1]))
    return tuple(part for part in ends if part and len(part) <= MAX_LETTERS and "\n" not in part)


def learnt_names(counts: Counter[str], pages: int) -> tuple[str, ...]:
    """The parts that so many of `pages` pages repeat, most frequent first."""
    least = max(MIN_PAGES, MIN_SHARE * pages)
    ranked = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return tuple(name for name, count in ranked if count >= least)
