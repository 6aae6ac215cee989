"""Who wrote it: the sources in order; a name of the site itself only if nobody else is named."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import numpy as np

from scrapy_boilerplate.label import Label
from scrapy_boilerplate.metadata.facts import Facts, letters
from scrapy_boilerplate.metadata.json_ld import types_of
from scrapy_boilerplate.metadata.names import (
    byline_of,
    distinct,
    inner_byline_of,
    lead_alone,
    looks_like_a_name,
    looks_like_a_person,
    names_in,
)

Texts = list[str]
Source = tuple[str, Callable[[Facts], Iterator[Texts]]]
"""A source gives texts that belong together, the likeliest first; each may hold several names."""

PREFIX = 3
"""Names of sites up to this length begin too many other names."""
BYLINE_WORDS = 25
"""A block with more words is no byline."""
BLOCKS_BEFORE, BLOCKS_AFTER = 3, 14
"""Blocks around the headline in which a byline is looked for (our choice)."""
MOST_LINKS = 20
"""Links with rel=author that are read."""
FIRST_CHARACTERS = 80
"""Of the text, in which an agency can stand."""
LINE_BLOCKS = 6
"""Blocks below the headline in which a line that is only a name is a byline."""

MIN_COVERED = 0.8
"""Share of the letters of such a line that are the name's."""

AUTHOR_METAS = (
    "author",
    "parsely-author",
    "sailthru.author",
    "article:author",
    "article:author_name",
    "dc.creator",
    "dcterms.creator",
    "citation_author",
    "byl",
    "byline",
    "cxenseparse:author",
    "og:article:author",
    "authors",
    "twitter:data1",
)

_author_name = re.compile(
    r"author|byline|autor|writer|journalist|signatur|redact|verfasser", re.I
).search
_no_author_name = re.compile(r"bio|comment|related|avatar|social|follow|photo|image", re.I).search
_date_and_time = re.compile(
    r"\d{1,2}\s?[./-]\s?(?:\d{1,2}\s?[./-]|\w+\.?)\s?\d{2,4}|\d{1,2}\.? [^\W\d]+\.? \d{4}|"
    r"[^\W\d]+\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}|\d{4}-\d\d-\d\d|"
    r"\d{1,2}[:h.]\d{2}(?:\s?(?:Uhr|[ap]m))?"
)
_agency = re.compile(
    r"[(（](?:\w+/)?((?:dpa|AFP|AP|Reuters|SID|APA|SDA|ots|epd|KNA|EFE|ANSA|PAP|TASS|ТАСС|Xinhua)"
    r"(?:/\w+)*)[)）]",
    re.IGNORECASE,
).search
_address = re.compile(r"https?:|www\.|@", re.I).search


def authors(facts: Facts) -> tuple[tuple[str, ...], str] | None:
    """(names, source); None where nobody is named."""
    own = facts.own_names
    organizations = _organizations(facts)
    of_site: tuple[tuple[str, ...], str] | None = None
    for source, texts_of in SOURCES:
        if of_site and source in WEAK:
            break
        for texts in texts_of(facts):
            prose = source not in STRUCTURED
            found = distinct(name for text in texts for name in names_in(text, prose=prose))
            others = tuple(name for name in found if not _is_own(name, own))
            if any(letters(name) not in organizations for name in others):
                return others, source
            if found and of_site is None:
                of_site = others or found, source
    return of_site


def _is_own(name: str, own: frozenset[str]) -> bool:
    """Whether a name is the site's, or begins with it: "The Daily Staff"."""
    key = letters(name)
    return key in own or any(len(one) > PREFIX and key.startswith(one) for one in own)


def _organizations(facts: Facts) -> frozenset[str]:
    """Authors in JSON-LD that are organizations: the site, or an agency."""
    return frozenset(
        letters(name)
        for value in facts.values(facts.article, "author")
        if isinstance(value, dict) and any("Organization" in one for one in types_of(value))
        for text in _names_of(facts, value)
        for name in names_in(text, prose=False)
    )


def _json_ld(facts: Facts) -> Iterator[Texts]:
    for node in (facts.article, facts.web_page):
        for name in ("author", "creator"):
            yield [text for value in facts.values(node, name) for text in _names_of(facts, value)]


def _names_of(facts: Facts, value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in facts.values(value, "name"):
            if isinstance(one, str):
                yield one


def _meta(facts: Facts) -> Iterator[Texts]:
    for name in AUTHOR_METAS:
        yield [text for text in facts.metas.get(name, ()) if not _address(text)]


def _microdata(facts: Facts) -> Iterator[Texts]:
    """All authors of the first scope if that is an article; of others the first author."""
    for prop in ("author.name", "author", "creator"):
        found = [(text, scope) for text, scope in facts.items(prop) if not _address(text)]
        found = [(text, scope) for text, scope in found if scope not in ANSWERS]
        same = [text for text, scope in found if scope == found[0][1]]
        yield same if found and found[0][1].endswith(("Article", "BlogPosting")) else same[:1]


def _links(facts: Facts) -> Iterator[Texts]:
    """Links with rel=author near the headline."""
    page = facts.page
    at = facts.headline_at
    near = range(max(0, at - BLOCKS_BEFORE), min(len(page), at + BLOCKS_AFTER))
    elements = page.blocks.elements
    if near:
        first, last = int(elements[near[0]]), int(elements[near[-1]])
        end = page.elements.ends[last]
        links = [one for one in page.declared.bylines if first <= one < end]
        yield [facts.text_in(one) for one in links[:MOST_LINKS]]


def _bylines(facts: Facts) -> Iterator[Texts]:
    """Blocks around the headline that begin with "By", are named for authors, or hold a "By"."""
    lines = list(_lines(facts))
    texts = facts.page.texts
    for block, text in lines:
        if lead_alone(text) and block + 1 < len(texts):
            yield [texts[block + 1]]
        byline = byline_of(text)
        if byline and (_is_named(facts, block) or _are_names(byline)):
            yield [byline]
    for block, text in lines:
        if _is_named(facts, block):
            yield [text]
    for _, text in lines:
        byline = inner_byline_of(text)
        if byline and _are_names(byline):
            yield [byline]


def _are_names(text: str) -> bool:
    found = names_in(text)
    return bool(found) and all(map(looks_like_a_name, found))


def _lines(facts: Facts) -> Iterator[tuple[int, str]]:
    page, at = facts.page, facts.headline_at
    order = [*range(at + 1, at + 1 + BLOCKS_AFTER), *range(at - 1, at - 1 - BLOCKS_BEFORE, -1)]
    for block in order:
        if 0 <= block < len(page) and page.words[block] <= BYLINE_WORDS:
            yield block, page.texts[block]


def _is_named(facts: Facts, block: int) -> bool:
    elements = facts.page.elements
    element = int(facts.page.blocks.elements[block])
    parent = max(0, elements.parents[element])
    names = " ".join((elements.classes[element], elements.ids[element], elements.classes[parent]))
    return bool(_author_name(names)) and not _no_author_name(names)


def _named_anywhere(facts: Facts) -> Iterator[Texts]:
    """Blocks below the headline that are named for authors, such as a box after the text."""
    page = facts.page
    for block in range(facts.headline_at + 1, len(page)):
        if page.words[block] <= BYLINE_WORDS and _is_named(facts, block):
            yield [page.texts[block]]


def _beside_a_date(facts: Facts) -> Iterator[Texts]:
    """A line below the headline of a name and a date, or of a name alone with a date beside it."""
    page, at = facts.page, facts.headline_at
    near = range(max(0, at - 1), min(len(page), at + 1 + LINE_BLOCKS))
    dated = [bool(_date_and_time.search(page.texts[block])) for block in near]
    for number, block in enumerate(near):
        text = page.texts[block]
        if (
            block != at
            and page.words[block] <= BYLINE_WORDS
            and any(dated[max(0, number - 1) : number + 2])
        ):
            rest = _date_and_time.sub(" | ", text)
            found = names_in(rest)
            if found and all(map(looks_like_a_person, found)) and _covers(found, rest):
                yield [rest]


def _agencies(facts: Facts) -> Iterator[Texts]:
    """Agencies in brackets at the start of the text: "Berlin (dpa) - "."""
    content = np.flatnonzero(facts.labeling.labels == Label.FULL_TEXT)
    for block in content[:2].tolist():
        match = _agency(facts.page.texts[block][:FIRST_CHARACTERS])
        if match:
            yield [match[1]]


def _covers(names: tuple[str, ...], text: str) -> bool:
    """Whether the names are all of a text, but for what stands between them."""
    return sum(map(len, map(letters, names))) >= MIN_COVERED * len(letters(text))


SOURCES: tuple[Source, ...] = (
    ("json-ld", _json_ld),
    ("microdata", _microdata),
    ("meta", _meta),
    ("rel author", _links),
    ("byline", _bylines),
    ("author block", _named_anywhere),
    ("dateline", _beside_a_date),
    ("agency", _agencies),
)
STRUCTURED = frozenset({"json-ld", "microdata", "rel author"})
"""Sources that give names and nothing else."""
ANSWERS = frozenset({"Comment", "UserComments", "Answer", "Review"})
"""Scopes of microdata whose authors are readers."""
WEAK = frozenset({"author block", "agency"})
"""Sources that are not asked where the site itself is named as the author."""
