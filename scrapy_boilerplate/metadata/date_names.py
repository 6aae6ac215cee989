"""Names and forms of dates in each language, from Unicode CLDR.

``python -m benchmarks.date_names`` writes the file, a line for each language.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any
from unicodedata import normalize

# Codes that pages declare for languages of the file.
CODES = {"nb": "no", "nn": "no", "tl": "fil"}

# Accents, dots and apostrophes are often left out, and upper case has none in Greek.
_drop_marks = re.compile("[\u0300-\u036f\u200c\u200d.׳'’ʼ॰]").sub
_has_inner_sign = re.compile(r"[\s\d.,;:()/|·–—-]").search
_tokens = re.compile(r"'([^']*)'|([dMNyG])|([^dMNyG']+)").findall
_words = re.compile(r"[^\W\d_]+").findall
# Words between the parts of a date that every language may have, in `date_parsing`.
_COMMON_WORDS = frozenset({"de", "del"})
_GAP = r"[\s.,،()-]*"
# Letters of an abbreviated month that CLDR does not know, at least.
MIN_ABBREVIATION = 3
# A word that can be a month.
NAME = r"[^\s\d.,،၊;:()/|•·⋅–—-]{2,30}"


class DateNames:
    """The names and forms of one language, empty for an unknown one.

    months   folded name to number
    special  pattern of the names of months that are not one word without a dot; "" without any
    forms    patterns of dates in forms that are not those of every language
    halves   pattern of the names of half-days: group ``am`` or ``pm``
    order    order of the parts in numbers: "dmy", "mdy" or "ymd"
    zones    abbreviated time zone to its offset, or to a zone of the IANA database
    has_dot  whether a dot separates hours and minutes
    """

    def __init__(self, row: Mapping[str, Any]) -> None:
        names: Mapping[str, int] = row.get("months", {})
        self.months = {fold_name(name): number for name, number in names.items()}
        special = sorted(filter(_is_special, names), key=len, reverse=True)
        self.special = "|".join(map(_build_name, special))
        self.days = "|".join(map(re.escape, sorted(row.get("days", ()), key=len, reverse=True)))
        self.forms = tuple(dict.fromkeys(self._build_forms(row.get("forms", ()))))
        am, pm = row.get("halves", ((), ()))
        self.am, self.pm = ("|".join(map(_build_half, half)) for half in (am, pm))
        self.order: str = row.get("order", "mdy")
        self.zones: dict[str, str] = row.get("zones", {})
        self.has_dot = row.get("time") == "."

    def find_abbreviated(self, name: str) -> int | None:
        """Return the only month with the letters of a name, as `fold_name` gives it, in this order.

        CLDR does not know all abbreviations: "mrz", "sett". None without one, or with several.
        """
        if len(name) < MIN_ABBREVIATION:
            return None
        months = {n for full, n in self.months.items() if _is_abbreviation(name, full)}
        return months.pop() if len(months) == 1 else None

    def _build_forms(self, forms: Iterable[str]) -> Iterator[str]:
        name = rf"(?P<name>{f'{self.special}|' if self.special else ''}{NAME})\.?"
        for form in forms:
            tokens = _tokens(form)
            order = "".join(field for _, field, _ in tokens).replace("G", "")
            words = {word for quoted, _, plain in tokens for word in _words(quoted or plain)}
            is_common = order in ("dNy", "Ndy") and words <= _COMMON_WORDS and not self.special
            if "N" in order and not is_common:
                yield _build_form(tokens, name)


def _is_abbreviation(short: str, name: str) -> bool:
    letters = iter(name)
    return short[0] == name[0] and all(letter in letters for letter in short)


def _is_special(name: str) -> bool:
    return len(name) == 1 or _has_inner_sign(name.rstrip(".")) is not None


def _build_name(name: str) -> str:
    return re.escape(name.rstrip(".")).replace("\\ ", r"\s+").replace("\\.", r"\.?\s?")


def _build_half(name: str) -> str:
    name = name.replace("\u202f", " ").replace("\xa0", " ")
    letters = [re.escape(part) for part in re.split(r"[.\s]+", name) if part]
    return r"\.?\s?".join(letters) + r"(?![^\W\d_])\.?"


def _build_form(tokens: Iterable[tuple[str, str, str]], name: str) -> str:
    """Return the pattern of a form; words after its last part can be missing."""
    fields = {
        "d": r"(?<!\d)(?P<day>\d{1,2})(?!\d)",
        "M": r"(?P<month>\d{1,2})(?!\d)",
        "N": name,
        "y": r"(?<!\d)(?P<year>\d{4})(?!\d)",
        "G": r"\S{0,8}?",
    }
    parts, left = [""], 3
    for quoted, field, plain in tokens:
        left -= field not in ("", "G")
        # Basque puts optional letters into brackets
        words = (re.escape(word) + "?" * (len(word) == 1) for word in _words(quoted or plain))
        literal = [item for word in words for item in (word, _GAP)]
        if field:
            parts.append(fields[field])
        elif left > 0:
            # such as the preposition before a Hebrew month
            is_prefix = len(literal) > 1 and plain[-1:].isalpha()
            parts += [_GAP, *(literal[:-1] if is_prefix else literal)]
        elif literal:
            parts.append(rf"(?:{_GAP}{literal[0]}\.?)?")
    joined = (part for before, part in pairwise(parts) if not part == before == _GAP)
    return "".join(joined)


def fold_name(name: str) -> str:
    """Return a name in lower case without accents, dots and apostrophes."""
    if name.isascii():
        return name.lower().replace(".", "").replace("'", "").strip()
    # the capital of the Turkish letter is also the capital of another letter; Hindi writes a nasal
    # as a letter or as a dot
    folded = _drop_marks("", normalize("NFD", name.casefold())).strip()
    return folded.replace("ı", "i").replace("म्", "ं")


@cache
def _read_lines() -> dict[str, str]:
    text = Path(__file__).with_name("date_names.jsonl").read_text(encoding="utf-8")
    return {line.split('"', 4)[3]: line for line in text.splitlines()}


@lru_cache(maxsize=100)
def load_names(language: str | None) -> DateNames:
    """Return the names of a language by its code, such as "en" or "en-GB"."""
    code = (language or "").partition("-")[0]
    line = _read_lines().get(CODES.get(code, code))
    common = json.loads(_read_lines()[""])
    row = json.loads(line) if line else {}
    return DateNames(row | {"zones": common["zones"] | row.get("zones", {})})


@cache
def load_known_months() -> Mapping[str, int]:
    """Return the names of months of all languages; of equal names that of the first language."""
    known: dict[str, int] = {}
    for line in _read_lines().values():
        for name, number in json.loads(line).get("months", {}).items():
            known.setdefault(fold_name(name), number)
    return known


@cache
def load_known_days() -> frozenset[str]:
    """Return the names of days in lower case, and the short English and German ones."""
    rows = list(map(json.loads, _read_lines().values()))
    names = [name for row in rows for name in row.get("days", ())]
    names += [name for row in rows if row["code"] in ("en", "de") for name in row["short_days"]]
    return frozenset(name.rstrip(".") for name in names)
