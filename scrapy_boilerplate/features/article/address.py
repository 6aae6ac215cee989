"""What the address of a page looks like."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from types import MappingProxyType
from urllib.parse import urlsplit

from scrapy_boilerplate.page import Page

_WORDS_OF_KINDS: Mapping[str, str] = {
    "journal": "article articles blog blogs news story stories post posts magazine journal pulse "
    "opinion insights tips review reviews learn",
    "shop": "product products shop store buy item items dp cart pd",
    "list": "collection collections category categories tag tags archive archives search list all "
    "topics browse catalog courses jobs",
    "forum": "forum forums thread threads topic t discussion discussions community viewtopic "
    "showthread questions comments board boards r users",
    "manual": "docs doc documentation manual reference help support wiki kb guide guides api "
    "tutorial tutorials developer readthedocs handbook",
    "service": "service services solutions pricing about contact features programs program plans "
    "academics training company business",
}
WORDS = MappingProxyType({kind: frozenset(words.split()) for kind, words in _WORDS_OF_KINDS.items()})
"""Words of paths and host names by the kind of page they stand for (our choice: common names of
the sections of sites, English because the addresses of most languages' sites use them too)."""

COLUMNS = {
    "no_address": "whether neither the caller nor the page tells the address",
    "path_depth": "number of parts of the path",
    "home": "whether the path is empty: the front page of a site",
    "path_digits": "log of 1 + the number of digits in the path",
    "date_in_path": "whether the path holds a year and a month",
    "number_in_path": "whether the path holds a number of five digits or more",
    "slug_hyphens": "number of hyphens and underscores in the last part of the path",
    "slug_length": "log of 1 + the number of characters of the last part of the path",
    "query": "whether there is a query",
    "file_suffix": "whether the path ends in .html, .php or the like",
    **{f"{kind}_words": f"words of {kind} sections in host and path" for kind in WORDS},
}
"""Name to what it is, in the order of `address_row`."""

_date = re.compile(r"/(?:19|20)\d\d[/-](?:0?[1-9]|1[0-2])(?![0-9])").search
_number = re.compile(r"\d{5}").search
_digit = re.compile(r"\d").findall
_suffix = re.compile(r"\.(?:s?html?|php|aspx?|jsp|cms)$").search
_words = re.compile(r"[a-z]+").findall


def address_row(page: Page) -> list[float]:
    """A number for each of COLUMNS; without an address all but the first are 0."""
    address = page.url or _declared_address(page)
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:
        address = ""
    if not address:
        return [1.0] + [0.0] * (len(COLUMNS) - 1)
    path = parts.path.lower().rstrip("/")
    slug = path.rpartition("/")[2]
    # words of the slug are the title's: only sections count, and names of one word
    section = path[: len(path) - len(slug)] if "-" in slug else path
    words = set(_words(f"{host.rpartition('.')[0]} {section}"))
    return [
        0.0,
        float(path.count("/")),
        float(not path),
        math.log1p(len(_digit(path))),
        float(bool(_date(path))),
        float(bool(_number(path))),
        float(slug.count("-") + slug.count("_")),
        math.log1p(len(slug)),
        float(bool(parts.query)),
        float(bool(_suffix(path))),
        *(float(len(known & words)) for known in WORDS.values()),
    ]


def _declared_address(page: Page) -> str:
    declared = page.declared
    canonical = (href for rel, href in declared.links if rel == "canonical")
    opened = (content for name, content in declared.metas if name == "og:url")
    return next(canonical, "") or next(opened, "")
