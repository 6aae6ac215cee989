"""Whether a field is right: headline, date, authors, language against what people wrote down."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from unicodedata import normalize

from scrapy_boilerplate.metadata.fields import Metadata
from scrapy_boilerplate.metadata.person_names import is_credential
from scrapy_boilerplate.page.labels import FloatArray
from scrapy_boilerplate.training.corpora import LabelledPage

_words = re.compile(r"[^\W_]+").findall
_joined = re.compile(r"\s*[;,/|]\s*|\s+(?:and|und|et|y|og|och|&)\s+", re.IGNORECASE)

ONE_LANGUAGE = {"nb": "no", "nn": "no"}
"""Codes that stand for one language: sites use them for each other."""


def normalised(text: str) -> str:
    """Letters and digits in words with a space between, NFKC, case folded.

    Quotes, dashes and other punctuation do not count: pages spell one title with several of them.
    """
    visible = text.replace("\u00ad", "").replace("\u200b", "")
    return " ".join(_words(normalize("NFKC", visible).casefold()))


def same_headline(found: str | None, gold: str) -> bool:
    """Whether the texts are equal as `normalised`."""
    return found is not None and normalised(found) == normalised(gold)


def same_day(found: str | None, gold: str) -> bool:
    """Whether ISO 8601 dates name one day: as written, or `found` in the offset of `gold`."""
    if found is None:
        return False
    if found[:10] == gold[:10]:
        return True
    ours, theirs = _moment(found), _moment(gold)
    if ours is None or theirs is None or ours.tzinfo is None or theirs.tzinfo is None:
        return False
    return ours.astimezone(theirs.tzinfo).date() == theirs.date()


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _is_day(text: str) -> bool:
    """Whether a text begins with a day in ISO 8601 that there is (corpora have a month 25)."""
    try:
        date.fromisoformat(text[:10])
    except ValueError:
        return False
    return True


def same_authors(found: Iterable[str], gold: Iterable[str]) -> bool:
    """Whether the sets of names are equal as `normalised`; joined names are told apart on both
    sides, degrees after a name ("Jane Doe, PhD") do not count."""
    return _names(found) == _names(gold)


def _names(names: Iterable[str]) -> frozenset[str]:
    parts = (part for name in names for part in _joined.split(f" {name} "))
    return frozenset(
        filter(None, (normalised(part) for part in parts if not is_credential(part.strip())))
    )


def same_language(found: str | None, gold: str) -> bool:
    """Whether ISO 639-1 codes name one language."""
    return found is not None and ONE_LANGUAGE.get(found, found) == ONE_LANGUAGE.get(gold, gold)


Judge = Callable[[LabelledPage, Metadata], bool]

JUDGED: Mapping[str, tuple[Callable[[LabelledPage], bool], Judge]] = {
    "headline": (
        lambda page: bool(normalised(page.title or "")),
        lambda page, found: same_headline(found.headline, page.title or ""),
    ),
    "date": (
        lambda page: _is_day(page.date or ""),
        lambda page, found: same_day(found.date_published, page.date or ""),
    ),
    "authors": (
        lambda page: bool(_names(page.authors)),
        lambda page, found: same_authors(found.authors, page.authors),
    ),
    "language": (
        lambda page: page.language is not None,
        lambda page, found: same_language(found.language, page.language or ""),
    ),
}
"""Field to (whether a corpus knows it of a page, whether ours is right)."""


def field_counts(name: str, page: LabelledPage, found: Metadata) -> tuple[float, float]:
    """(right, given) of one page, 0 or 1 each."""
    values = {"date": found.date_published, "authors": found.authors or None}
    value = values[name] if name in values else getattr(found, name)
    return float(JUDGED[name][1](page, found)), float(value is not None)


def field_figures(rows: FloatArray) -> dict[str, float]:
    """Share of the pages whose field is right, and of those where any value is given."""
    right, given = rows.T
    return {"right": float(right.mean()), "given": float(given.mean())}
