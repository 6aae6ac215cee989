"""Parse dates as pages write them, in any script and four calendars, to ISO 8601.

Formats: ISO 8601 and its variants, seconds since 1970, numbers in the order of the language, and
names of months (RFC 2822 too).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta, timezone
from functools import cache

# Earliest year of a publication (an earlier date is 1970 or of something else).
MIN_YEAR = 1995
# Characters of a text that are read.
MAX_LENGTH = 200
# The language of an English page whose site writes the day before the month.
DAY_FIRST = "en-GB"
# Languages in which 5/6 is in May; "" for an unknown language.
MONTH_FIRST = frozenset({"", "en"})
# Hours and minutes of an offset from UTC at most (Kiritimati).
MAX_OFFSET = ("14", "00")

# Year 1 of the Japanese era Reiwa is 2019 in the Gregorian calendar.
REIWA_OFFSET = 2018
# The Buddhist calendar of Thailand is that many years ahead; years after MAX_GREGORIAN_YEAR are of
# that calendar.
BUDDHIST_OFFSET, MAX_GREGORIAN_YEAR = 543, 2400
# The Persian calendar of Iran: its language, its years in use on the web (no page has
# them as Gregorian years), and a first day of a year with that year.
PERSIAN = "fa"
PERSIAN_YEARS = range(1370, 1500)
PERSIAN_NEW_YEAR, PERSIAN_NEW_YEAR_OF = date(2024, 3, 20), 1403

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
# Names that are November in Polish and Czech, and October in Croatian.
AMBIGUOUS_MONTHS = {"listopada": {"pl": 11, "hr": 10, "bs": 10}, "listopadu": {"cs": 11, "hr": 10}}
# Name of a month to its number, without AMBIGUOUS_MONTHS; Russian ones are abbreviated too.
KNOWN_MONTHS: Mapping[str, int] = {
    **ENGLISH_ABBREVIATIONS,
    **{
        name: number
        for names in _MONTH_NAMES.values()
        for number, name in enumerate(names.split(), start=1)
        if name not in AMBIGUOUS_MONTHS
    },
    **{name[:3]: number for number, name in enumerate(_MONTH_NAMES["ru"].split(), start=1)},
    **OTHER_SPELLINGS,
}
# Name of a month of the Persian calendar to its number; the first begins in March.
PERSIAN_MONTHS: Mapping[str, int] = {
    name: number
    for number, name in enumerate(
        "فروردین اردیبهشت خرداد تیر مرداد شهریور مهر آبان آذر دی بهمن اسفند".split(), start=1
    )
}
_COMMON_LANGUAGES = (
    "de fr es it pt nl sv da nb fi pl cs ru uk el tr ro hu id vi ar he fa hi th".split()
)

_has_four_digits = re.compile(r"(?:\d\D*){4}|令和").search
_TIME = (
    r"(?:(?:T|\s|,|-|–|\||at|um|à)*(\d{1,2})(?:[:h]|\.(?=\d\d\s?(?:Uhr|h)\b))(\d{2})"
    r"(?::(\d{2})(?:[.,]\d+)?)?\s*([ap]\.m\.|[ap]\.?m\b)?(?:\s?Uhr\b)?)?"
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
# A word that can be a month; abbreviated Thai months have a full stop inside.
_word = r"(?:[\u0e00-\u0e7f]{1,3}\.[\u0e00-\u0e7f]{1,3}|[^\s\d.,;:()/|•·⋅–—-]{2,20})"
_day_month = re.compile(
    rf"(?<!\d)(\d{{1,2}})(?:st|nd|rd|th|er|º|ª|\.)?[\s-]*(?:de\s+|of\s+|d[’'])?({_word})\.?,?[\s-]*"
    rf"(?:de\s+|del\s+)?(\d{{4}})(?!\d)" + _TIME + _ZONE,
    re.IGNORECASE,
)
_month_day = re.compile(
    rf"({_word})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+(\d{{4}})(?!\d)" + _TIME + _ZONE,
    re.IGNORECASE,
)


def parse_date(text: str, language: str | None = None, *, latest: date | None = None) -> str | None:
    """Return the first date in `text` as ISO 8601, with time and offset where it has them.

    `language` (ISO 639-1, or `DAY_FIRST`) decides on names of months, on 5/6 (in May for English,
    in June for others), and on the Persian calendar. None without a date, and for a date before
    1995 or after `latest` (default: tomorrow), which is no date of publication.
    """
    text = text[:MAX_LENGTH].strip()
    if seconds := _epoch(text):
        written = datetime.fromtimestamp(int(seconds[1]), timezone.utc).isoformat()
    elif date_in_text := _find_date(text, language):
        written = date_in_text[0]
    else:
        return None
    day = date.fromisoformat(written[:10])
    last = latest or datetime.now(timezone.utc).date() + timedelta(days=1)
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
    if not _has_four_digits(text):
        return None
    return (
        _find_year_first(text, language)
        or _find_month_names(text, language)
        or _find_numbers(text, language)
    )


def is_impossible_day(text: str) -> bool:
    """Return whether a text in ISO 8601 has a day that its month does not have."""
    match = _iso.search(text[:MAX_LENGTH])
    if not match:
        return False
    year, month, day = map(int, match.group(1, 2, 3))
    return 1 <= month <= 12 and 1 <= day <= 31 and to_gregorian(year, month, day) is None


def _find_year_first(text: str, language: str | None) -> _Date | None:
    """Find ISO 8601 and variants, eight digits, and dates with 年, 月, 日 or 년, 월, 일."""
    for pattern in (_iso, _compact, _han):
        if match := pattern.search(text):
            day = to_gregorian(_read_year(match[1]), int(match[2]), int(match[3]), language)
            if day:
                return _format(day, match.groups()[3:]), match
    return None


def _find_month_names(text: str, language: str | None) -> _Date | None:
    for pattern, day_group, month_group in ((_day_month, 1, 2), (_month_day, 2, 1)):
        for match in pattern.finditer(text):
            month, calendar = find_month(match[month_group], language)
            if month is not None:
                day = to_gregorian(_read_year(match[3]), month, int(match[day_group]), calendar)
                if day:
                    return _format(day, match.groups()[3:]), match
    return None


def _find_numbers(text: str, language: str | None) -> _Date | None:
    match = _numbers.search(text)
    if not match:
        return None
    first, second, year = int(match[1]), int(match[3]), _read_year(match[4])
    month_first = match[2] == "/" and (language or "") in MONTH_FIRST and first <= 12
    number, month = (second, first) if month_first or second > 12 else (first, second)
    day = to_gregorian(year, month, number, language)
    return (_format(day, match.groups()[4:]), match) if day else None


def _read_year(text: str) -> int:
    """Return the year; of Reiwa it becomes Gregorian, two digits are of this century."""
    if not text.isdecimal():
        digits = re.sub(r"\D", "", text)
        return REIWA_OFFSET + (int(digits) if digits else 1)
    return 2000 + int(text) if len(text) == 2 else int(text)


def _format(day: date, rest: tuple[str | None, ...]) -> str:
    """Return ISO 8601; `rest` is (hour, minute, second, "am" or "pm", zone) or a part of it."""
    hour, minute, second, am_pm, zone = (*rest, None, None, None, None, None)[:5]
    if hour is None:
        return day.isoformat()
    hours = int(hour) % 12 + 12 * (am_pm[0] in "pP") if am_pm else int(hour)
    try:
        moment = time(hours, int(minute or 0), int(second or 0)).isoformat()
    except ValueError:
        return day.isoformat()
    offset = ""
    if zone and zone[0] not in "+-":
        offset = "+00:00"
    elif zone and (zone[1:3], zone[-2:]) <= MAX_OFFSET and zone[-2:] <= "59":
        offset = f"{zone[:3]}:{zone[-2:]}"
    return f"{day.isoformat()}T{moment}{offset}"


def to_gregorian(year: int, month: int, day: int, language: str | None = None) -> date | None:
    """Return the day in the Gregorian calendar; None for an impossible day.

    On pages in Persian, PERSIAN_YEARS are of the Persian calendar. Years after MAX_GREGORIAN_YEAR
    are of the Buddhist calendar.
    """
    if language == PERSIAN and year in PERSIAN_YEARS:
        # six months of 31 days, five of 30, the last of 29 or 30
        last = 31 if month <= 6 else 30 if month < 12 else _count_persian_days(year) - 336
        if not (1 <= month <= 12 and 1 <= day <= last):
            return None
        days_after = sum(map(_count_persian_days, range(PERSIAN_NEW_YEAR_OF, year)))
        days_before = sum(map(_count_persian_days, range(year, PERSIAN_NEW_YEAR_OF)))
        months = 31 * (month - 1) - max(0, month - 7)
        return PERSIAN_NEW_YEAR + timedelta(days=days_after - days_before + months + day - 1)
    try:
        return date(year - BUDDHIST_OFFSET if year > MAX_GREGORIAN_YEAR else year, month, day)
    except ValueError:
        return None


def _count_persian_days(year: int) -> int:
    """Return the days of a year of the Persian calendar.

    The 33-year cycle of leap years holds from 1178 to 1633 (K. M. Borkowski, The Persian calendar
    for 3000 years, 1996).
    """
    return 366 if (25 * year + 11) % 33 < 8 else 365


def find_month(name: str, language: str | None) -> tuple[int | None, str | None]:
    """Return (number of the month `name` or None, PERSIAN if it is of that calendar or None).

    Babel (extra [dates]) reads the names of all common languages in a quarter of a second, so they
    come last.
    """
    key = name.casefold().rstrip(".")
    if key in PERSIAN_MONTHS:
        return PERSIAN_MONTHS[key], PERSIAN
    if key in AMBIGUOUS_MONTHS:
        return AMBIGUOUS_MONTHS[key].get((language or "")[:2]), None
    month = KNOWN_MONTHS.get(key) or load_month_names(language).get(key)
    return month or _load_common_month_names().get(key), None


@cache
def load_month_names(language: str | None) -> Mapping[str, int]:
    """Return the full and short names of months in a language, case folded, from Babel.

    Empty without Babel, and for a language unknown to it.
    """
    try:
        from babel import Locale, UnknownLocaleError  # noqa: PLC0415 - an extra
    except ImportError:
        return {}
    try:
        months = Locale.parse((language or "en")[:2]).months
    except (ValueError, UnknownLocaleError):
        return {}
    return {
        name.casefold().rstrip("."): number
        for context in ("format", "stand-alone")
        for width in ("abbreviated", "wide")
        for number, name in months[context][width].items()
    }


@cache
def _load_common_month_names() -> Mapping[str, int]:
    """Return the names that are the same month in all common languages that have them."""
    months: dict[str, set[int]] = {}
    for language in _COMMON_LANGUAGES:
        for name, number in load_month_names(language).items():
            if not name.isdecimal():
                months.setdefault(name, set()).add(number)
    return {name: min(numbers) for name, numbers in months.items() if len(numbers) == 1}
