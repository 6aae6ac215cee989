"""Dates as pages write them, in any script, to ISO 8601; what cannot be a publication date is none.

Regular forms are read here: ISO 8601 and its kin, seconds since 1970, numbers in the order of the
language, and month names (`months`; of RFC 2822 as well).
"""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta, timezone

from scrapy_boilerplate.metadata.calendars import gregorian
from scrapy_boilerplate.metadata.months import month_named

FIRST_YEAR = 1995
"""Nothing on the web is older; what says so counts from 1970, or tells of something else."""
MAX_LENGTH = 200
"""Characters of a text that is read as a date."""
DAY_FIRST = "en-GB"
"""The language of an English page whose site writes the day before the month."""
MONTH_FIRST = frozenset({"", "en"})
"""Languages in which 5/6 is in May; "" where none is known."""
REIWA_YEARS = 2018
"""Year 1 of the Japanese era Reiwa is 2019."""

_four_figures = re.compile(r"(?:\d\D*){4}|令和").search
_TIME = (
    r"(?:(?:T|\s|,|-|–|\||at|um|à)*(\d{1,2})(?:[:h]|\.(?=\d\d\s?(?:Uhr|h)\b))(\d{2})"
    r"(?::(\d{2})(?:[.,]\d+)?)?\s*([ap]\.?m\b)?)?"
)
_ZONE = r"\s*(Z\b|UTC|GMT|[+-]\d{2}:?\d{2})?"
_iso = re.compile(
    r"(?<!\d)(\d{4})\s?[-/.]\s?(\d{1,2})\s?[-/.]\s?(\d{1,2})(?!\d)" + _TIME + _ZONE, re.IGNORECASE
)
_compact = re.compile(r"(?<!\d)((?:19|20)\d{2})(\d{2})(\d{2})(?:T?(\d{2})(\d{2})(\d{2})?)?(?!\d)")
_han = re.compile(
    r"(\d{4}|(?:令和|R)\s?\d{1,2}|令和元)\s?[年년]\s?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日일]?"
    r"(?:.{0,8}?(\d{1,2})\s?[:時时시]\s?(\d{2}))?"
)
_numbers = re.compile(
    r"(?<!\d)(\d{1,2})\s?([./-])\s?(\d{1,2})\s?\2\s?(\d{4}|\d{2})(?!\d)" + _TIME + _ZONE
)
_epoch = re.compile(r"\s*(\d{10})(\d{3})?(?:\.\d+)?\s*").fullmatch
_word = r"(?:[\u0e00-\u0e7f]{1,3}\.[\u0e00-\u0e7f]{1,3}|[^\s\d.,;:()/|•·⋅–—-]{2,20})"
"""Of letters; the short months of Thai have a full stop inside."""
_day_month = re.compile(
    rf"(?<!\d)(\d{{1,2}})(?:st|nd|rd|th|er|º|ª|\.)?[\s-]*(?:de\s+|of\s+|d[’'])?({_word})\.?,?[\s-]*"
    rf"(?:de\s+|del\s+)?(\d{{4}})(?!\d)" + _TIME + _ZONE,
    re.IGNORECASE,
)
_month_day = re.compile(
    rf"({_word})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+(\d{{4}})(?!\d)" + _TIME + _ZONE,
    re.IGNORECASE,
)


def iso_date(text: str, language: str | None = None, *, latest: date | None = None) -> str | None:
    """The first date in `text` as ISO 8601, with time and offset where they are told; None without.

    `language` (ISO 639-1, or `DAY_FIRST`) tells the names of months and whether 5/6 is in May
    (English) or June, and of Persian that years may be those of Iran. Dates before 1995 or after
    `latest` (default: tomorrow) are none.
    """
    text = text[:MAX_LENGTH].strip()
    if not _four_figures(text):
        return None
    for read in _READERS:
        found = read(text, language)
        if found is not None:
            return found if _plausible(found, latest) else None
    return None


def names_no_day(text: str) -> bool:
    """Whether a text in ISO 8601 names a day of a month that has fewer."""
    match = _iso.search(text[:MAX_LENGTH])
    if not match:
        return False
    year, month, day = map(int, match.group(1, 2, 3))
    return 1 <= month <= 12 and 1 <= day <= 31 and gregorian(year, month, day) is None


def _plausible(iso: str, latest: date | None) -> bool:
    day = date.fromisoformat(iso[:10])
    last = latest or datetime.now(timezone.utc).date() + timedelta(days=1)
    return day.year >= FIRST_YEAR and day <= last


def _read_epoch(text: str, _language: str | None) -> str | None:
    match = _epoch(text)
    if not match:
        return None
    return datetime.fromtimestamp(int(match[1]), timezone.utc).isoformat()


def _read_iso(text: str, language: str | None) -> str | None:
    match = _iso.search(text)
    if not match:
        return None
    day = gregorian(_year(match[1]), int(match[2]), int(match[3]), language)
    return _written(day, match.groups()[3:])


def _read_compact(text: str, _language: str | None) -> str | None:
    match = _compact.search(text)
    if not match:
        return None
    day = gregorian(int(match[1]), int(match[2]), int(match[3]))
    return _written(day, match.groups()[3:])


def _read_han(text: str, _language: str | None) -> str | None:
    match = _han.search(text)
    if not match:
        return None
    day = gregorian(_year(match[1]), int(match[2]), int(match[3]))
    return _written(day, match.groups()[3:])


def _read_names(text: str, language: str | None) -> str | None:
    for pattern, day, month in ((_day_month, 1, 2), (_month_day, 2, 1)):
        for match in pattern.finditer(text):
            year = _year(match[3])
            number, calendar = month_named(match[month], language)
            told = gregorian(year, number, int(match[day]), calendar) if number else None
            if told:
                return _written(told, match.groups()[3:])
    return None


def _read_numbers(text: str, language: str | None) -> str | None:
    match = _numbers.search(text)
    if not match:
        return None
    first, second, year = int(match[1]), int(match[3]), _year(match[4])
    month_first = match[2] == "/" and (language or "") in MONTH_FIRST and first <= 12
    day, month = (second, first) if month_first or second > 12 else (first, second)
    return _written(gregorian(year, month, day, language), match.groups()[4:])


_READERS = (
    _read_epoch, _read_iso, _read_compact, _read_han, _read_names, _read_numbers
)  # fmt: skip


def _year(text: str) -> int:
    """The year of our calendar; two figures are of this century."""
    if not text.isdecimal():
        digits = re.sub(r"\D", "", text)
        return REIWA_YEARS + (int(digits) if digits else 1)
    return 2000 + int(text) if len(text) == 2 else int(text)


def _written(day: date | None, rest: tuple[str | None, ...]) -> str | None:
    """ISO 8601; `rest`: hour, minute, second, "am" or "pm", zone, as far as the form has them."""
    if day is None:
        return None
    hour, minute, second, half, zone = (*rest, None, None, None, None, None)[:5]
    if hour is None:
        return day.isoformat()
    hours = int(hour) % 12 + 12 * (half[0] in "pP") if half else int(hour)
    try:
        of_day = time(hours, int(minute or 0), int(second or 0))
    except ValueError:
        return day.isoformat()
    return f"{day.isoformat()}T{of_day.isoformat()}{_offset(zone)}"


MOST_OF_AN_OFFSET = ("14", "00")
"""Hours and minutes by which a time zone differs from UTC at most (Kiritimati)."""


def _offset(zone: str | None) -> str:
    if not zone:
        return ""
    if zone[0] not in "+-":
        return "+00:00"
    hours, minutes = zone[1:3], zone[-2:]
    if (hours, minutes) > MOST_OF_AN_OFFSET or minutes > "59":
        return ""
    return f"{zone[0]}{hours}:{minutes}"
