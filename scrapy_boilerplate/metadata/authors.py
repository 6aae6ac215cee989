"""Who wrote it: a table of sources in order, and what is made of the names that stand there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import filterfalse

from scrapy_boilerplate.metadata.bylines import (
    Texts,
    drop_desks,
    drop_duplicates,
    find_credited_names,
    find_names,
    looks_like_person,
    read_agencies,
    read_author_blocks,
    read_author_links,
    read_author_metas,
    read_author_object,
    read_bylines,
    read_dateline_names,
    read_first_lines,
    read_full_signatures,
    read_json_ld_authors,
    read_microdata_authors,
    read_rel_author,
    read_shown_bylines,
    read_signatures,
)
from scrapy_boilerplate.metadata.json_ld import read_types
from scrapy_boilerplate.metadata.sources import MetadataSources
from scrapy_boilerplate.steps.titles import fold_letters

AUTHOR_SOURCES: tuple[tuple[str, Callable[[MetadataSources], Iterator[Texts]]], ...] = (
    ("json-ld", read_json_ld_authors),
    ("microdata", read_microdata_authors),
    ("meta", read_author_metas),
    ("rel author", read_rel_author),
    ("byline", read_bylines),
    ("author link", read_author_links),
    ("first line", read_first_lines),
    ("author block", read_author_blocks),
    ("signature", read_full_signatures),
    ("signature", read_signatures),
    ("dateline", read_dateline_names),
    ("agency", read_agencies),
)
# Sources that give names and nothing else.
STRUCTURED = frozenset({"json-ld", "microdata", "rel author"})
# Sources that nobody sees, and that hold names of accounts at times.
DECLARED = frozenset({"json-ld", "microdata", "meta"})
# Sources that are not asked where the site itself is named as the author.
WEAK = frozenset({read_author_blocks, read_dateline_names, read_signatures, read_agencies})

# Letters of the longest name of a site that begins too many other names.
SHORT_SITE_NAME = 3
# Letters of a word without a capital that is a name and a surname together (our choice): it counts
# only where nobody else is named.
LOGIN_LENGTH = 12

# Ends of the names of companies.
_company = re.compile(
    r"\b(?:e\.\s?V\.?|g?GmbH|AG|KG|GbR|Inc\.?|Ltd\.?|LLC|L\.L\.C\.|PLC|Corp\.?|S\.?A\.?|S\.?L\.|"
    r"B\.?V\.|S\.?r\.?l\.|SAS|Oy|AB|A/S)$"
).search


def find_authors(sources: MetadataSources) -> tuple[tuple[str, ...], str] | None:
    """Return (names, source); None where nobody is named.

    The first source that names somebody wins. The name of the site, of a company or of an agency
    is the author only where nobody else is.
    """
    organizations = _find_organizations(sources)
    of_site: tuple[tuple[str, ...], str] | None = None
    for source, read in AUTHOR_SOURCES:
        if of_site and read in WEAK:
            continue
        for texts in read(sources):
            if not texts:
                continue
            prose = source not in STRUCTURED
            names = drop_duplicates(
                name for text in texts for name in find_names(text, prose=prose)
            )
            others = drop_desks(name for name in names if not _is_site(name, sources.own_names))
            if source in DECLARED:
                others = tuple(filterfalse(_is_login, others))
            elif of_site and not any(" " in name for name in others):
                continue
            if any(fold_letters(name) not in organizations for name in others):
                return _correct_names(sources, others, source)
            if names and of_site is None:
                of_site = others or names, source
    return of_site


def _find_organizations(sources: MetadataSources) -> frozenset[str]:
    """Return the authors in JSON-LD that are organizations: the site, or an agency."""
    organizations: set[str] = set()
    for value in sources.values(sources.article, "author"):
        if isinstance(value, dict) and "Organization" in " ".join(read_types(value)):
            for text in read_author_object(sources, value):
                organizations.update(map(fold_letters, find_names(text, prose=False)))
    return frozenset(organizations)


def _is_site(name: str, own_names: frozenset[str]) -> bool:
    """Return whether a name is the site's or begins with it ("The Daily Staff"), or a company's."""
    key = fold_letters(name)
    if key in own_names or _company(name):
        return True
    return any(len(own) > SHORT_SITE_NAME and key.startswith(own) for own in own_names)


def _is_login(name: str) -> bool:
    """Return whether a name is that of an account: a longer word in small Latin letters."""
    return len(name) >= LOGIN_LENGTH and name.isascii() and name.isalpha() and name.islower()


def _correct_names(
    sources: MetadataSources, names: tuple[str, ...], source: str
) -> tuple[tuple[str, ...], str]:
    """Return the names without those that the page shows in another role.

    Declared names that it shows nowhere give way to those of a byline.
    """
    if source in DECLARED and not _are_shown(sources, names):
        for texts in read_shown_bylines(sources):
            people = drop_duplicates(name for text in texts for name in find_names(text))
            if people and all(map(looks_like_person, people)):
                return people, "byline"
    if len(names) > 1:
        credited = find_credited_names(sources)
        names = names[:1] + tuple(name for name in names[1:] if fold_letters(name) not in credited)
    return names, source


def _are_shown(sources: MetadataSources, names: tuple[str, ...]) -> bool:
    """Return whether the last word of any of the names stands anywhere on the page."""
    words, texts = [name.split()[-1] for name in names], sources.page.texts
    if any(word in text for word in words for text in texts):
        return True
    folded = [word.casefold() for word in words]
    return any(word in text.casefold() for text in texts for word in folded)
