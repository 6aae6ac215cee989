"""Who is named near the headline without having written it, and who by a link to their page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from scrapy_boilerplate.metadata.bylines import BLOCKS_AFTER, BLOCKS_BEFORE, Texts
from scrapy_boilerplate.metadata.facts import Facts, letters
from scrapy_boilerplate.metadata.names import credit_of, looks_like_a_person, names_in

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
