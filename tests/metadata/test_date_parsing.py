"""Dates in every form that pages write them in."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_boilerplate.metadata.date_parsing import (
    KNOWN_MONTHS,
    drop_dates,
    load_month_names,
    parse_date,
)
from tests.metadata.pages import read_document

LATEST = date(2030, 1, 1)


@pytest.mark.parametrize(
    ("text", "language", "iso"),
    [
        ("2024-05-01", None, "2024-05-01"),
        ("2024-05-01T10:00:00+0200", None, "2024-05-01T10:00:00+02:00"),
        ("2024-05-01T10:00:00.123Z", None, "2024-05-01T10:00:00+00:00"),
        ("2024-05-01T25:00", None, "2024-05-01"),
        ("20240501", None, "2024-05-01"),
        ("1714557600000", None, "2024-05-01T10:00:00+00:00"),
        ("Wed, 01 May 2024 10:00:00 GMT", None, "2024-05-01T10:00:00+00:00"),
        ("Published May 1st, 2024 at 5:03 pm", "en", "2024-05-01T17:03:00"),
        ("June 5, 2024", "en-GB", "2024-06-05"),
        ("05/06/2024", "en", "2024-05-06"),
        ("05/06/2024", "en-GB", "2024-06-05"),
        ("05/06/2024", "de", "2024-06-05"),
        ("25/06/2024", "en", "2024-06-25"),
        ("1.5.24", "de", "2024-05-01"),
        ("2024年5月1日 10時30分", "ja", "2024-05-01T10:30:00"),
        ("2024. 5. 1.", "ko", "2024-05-01"),
        ("٢٠٢٤/٥/١", "ar", "2024-05-01"),
        ("2024-05-01", "fa", "2024-05-01"),
        # names of months
        ("Veröffentlicht am 3. März 2024 um 14.20 Uhr", "de", "2024-03-03T14:20:00"),
        ("3. März 2024, 14.20", "de", "2024-03-03"),
        ("10. Jänner 2024", "de", "2024-01-10"),
        ("5 de março de 2024", "pt", "2024-03-05"),
        ("Publié le 1er août 2024 à 9h05", "fr", "2024-08-01T09:05:00"),
        ("17 июля 2013 г., 10:05", None, "2013-07-17"),
        ("17 ИЮЛ 2013", "ru", "2013-07-17"),
        ("17 lipca 2013, 10:05", None, "2013-07-17T10:05:00"),
        ("17 ΙΟΥΛΊΟΥ 2013", None, "2013-07-17"),
        ("17 listopada 2013", "pl", "2013-11-17"),
        ("17. listopada 2013.", "hr", "2013-10-17"),
    ],
)
def test_regular_forms(text: str, language: str | None, iso: str) -> None:
    assert parse_date(text, language, latest=LATEST) == iso


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ar", "نشر في ١ مايو ٢٠٢٤"),
        ("ja", "2024年5月1日(水) 10時30分"),
    ],
)
def test_foreign_forms_on_pages(language: str, text: str) -> None:
    """Names of months are Babel's."""
    pytest.importorskip("babel", reason="babel is not installed")
    document = read_document(body=f"<h1>Ferry</h1><p class=date>{text}</p>", lang=language)
    assert (document.date_published or "")[:10] == "2024-05-01"


def test_known_names_mean_the_same_month_in_most_languages() -> None:
    localedata = pytest.importorskip("babel.localedata", reason="babel is not installed")
    other_months = {
        (name, number, language)
        for language in localedata.locale_identifiers()
        if len(language) == 2
        for name, number in load_month_names(language).items()
        if name in KNOWN_MONTHS and KNOWN_MONTHS[name] != number
    }
    assert other_months == {("jan", 6, "st"), ("listopada", 10, "hr")}


@pytest.mark.parametrize(
    "text",
    [
        *"2199-01-01 1970-01-01 0 1994-12-31 31.02.2024 2024 1403-01-01 2024-02-30".split(),
        "0001-01-01T00:00:00",
        *("99 May 2024", "May 2024", "555-0123-4567", ""),
        *("x" * 100_000, "1 " * 50_000),
    ],
)
def test_what_is_no_date(text: str) -> None:
    assert parse_date(text, "en", latest=LATEST) is None


@given(st.text(alphabet="0123456789-/.: TZ+年月日aMy٢", max_size=60) | st.text(max_size=60))
def test_any_text_gives_a_day_or_nothing(text: str) -> None:
    day = parse_date(text, "en", latest=LATEST)
    assert day is None or date(1995, 1, 1) <= date.fromisoformat(day[:10]) <= LATEST


@pytest.mark.parametrize(
    ("text", "language", "rest"),
    [
        ("Published May 1st, 2024 at 5:03 p.m. GMT by Al", "en", "Published by Al"),
        ("am 1.5.2024 um 14.20 Uhr, geändert 2024-05-02", "de", "am , geändert"),
        ("2024年5月1日20:54 東京", "ja", "東京"),
        ("31 June 2024, 5 times", "en", "31 June 2024, 5 times"),
    ],
)
def test_texts_without_dates(text: str, language: str, rest: str) -> None:
    assert " ".join(drop_dates(text, language).split()) == rest
