"""When the article was published and changed: the sources in order, the first that gives a date."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator
from datetime import date, datetime
from functools import cache
from importlib import import_module
from urllib.parse import urlsplit

import numpy as np
from lxml import etree

from scrapy_boilerplate.metadata.dates import iso_date, names_no_day
from scrapy_boilerplate.metadata.facts import Facts
from scrapy_boilerplate.page.labels import Label
from scrapy_boilerplate.page.text import without_controls

# ---- metadata/datelines: Dates that are shown to readers: `time` elements and lines around the
# headline.

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


# ---- metadata/guess: The day that htmldate finds (extra [dates]), for pages on which no source
# of ours has one.
#
# It searches the whole page by pattern; see docs/evaluation.md for what that adds.

LONGEST_PAGE = 500_000
"""Characters of HTML that are searched; longer pages get no guess (our choice: a search takes
longer than all our other metadata, and pages of this size are rarely articles)."""
MOST_ELEMENTS = 20_000
"""Elements of a page that is written out at all: more are rarely as short as LONGEST_PAGE, and the
string would take more memory than all else."""

_logger = logging.getLogger(__name__)


def guessed(facts: Facts) -> Iterator[str | None]:
    """The day as ISO 8601; nothing without the package, or where the page's tree is gone."""
    find = _finder()
    large = len(facts.page.elements) > MOST_ELEMENTS
    if find is None or facts.tree is None or large:
        return
    # a string: htmldate takes no trees but lxml.html's, and would have to copy ours.
    # It begins with "<": what begins with "http" htmldate would download.
    html = etree.tostring(facts.tree, encoding="unicode", method="html", with_tail=False)
    if len(html) > LONGEST_PAGE:
        return
    html = without_controls(html)  # over which it would fail
    try:
        yield find(html, url=facts.page.url, original_date=True, extensive_search=False)
    except Exception as error:
        told = type(error).__name__
        _logger.warning("htmldate failed on %s: %s: %s", facts.page.url, told, error)
        _logger.debug("Where it failed:", exc_info=error)


@cache
def _finder() -> Callable[..., str | None] | None:
    try:
        find: Callable[..., str | None] = import_module("htmldate").find_date
    except ImportError:
        return None
    return find


Found_when = Iterator[str | None]
Source = tuple[str, Callable[[Facts], Found_when]]

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


def _json_ld(*names: str) -> Callable[[Facts], Found_when]:
    return lambda facts: (facts.text(facts.article, name) for name in names)


def _json_ld_page(*names: str) -> Callable[[Facts], Found_when]:
    return lambda facts: (facts.text(facts.web_page, name) for name in names)


def _meta(names: tuple[str, ...]) -> Callable[[Facts], Found_when]:
    return lambda facts: (one for name in names for one in facts.metas.get(name, ()))


def _microdata(*names: str) -> Callable[[Facts], Found_when]:
    return lambda facts: (value for value, _ in facts.items(*names))


def _url(facts: Facts) -> Found_when:
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


def _guessed(facts: Facts) -> Found_when:
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
