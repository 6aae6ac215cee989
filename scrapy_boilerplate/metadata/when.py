"""When the article was published and changed: the sources in order, the first that gives a date."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date, datetime
from urllib.parse import urlsplit

from scrapy_boilerplate.metadata.datelines import (
    changed_lines,
    close_lines,
    datelines,
    other_lines,
    times,
)
from scrapy_boilerplate.metadata.dates import iso_date, names_no_day
from scrapy_boilerplate.metadata.facts import Facts
from scrapy_boilerplate.metadata.guess import guessed

Found = Iterator[str | None]
Source = tuple[str, Callable[[Facts], Found]]

SHOWN_LIMIT = 4
"""Dates that are shown, of which one may be the page's own."""

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
_in_words = re.compile(r"/(20\d{2})/([^\W\d_]{3,10})/([0-3]?\d)(?!\d)").search
_in_number = re.compile(r"(?<!\d)(20\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])").search


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
    shown = []
    for found, name in _dates(facts, SHOWN):
        if _days(found, declared) == 0:
            return None
        shown.append((found, name))
    if not shown:
        return None
    changes = [found for found, _ in _dates(facts, CHANGED)]
    published = list(_dates(facts, DECLARED))
    for found, name in shown:
        if _is_swapped(found, declared):
            return found, name
        if _days(found, declared) == 1:
            is_change = any(_days(found, one) == 0 for one in changes)
            known = (_tells_no_zone(declared) and not is_change) or any(
                _days(found, one) == 0 and not _is_same_moment(one, declared)
                for one, source in published
                if source != "microdata"  # the one of a comment or a reply at times
            )
            return (found, name) if known else None
    others = [*changes, *(one for one, _ in published)]
    for found, name in shown[:SHOWN_LIMIT]:
        if any(_days(found, one) <= 1 for one in others):
            return found, name
    return _first(facts, (("dateline", close_lines),))


def _is_same_moment(one: str, other: str) -> bool:
    """Whether two times with an offset are one, seen from two places."""
    times = datetime.fromisoformat(one), datetime.fromisoformat(other)
    return all(time.tzinfo for time in times) and times[0] == times[1]


def _is_swapped(shown: str, declared: str) -> bool:
    """Whether the declared date is the shown one with day and month the other way round."""
    year, month, day = shown[:10].split("-")
    return declared[:10] == f"{year}-{day}-{month}"


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
            found = iso_date(text, facts.date_language) if text else None
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


def _url(facts: Facts) -> Found:
    for url in (facts.page.url, facts.canonical_link, facts.meta("og:url")):
        try:
            path = urlsplit(url or "").path
        except ValueError:
            continue
        match = _in_path(path) or _in_number(path)
        if match:
            yield "-".join(match.groups())
        elif match := _in_words(path):
            yield " ".join(reversed(match.groups()))


def _guessed(facts: Facts) -> Found:
    """What htmldate finds, but on pages that declare a day that there is not, such as 30 February:
    it would make another one of that."""
    told = (text for _, source in (*DECLARED, *CHANGED) for text in source(facts))
    return iter(()) if any(names_no_day(text) for text in told if text) else guessed(facts)


DECLARED: tuple[Source, ...] = (
    ("json-ld", _json_ld("datePublished")),
    ("meta", _meta(PUBLISHED_METAS)),
    ("microdata", _microdata("datepublished")),
    ("json-ld page", _json_ld_page("datePublished")),
)
"""What tells of publication to machines."""
SHOWN: tuple[Source, ...] = (
    ("time", times),
    ("dateline", datelines),
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
    ("dateline changed", changed_lines),
    ("text", other_lines),
    ("htmldate", _guessed),
)
"""What is better than nothing."""
MODIFIED: tuple[Source, ...] = (
    *CHANGED,
    ("microdata", _microdata("datemodified")),
    ("json-ld page", _json_ld_page("dateModified")),
    ("dateline", changed_lines),
)
