"""Dates in every form that pages write them in."""

from datetime import UTC, datetime, timedelta
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_boilerplate import Document
from tests.metadata.pages import read_document


def read_dated(text: str, language: str | None) -> Document:
    """The document of a page with this text below its headline."""
    return read_document(
        body=f"<h1>Ferry</h1><p class=date>{escape(text)}</p>", lang=language or ""
    )


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
        ("05/06/2024", "en", "2024-05-06"),
        ("05/06/2024", "en-GB", "2024-06-05"),
        ("05/06/2024", "de", "2024-06-05"),
        ("25/06/2024", "en", "2024-06-25"),
        ("1.5.24", "de", "2024-05-01"),
        ("2024年5月1日 10時30分", "ja", "2024-05-01T10:30:00"),
        ("2024. 5. 1.", "ko", "2024-05-01"),
        ("٢٠٢٤/٥/١", "ar", "2024-05-01"),
        # names of months
        ("Veröffentlicht am 3. März 2024 um 14.20 Uhr", "de", "2024-03-03T14:20:00"),
        ("3. März 2024, 14.20 €", "de", "2024-03-03"),
        ("10. Jänner 2024", "de", "2024-01-10"),
        ("5 de março de 2024", "pt", "2024-03-05"),
        ("Publié le 1er août 2024 à 9h05", "fr", "2024-08-01T09:05:00"),
        ("17 июля 2013 г., 10:05", None, "2013-07-17T10:05:00"),
        ("17 ИЮЛ 2013", "ru", "2013-07-17"),
        ("17 ΙΟΥΛΊΟΥ 2013", None, "2013-07-17"),
        ("17 listopada 2013", "pl", "2013-11-17"),
        ("17. listopada 2013.", "hr", "2013-10-17"),
        # as Unicode CLDR and Chromium write them
        ("11/20/2026 12:05 AM", "en", "2026-11-20T00:05:00"),
        ("2026年11月20日 下午3:05", "zh", "2026-11-20T15:05:00"),
        ("2026年11月20日 晚上9:05", "zh", "2026-11-20T21:05:00"),
        ("2026 M11 20", "kk", "2026-11-20"),
        ("2026. 11. 20. 오후 3:05", "ko", "2026-11-20T15:05:00"),
        ("20 Νοε 2026, 3:05 μ.μ.", "el", "2026-11-20T15:05:00"),
        ("20 thg 11, 2026 3:05 CH", "vi", "2026-11-20T15:05:00"),
        ("15:05 20 thg 11, 2026", "vi", "2026-11-20T15:05:00"),
        ("20 novembre 2026 alle ore 14:05", "it", "2026-11-20T14:05:00"),
        ("20 ноября 2026 г. в 14:05", "ru", "2026-11-20T14:05:00"),
        ("20 Nov 2026 14:05 GMT+7", "en", "2026-11-20T14:05:00+07:00"),
        ("20 Nov 2026 14:05:00 GMT+0300 (EAT)", "en", "2026-11-20T14:05:00+03:00"),
        ("2026-11-20 14:05+03", "en", "2026-11-20T14:05:00+03:00"),
        ("20261120T140500Z", "en", "2026-11-20T14:05:00+00:00"),
        ("26.11.20", "ja", "2026-11-20"),
        ("2026. november 20., péntek 14:05", "hu", "2026-11-20T14:05:00"),
        ("2026 оны арван нэгдүгээр сарын 20", "mn", "2026-11-20"),
        ("20 בנובמבר 2026", "he", "2026-11-20"),
        ("20 de setiembre de 2026", "es", "2026-09-20"),
        ("20. novembar 2026.", "sr", "2026-11-20"),
        ("20 พ.ย. 2569", "th", "2026-11-20"),
        ("۲۹ آبان ۱۴۰۵", "fa", "2026-11-20"),
        ("1403/12/30", "fa", "2025-03-20"),
        ("民國115年11月20日", "zh", "2026-11-20"),
        ("20 tháng 11 năm 2026", "vi", "2026-11-20"),
        ("2026ko azaroaren 20a", "eu", "2026-11-20"),
        ("2026 жылғы 20 қараша 14:05", "kk", "2026-11-20T14:05:00"),
        ("20 नवम्बर 2026", "hi", "2026-11-20"),
        ("20 Tachwedd 2026", "cy", "2026-11-20"),
        ("令和8年11月20日", "ja", "2026-11-20"),
        # on pages of news
        ("نشر في ١ مايو ٢٠٢٤", "ar", "2024-05-01"),
        ("2024年5月1日（水）午後5時", "ja", "2024-05-01T17:00:00"),
        ("2024.05.01 (수) 오후 5:30", "ko", "2024-05-01T17:30:00"),
        ("14. Mrz. 2024", "de", "2024-03-14"),
        ("14 sett. 2024", "it", "2024-09-14"),
        ("12:05 AM EST, May 1, 2024", "en", "2024-05-01T00:05:00-05:00"),
        ("14 July 2024 3:05 p.m. ET", "en", "2024-07-14T15:05:00-04:00"),
        ("1.7.2024, 14.05 Uhr (MESZ)", "de", "2024-07-01T14:05:00+02:00"),
        ("1 May 2024 14:05 IST", "en", "2024-05-01T14:05:00"),
        ("Updated 13/5/2024, published 6/5/2024", "en-US", "2024-05-06"),
        ("Published 5/6/2024, updated 5/13/2024", "en-GB", "2024-05-06"),
    ],
)
def test_forms(text: str, language: str | None, iso: str) -> None:
    assert read_dated(text, language).date_published == iso


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
    """htmldate, which is asked last, reads a day of "31.02.2024"."""
    assert read_dated(text, "en").evidence.get("date") in (None, "htmldate")


@given(st.text(alphabet="0123456789-/.: TZ+年月日aMy٢", max_size=60) | st.text(max_size=60))
def test_any_text_gives_a_day_or_nothing(text: str) -> None:
    latest = datetime.now(UTC) + timedelta(days=2)
    day = read_dated(text, "en").date_published
    assert day is None or "1995" <= day[:10] <= latest.date().isoformat()
