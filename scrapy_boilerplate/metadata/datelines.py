"""Dates that are shown to readers: `time` elements and lines around the headline."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from scrapy_boilerplate.label import Label
from scrapy_boilerplate.metadata.facts import Facts

Found = Iterator[str | None]

DATELINE_WORDS = 20
"""A block with more words is no dateline."""
FIRST_CHARACTERS = 40
"""Of the first paragraph, in which a date can stand: "Berlin, 1.5.2024 - "."""
BLOCKS_BELOW, CLOSE_WORDS = 4, 12
"""Blocks below the headline, and their words at most, in which a date needs no confirmation."""
BLOCKS_AROUND = 12
"""Blocks before and after the headline in which a dateline is looked for (our choice)."""


_has_digit = re.compile(r"\d").search
_named = re.compile(r"date|time|publi|posted|meta|byline|datum|fecha|stamp|info", re.I).search
_modified_words = re.compile(
    r"(?:last |zuletzt )?(?:updat|modif|edited|reviewed|aktualisi|geändert|actuali|aggiorn|"
    r"mis à jour|atualiz|bijgewerkt|更新|수정|обновл|оновл|zmodyfik|ενημέρω|ενημερώ|"
    r"uppdater|opp?dater|güncelle)",
    re.I,
).search


def times(facts: Facts) -> Found:
    """The `time` elements of the article: three after its headline, then the one before it."""
    first, last = _range(facts)
    times = [(e, stamp) for e, stamp in facts.page.declared.times if e <= last]
    after = [one for one in times if one[0] >= first]
    before = [one for one in times if one[0] < first][::-1]
    for element, stamp in (*after[:3], *before[:1]):
        text = facts.text_in(element)
        if not _modified_words(text):
            yield stamp
            yield text


def _range(facts: Facts) -> tuple[int, int]:
    """Elements of the headline block and of the last block of full text."""
    elements, labels = facts.page.blocks.elements, facts.labeling.labels
    headline = np.flatnonzero(labels == Label.HEADLINE)
    content = np.flatnonzero(labels == Label.FULL_TEXT)
    first = int(elements[headline[0]]) if len(headline) else 0
    last = int(elements[content[-1]]) if len(content) else len(facts.page.elements)
    return first, last


def datelines(facts: Facts) -> Found:
    """Dates in short blocks around the headline, blocks that are named for dates first."""
    return (text for text, changed in _lines_with_dates(facts) if not changed)


def changed_lines(facts: Facts) -> Found:
    """What the same lines tell of changes."""
    return (text for text, changed in _lines_with_dates(facts) if changed)


def _lines_with_dates(facts: Facts) -> list[tuple[str, bool]]:
    """(text, whether it tells of a change) of lines with figures; looked for once a page."""
    if facts.dated_lines is None:
        facts.dated_lines = [*_short_lines(facts), *_starts(facts)]
    return facts.dated_lines


def _short_lines(facts: Facts) -> Iterator[tuple[str, bool]]:
    page, at = facts.page, facts.headline_at
    order = [*range(at + 1, at + 1 + BLOCKS_AROUND), *range(at - 1, at - 1 - BLOCKS_AROUND, -1)]
    inside = [block for block in order if 0 <= block < len(page)]
    dated = [block for block in inside if _has_digit(page.texts[block])]
    short = [block for block in dated if page.words[block] <= DATELINE_WORDS]
    named = [block for block in short if _named(_names(facts, block))]
    for block in dict.fromkeys((*named, *short)):
        text = page.texts[block]
        change = _modified_words(text)
        if change is None:
            yield text, False
        else:
            yield text[: change.start()], False
            yield text[change.start() :], True


def _starts(facts: Facts) -> Iterator[tuple[str, bool]]:
    """The start of the paragraphs below the headline: "Berlin, 1.5.2024 - "."""
    at, labels = facts.headline_at, facts.labeling.labels
    below = np.flatnonzero(labels[at + 1 : at + 1 + BLOCKS_AROUND] == Label.FULL_TEXT)
    for block in below.tolist():
        text = facts.page.texts[at + 1 + block][:FIRST_CHARACTERS]
        if _has_digit(text):
            yield text, _modified_words(text) is not None


def close_lines(facts: Facts) -> Found:
    """Short blocks right below the headline."""
    at, page = facts.headline_at, facts.page
    for block in range(at + 1, min(len(page), at + 1 + BLOCKS_BELOW)):
        text = page.texts[block]
        if page.words[block] <= CLOSE_WORDS and _has_digit(text) and not _modified_words(text):
            yield text


def other_lines(facts: Facts) -> Found:
    """Every other short block, and every `time`: those below the headline first."""
    page, at = facts.page, facts.headline_at
    yield from (stamp for _, stamp in page.declared.times)
    for block in (*range(at, len(page)), *range(at)):
        if page.words[block] <= DATELINE_WORDS and _has_digit(page.texts[block]):
            yield page.texts[block]


def _names(facts: Facts, block: int) -> str:
    elements = facts.page.elements
    element = int(facts.page.blocks.elements[block])
    parent = max(0, elements.parents[element])
    return " ".join((elements.classes[element], elements.ids[element], elements.classes[parent]))
