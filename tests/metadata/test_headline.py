"""The headline: its sources, names cut off titles, the slug, and other lines in an h1."""

import pytest

from scrapy_boilerplate import extract
from tests.metadata.pages import read_document, write_article, write_metas

FERRY = "Ferry returns to the harbour"
OTHER = "Islanders get their ship back"
TITLE = f"<title>{FERRY} | Harbour News</title>"
URL = "https://harbour-news.example"

SOURCES = {
    # head, body
    "agree": (TITLE, f"<h1>{FERRY}</h1>"),
    "logo": (TITLE, "<h1>Harbour News</h1>"),
    "og:title": (
        f"<title>{FERRY} - Sea - Harbour News</title>{write_metas(og__title=FERRY)}",
        "",
    ),
    "json-ld": (write_article(headline=FERRY), ""),
    "soft hyphens": (TITLE, "<h1>Fer&shy;ry re&shy;turns to the har&shy;bour</h1>"),
    "entities twice": (write_metas(og__title="Ferry&amp;#32;returns to the harbour"), ""),
    # other lines in the heading
    "kicker": (TITLE, f"<h1><span class=article__kicker>Sea</span> {FERRY}</h1>"),
    "overline": (TITLE, f"<h1><small class=overline>Sea:</small><b>{FERRY}</b></h1>"),
    "subtitle": (TITLE, f"<h1>{FERRY} <span class=sub-title>After two years</span></h1>"),
    "hidden": (TITLE, f"<h1><i class=visually-hidden>Story:</i> {FERRY}</h1>"),
    "permalink": (TITLE, f"<h1>{FERRY}<a class=headerlink href=#x>¶</a></h1>"),
    "nothing but such a line": ("", f"<h1><span class=section-title>{FERRY}</span></h1>"),
    # separators
    "separator before it": (
        f"<title>Sea | {FERRY} | Harbour</title>{write_metas(og__title=FERRY)}",
        f"<h1><i aria-hidden=true>|</i> {FERRY}</h1>",
    ),
    "separator after it": (
        f"<title>Sea | {FERRY} | Harbour</title>",
        f"<h1>{FERRY}<i aria-hidden=true> • </i></h1>",
    ),
}


@pytest.mark.parametrize(("head", "body"), SOURCES.values(), ids=SOURCES)
def test_headline(head: str, body: str) -> None:
    assert read_document(head, body).headline == FERRY


def test_a_heading_is_completer_than_a_title_that_was_cut() -> None:
    head = f"<title>Ferry returns… | Harbour</title>{write_metas(og__title='Ferry returns…')}"
    url = f"{URL}/ferry-returns-to-the-harbour"
    assert read_document(head, f"<h1>{FERRY}</h1>", url=url).headline == FERRY


@pytest.mark.parametrize("name", ["Harbour News", "harbour-news"])
def test_title_that_is_the_site_name_stays_where_nothing_else_is(name: str) -> None:
    document = read_document(f"<title>{name}</title>{write_metas(og__site_name='Harbour News')}")
    assert document.headline == name


def test_of_two_titles_the_url_spells_one() -> None:
    head = write_article(headline=OTHER) + write_metas(og__title=FERRY)
    assert read_document(head).evidence["headline"] in {"json-ld", "og:title"}
    assert read_document(head, url=f"{URL}/ferry-returns-to-the-harbour").headline == FERRY
    assert read_document(head, url=f"{URL}/islanders-get-their-ship-back").headline == OTHER


@pytest.mark.parametrize(
    ("headline", "chosen"),
    [
        ({}, "Harbour opens"),  # heading and titles agree
        ({"headline": "Harbour opens"}, "Harbour opens"),
        ({"headline": f"{FERRY} of old"}, f"{FERRY} of old"),  # as the URL
    ],
)
def test_a_headline_on_which_all_agree(headline: dict[str, str], chosen: str) -> None:
    head = f"<title>Harbour opens | Harbour News</title>{write_article(**headline)}"
    head += write_metas(og__title="Harbour opens", og__site_name="Harbour News")
    url = f"{URL}/ferry-returns-to-the-harbour-of-old"
    assert read_document(head, "<h1>Harbour opens</h1>", url=url).headline == chosen


KICKERS = {
    # headline that is declared, body, kicker, headline
    "above": (FERRY, f"<div class=kicker>Sea</div><h1>{FERRY}</h1>", "Sea", FERRY),
    "the nearest": (
        FERRY,
        f"<p class=overline>Coast<p class=eyebrow><b class=eyebrow-a>Sea</b><h1>{FERRY}</h1>",
        "Sea",
        FERRY,
    ),
    "inside": (FERRY, f"<h1><b class=dachzeile>Sea</b><br>{FERRY}</h1>", "Sea", FERRY),
    "inside, declared": (
        f"Sea: {FERRY}",
        f"<h1><b class=kicker>Sea</b>: {FERRY}</h1>",
        "Sea",
        f"Sea: {FERRY}",
    ),
    "a separator, declared": (f"Sea: {FERRY}", f"<h1>Sea: {FERRY}</h1>", None, f"Sea: {FERRY}"),
    "breadcrumbs": (FERRY, f"<p class=kicker><a>A</a> <a>Sea</a><h1>{FERRY}</h1>", None, FERRY),
    "a type": (FERRY, f"<p class=kicker>Article<h1>{FERRY}</h1>", None, FERRY),
    "a date": (FERRY, f"<p class=kicker>1 May 2024<h1>{FERRY}</h1>", None, FERRY),
    "long": (FERRY, f"<p class=kicker>x{' | |' * 99} x<h1>{FERRY}</h1>", None, FERRY),
    "far above": (FERRY, f"<p class=kicker>Sea{'<p>x' * 9}<h1>{FERRY}</h1>", None, FERRY),
    "below": (FERRY, f"<h1>{FERRY}</h1><p class=kicker>Sea", None, FERRY),
    "the headline": (FERRY, f"<h1 class=kicker>{FERRY}</h1>", None, FERRY),
}


@pytest.mark.parametrize(("declared", "body", "kicker", "headline"), KICKERS.values(), ids=KICKERS)
def test_kicker(declared: str, body: str, kicker: str | None, headline: str) -> None:
    head = f"<title>{declared} | Harbour News</title>{write_metas(og__title=declared)}"
    document = read_document(head, body)
    assert (document.kicker, document.headline) == (kicker, headline)


@pytest.mark.parametrize(
    ("heading", "rest"), [("Sea: Live", "Live"), ("Read: The Sea News", "The Sea News")]
)
def test_a_short_rest_or_the_site_is_no_headline_after_a_kicker(heading: str, rest: str) -> None:
    head = f"<title>{heading}</title>{write_metas(og__title=heading, og__site_name='The Sea News')}"
    head += write_article(headline=rest)
    assert read_document(head, f"<h1>{heading}</h1>").headline == heading


SHOWN = {
    # h1, title, og:title, headline
    "a search title": ("Ferry fares rise", "Ferry prices go up in June", "", "Ferry fares rise"),
    "a title to share": ("Ferry fares rise", "Ferry fares rise", "Why boats", "Ferry fares rise"),
    "two lines": ("Ferry fares<br>rise in June", "Boats", "", "Ferry fares rise in June"),
}


@pytest.mark.parametrize(("h1", "title", "shared", "headline"), SHOWN.values(), ids=SHOWN)
def test_heading_above_the_text(h1: str, title: str, shared: str, headline: str) -> None:
    head = f"<title>{title}</title>" + (write_metas(og__title=shared) if shared else "")
    text = f"<p>{'The council agreed that the ferry will sail more often. ' * 3}</p>" * 4
    html = f"<!doctype html>{head}<main><h1>{h1}</h1><p>By Jane Doe</p>{text}</main>"
    assert extract(html, "https://harbour.example/x").headline == headline
