"""When the article was published and changed: the sources in order, the first that gives a date."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date
from urllib.parse import urlsplit

import numpy as np

from scrapy_boilerplate.label import Label
from scrapy_boilerplate.metadata.dates import iso_date
from scrapy_boilerplate.metadata.facts import Facts

Found = Iterator[str | None]
Source = tuple[str, Callable[[Facts], Found]]

DATELINE_WORDS = 20
"""A block with more words is no dateline."""
FIRST_CHARACTERS = 40
"""Of the first paragraph, in which a date can stand: "Berlin, 1.5.2024 - "."""
BLOCKS_BELOW, CLOSE_WORDS = 4, 12
"""Blocks below the headline, and their words at most, in which a date needs no confirmation."""
SHOWN_LIMIT = 4
"""Dates that are shown, of which one may be the page's own."""
BLOCKS_AROUND = 12
"""Blocks before and after the headline in which a dateline is looked for (our choice)."""

PUBLISHED_METAS = (
    "article:published_time",
    "og:article:published_time",
    "article:published",
    "datepublished",
    "parsely-pub-date",
    "sailthru.date",
    "cxenseparse:recs:publishtime",
    "publish-date",
    "published-date",
    "w-published-date",
    "publishdate",
    "publish_date",
    "published_time",
    "pubdate",
    "publication_date",
    "og:published_time",
    "article.published",
    "dc.date.issued",
    "dcterms.issued",
    "dcterms.created",
    "dc.date.created",
    "dcterms.date",
    "dc.date",
    "citation_publication_date",
    "date.created",
    "originalpublicationdate",
    "date",
)
MODIFIED_METAS = (
    "article:modified_time",
    "og:updated_time",
    "datemodified",
    "dcterms.modified",
    "dc.date.modified",
    "last-modified",
    "lastmod",
    "article:modified",
    "article.updated",
    "revised",
)

_in_path = re.compile(
    r"/((?:19|20)\d{2})[/-]?(0[1-9]|1[0-2])[/-]?(0[1-9]|[12]\d|3[01])(?!\d)"
).search
_in_number = re.compile(r"(?<!\d)(20\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])").search
_named = re.compile(r"date|time|publi|posted|meta|byline|datum|fecha|stamp|info", re.I).search
_modified_words = re.compile(
    r"(?:last |zuletzt )?(?:updat|modif|edited|reviewed|aktualisi|geändert|actuali|aggiorn|mis à jour|"
    r"atualiz|bijgewerkt|更新|수정|обновл)",
    re.I,
).search


def published(facts: Facts) -> tuple[str, str] | None:
    """(date, source) of publication; None where no source tells one.

    What the page declares for machines wins, but for the day that it shows its readers: a declared
    time in UTC is of the day before or after, or a date shown beside the headline is another one
    that the page declares as well, or stands right below the headline.
    """
    declared = _first(facts, DECLARED)
    if declared is None:
        return _first(facts, SHOWN) or _first(facts, LAST_RESORTS)
    return _shown_instead(facts, declared[0]) or declared


def modified(facts: Facts) -> tuple[str, str] | None:
    """(date, source) of the last change; None where no source tells one."""
    return _first(facts, MODIFIED)


def _shown_instead(facts: Facts, declared: str) -> tuple[str, str] | None:
    shown = list(_dates(facts, SHOWN))
    if not shown or any(_days(found, declared) == 0 for found, _ in shown):
        return None
    changes = [found for found, _ in _dates(facts, CHANGED)]
    for found, name in shown:
        if _days(found, declared) == 1:
            is_change = any(_days(found, one) == 0 for one in changes)
            return (found, name) if _tells_no_zone(declared) and not is_change else None
    others = [*changes, *(found for found, _ in _dates(facts, DECLARED))]
    for found, name in shown[:SHOWN_LIMIT]:
        if any(_days(found, one) <= 1 for one in others):
            return found, name
    return _first(facts, (("dateline", _close_lines),))


def _days(one: str, other: str) -> int:
    return abs((date.fromisoformat(one[:10]) - date.fromisoformat(other[:10])).days)


def _tells_no_zone(found: str) -> bool:
    """Whether the local day is not told: a day alone, or a time in UTC or without an offset."""
    return found.endswith("+00:00") or not set("+-") & set(found[10:])


def _first(facts: Facts, sources: tuple[Source, ...]) -> tuple[str, str] | None:
    return next(_dates(facts, sources), None)


def _dates(facts: Facts, sources: tuple[Source, ...]) -> Iterator[tuple[str, str]]:
    for name, source in sources:
        for text in source(facts):
            found = iso_date(text, facts.language) if text else None
            if found:
                yield found, name


def _json_ld(*names: str) -> Callable[[Facts], Found]:
    return lambda facts: (facts.text(facts.article, name) for name in names)


def _json_ld_page(*names: str) -> Callable[[Facts], Found]:
    return lambda facts: (facts.text(facts.web_page, name) for name in names)


def _meta(names: tuple[str, ...]) -> Callable[[Facts], Found]:
    return lambda facts: (one for name in names for one in facts.metas.get(name, ()))


def _microdata(*names: str) -> Callable[[Facts], Found]:
    return lambda facts: (value for value, _ in facts.items(*names))


def _times(facts: Facts) -> Found:
    """The `time` elements of the article: those after its headline first, then the one before it."""
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


def _datelines(facts: Facts) -> Found:
    """Dates in short blocks around the headline, blocks that are named for dates first."""
    return (text for text, changed in _lines_with_dates(facts) if not changed)


def _changed_lines(facts: Facts) -> Found:
    return (text for text, changed in _lines_with_dates(facts) if changed)


def _lines_with_dates(facts: Facts) -> Iterator[tuple[str, bool]]:
    """(text, whether it tells of a change)"""
    page = facts.page
    at = facts.headline_at
    order = [*range(at + 1, at + 1 + BLOCKS_AROUND), *range(at - 1, at - 1 - BLOCKS_AROUND, -1)]
    short = [b for b in order if 0 <= b < len(page) and page.words[b] <= DATELINE_WORDS]
    named = [block for block in short if _named(_names(facts, block))]
    for block in dict.fromkeys((*named, *short)):
        text = page.texts[block]
        if _has_digit(text):
            change = _modified_words(text)
            if change is None:
                yield text, False
            else:
                yield text[: change.start()], False
                yield text[change.start() :], True
    for block in range(at + 1, min(len(page), at + 1 + BLOCKS_AROUND)):
        if facts.labeling.labels[block] == Label.FULL_TEXT:
            yield page.texts[block][:FIRST_CHARACTERS], False


def _close_lines(facts: Facts) -> Found:
    """Short blocks right below the headline."""
    at, page = facts.headline_at, facts.page
    for block in range(at + 1, min(len(page), at + 1 + BLOCKS_BELOW)):
        text = page.texts[block]
        if page.words[block] <= CLOSE_WORDS and _has_digit(text) and not _modified_words(text):
            yield text


def _other_lines(facts: Facts) -> Found:
    """Every other short block, and every `time`: those below the headline first."""
    page, at = facts.page, facts.headline_at
    yield from (stamp for _, stamp in page.declared.times)
    for block in (*range(at, len(page)), *range(at)):
        if page.words[block] <= DATELINE_WORDS and _has_digit(page.texts[block]):
            yield page.texts[block]


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _names(facts: Facts, block: int) -> str:
    elements = facts.page.elements
    element = int(facts.page.blocks.elements[block])
    parent = max(0, elements.parents[element])
    return " ".join((elements.classes[element], elements.ids[element], elements.classes[parent]))


def _url(facts: Facts) -> Found:
    for url in (facts.page.url, facts.canonical_link, facts.meta("og:url")):
        try:
            path = urlsplit(url or "").path
        except ValueError:
            continue
        match = _in_path(path) or _in_number(path)
        if match:
            yield "-".join(match.groups())


DECLARED: tuple[Source, ...] = (
    ("json-ld", _json_ld("datePublished")),
    ("meta", _meta(PUBLISHED_METAS)),
    ("microdata", _microdata("datepublished")),
    ("json-ld page", _json_ld_page("datePublished")),
)
"""What tells of publication to machines."""
SHOWN: tuple[Source, ...] = (
    ("time", _times),
    ("dateline", _datelines),
)
"""What tells readers."""
CHANGED: tuple[Source, ...] = (
    ("json-ld", _json_ld("dateModified")),
    ("meta", _meta(MODIFIED_METAS)),
)
LAST_RESORTS: tuple[Source, ...] = (
    ("url", _url),
    ("json-ld created", _json_ld("dateCreated", "uploadDate")),
    *((f"{name} modified", source) for name, source in CHANGED),
    ("dateline changed", _changed_lines),
    ("text", _other_lines),
)
"""What is better than nothing."""
MODIFIED: tuple[Source, ...] = (
    *CHANGED,
    ("microdata", _microdata("datemodified")),
    ("json-ld page", _json_ld_page("dateModified")),
    ("dateline", _changed_lines),
)
