"""Names that are shown to readers: bylines, blocks named for authors, lines with a date."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

import numpy as np

from scrapy_boilerplate.metadata.facts import Facts, letters
from scrapy_boilerplate.metadata.person_names import (
    byline_of,
    credit_of,
    inner_byline_of,
    lead_alone,
    looks_like_a_name,
    looks_like_a_person,
    names_in,
)
from scrapy_boilerplate.page.labels import Label

Texts = list[str]

BYLINE_WORDS = 25
"""A block with more words is no byline."""
BLOCKS_BEFORE, BLOCKS_AFTER = 3, 14
"""Blocks around the headline in which a byline is looked for (our choice)."""
SIGNATURE_WORDS = 15
"""Words of a line far from the headline that can be a byline (our choice)."""
FIRST_CHARACTERS = 80
"""Of the text, in which an agency can stand."""
LINE_BLOCKS = 6
"""Blocks below the headline in which a line that is only a name is a byline."""
NAME_WORDS = 4
"""A block with more words is more than a name, and the names of its grandparent say less of it."""
MIN_COVERED = 0.8
"""Share of the letters of such a line that are the name's."""

_author_name = re.compile(
    r"author|byline|autor|writer|journalist|signatur|redact|verfasser|(?:published|posted)-?by",
    re.I,
).search
_no_author_name = re.compile(r"bio|comment|related|avatar|social|follow|photo|image", re.I).search
_date_and_time = re.compile(
    r"\d{1,2}\s?[./-]\s?(?:\d{1,2}\s?[./-]|\w+\.?)\s?\d{2,4}|\d{1,2}\.? [^\W\d]+\.? \d{4}|"
    # from the start of a word only: else the time grows with the square of its length
    r"(?<![^\W\d])[^\W\d]+\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}|\d{4}-\d\d-\d\d|"
    r"\d{1,2}[:h.]\d{2}(?:\s?(?:Uhr|[ap]m))?"
)
_signed = re.compile(r"\W*(?:(?:\w+\s)?by\s|autor|author|auteur)", re.I).match
_signed_in_full = re.compile(
    r"\W*(?:(?:written|words|story|text|article) by\s|(?:autor(?:in|a|e)?|author|auteure?)\s*:)",
    re.I,
).match
_agency = re.compile(
    r"[(（](?:\w+/)?((?:dpa|AFP|AP|Reuters|SID|APA|SDA|ots|epd|KNA|EFE|ANSA|PAP|TASS|ТАСС|Xinhua)"
    r"(?:/\w+)*)[)）]",
    re.IGNORECASE,
).search


def bylines(facts: Facts) -> Iterator[Texts]:
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
        if _is_named(facts, block) and (len(text.split()) == 1 or _are_names(text)):
            yield [text]
    for _, text in lines:
        byline = inner_byline_of(text)
        if byline and _are_names(byline) and any(" " in name for name in names_in(byline)):
            yield [byline]


def shown_bylines(facts: Facts) -> Iterator[Texts]:
    """Lines around the headline that begin with "By" or its like."""
    for _, text in _lines(facts):
        byline = byline_of(text)
        if byline and _are_names(byline):
            yield [byline]


def _are_names(text: str) -> bool:
    found = names_in(text)
    return bool(found) and all(map(looks_like_a_name, found))


def _lines(facts: Facts) -> Iterator[tuple[int, str]]:
    page, at = facts.page, facts.headline_at
    order = [*range(at + 1, at + 1 + BLOCKS_AFTER), *range(at - 1, at - 1 - BLOCKS_BEFORE, -1)]
    for block in order:
        text = page.texts[block] if 0 <= block < len(page) else ""
        if text and page.words[block] <= BYLINE_WORDS and not credit_of(text):
            yield block, text


def _is_named(facts: Facts, block: int) -> bool:
    elements = facts.page.elements
    element = int(facts.page.blocks.elements[block])
    parent = max(0, elements.parents[element])
    names = [elements.classes[element], elements.ids[element], elements.classes[parent]]
    if facts.page.words[block] <= NAME_WORDS:
        names.append(elements.classes[max(0, elements.parents[parent])])
    return _for_authors(*names)


@lru_cache(maxsize=2048)
def _for_authors(*names: str) -> bool:
    joined = " ".join(names)
    return bool(_author_name(joined)) and not _no_author_name(joined)


def named_anywhere(facts: Facts) -> Iterator[Texts]:
    """Blocks below the headline that are named for authors, such as a box after the text."""
    page = facts.page
    for block in range(facts.headline_at + 1, len(page)):
        if page.words[block] <= BYLINE_WORDS and _is_named(facts, block):
            yield [page.texts[block]]


def beside_a_date(facts: Facts) -> Iterator[Texts]:
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


def signatures(facts: Facts) -> Iterator[Texts]:
    """Lines further below that begin with "By" or the like, and name people."""
    return _signatures(facts, _signed)


def full_signatures(facts: Facts) -> Iterator[Texts]:
    """The same of lines that say it in so many words: "Written by", "Autorin: "."""
    return _signatures(facts, _signed_in_full)


def _signatures(facts: Facts, signed: Callable[[str], object]) -> Iterator[Texts]:
    page = facts.page
    for block in range(facts.headline_at + BLOCKS_AFTER, len(page)):
        text = page.texts[block]
        byline = byline_of(text) if page.words[block] <= SIGNATURE_WORDS and signed(text) else None
        found = names_in(byline) if byline else ()
        if byline and found and all(looks_like_a_person(one) or one.isupper() for one in found):
            yield [byline]


def first_lines(facts: Facts) -> Iterator[Texts]:
    """A paragraph that is names of people and nothing else, right before one of the text."""
    page, at, labels = facts.page, facts.headline_at, facts.labeling.labels
    elements, parents = page.blocks.elements, page.elements.parents
    for block in range(at + 1, min(len(page) - 1, at + 1 + LINE_BLOCKS)):
        one, other = int(elements[block]), int(elements[block + 1])
        if (
            page.words[block] <= SIGNATURE_WORDS
            and labels[block + 1] == Label.FULL_TEXT
            and page.elements.tags[one] == page.elements.tags[other] == "p"
            and parents[one] == parents[other]
            and _are_people(page.texts[block])
        ):
            yield [page.texts[block]]


def _are_people(text: str) -> bool:
    found = names_in(text)
    return bool(found) and all(map(looks_like_a_person, found)) and _covers(found, text)


def agencies(facts: Facts) -> Iterator[Texts]:
    """Agencies in brackets at the start of the text: "Berlin (dpa) - "."""
    content = np.flatnonzero(facts.labeling.labels == Label.FULL_TEXT)
    for block in content[:2].tolist():
        match = _agency(facts.page.texts[block][:FIRST_CHARACTERS])
        if match:
            yield [match[1]]


def _covers(names: tuple[str, ...], text: str) -> bool:
    """Whether the names are all of a text, but for what stands between them."""
    return sum(map(len, map(letters, names))) >= MIN_COVERED * len(letters(text))
