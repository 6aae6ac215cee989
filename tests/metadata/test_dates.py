"""Dates of publication and change: which source wins, and the day that readers are shown."""

import pytest

from scrapy_boilerplate import extract
from tests.metadata.pages import read_document, write_article, write_metas

TITLE = "<h1>Ferry returns</h1>"


def write_dates(published: str, modified: str = "") -> str:
    return write_metas(article__published_time=published, article__modified_time=modified)


SHOWN = {
    # declared publication and change, the line below the headline, date of publication
    "after midnight in UTC": ("2024-05-02T01:30:00Z", "", "May 1, 2024", "2024-05-01"),
    "day and month the wrong way round": ("2024-06-05", "", "May 6, 2024", "2024-05-06"),
    "a line of a change": ("2024-05-01", "", "Updated: June 3, 2024", None),
    "far, below the headline": ("2024-05-01", "", "June 10, 2024", "2024-06-10"),
    "far, of a change": ("2024-05-01", "2024-06-10T08:00:00Z", "x<p>June 10, 2024", "2024-06-10"),
    "far, a day after one": (
        "2024-05-01",
        "2024-06-09T08:00:00Z",
        "x<p>June 10, 2024",
        "2024-06-10",
    ),
    "far, from everything": ("2024-05-01", "", f"{'x<p>' * 30}June 10, 2024", None),
    "nothing declared": ("", "", "1 May 2024", "2024-05-01"),
    "beside an author": ("", "", "Jane Doe <i>|</i> Dec 5, 2023", "2023-12-05"),
}


@pytest.mark.parametrize(("published", "modified", "line", "day"), SHOWN.values(), ids=SHOWN)
def test_the_day_that_readers_are_shown(
    published: str, modified: str, line: str, day: str | None
) -> None:
    document = read_document(write_dates(published, modified), f"{TITLE}<p>{line}</p>")
    source = "dateline" if day else "meta"
    assert (document.date_published, document.evidence["date"]) == (day or published, source)


@pytest.mark.parametrize(
    ("body", "source"),
    [
        ("<time datetime=2024-05-01>yesterday</time>", "time"),
        ("<i itemprop=datePublished content=2024-05-01></i>", "microdata"),
    ],
)
def test_elements_with_dates(body: str, source: str) -> None:
    document = read_document(body=TITLE + body)
    assert (document.date_published, document.evidence["date"]) == ("2024-05-01", source)


def test_the_future_is_not_believed() -> None:
    head = write_article(datePublished="2999-01-01") + write_dates("2024-05-01")
    assert read_document(head).date_published == "2024-05-01"


def test_of_two_declared_days_the_shown_one() -> None:
    head = write_article(datePublished="2024-05-01T18:00:00+02:00")
    head += write_metas(date="2024-05-02T07:30:00+02:00")
    document = read_document(head, f"{TITLE}<p class=date>May 2, 2024, 7:30</p>")
    assert document.date_published == "2024-05-02T07:30:00"


def test_the_url_is_a_last_resort() -> None:
    document = read_document(url="https://harbour-news.example/2024/05/01/ferry")
    assert (document.date_published, document.evidence["date"]) == ("2024-05-01", "url")


MONTH_FIRST, DAY_FIRST = "2024-05-06", "2024-06-05"


@pytest.mark.parametrize(
    ("lang", "locale", "host", "day"),
    [
        ("en", "", "harbour-news.example", MONTH_FIRST),
        ("en-US", "", "harbour-news.example", MONTH_FIRST),
        ("en_AU", "", "harbour-news.example", DAY_FIRST),
        ("en", "en_GB", "harbour-news.example", DAY_FIRST),
        ("en", "en_US", "harbour-news.example", MONTH_FIRST),
        ("en", "", "www.harbour-news.co.uk", DAY_FIRST),
        ("en-US", "", "harbour-news.ie", DAY_FIRST),
        ("en-GB", "", "harbour-news.us", MONTH_FIRST),
        ("de", "", "harbour-news.example", DAY_FIRST),
    ],
)
def test_day_or_month_first(lang: str, locale: str, host: str, day: str) -> None:
    body, url = f"{TITLE}<p class=date>05/06/2024</p>", f"https://{host}/ferry"
    head = write_metas(og__locale=locale)
    assert read_document(head, body, lang=lang, url=url).date_published == day


def test_a_shown_change_in_polish() -> None:
    lines = ("01.05.2024", "Aktualizacja: 03.06.2024")
    body = TITLE + "".join(f"<p class=date>{line}</p>" for line in lines)
    document = read_document("", body, lang="pl")
    assert (document.date_published, document.date_modified) == ("2024-05-01", "2024-06-03")


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


@pytest.mark.parametrize(("published", "modified", "change"), CHANGES.values(), ids=CHANGES)
def test_a_change_before_the_publication_is_left_out(
    published: str, modified: str, change: str | None
) -> None:
    assert read_document(write_dates(published, modified)).date_modified == change


@pytest.mark.parametrize(
    ("name", "published", "modified"),
    [
        ("publish-date", "2024-05-01", None),
        ("last-publish-date", None, None),
        ("dc.date.issued", "2024-05-01", None),
        ("og:published_time", "2024-05-01", None),
        ("article.updated", None, "2024-05-01"),
        ("expires", None, None),
    ],
)
def test_metas_with_dates(name: str, published: str | None, modified: str | None) -> None:
    document = read_document(f"<meta name={name} content=2024-05-01>")
    assert (document.date_published, document.date_modified) == (published, modified)


TEXT = "The ferry came back to the harbour after two years in the yard, and all were glad of it."
BOXES = {
    "comments": "<div id=comments><li class=comment><b>By Kit Moran</b>"
    "<p>4 February 2026, 08:12</p><p>What a fine ship she is, how long we waited.</p></li></div>",
    "a change of a comment": "<div id=comments><li class=comment><p>Updated 5 March 2026</p>"
    "<p>I agree with all of this, well said indeed.</p></li></div>",
    "related links": "<aside class=related><ul><li><a href=/x>Another harbour is closed for the "
    "winter</a> 3 February 2026<li>By Sam Ruddle</ul></aside>",
}


@pytest.mark.parametrize("box", BOXES.values(), ids=BOXES)
def test_dates_and_names_of_others_are_not_those_of_the_article(box: str) -> None:
    head = "<meta property=og:type content=article><title>The ferry is back</title>"
    text = f"<p>{' '.join([TEXT] * 3)}</p>" * 4
    document = extract(f"<!DOCTYPE html>{head}<h1>The ferry is back</h1>{text}{box}")
    assert (document.date_published, document.date_modified) == (None, None)
    assert document.authors == ()


LINES = {
    # below the headline, after the text, published, modified
    "one block": ("<p>Updated May 3, 2024 Published May 2, 2024</p>", "", "02", "03"),
    "unknown words": ("<p>განახლდა 2024-05-03 გამოქვეყნდა 2024-05-02</p>", "", "02", None),
    "the other order": ("<p>Published 2 May 2024, updated 3 May 2024</p>", "", "02", "03"),
    "words behind": ("<p>2024-05-03更新 2024-05-02公開</p>", "", "02", "03"),
    "an hour ago": ("<p>2 May 2024, updated an hour ago</p>", "", "02", None),
    "two elements": (
        "<p>Updated <time datetime=2024-05-03>May 3, 2024</time>"
        " Published <time datetime=2024-05-02>May 2, 2024</time></p>",
        "",
        "02",
        "03",
    ),
    "two paragraphs": ("<p>Päivitetty 3.5.2024</p><p>Julkaistu 2.5.2024</p>", "", "02", "03"),
    "after the text": ("", "<p>Posted <time datetime=2024-05-02>May 2, 2024</time>", "02", ""),
    "a quoted post": ("<p>2 May 2024</p>", "<blockquote>Bo, July 9, 2023</blockquote>", "02", ""),
}


@pytest.mark.parametrize("paragraphs", [3, 30])
@pytest.mark.parametrize(("below", "after", "published", "modified"), LINES.values(), ids=LINES)
def test_dates_on_lines(
    below: str, after: str, published: str, modified: str, paragraphs: int
) -> None:
    document = extract(
        f"<h1>The ferry is back</h1>{below}{f'<p>{TEXT * 2}</p>' * paragraphs}{after}"
    )
    assert document.date_published == f"2024-05-{published}"
    assert document.date_modified == (f"2024-05-{modified}" if modified else None)


def test_day_with_a_short_year_in_a_url() -> None:
    document = read_document(url="https://harbour.example/2015/08/150803-ferry-fares/")
    assert document.date_published == "2015-08-03"
