"""Dates as pages write them, in any script, to ISO 8601; what cannot be a publication date is none.

Regular forms are read here: ISO 8601 and its kin, seconds since 1970, numbers in the order of the
language, and month names (`months`; of RFC 2822 as well).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta, timezone
from functools import cache

# ---- metadata/calendars: Days of other calendars: the years of Thailand, and the calendar of Iran.

BUDDHIST_YEARS = 543
"""The year of Thailand is that much ahead."""
FIRST_BUDDHIST = 2400
"""Later years are not ours (our choice)."""

PERSIAN = "fa"
PERSIAN_YEARS = range(1370, 1500)
"""Years of the calendar of Iran since the web is there; as years of ours they are none."""
NEW_YEAR, NEW_YEAR_OF = date(2024, 3, 20), 1403
"""A first day of the year of Iran, and its year."""


def gregorian(year: int, month: int, day: int, language: str | None = None) -> date | None:
    """The day in our calendar; None where there is no such day.

    Years of `PERSIAN_YEARS` are those of Iran on pages in Persian.
    """
    if language == PERSIAN and year in PERSIAN_YEARS:
        return _from_persian(year, month, day)
    try:
        return date(year - BUDDHIST_YEARS if year > FIRST_BUDDHIST else year, month, day)
    except ValueError:
        return None


def _from_persian(year: int, month: int, day: int) -> date | None:
    """Six months of 31 days, five of 30, the last of 29 or 30."""
    if not (1 <= month <= 12 and 1 <= day <= _days_of(year, month)):
        return None
    before = sum(_days_of(year, one) for one in range(1, month)) + day - 1
    forth = sum(map(_days_in, range(NEW_YEAR_OF, year)))
    back = sum(map(_days_in, range(year, NEW_YEAR_OF)))
    return NEW_YEAR + timedelta(days=forth - back + before)


def _days_of(year: int, month: int) -> int:
    return 31 if month <= 6 else 30 if month < 12 else _days_in(year) - 336


def _days_in(year: int) -> int:
    """Leap years by the cycle of 33 years, which is right from 1178 to 1633 (K. M. Borkowski, The
    Persian calendar for 3000 years, 1996)."""
    return 366 if (25 * year + 11) % 33 < 8 else 365


# ---- metadata/months: Names of months: in the larger languages of the web by heart, in all
# others by Babel.

_KNOWN = {
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
"""In order of the year, as they stand in dates (Unicode CLDR)."""
SHORT = {
    name[:length]: number
    for number, name in enumerate(_KNOWN["en"].split(), start=1)
    for length in (3, 4)
}
"""English names cut off."""
OTHER_SPELLINGS = {
    "jänner": 1, "feber": 2, "maerz": 3, "mär": 3, "aout": 8, "okt": 10, "dez": 12
}  # fmt: skip
TWO_MONTHS = {"listopada": {"pl": 11, "hr": 10, "bs": 10}, "listopadu": {"cs": 11, "hr": 10}}
"""What is November to Poles and Czechs, and October to Croats: by language alone."""
KNOWN_MONTHS: Mapping[str, int] = {
    **SHORT,
    **{
        name: number
        for names in _KNOWN.values()
        for number, name in enumerate(names.split(), start=1)
        if name not in TWO_MONTHS
    },
    **{name[:3]: number for number, name in enumerate(_KNOWN["ru"].split(), start=1)},
    **OTHER_SPELLINGS,
}
"""Without a name that means two months; Russian ones are cut off like English ones."""
IRANIAN_MONTHS: Mapping[str, int] = {
    name: number
    for number, name in enumerate(
        "فروردین اردیبهشت خرداد تیر مرداد شهریور مهر آبان آذر دی بهمن اسفند".split(), start=1
    )
}
"""Of the calendar of Iran, from March on."""
_COMMON_LANGUAGES = (
    "de fr es it pt nl sv da nb fi pl cs ru uk el tr ro hu id vi ar he fa hi th".split()
)


def month_named(name: str, language: str | None) -> tuple[int | None, str | None]:
    """(month called `name`, language of its calendar where that is not ours).

    Known names first, then those of the language, then those of any common language: Babel (extra
    [dates]) takes a quarter of a second to read all of them.
    """
    key = _key(name)
    if key in IRANIAN_MONTHS:
        return IRANIAN_MONTHS[key], PERSIAN
    if key in TWO_MONTHS:
        return TWO_MONTHS[key].get((language or "")[:2]), None
    month = KNOWN_MONTHS.get(key) or names_of_months(language).get(key)
    return month or _names_in_all().get(key), None


def _key(word: str) -> str:
    return word.casefold().rstrip(".")


@cache
def names_of_months(language: str | None) -> Mapping[str, int]:
    """Names of months in a language, case folded, full and short; {} where Babel knows none."""
    try:
        from babel import Locale, UnknownLocaleError  # noqa: PLC0415 - an extra
    except ImportError:
        return {}
    try:
        months = Locale.parse((language or "en")[:2]).months
    except (ValueError, UnknownLocaleError):
        return {}
    return {
        _key(name): number
        for context in ("format", "stand-alone")
        for width in ("abbreviated", "wide")
        for number, name in months[context][width].items()
    }


@cache
def _names_in_all() -> Mapping[str, int]:
    """Names that mean one and the same month in all common languages that have them."""
    found: dict[str, set[int]] = {}
    for language in _COMMON_LANGUAGES:
        for name, number in names_of_months(language).items():
            if not name.isdecimal():
                found.setdefault(name, set()).add(number)
    return {name: min(numbers) for name, numbers in found.items() if len(numbers) == 1}


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
