"""Who wrote it: the sources in order; a name of the site itself only if nobody else is named."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

from scrapy_boilerplate.metadata.bylines import (
    BLOCKS_AFTER,
    BLOCKS_BEFORE,
    Texts,
    agencies,
    beside_a_date,
    bylines,
    first_lines,
    full_signatures,
    named_anywhere,
    shown_bylines,
    signatures,
)
from scrapy_boilerplate.metadata.facts import Facts, letters
from scrapy_boilerplate.metadata.json_ld import types_of
from scrapy_boilerplate.metadata.person_names import (
    credit_of,
    distinct,
    looks_like_a_person,
    names_in,
    without_desks,
)

# ---- metadata/credits: Who is named near the headline without having written it, and who by a
# link to their page.

CREDIT_WORDS = 25
"""A block with more words is no credit."""
MOST_LINKS = 20
"""Links near the headline whose text may be a name."""

_of_author = re.compile(
    r"/(?:authors?|autor(?:en|es|in|a|i)?|auteurs?|autore|writers?|by|people|person(?:en)?|profiles?|"
    r"journalists?|journaliste|columnists?|contributors?|reporters?|redakteure?|forfatter|skribent|"
    r"staff(?:-list)?|team|experts?)/[^/]",
    re.IGNORECASE,
).search


def others_named(facts: Facts) -> frozenset[str]:
    """Names near the headline, as `letters`, of those who took pictures, reviewed or the like."""
    texts, words = facts.page.texts, facts.page.words
    found: set[str] = set()
    for block in _near(facts):
        lead = credit_of(texts[block]) if words[block] <= CREDIT_WORDS else None
        if lead:
            rest = texts[block][lead.end() :]
            named = [rest] if letters(rest) else texts[block + 1 : block + 2]
            found.update(letters(name) for text in named for name in names_in(text))
    return frozenset(found)


def author_links(facts: Facts) -> Iterator[Texts]:
    """The texts of links near the headline that lead to a page of an author."""
    near = _near(facts)
    if near:
        page, elements = facts.page, facts.page.blocks.elements
        first, end = int(elements[near[0]]), page.elements.ends[int(elements[near[-1]])]
        links = [one for one in page.elements.targets if first <= one < end]
        texts = [facts.text_in(one) for one in links if _leads(page.elements.targets[one])]
        found = dict.fromkeys(text for text in texts[:MOST_LINKS] if _is_person(text))
        if found:
            yield list(found)


def _near(facts: Facts) -> range:
    at = facts.headline_at
    return range(max(0, at - BLOCKS_BEFORE), min(len(facts.page), at + BLOCKS_AFTER))


def _leads(address: str) -> bool:
    try:
        return _of_author(urlsplit(address).path) is not None
    except ValueError:
        return False


def _is_person(text: str) -> bool:
    found = names_in(text)
    return len(found) == 1 and looks_like_a_person(found[0])


Source = tuple[str, Callable[[Facts], Iterator[Texts]]]
"""A source gives texts that belong together, the likeliest first; each may hold several names."""

PREFIX = 3
"""Names of sites up to this length begin too many other names."""
LOGIN = 12
"""Letters of a word without a capital that is a name and a surname together (our choice): it counts
only where nobody else is named."""
MOST_LINKS_AUTHORS = 20
"""Links with rel=author that are read."""


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
    "articleauthor",
    "cxenseparse:author",
    "og:article:author",
    "authors",
    "twitter:data1",
)

_address = re.compile(r"https?:|www\.|@|[(\[]at[)\]]", re.I).search
_company = re.compile(
    r"\b(?:e\.\s?V\.?|g?GmbH|AG|KG|GbR|Inc\.?|Ltd\.?|LLC|L\.L\.C\.|PLC|Corp\.?|S\.?A\.?|S\.?L\.|"
    r"B\.?V\.|S\.?r\.?l\.|SAS|Oy|AB|A/S)$"
).search
"""Whether a name ends as those of companies do."""


def authors(facts: Facts) -> tuple[tuple[str, ...], str] | None:
    """(names, source); None where nobody is named."""
    own = facts.own_names
    organizations = _organizations(facts)
    of_site: tuple[tuple[str, ...], str] | None = None
    for source, texts_of in SOURCES:
        if of_site and texts_of in WEAK:
            continue
        for texts in texts_of(facts):
            prose = source not in STRUCTURED
            found = distinct(name for text in texts for name in names_in(text, prose=prose))
            others = without_desks(tuple(name for name in found if not _is_own(name, own)))
            if source in DECLARED:
                others = tuple(name for name in others if not _is_login(name))
            elif of_site and not any(" " in name for name in others):
                continue
            if any(letters(name) not in organizations for name in others):
                return _corrected(facts, others, source)
            if found and of_site is None:
                of_site = others or found, source
    return of_site


def _corrected(facts: Facts, names: tuple[str, ...], source: str) -> tuple[tuple[str, ...], str]:
    """`names` as they are, but for those that the page shows in another role, and those that it
    does not show at all where it shows others."""
    if source in DECLARED and not _is_shown(facts, names):
        for texts in shown_bylines(facts):
            found = distinct(name for text in texts for name in names_in(text))
            if found and all(map(looks_like_a_person, found)):
                return found, "byline"
    if len(names) > 1:
        others = others_named(facts)
        names = names[:1] + tuple(name for name in names[1:] if letters(name) not in others)
    return names, source


def _is_shown(facts: Facts, names: tuple[str, ...]) -> bool:
    """Whether the last word of any of the names stands anywhere on the page."""
    last, texts = [name.split()[-1] for name in names], facts.page.texts
    if any(word in text for word in last for text in texts):
        return True
    folded = [word.casefold() for word in last]
    return any(word in text.casefold() for text in texts for word in folded)


def _is_own(name: str, own: frozenset[str]) -> bool:
    """Whether a name is the site's, or begins with it ("The Daily Staff"), or is a company's."""
    key = letters(name)
    return (
        bool(_company(name))
        or key in own
        or any(len(one) > PREFIX and key.startswith(one) for one in own)
    )


def _is_login(name: str) -> bool:
    """Whether a name is that of an account: a longer word in small Latin letters."""
    return len(name) >= LOGIN and name.isascii() and name.isalpha() and name.islower()


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
            named = (_names_of(facts, value) for value in facts.values(node, name))
            yield [text for texts in named for text in texts if not _address(text)]


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
        yield [facts.text_in(one) for one in links[:MOST_LINKS_AUTHORS]]


SOURCES: tuple[Source, ...] = (
    ("json-ld", _json_ld),
    ("microdata", _microdata),
    ("meta", _meta),
    ("rel author", _links),
    ("byline", bylines),
    ("author link", author_links),
    ("first line", first_lines),
    ("author block", named_anywhere),
    ("signature", full_signatures),
    ("signature", signatures),
    ("dateline", beside_a_date),
    ("agency", agencies),
)
STRUCTURED = frozenset({"json-ld", "microdata", "rel author"})
"""Sources that give names and nothing else."""
DECLARED = frozenset({"json-ld", "microdata", "meta"})
"""Sources that nobody sees, and that hold names of accounts at times."""
ANSWERS = frozenset({"Comment", "UserComments", "Answer", "Review"})
"""Scopes of microdata whose authors are readers."""
WEAK = frozenset({named_anywhere, beside_a_date, signatures, agencies})
"""Sources that are not asked where the site itself is named as the author."""
