"""Whether a field of a document is right: headline, date, authors, language against the gold."""

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from unicodedata import normalize

from scrapy_boilerplate.document import Document
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


def is_same_day(timestamp: str, gold: str) -> bool:
    """Whether ISO 8601 dates are on one day: as written, or in the offset of `gold`."""
    if timestamp[:10] == gold[:10]:
        return True
    try:
        ours, theirs = datetime.fromisoformat(timestamp), datetime.fromisoformat(gold)
    except ValueError:
        return False
    if ours.tzinfo is None or theirs.tzinfo is None:
        return False
    return ours.astimezone(theirs.tzinfo).date() == theirs.date()


def _find_day(page: LabelledPage) -> str | None:
    """Return the date if it begins with a day of the calendar (corpora have a month 25)."""
    try:
        date.fromisoformat((page.date or "")[:10])
    except ValueError:
        return None
    return page.date


def _split_names(names: Iterable[str]) -> frozenset[str]:
    """Return the single names, without degrees ("Jane Doe, PhD")."""
    parts = (part for name in names for part in _name_separators.split(f" {name} "))
    titles = (normalize_title(part) for part in parts if not is_credential(part.strip()))
    return frozenset(filter(None, titles))


def _join_codes(language: str | None) -> str | None:
    return SAME_LANGUAGE.get(language or "", language)


@dataclass(frozen=True)
class FieldJudge:
    """How to judge a field.

    gold    the value of the corpus; false without one
    value   the value of a document, or None
    agree   whether a value agrees with the corpus
    """

    gold: Callable[[LabelledPage], Any]
    value: Callable[[Document], Any]
    agree: Callable[[Any, Any], bool] = operator.eq

    def knows(self, page: LabelledPage) -> bool:
        """Whether the corpus has the field of a page."""
        return bool(self.gold(page))

    def is_right(self, page: LabelledPage, document: Document) -> bool:
        """Whether the value of a document agrees with the corpus."""
        value = self.value(document)
        return value is not None and self.agree(value, self.gold(page))


FIELD_JUDGES: Mapping[str, FieldJudge] = {
    "headline": FieldJudge(
        gold=lambda page: normalize_title(page.title or ""),
        value=lambda document: document.headline,
        agree=lambda headline, gold: normalize_title(headline) == gold,
    ),
    "date": FieldJudge(_find_day, lambda document: document.date_published, is_same_day),
    "authors": FieldJudge(
        gold=lambda page: _split_names(page.authors),
        value=lambda document: document.authors or None,
        agree=lambda authors, gold: _split_names(authors) == gold,
    ),
    "language": FieldJudge(
        gold=lambda page: _join_codes(page.language),
        value=lambda document: _join_codes(document.language),
    ),
}


def summarize_field(rows: FloatArray) -> dict[str, float]:
    """Return the share of pages with a right value, and the share of pages with any value."""
    right, given = rows.T
    return {"right": float(right.mean()), "given": float(given.mean())}
