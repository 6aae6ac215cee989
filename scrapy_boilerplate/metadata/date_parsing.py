"""Parse dates as pages write them, in any script, to ISO 8601.

Formats: ISO 8601 and its variants, seconds since 1970, numbers in the order of the language, and
names of months (RFC 2822 too).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from functools import cache

# Earliest year of a publication (earlier dates are 1970 or not dates of publication).
MIN_YEAR = 1995
# Characters of a text that are read.
MAX_LENGTH = 200
# The language of an English page whose site writes the day before the month.
DAY_FIRST = "en-GB"
# Languages in which 5/6 is in May; "" for an unknown language.
MONTH_FIRST = frozenset({"", "en"})
# Maximum hours and minutes of an offset from UTC (Kiritimati).
MAX_OFFSET = ("14", "00")

# Language to the names of months as in dates, in order (Unicode CLDR).
_MONTH_NAMES = {
    "en": "january february march april may june july august september october november december",
    "de": "januar februar märz april mai juni juli august september oktober november dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
    "diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre "
    "dicembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro "
    "dezembro",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "ru": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "uk": "січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня",
    "pl": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października "
    "listopada grudnia",
    "cs": "ledna února března dubna května června července srpna září října listopadu prosince",
    "el": "ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου σεπτεμβρίου "
    "οκτωβρίου νοεμβρίου δεκεμβρίου",
    "tr": "ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık",
    "sv": "januari februari mars april maj juni juli augusti september oktober november december",
    "da": "januar februar marts april maj juni juli august september oktober november december",
    "no": "januar februar mars april mai juni juli august september oktober november desember",
}
# English names of months, three or four letters long, to their numbers.
ENGLISH_ABBREVIATIONS = {
    name[:length]: number
    for number, name in enumerate(_MONTH_NAMES["en"].split(), start=1)
    for length in (3, 4)
}
OTHER_SPELLINGS = {
    "jänner": 1, "feber": 2, "maerz": 3, "mär": 3, "aout": 8, "okt": 10, "dez": 12
}  # fmt: skip
# Name of a month to its number; Russian ones are abbreviated too.
KNOWN_MONTHS: Mapping[str, int] = {
    **ENGLISH_ABBREVIATIONS,
    **{
        name: number
        for names in _MONTH_NAMES.values()
        for number, name in enumerate(names.split(), start=1)
    },
    **{name[:3]: number for number, name in enumerate(_MONTH_NAMES["ru"].split(), start=1)},
    **OTHER_SPELLINGS,
}

_has_long_year = re.compile(r"\d{4}").search
_TIME = (
    r"(?:(?:T|\s|,|-|–|\||at|um|à)*(?P<hour>\d{1,2})(?:[:h]|\.(?=\d\d\s?(?:Uhr|h)\b))(?P<minute>\d{2})"
    r"(?::(?P<second>\d{2})(?:[.,]\d+)?)?\s*(?P<half>[ap]\.m\.|[ap]\.?m\b)?(?:\s?Uhr\b)?)?"
    r"\s*(?P<zone>Z\b|UTC|GMT|[+-]\d{2}:?\d{2})?"
)
# A word that can be a month.
_NAME = r"(?P<name>[^\s\d.,;:()/|•·⋅–—-]{2,20})"
# ISO 8601 and variants, eight digits, dates with 年, 月, 日 or 년, 월, 일, dates with the name of a
# month, and numbers with the year at the end.
_patterns = (
    re.compile(
        r"(?<!\d)(?P<year>\d{4})\s?[-/.]\s?(?P<month>\d{1,2})\s?[-/.]\s?(?P<day>\d{1,2})(?!\d)"
        + _TIME,
        re.IGNORECASE,
    ),
    re.compile(
        r"(?<!\d)(?P<year>(?:19|20)\d{2})(?P<month>\d{2})(?P<day>\d{2})"
        r"(?:T?(?P<hour>\d{2})(?P<minute>\d{2})(?P<second>\d{2})?)?(?!\d)"
    ),
    re.compile(
        r"(?P<year>\d{4})\s?[年년]\s?(?P<month>\d{1,2})\s?[月월]\s?(?P<day>\d{1,2})\s?[日일]?"
        r"(?:.{0,8}?(?P<hour>\d{1,2})\s?[:時时시]\s?(?P<minute>\d{2}))?"
    ),
    re.compile(
        rf"(?<!\d)(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|º|ª|\.)?[\s-]*(?:de\s+|of\s+|d[’'])?{_NAME}"
        rf"\.?,?[\s-]*(?:de\s+|del\s+)?(?P<year>\d{{4}})(?!\d){_TIME}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"{_NAME}\.?\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}})(?!\d){_TIME}",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?<!\d)(?P<first>\d{1,2})\s?(?P<sign>[./-])\s?(?P<second_number>\d{1,2})\s?(?P=sign)\s?"
        rf"(?P<year>\d{{4}}|\d{{2}})(?!\d){_TIME}"
    ),
)
_epoch = re.compile(r"\s*(\d{10})(\d{3})?(?:\.\d+)?\s*").fullmatch


def parse_date(text: str, language: str | None = None, *, latest: date | None = None) -> str | None:
    """Return the first date in `text` as ISO 8601, with time and offset where it has them.

    `language` (ISO 639-1, or `DAY_FIRST`) decides on names of months, on 5/6 (in May for English,
    in June for others). None without a date, and for dates before 1995 or after `latest` (default:
    tomorrow), which are not dates of publication.
    """
    text = text[:MAX_LENGTH].strip()
    if seconds := _epoch(text):
        written = datetime.fromtimestamp(int(seconds[1]), UTC).isoformat()
    elif date_in_text := _find_date(text, language):
        written = date_in_text[0]
    else:
        return None
    day = date.fromisoformat(written[:10])
    last = latest or datetime.now(UTC).date() + timedelta(days=1)
    return written if day.year >= MIN_YEAR and day <= last else None


def drop_dates(text: str, language: str | None = None) -> str:
    """Return the first MAX_LENGTH characters of `text` without dates, their times and zones."""
    text = text[:MAX_LENGTH]
    while date_in_text := _find_date(text, language):
        start, end = date_in_text[1].span()
        text = f"{text[:start]} {text[end:]}"
    return text


_Date = tuple[str, re.Match[str]]
"""A date as ISO 8601, and the match of a pattern: date, time and zone."""


def _find_date(text: str, language: str | None) -> _Date | None:
    patterns: tuple[re.Pattern[str], ...] = _patterns
    if not _has_long_year(text):
        # only numbers with a sign between can have a year of two digits
        patterns = _patterns[-1:]
    for pattern in patterns:
        for match in pattern.finditer(text):
            parts = match.groupdict()
            if day := _read_day(parts, language):
                return _format(day, parts), match
    return None


_Parts = dict[str, str | None]


def _read_day(parts: _Parts, language: str | None) -> date | None:
    """Return the day, None for an impossible one; two digits of a year are of this century."""
    written = parts["year"] or ""
    year = int(written) + 2000 * (len(written) == 2)
    if "first" in parts:
        first, second = int(parts["first"] or 0), int(parts["second_number"] or 0)
        is_month_first = parts["sign"] == "/" and (language or "") in MONTH_FIRST and first <= 12
        month, day = (first, second) if is_month_first or second > 12 else (second, first)
    else:
        day = int(parts["day"] or 0)
        month = int(parts.get("month") or find_month(parts.get("name") or "", language) or 0)
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _format(day: date, parts: _Parts) -> str:
    """Return ISO 8601 with the time and the offset of a date that has them."""
    hour, half, zone = parts.get("hour"), parts.get("half"), parts.get("zone")
    if hour is None:
        return day.isoformat()
    hours = int(hour) % 12 + 12 * (half[0] in "pP") if half else int(hour)
    try:
        moment = time(hours, int(parts["minute"] or 0), int(parts.get("second") or 0)).isoformat()
    except ValueError:
        return day.isoformat()
    offset = ""
    if zone and zone[0] not in "+-":
        offset = "+00:00"
    elif zone and (zone[1:3], zone[-2:]) <= MAX_OFFSET and zone[-2:] <= "59":
        offset = f"{zone[:3]}:{zone[-2:]}"
    return f"{day.isoformat()}T{moment}{offset}"


def find_month(name: str, language: str | None) -> int | None:
    """Return the number of the month `name`, or None; the language of the page comes first."""
    key, code = name.casefold().rstrip("."), (language or "en")[:2]
    own = {} if code in _MONTH_NAMES else load_month_names(code)
    return own.get(key) or KNOWN_MONTHS.get(key) or load_month_names(code).get(key)


@cache
def load_month_names(language: str) -> Mapping[str, int]:
    """Return the full and short names of months in a language, case folded, from Babel.

    Empty without Babel, and for a language unknown to it.
    """
    try:
        from babel import Locale, UnknownLocaleError  # noqa: PLC0415 - an extra
    except ImportError:
        return {}
    try:
        months = Locale.parse(language).months
    except (ValueError, UnknownLocaleError):
        return {}
    return {
        name.casefold().rstrip("."): number
        for context in ("format", "stand-alone")
        for width in ("abbreviated", "wide")
        for number, name in months[context][width].items()
    }
