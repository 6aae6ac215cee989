"""The names of site and section at the ends of titles, and how to cut them off."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from scrapy_boilerplate.metadata.facts import Facts, letters, types_of

MAX_NAME_EXCESS = 2.5
"""Part of a title that holds a known name is a name itself up to this many times its length (our
choice: "The Daily" and "The Daily Online")."""
MIN_NAME_LETTERS = 3
"""Shorter names (of a host, "x.de") would be found by chance."""

_separator = re.compile(
    r"\s+(?:[|·•»«›‹—–:/~>*♥-]|::|--|\|\|)\s+|\s*[|ㅣ｜│]\s*|(?<=\w)\s*»\s*|:\s+"
)
_glued = re.compile(r"\s*[-–—:·/]\s*")

SITE_METAS = ("og:site_name", "application-name", "apple-mobile-web-app-title", "twitter:site")


def site_names(facts: Facts) -> Iterator[str]:
    """The names by which the page calls its site, the best first; then those of its host."""
    for name in SITE_METAS[:1]:
        yield from facts.metas.get(name, ())
    for owner in ("publisher", "isPartOf"):
        for node in (facts.article, facts.web_page):
            yield facts.text(node, owner) or ""
    for node in facts.nodes:
        if {"WebSite", "NewsMediaOrganization"} & set(types_of(node)):
            yield facts.text(node, "name") or ""
    for name in SITE_METAS[1:]:
        yield from facts.metas.get(name, ())
    yield from host_names(facts.page.url)


def host_names(url: str | None) -> Iterator[str]:
    """The names in a host: all of it, and its longest label but the last."""
    try:
        host = urlsplit(url or "").hostname or ""
    except ValueError:
        host = ""
    host = host.removeprefix("www.")
    yield host
    yield max(host.split(".")[:-1], key=len, default="")


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
    spans = parts_of(title)
    first, end = 0, len(spans)
    while end - first > 1 and is_name(title[slice(*spans[end - 1])], names):
        end -= 1
    while end - first > 1 and is_name(title[slice(*spans[first])], names):
        first += 1
    cut = title[spans[first][0] : spans[end - 1][1]]
    return _without_glued_name(cut, names)


def _without_glued_name(title: str, names: frozenset[str]) -> str:
    """`title` without an exact name at its end after a dash without spaces."""
    last = next(iter([*_glued.finditer(title)][::-1]), None)
    if last and last.start() and letters(title[last.end() :]) in names:
        return title[: last.start()]
    return title


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
