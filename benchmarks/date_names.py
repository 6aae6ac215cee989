"""``python -m benchmarks.date_names``: write the names and forms of dates.

They are those of Unicode CLDR, read with Babel (a requirement of development), in one line of JSON
for each language, after a line of the abbreviations of time zones in the IANA database:
``scrapy_boilerplate/metadata/date_names.jsonl``.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from babel import Locale, localedata
from babel.core import get_global

from scrapy_boilerplate.metadata import date_names

PATH = Path(date_names.__file__).with_suffix(".jsonl")

# Languages of most pages of the web first: a name of two months means that of the first language.
LANGUAGES = (
    "en de fr es it pt nl ru uk pl cs el tr sv da no ar az be bg bn bs ca et eu fa fi fil ga gl gu "
    "he hi hr hu hy id is ja ka kk km kn ko ky lo lt lv mk ml mn mr ms my ne pa ro si sk sl sq sr "
    "sw ta te th ur uz vi zh af am as cy fo fy gd ku lb mt or ps so tg tk tt ug yo zu"
).split()
# CLDR's names of languages that pages declare by another code.
OTHER_CODES = {"no": ("nb", "nn"), "fil": ("fil", "tl")}
# Scripts of newspapers, besides the one that a language is written in by default.
SCRIPTS = {None, "Arab", "Cyrl", "Deva", "Guru", "Hans", "Hant", "Latn"}
SKELETONS = ("yMMMd", "yMMMMd", "yMMMEd", "yMMMMEEEEd")
# In winter and in summer, on both halves of the world.
DAYS = (datetime(2026, 1, 15), datetime(2026, 7, 15))
# Seconds since midnight.
NOON = 12 * 60 * 60
_letter = re.compile(r"[^\W\d_]").search
# Names that CLDR does not know: "M11".
_is_number = re.compile(r"[Mm]\d\d").fullmatch
_days_of_week = re.compile(r"[Ec]+")


def main() -> None:
    common = read_zones()
    rows = [read_language(code) for code in LANGUAGES]
    for row in rows:
        row["zones"] = dict(sorted(row["zones"].items() - common.items()))
    rows.insert(0, {"code": "", "zones": common})
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    text = "\n".join(lines) + "\n"
    PATH.write_text(text, encoding="utf-8")
    print(f"{PATH}: {len(lines)} languages, {len(text.encode()):,} bytes")


def read_language(code: str) -> dict[str, Any]:
    """Return the names of months, days and half-days, forms and order of dates of a language."""
    codes = OTHER_CODES.get(code, (code,))
    names = [name for name in localedata.locale_identifiers() if name.split("_")[0] in codes]
    # the language itself before its regions
    locales = [Locale.parse(name) for name in sorted(names, key=lambda name: (len(name), name))]
    locales = [locale for locale in locales if locale.script in SCRIPTS]
    main_locale = locales[0]
    months: dict[str, int] = {}
    for locale in locales:
        for name, number in _list_names(locale.months, ("wide", "abbreviated")):
            months.setdefault(name, number)
    days = {name for locale in locales for name, _ in _list_names(locale.days, ("wide",))}
    short = {name for name, _ in _list_names(main_locale.days, ("abbreviated",))} - days
    order = re.sub(r"[^dMy]|(.)(?=.*\1)", "", main_locale.date_formats["short"].pattern)
    return {
        "code": code,
        "months": months,
        "days": sorted(days),
        "short_days": sorted(short),
        "halves": [sorted(_list_halves(locales, half)) for half in ("am", "pm")],
        "forms": sorted(set(_list_forms(locales[:1] + locales[-1:]))),
        "order": order.lower(),
        "zones": read_zones(main_locale),
        "time": "." if "." in main_locale.time_formats["short"].pattern.strip(".") else ":",
    }


def read_zones(locale: Locale | None = None) -> dict[str, str]:
    """Return the abbreviated time zones of a language; without one those of the IANA database.

    Each to its offset, or to a zone for one that is standard time or daylight time. Abbreviations
    of several offsets are left out.
    """
    zones = locale.meta_zones if locale else {}
    short = {name: row.get("short", {}) for name, row in zones.items()}
    offsets: dict[str, set[str]] = {}
    for zone in sorted(available_timezones()):
        names = short.get(get_global("meta_zones").get(zone), {})
        for day in DAYS:
            moment = day.replace(tzinfo=ZoneInfo(zone))
            kind = "daylight" if moment.dst() else "standard"
            name = names.get(kind) if locale else moment.tzname()
            if name and name.isalpha():
                offsets.setdefault(name, set()).add(moment.isoformat()[-6:])
            if moment.dst() and "generic" in names:
                offsets.setdefault(names["generic"], {zone})
    return {
        name: values.pop()
        for name, values in sorted(offsets.items())
        if len(values) == 1 and name not in ("UTC", "GMT")
    }


def _list_names(table: Any, widths: Iterable[str]) -> Iterator[tuple[str, int]]:
    for context in ("format", "stand-alone"):
        for width in widths:
            for number, name in table[context].get(width, {}).items():
                if _letter(name) and not _is_number(name):
                    yield name.casefold(), number


def _list_halves(locales: Sequence[Locale], half: str) -> set[str]:
    # names of parts of the day, such as "early morning", where times are written with them
    has_parts = any("B" in locale.time_formats["medium"].pattern for locale in locales)
    names = {
        name.lower()
        for locale in locales
        for context in locale.day_periods.values()
        for widths in context.values()
        for period, name in widths.items()
        if period == half or (has_parts and _is_in_half(locale, period, half))
    }
    # "a" and "p" are words of other languages
    return {name for name in names if len(name) > 1 or not name.isascii()}


def _is_in_half(locale: Locale, period: str, half: str) -> bool:
    rules = locale.day_period_rules.get(None, {}).get(period, ())
    spans = [
        (rule.get("from", rule.get("at")), rule.get("before", rule.get("at"))) for rule in rules
    ]
    return any(end <= NOON if half == "am" else start >= NOON for start, end in spans)


def _list_forms(locales: Iterable[Locale]) -> Iterator[str]:
    for locale in locales:
        for width in ("long", "medium", "full"):
            yield _tidy(locale.date_formats[width].pattern)
        for skeleton in SKELETONS:
            if skeleton in locale.datetime_skeletons:
                yield _tidy(locale.datetime_skeletons[skeleton].pattern)


def _tidy(form: str) -> str:
    """Return a form without the day of the week; "L" and other widths as "M"."""
    parts = re.split(r"('[^']*')", form)
    for number in range(0, len(parts), 2):
        part = _days_of_week.sub("", parts[number]).replace("L", "M")
        parts[number] = re.sub(r"([dMyGN])\1+", r"\1", re.sub("M{3,}", "N", part))
    return "".join(parts).strip(" ,،-\u200f\u202f")


if __name__ == "__main__":
    main()
