"""What the address of a page looks like."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from types import MappingProxyType

from scrapy_boilerplate.page import Page

_WORDS_OF_KINDS: Mapping[str, str] = {
    "journal": "article articles blog blogs news story stories post posts magazine journal pulse "
    "opinion insights tips review reviews learn",
    "forum": "forum forums thread threads topic t discussion discussions community viewtopic "
    "showthread questions comments board boards r users",
    "manual": "docs doc documentation manual reference help support wiki kb guide guides api "
    "tutorial tutorials developer readthedocs handbook",
    "service": "service services solutions pricing about contact features programs program plans "
    "academics training company business",
}
WORDS = MappingProxyType(
    {kind: frozenset(words.split()) for kind, words in _WORDS_OF_KINDS.items()}
)
"""Words of paths and host names by the kind of site or section they stand for (our choice, from
common content systems and habits; English)."""

COLUMNS = {
    "home": "whether the path is empty: the front page of a site",
    "date_in_path": "whether the path holds a year and a month",
    "number_in_path": "whether the path holds a number of five digits or more",
    "slug_hyphens": "number of hyphens and underscores in the last part of the path",
    "slug_length": "log of 1 + the number of characters of the last part of the path",
    **{f"{kind}_words": f"different words of {kind} sections in host and path" for kind in WORDS},
}
"""Name to what it is, in the order of `address_row`."""

_host_and_path = re.compile(r"\w+://([^/?#:]+)[^/?#]*([^?#]*)").match
_date = re.compile(r"/(?:19|20)\d\d[/-](?:0?[1-9]|1[0-2])(?!\d)").search
_number = re.compile(r"\d{5}").search
_words = re.compile(r"[a-z]+").findall


def address_row(page: Page) -> list[float]:
    """A number for each of COLUMNS: of the caller's address, else of the one the page declares.

    Without any all are 0.
    """
    found = _host_and_path((page.url or _declared_address(page)).lower())
    if found is None:
        return [0.0] * len(COLUMNS)
    host, path = found[1], found[2].rstrip("/")
    slug = path.rpartition("/")[2]
    # the words of a slug are the title's; a path's last part of one word can be a section
    sections = path[: len(path) - len(slug)] if "-" in slug else path
    words = set(_words(f"{host.rpartition('.')[0]} {sections}"))
    return [
        float(not path),
        float(bool(_date(path))),
        float(bool(_number(path))),
        float(slug.count("-") + slug.count("_")),
        math.log1p(len(slug)),
        *(float(len(known & words)) for known in WORDS.values()),
    ]


def _declared_address(page: Page) -> str:
    declared = page.declared
    canonical = (href for rel, href in declared.links if rel == "canonical")
    opened = (content for name, content in declared.metas if name == "og:url")
    return next(canonical, "") or next(opened, "")
