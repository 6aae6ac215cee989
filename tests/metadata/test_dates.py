"""Dates of publication and change: which source wins, and the day that readers are shown."""

from __future__ import annotations

import pytest

from scrapy_boilerplate.extraction import extract
from tests.metadata.pages import read_document, write_json_ld, write_metas


def test_the_future_is_not_believed() -> None:
    head = write_json_ld({"@type": "Article", "datePublished": "2999-01-01"})
    document = read_document(head + write_metas(article__published_time="2024-05-01"))
    assert (document.date_published, document.evidence["date"]) == ("2024-05-01", "meta")


def test_the_day_that_readers_are_shown() -> None:
    """A time in UTC after midnight, and the evening before where the paper is made."""
    head = write_metas(article__published_time="2024-05-02T01:30:00Z")
    document = read_document(head, "<h1>Ferry returns</h1><p class=date>May 1, 2024</p>")
    assert (document.date_published, document.evidence["date"]) == ("2024-05-01", "dateline")


def test_a_change_is_no_publication() -> None:
    head = write_metas(article__published_time="2024-05-01", article__modified_time="2024-06-03")
    document = read_document(head, "<h1>Ferry returns</h1><p class=date>Updated: June 3, 2024</p>")
    assert (document.date_published, document.date_modified) == ("2024-05-01", "2024-06-03")


def test_the_last_publication_is_no_publication() -> None:
    last = "<meta name=last-publish-date content=2024-04-30>"
    head = f"{last}<meta name=publish-date content=2024-04-01>"
    assert read_document(head).date_published == "2024-04-01"


def test_a_shown_change_in_polish() -> None:
    body = (
        "<h1>Prom wraca</h1><p class=date>01.05.2024</p><p class=date>Aktualizacja: 03.06.2024</p>"
    )
    document = read_document("", body, lang="pl")
    assert (document.date_published, document.date_modified) == ("2024-05-01", "2024-06-03")


@pytest.mark.parametrize(
    ("body", "source"),
    [
        ("<h1>Ferry</h1><time datetime=2024-05-01>yesterday</time>", "time"),
        ("<h1>Ferry</h1><div>1 May 2024</div>", "dateline"),
        ("<h1>Ferry</h1><i itemprop=datePublished content=2024-05-01></i>", "microdata"),
    ],
)
def test_sources_of_the_body(body: str, source: str) -> None:
    document = read_document(body=body)
    assert (document.date_published, document.evidence["date"]) == ("2024-05-01", source)


def test_the_address_is_a_last_resort() -> None:
    document = read_document(url="https://harbour-news.example/2024/05/01/ferry")
    assert (document.date_published, document.evidence["date"]) == ("2024-05-01", "url")


@pytest.mark.parametrize(
    ("lang", "url", "day"),
    [
        ("en", "https://harbour-news.example/", "2024-05-06"),
        ("en-US", "https://harbour-news.example/", "2024-05-06"),
        ("en-GB", "https://harbour-news.example/", "2024-06-05"),
        ("en_AU", "https://harbour-news.example/", "2024-06-05"),
        ("en", "https://www.harbour-news.co.uk/ferry", "2024-06-05"),
        ("en-US", "https://harbour-news.ie/ferry", "2024-06-05"),
        ("en-GB", "https://harbour-news.us/ferry", "2024-05-06"),
        ("de", "https://harbour-news.example/", "2024-06-05"),
    ],
)
def test_day_or_month_first(lang: str, url: str, day: str) -> None:
    document = read_document(
        "", "<h1>Ferry returns</h1><p class=date>05/06/2024</p>", lang=lang, url=url
    )
    assert document.date_published == day


def test_the_locale_tells_the_country_as_well() -> None:
    body = "<h1>Ferry returns</h1><p class=date>05/06/2024</p>"
    assert read_document(write_metas(og__locale="en_GB"), body).date_published == "2024-06-05"
    assert read_document(write_metas(og__locale="en_US"), body).date_published == "2024-05-06"


def test_day_and_month_the_wrong_way_round() -> None:
    head = write_metas(article__published_time="2024-06-05")
    document = read_document(head, "<h1>Ferry returns</h1><p class=date>May 6, 2024</p>")
    assert (document.date_published, document.evidence["date"]) == ("2024-05-06", "dateline")


FAR = {
    # declared change, body, published, source
    "of a change": (
        "2024-06-10T08:00:00Z",
        "<h1>Ferry returns</h1><p>x</p><p class=date>June 10, 2024</p>",
        "2024-06-10",
        "dateline",
    ),
    "a day after a change": (
        "2024-06-09T08:00:00Z",
        "<h1>Ferry returns</h1><p>x</p><p class=date>June 10, 2024</p>",
        "2024-06-10",
        "dateline",
    ),
    "below the headline": (
        "",
        "<h1>Ferry returns</h1><p class=date>June 10, 2024</p>",
        "2024-06-10",
        "dateline",
    ),
    "far from everything": (
        "",
        f"<h1>Ferry returns</h1>{'<p>The ferry sails.</p>' * 30}<p class=date>June 10, 2024</p>",
        "2024-05-01",
        "meta",
    ),
}


@pytest.mark.parametrize(("change", "body", "day", "source"), FAR.values(), ids=FAR.keys())
def test_a_shown_day_far_from_the_declared_one(
    change: str, body: str, day: str, source: str
) -> None:
    head = write_metas(article__published_time="2024-05-01", article__modified_time=change)
    document = read_document(head, body)
    assert (document.date_published, document.evidence["date"]) == (day, source)


def test_of_two_declared_days_the_shown_one() -> None:
    head = write_json_ld({"@type": "Article", "datePublished": "2024-05-01T18:00:00+02:00"})
    head += write_metas(date="2024-05-02T07:30:00+02:00")
    document = read_document(head, "<h1>Ferry returns</h1><p class=date>May 2, 2024, 7:30</p>")
    assert document.date_published == "2024-05-02T07:30:00"


def test_no_day_is_made_of_an_impossible_one() -> None:
    pytest.importorskip("htmldate", reason="htmldate is not installed")
    head = write_metas(article__published_time="2024-02-30T10:00:00")
    assert read_document(head).date_published is None


CHANGES = {
    # published, modified, date of the change
    "before": ("2024-05-01", "2023-06-03", None),
    "an hour before": ("2024-05-01T10:00:00Z", "2024-05-01T11:00:00+02:00", None),
    "after, on an earlier day": (
        "2024-05-02T01:00:00+03:00",
        "2024-05-01T23:30:00Z",
        "2024-05-01T23:30:00+00:00",
    ),
    "the same day": ("2024-05-01T10:00:00Z", "2024-05-01", "2024-05-01"),
}


@pytest.mark.parametrize(("published", "modified", "change"), CHANGES.values(), ids=CHANGES.keys())
def test_a_change_before_the_publication_is_left_out(
    published: str, modified: str, change: str | None
) -> None:
    head = write_metas(article__published_time=published, article__modified_time=modified)
    assert read_document(head).date_modified == change


def test_a_date_beside_an_author_on_a_page_that_declares_nothing() -> None:
    document = read_document(body="<h1>Ferry</h1><p>Jane Doe <i>|</i> Dec 05, 2023</p>")
    assert (document.date_published, document.evidence["date"]) == ("2023-12-05", "dateline")


METAS = {
    # name, kind of date
    "publish-date": "published",
    "dc.date.issued": "published",
    "og:published_time": "published",
    "article.updated": "modified",
    "expires": "",
}


@pytest.mark.parametrize(("name", "kind"), METAS.items(), ids=METAS.keys())
def test_metas_with_dates(name: str, kind: str) -> None:
    document = read_document(f"<meta name={name} content=2024-05-01>")
    dates = (document.date_published, document.date_modified)
    assert dates == tuple("2024-05-01" if kind == each else None for each in DATES)


DATES = ("published", "modified")


def test_the_time_of_publication_among_several() -> None:
    times = "<time class=updated datetime=2024-06-03></time><time datetime=2024-05-01></time>"
    document = read_document(body=f"<h1>Ferry</h1>{times}")
    assert (document.date_published, document.evidence["date"]) == ("2024-05-01", "time")


TEXT = "The ferry came back to the harbour after two years in the yard, and all were glad of it."
BOXES = {
    "comments": "<div id=comments><li class=comment><b>By Kit Moran</b>"
    "<p>4 February 2026, 08:12</p><p>What a fine ship she is, how long we waited.</p></li></div>",
    "a change of a comment": "<div id=comments><li class=comment><p>Updated 5 March 2026</p>"
    "<p>I agree with all of this, well said indeed.</p></li></div>",
    "related links": "<aside class=related><ul><li><a href=/x>Another harbour is closed for the "
    "winter</a> 3 February 2026<li>By Sam Ruddle</ul></aside>",
}


@pytest.mark.parametrize("box", BOXES.values(), ids=BOXES.keys())
def test_dates_and_names_of_others_are_not_those_of_the_article(box: str) -> None:
    head = "<meta property=og:type content=article><title>The ferry is back</title>"
    text = f"<p>{' '.join([TEXT] * 3)}</p>" * 4
    document = extract(f"<!DOCTYPE html>{head}<h1>The ferry is back</h1>{text}{box}")
    assert (document.date_published, document.date_modified) == (None, None)
    assert document.authors == ()
