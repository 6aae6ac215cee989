"""Parse dates as pages write them, in any script, to ISO 8601.

Formats: ISO 8601 and its variants, seconds since 1970, numbers in the order of the language, and
names of months (RFC 2822 too).
"""

import re
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache

from scrapy_boilerplate.metadata.date_names import (
    NAME,
    fold_name,
    load_known_months,
    load_names,
)

# Earliest year of a publication (earlier dates are 1970 or not dates of publication).
MIN_YEAR = 1995
# Characters of a text that are read.
MAX_LENGTH = 200
# Ends of a language to the order of numbers with slashes, where it is not that of the language.
DAY_FIRST, MONTH_FIRST = "-GB", "-US"
ORDERS = {DAY_FIRST: "dmy", MONTH_FIRST: "mdy"}
# Maximum hours and minutes of an offset from UTC (Kiritimati).
MAX_OFFSET = ("14", "00")

# Eras of Chinese and Japanese dates to the year before their first.
ERAS = {"民國": 1911, "民国": 1911, "令和": 2018, "平成": 1988}
# Years from which a date of the language is of another calendar: Buddhist, and Solar Hijri.
FIRST_BUDDHIST_YEAR, FIRST_HIJRI_YEAR = 2400, 1300
YEARS_TO_BUDDHIST = 543
HIJRI_MONTHS = "فروردین اردیبهشت خرداد تیر مرداد شهریور مهر آبان آذر دی بهمن اسفند".split()

_has_long_year = re.compile(r"\d{4}|年").search
# Marks of the direction of writing.
_directions = {ord(mark): None for mark in "\u200e\u200f\u061c"}
_replace_digits = re.compile(r"\d").sub
# A word in brackets, such as the day of the week, and up to two short words between a date and its
# time, such as "at" and "alle ore".
_BRACKETS = r"(?:\s*[(（\[【]\s*[^\W\d_]{1,12}\.?\s*[)）\]】])?"
_BETWEEN = r"(?:T(?=\d)|[\s.,،၊|()–—-])*(?:[^\W\d_]{1,5}\.?[\s:,][\s,]*){0,2}?"
_ZONE = (
    r"\s*\(?(?P<zone>Z\b|(?:UTC|GMT)\s?[+−-]\d{1,2}(?::?\d{2})?(?!\d)|[+−-]\d{2}:?\d{2}(?![\d:])|"
    r"\+\d{2}(?![\d:])|UTC\b|GMT\b"
)
# ISO 8601 as programs write it, in which no language has another form.
_match_iso = re.compile(
    r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)(?:[T ](?P<hour>\d\d):(?P<minute>\d\d)"
    r"(?::(?P<second>\d\d)(?:\.\d+)?)?(?P<zone>Z|[+-]\d\d:?\d\d)?)?"
).fullmatch
# Variants of ISO 8601, CLDR's form for languages without names of months, eight digits.
_FIRST_FORMS = (
    r"(?<!\d)(?P<year>\d{4})\s?[-/.]\s?(?P<month>\d{1,2})\s?[-/.]\s?(?P<day>\d{1,2})(?!\d)\.?",
    r"(?<!\d)(?P<year>\d{4}) M(?P<month>\d\d) (?P<day>\d{1,2})(?!\d)",
    r"(?<!\d)(?P<year>(?:19|20)\d{2})(?P<month>\d{2})(?P<day>\d{2})"
    r"(?:T?(?P<hour>\d{2})(?P<minute>\d{2})(?P<second>\d{2})?(?P<zone>Z|[+-]\d{2}:?\d{2})?)?(?!\d)",
)
# Dates with 年, 月, 日 or 년, 월, 일; numbers with words between in Vietnamese.
_WORDED_FORMS = (
    r"(?:(?<!\d)(?P<year>\d{4})|(?P<era>民國|民国|令和|平成)\s?(?P<era_year>\d{1,3}|元))\s?[年년]\s?"
    r"(?P<month>\d{1,2})\s?[月월]\s?(?P<day>\d{1,2})\s?[日일]?",
    r"(?<!\d)(?P<day>\d{1,2})\s+tháng\s+(?P<month>\d{1,2}),?\s+(?:năm\s+)?(?P<year>\d{4})(?!\d)",
)
# Dates with the name of a month in most languages.
_NAMED_FORMS = (
    rf"(?<!\d)(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|º|ª|\.)?,?[\s-]*(?:de\s+|of\s+|d[’'])?(?P<name>{NAME})"
    r"\.?[,،၊]?[\s-]*(?:de\s+|del\s+)?(?P<year>\d{4})(?!\d)",
    rf"(?P<name>{NAME})\.?\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?[,،၊]?\s+(?P<year>\d{{4}})(?!\d)",
    # the year first, with a suffix or a word behind it
    rf"(?<!\d)(?P<year>\d{{4}})[^\W\d_]{{0,3}}\s+(?P<name>{NAME})\.?\s+(?P<day>\d{{1,2}})(?!\d)",
    rf"(?<!\d)(?P<year>\d{{4}})\s+[^\W\d_]{{1,8}}\.?\s+(?P<day>\d{{1,2}})[\s.-]+(?P<name>{NAME})",
)
# A day, a month and a year of two digits, with nothing behind it.
_SHORT_NAMED = (
    rf"(?<!\d)(?P<day>\d{{1,2}})\.?[\s-]+(?P<name>{NAME})\.?[\s-]+[’']?(?P<year>\d{{2}})\s*"
    r"(?=[)\],|·]|$)"
)
# Numbers with the year at the end, or of two digits.
_NUMBERS = (
    r"(?<!\d)(?P<first>\d{1,2})\s?(?P<sign>[./-])\s?(?P<second_number>\d{1,2})\s?(?P=sign)\s?"
    r"(?P<year>\d{4}|\d{2})(?!\d)"
)
# Characters before a date in which its time is searched.
BEFORE_LENGTH = 40


@lru_cache(maxsize=1_000)
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


@lru_cache(maxsize=100)
def _build_times(language: str) -> tuple[str, str]:
    """Return the patterns of a time behind a date, and of one before it."""
    names = load_names(language)
    halves = [
        f"(?P<{{0}}{half}>{'|'.join(filter(None, (words, own)))})"
        for half, words, own in (
            ("am", r"a\.m\.|a\.?m\b", names.am),
            ("pm", r"p\.m\.|p\.?m\b", names.pm),
        )
    ]
    half = "|".join(halves)
    # with two digits before and behind it, a dot is one of a time in other languages, too
    sign = "[:：h.]" if names.has_dot else r"(?:[:：h]|(?<=\d\d)\.(?=\d\d(?![.,\d]|\s?[€$£%])))"
    days = rf"(?:[\s.,،]*(?:{names.days}))?" if names.days else ""
    # "5時" has no minutes, but "5時間" is not a time
    moment = (
        rf"(?:(?:{half.format('before_')})\s*)?(?P<hour>\d{{1,2}})"
        rf"(?:(?:{sign}|\s?[時时시點点]\s?)(?P<minute>\d{{2}})\s?[分분]?|\s?[時时시](?![間间半]))"
        rf"(?:[:.](?P<second>\d{{2}})(?:[.,]\d+)?)?\s*(?:{half.format('')})?(?:\s?Uhr\b)?"
    )
    zone = rf"{_ZONE}|(?-i:{'|'.join(names.zones)})\b)?"
    return (
        rf"(?:{days}{_BRACKETS}{_BETWEEN}{moment})?{zone}",
        rf"(?<![\d.:]){moment}{zone}\)?[\s,،|·–—-]*(?:[^\W\d_]{{1,5}}\.?\s+)?$",
    )


_find_offset = re.compile(r"([+-])(\d+)$").search
_epoch = re.compile(r"\s*(\d{10})(\d{3})?(?:\.\d+)?\s*").fullmatch


def parse_date(text: str, language: str | None = None) -> str | None:
    """Return the first date in `text` as ISO 8601, with time and offset where it has them.

    `language` (ISO 639-1, with an end of `ORDERS`) decides on names of months and on 5/6 (in May
    for English, in June for others). None without a date, and for dates before 1995 or after
    tomorrow, which are not dates of publication.
    """
    text = _normalise(text).strip()
    if seconds := _epoch(text):
        written = datetime.fromtimestamp(int(seconds[1]), UTC).isoformat()
    elif date_in_text := _find_date(text, language):
        written = date_in_text[0]
    else:
        return None
    day = date.fromisoformat(written[:10])
    last = datetime.now(UTC).date() + timedelta(days=1)
    return written if day.year >= MIN_YEAR and day <= last else None


def _normalise(text: str) -> str:
    """Return the start of a text with ASCII digits, without marks of the direction of writing."""
    text = text[:MAX_LENGTH]
    if text.isascii():
        return text
    return _replace_digits(lambda digit: str(int(digit[0])), text.translate(_directions))


def find_earliest(text: str, language: str | None = None) -> str | None:
    """Return the earliest date in `text` as ISO 8601, or None."""
    text = _normalise(text)
    dates = []
    while date_in_text := _find_date(text, language):
        dates.append(date_in_text[0])
        text = text[date_in_text[1][1] :]
    return min(dates, default=None)


def drop_dates(text: str, language: str | None = None) -> str:
    """Return the first MAX_LENGTH characters of `text` without dates, their times and zones."""
    text = _normalise(text)
    while date_in_text := _find_date(text, language):
        start, end = date_in_text[1]
        text = f"{text[:start]} {text[end:]}"
    return text


# A date as ISO 8601, and (start, end) of the date with its time and zone.
_Date = tuple[str, tuple[int, int]]


def _find_date(text: str, language: str | None) -> _Date | None:
    if (iso := _match_iso(text)) and (day := _read_day(parts := iso.groupdict(), language)):
        return _format(day, parts, language), iso.span()
    after, before = _build_times(language or "")
    for form in _list_forms(language, _has_long_year(text) is not None, text.isascii()):
        for match in _compile(form).finditer(text):
            parts = match.groupdict()
            if day := _read_day(parts, language):
                end = match.end()
                if "hour" not in parts and (rest := _compile(after).match(text, end)):
                    parts, end = parts | rest.groupdict(), rest.end()
                if parts["hour"] is None:
                    earlier = text[max(0, match.start() - BEFORE_LENGTH) : match.start()]
                    time = _compile(before).search(earlier)
                    parts |= {k: v for k, v in time.groupdict().items() if v} if time else {}
                return _format(day, parts, language), (match.start(), end)
    return None


@lru_cache(maxsize=400)
def _list_forms(language: str | None, has_long_year: bool, is_ascii: bool) -> tuple[str, ...]:
    if not has_long_year:
        return (_NUMBERS, _SHORT_NAMED)
    worded = () if is_ascii else _WORDED_FORMS
    return (*_FIRST_FORMS, *worded, *load_names(language).forms, *_NAMED_FORMS, _NUMBERS)


_Parts = dict[str, str | None]


def _read_day(parts: _Parts, language: str | None) -> date | None:
    """Return the day, None for an impossible one; two digits of a year are of this century."""
    written, era = parts["year"] or "", parts.get("era")
    year = int(written or 0) + 2000 * (len(written) == 2)
    if era:
        year = ERAS[era] + int((parts["era_year"] or "").replace("元", "1"))
    if "first" in parts:
        first, second = int(parts["first"] or 0), int(parts["second_number"] or 0)
        order = ORDERS.get((language or "")[2:]) or load_names(language).order
        if (
            order == "ymd"
            and len(written) == 2
            and (day := _make_day(2000 + first, second, int(written)))
        ):
            return day
        is_month_first = parts["sign"] == "/" and order == "mdy" and first <= 12
        month, day_number = (first, second) if is_month_first or second > 12 else (second, first)
    else:
        day_number = int(parts["day"] or 0)
        month = int(parts.get("month") or find_month(parts.get("name") or "", language) or 0)
    code = (language or "")[:2]
    if code == "th" and year >= FIRST_BUDDHIST_YEAR:
        year -= YEARS_TO_BUDDHIST
    if code == "fa" and FIRST_HIJRI_YEAR <= year < FIRST_HIJRI_YEAR + 200:
        name = parts.get("name")
        month = HIJRI_MONTHS.index(name) + 1 if name in HIJRI_MONTHS else month
        return _read_hijri(year, month, day_number)
    return _make_day(year, month, day_number)


def _make_day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _read_hijri(year: int, month: int, day: int) -> date | None:
    """Return a day of the Solar Hijri calendar, which has 8 leap years in 33."""
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    years = year + 1595
    days = 365 * years + years // 33 * 8 + (years % 33 + 3) // 4
    days += day + 31 * (month - 1) - max(0, month - 7)
    return date.fromordinal(days - 356_033)


def _format(day: date, parts: _Parts, language: str | None) -> str:
    hour, zone = parts.get("hour"), parts.get("zone")
    if hour is None:
        return day.isoformat()
    hours = int(hour)
    if parts.get("am") or parts.get("before_am"):
        hours %= 12
    elif parts.get("pm") or parts.get("before_pm"):
        hours = hours % 12 + 12
    try:
        moment = time(hours, int(parts["minute"] or 0), int(parts.get("second") or 0)).isoformat()
    except ValueError:
        return day.isoformat()
    text = f"{day.isoformat()}T{moment}"
    return f"{text}{_read_offset(zone, text, language)}" if zone else text


def _read_offset(zone: str, moment: str, language: str | None) -> str:
    """Return "+07:00" of "GMT+7" and the like; "" for an unknown offset, or one of no place."""
    if (known := load_names(language).zones.get(zone)) and "/" not in known:
        return known
    if known:
        # few dates have such a zone
        from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # noqa: PLC0415

        try:
            place = ZoneInfo(known)
        except ZoneInfoNotFoundError:  # Windows without the package tzdata
            return ""
        return datetime.fromisoformat(moment).replace(tzinfo=place).isoformat()[-6:]
    offset_match = _find_offset(zone.replace("−", "-").replace(":", ""))
    if offset_match is None:
        return "+00:00"
    sign, digits = offset_match.groups()
    hours, minutes = (digits[:-2], digits[-2:]) if len(digits) > 2 else (digits, "00")
    offset = (hours.zfill(2), minutes)
    return f"{sign}{':'.join(offset)}" if offset <= MAX_OFFSET and minutes <= "59" else ""


def find_month(name: str, language: str | None) -> int | None:
    """Return the number of the month `name`, or None; the language of the page comes first."""
    key = fold_name(" ".join(name.split()))
    names = load_names(language or "en")
    return names.months.get(key) or load_known_months().get(key) or names.find_abbreviated(key)
