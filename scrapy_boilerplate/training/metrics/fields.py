"""Whether a field of a document is right: headline, date, authors, language against the gold."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from unicodedata import normalize

from scrapy_boilerplate.metadata.fields import Metadata
from scrapy_boilerplate.metadata.person_names import is_credential
from scrapy_boilerplate.page.labels import FloatArray
from scrapy_boilerplate.training.corpora import LabelledPage

_words = re.compile(r"[^\W_]+").findall
_name_separators = re.compile(
    r"(?:(?<!\s)\s+)?[;,/|]\s*|(?<!\s)\s+(?:and|und|et|y|og|och|&)\s+", re.IGNORECASE
)

# codes of one language: sites use them for each other
SAME_LANGUAGE = {"nb": "no", "nn": "no"}


def normalize_title(text: str) -> str:
    """Return letters and digits in words with a space between, NFKC, case folded.

    Quotes, dashes and other punctuation do not count: pages spell one title with several of them.
    """
    visible = text.replace("\u00ad", "").replace("\u200b", "")
    return " ".join(_words(normalize("NFKC", visible).casefold()))


def is_same_headline(headline: str | None, gold: str) -> bool:
    """Whether the texts are equal as `normalize_title` has them."""
    return headline is not None and normalize_title(headline) == normalize_title(gold)


def is_same_day(timestamp: str | None, gold: str) -> bool:
    """Whether ISO 8601 dates are on one day: as written, or in the offset of `gold`."""
    if timestamp is None:
        return False
    if timestamp[:10] == gold[:10]:
        return True
    try:
        ours, theirs = datetime.fromisoformat(timestamp), datetime.fromisoformat(gold)
    except ValueError:
        return False
    if ours.tzinfo is None or theirs.tzinfo is None:
        return False
    return ours.astimezone(theirs.tzinfo).date() == theirs.date()


def _is_day(text: str) -> bool:
    """Whether a text begins with a day of the calendar in ISO 8601 (corpora have a month 25)."""
    try:
        date.fromisoformat(text[:10])
    except ValueError:
        return False
    return True


def is_same_authors(authors: Iterable[str], gold: Iterable[str]) -> bool:
    """Whether the sets of names are equal.

    Names in one text are split on both sides; degrees after a name ("Jane Doe, PhD") do not count.
    """
    return _split_names(authors) == _split_names(gold)


def _split_names(names: Iterable[str]) -> frozenset[str]:
    parts = (part for name in names for part in _name_separators.split(f" {name} "))
    titles = (normalize_title(part) for part in parts if not is_credential(part.strip()))
    return frozenset(filter(None, titles))


def is_same_language(language: str | None, gold: str) -> bool:
    """Whether ISO 639-1 codes name one language."""
    if language is None:
        return False
    return SAME_LANGUAGE.get(language, language) == SAME_LANGUAGE.get(gold, gold)


@dataclass(frozen=True)
class FieldJudge:
    """How to judge a field.

    knows      whether the corpus has the field of a page
    value      the value of a document, or None
    is_right   whether that value agrees with the corpus
    """

    knows: Callable[[LabelledPage], bool]
    value: Callable[[Metadata], object]
    is_right: Callable[[LabelledPage, Metadata], bool]

    def count(self, page: LabelledPage, metadata: Metadata) -> tuple[float, float]:
        """Return (right, given) of one page, 0 or 1 each."""
        return float(self.is_right(page, metadata)), float(self.value(metadata) is not None)


FIELD_JUDGES: Mapping[str, FieldJudge] = {
    "headline": FieldJudge(
        knows=lambda page: bool(normalize_title(page.title or "")),
        value=lambda metadata: metadata.headline,
        is_right=lambda page, metadata: is_same_headline(metadata.headline, page.title or ""),
    ),
    "date": FieldJudge(
        knows=lambda page: _is_day(page.date or ""),
        value=lambda metadata: metadata.date_published,
        is_right=lambda page, metadata: is_same_day(metadata.date_published, page.date or ""),
    ),
    "authors": FieldJudge(
        knows=lambda page: bool(_split_names(page.authors)),
        value=lambda metadata: metadata.authors or None,
        is_right=lambda page, metadata: is_same_authors(metadata.authors, page.authors),
    ),
    "language": FieldJudge(
        knows=lambda page: page.language is not None,
        value=lambda metadata: metadata.language,
        is_right=lambda page, metadata: is_same_language(metadata.language, page.language or ""),
    ),
}


def summarize_field(rows: FloatArray) -> dict[str, float]:
    """Return the share of pages with a right value, and the share of pages with any value."""
    right, given = rows.T
    return {"right": float(right.mean()), "given": float(given.mean())}
