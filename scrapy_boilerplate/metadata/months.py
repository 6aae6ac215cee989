"""Names of months: in the larger languages of the web by heart, in all others by Babel."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from scrapy_boilerplate.metadata.calendars import PERSIAN

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
