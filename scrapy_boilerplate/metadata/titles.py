"""The names of site and section at the ends of titles, and how to cut them off."""

from __future__ import annotations

import re

from scrapy_boilerplate.metadata.facts import letters

MAX_NAME_EXCESS = 2.5
"""Part of a title that holds a known name is a name itself up to this many times its length (our
choice: "The Daily" and "The Daily Online")."""
MIN_NAME_LETTERS = 3
"""Shorter names (of a host, "x.de") would be found by chance."""

_separator = re.compile(r"\s(?:[·•«›‹—–/~>*♥-]|::?|--)\s|[|ㅣ｜│»]+|:\s")
_any_separator = re.compile(r"[|·•»«›‹—–:/~>*♥ㅣ｜│-]").search


def parts_of(title: str) -> list[tuple[int, int]]:
    """Where the parts between separators start and end; at least one."""
    bounds = [0]
    for match in _separator.finditer(title):
        bounds += [match.start(), match.end()]
    bounds.append(len(title))
    return list(zip(bounds[::2], bounds[1::2], strict=True))


def without_names(title: str, names: frozenset[str]) -> str:
    """`title` without the parts at either end that are one of `names` (as `letters`).

    A title that is nothing but names stays as it is.
    """
    if not _any_separator(title):
        return title
    spans = parts_of(title)
    first, end = 0, len(spans)
    while end - first > 1 and is_name(title[slice(*spans[end - 1])], names):
        end -= 1
    while end - first > 1 and is_name(title[slice(*spans[first])], names):
        first += 1
    cut = title[spans[first][0] : spans[end - 1][1]].strip()
    return without_end(cut, names) or cut


def without_end(title: str, names: frozenset[str]) -> str | None:
    """`title` without exactly one of `names` after its last separator; None without such an end."""
    at = max(map(title.rfind, "-–—:·/|"))
    return title[:at].rstrip(" -–—:·/|") if at > 0 and letters(title[at:]) in names else None


def is_name(part: str, names: frozenset[str]) -> bool:
    """Whether a part of a title is one of `names`, or holds or begins one."""
    key = letters(part)
    if not key:
        return True
    return any(
        key == name
        or (
            len(name) >= MIN_NAME_LETTERS
            and name in key
            and len(key) <= MAX_NAME_EXCESS * len(name)
        )
        or (len(key) >= MIN_NAME_LETTERS and key in name)
        for name in names
    )
