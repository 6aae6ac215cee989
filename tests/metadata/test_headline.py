"""The headline: its sources, names cut off titles, the slug, and other lines in an h1."""

from __future__ import annotations

import pytest

from scrapy_boilerplate.metadata.headline import compare_slug, cut_names, read_slug
from tests.metadata.pages import read_document, write_json_ld, write_metas

FERRY = "Ferry returns to the harbour"
OTHER = "Islanders get their ship back"


@pytest.mark.parametrize(
    ("head", "body"),
    [
        pytest.param(f"<title>{FERRY} | Harbour News</title>", f"<h1>{FERRY}</h1>", id="agree"),
        pytest.param(f"<title>{FERRY} | Harbour News</title>", "<h1>Harbour News</h1>", id="logo"),
        pytest.param(
            f"<title>{FERRY} - Sea - Harbour News</title>{write_metas(og__title=FERRY)}",
            "",
            id="og:title",
        ),
        pytest.param(write_json_ld({"@type": "NewsArticle", "headline": FERRY}), "", id="json-ld"),
        pytest.param(
            f"<title>{FERRY} | Harbour News</title>",
            "<h1>Fer&shy;ry re&shy;turns to the har&shy;bour</h1>",
            id="soft hyphens",
        ),
        pytest.param(
            write_metas(og__title="Ferry&amp;#32;returns to the harbour"), "", id="entities twice"
        ),
    ],
)
def test_headline(head: str, body: str) -> None:
    assert read_document(head, body).headline == FERRY


@pytest.mark.parametrize("name", ["Harbour News", "harbour-news"])
def test_title_that_is_the_site_name_stays_where_nothing_else_is(name: str) -> None:
    document = read_document(f"<title>{name}</title>{write_metas(og__site_name='Harbour News')}")
    assert document.headline == name


def test_headline_evidence_names_every_source() -> None:
    head = f"<title>{FERRY}</title>{write_metas(og__title=FERRY)}"
    evidence = read_document(head, f"<h1>{FERRY}</h1>").evidence["headline"]
    assert set(evidence.split(" + ")) >= {"h1", "og:title", "title"}


@pytest.mark.parametrize(
    ("title", "cut"),
    [
        ("Rain in May | The Daily", "Rain in May"),
        ("Rain in May - The Daily", "Rain in May"),
        ("The Daily", "The Daily"),
        ("The Daily | The Daily", "The Daily"),
        ("Rain - in May", "Rain - in May"),
        ("»Rain« in May | The Daily", "»Rain« in May"),
        ("", ""),
    ],
)
def test_names_are_cut_off_titles(title: str, cut: str) -> None:
    assert cut_names(title, frozenset({"thedaily"})) == cut


@pytest.mark.parametrize(
    ("url", "text", "shares"),
    [
        ("https://x.example/sea/ferry-returns-to-the-harbour", FERRY, (1.0, 1.0)),
        ("https://x.example/ferry-returns-harbour-12345.html", FERRY, (0.6, 1.0)),
        ("https://x.example/ferry-back-home", FERRY, (0.2, 1 / 3)),
        ("https://x.example/%D0%BB%D1%91%D0%B4-x-2024", "Лёд", (1.0, 1.0)),
        ("https://x.example/sea/ferry", FERRY, (0.0, 0.0)),
        ("https://x.example/ferry-returns-to-the-harbour", "!", (0.0, 0.0)),
        ("https://[x/ferry-returns-to-the-harbour", FERRY, (0.0, 0.0)),
        (None, FERRY, (0.0, 0.0)),
    ],
)  # fmt: skip
def test_words_of_the_address(url: str | None, text: str, shares: tuple[float, float]) -> None:
    assert compare_slug(read_slug(url), text) == pytest.approx(shares)


def test_of_two_titles_the_address_spells_one() -> None:
    head = write_json_ld({"@type": "NewsArticle", "headline": OTHER}) + write_metas(og__title=FERRY)
    spelling = "https://harbour-news.example/ferry-returns-to-the-harbour"
    other = "https://harbour-news.example/islanders-get-their-ship-back"
    assert read_document(head, url=spelling).headline == FERRY
    assert read_document(head, url=other).headline == OTHER


@pytest.mark.parametrize(
    "heading",
    [
        pytest.param(f"<span class=article__kicker>Sea</span> {FERRY}", id="kicker"),
        pytest.param(f"<small class=overline>Sea:</small><b>{FERRY}</b>", id="overline"),
        pytest.param(f"{FERRY} <span class=sub-title>After two years</span>", id="subtitle"),
        pytest.param(f"<i class=visually-hidden>Story:</i> {FERRY}", id="hidden"),
        pytest.param(f"{FERRY}<a class=headerlink href=#x>¶</a>", id="permalink"),
    ],
)
def test_another_line_in_the_heading_is_cut_off(heading: str) -> None:
    assert (
        read_document(f"<title>{FERRY} | Harbour</title>", f"<h1>{heading}</h1>").headline == FERRY
    )


def test_a_heading_that_is_nothing_but_such_a_line_stays() -> None:
    assert read_document("", f"<h1><span class=section-title>{FERRY}</span></h1>").headline == FERRY


@pytest.mark.parametrize(
    ("headline", "chosen"),
    [
        pytest.param(None, "Harbour opens", id="heading and titles agree"),
        pytest.param("Harbour opens", "Harbour opens", id="JSON-LD agrees, too"),
        pytest.param(
            "Ferry returns to the old harbour",
            "Ferry returns to the old harbour",
            id="JSON-LD and the address say something else",
        ),
    ],
)
def test_a_headline_on_which_all_agree(headline: str | None, chosen: str) -> None:
    article = {"@type": "Article", **({"headline": headline} if headline else {})}
    head = "<title>Harbour opens | Harbour News</title>" + write_json_ld(article)
    head += write_metas(og__title="Harbour opens", og__site_name="Harbour News")
    url = "https://harbour-news.example/ferry-returns-to-the-old-harbour"
    assert read_document(head, "<h1>Harbour opens</h1>", url=url).headline == chosen


@pytest.mark.parametrize(
    ("declared", "heading"),
    [
        pytest.param(FERRY, f"<i aria-hidden=true>|</i> {FERRY}", id="separator before it"),
        pytest.param("", f"{FERRY}<i aria-hidden=true> • </i>", id="separator after it"),
    ],
)
def test_the_heading_without_separators(declared: str, heading: str) -> None:
    head = f"<title>Sea | {FERRY} | Harbour</title>{write_metas(og__title=declared)}"
    assert read_document(head, f"<h1>{heading}</h1>").headline == FERRY


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
    "inside, not declared": (FERRY, f"<h1><b class=kicker>Sea</b> {FERRY}</h1>", "Sea", FERRY),
    "inside, declared": (
        f"Sea: {FERRY}",
        f"<h1><b class=kicker>Sea</b>: {FERRY}</h1>",
        "Sea",
        f"Sea: {FERRY}",
    ),
    "a separator": (FERRY, f"<h1>SEA | {FERRY}</h1>", "SEA", FERRY),
    "a separator, declared": (f"Sea: {FERRY}", f"<h1>Sea: {FERRY}</h1>", None, f"Sea: {FERRY}"),
    "breadcrumbs": (FERRY, f"<p class=kicker><a>A</a> <a>Sea</a><h1>{FERRY}</h1>", None, FERRY),
    "a type": (FERRY, f"<p class=kicker>Article<h1>{FERRY}</h1>", None, FERRY),
    "a date": (FERRY, f"<p class=kicker>1 May 2024<h1>{FERRY}</h1>", None, FERRY),
    "long": (FERRY, f"<p class=kicker>x{' | |' * 99} x<h1>{FERRY}</h1>", None, FERRY),
    "far above": (FERRY, f"<p class=kicker>Sea{'<p>x' * 9}<h1>{FERRY}</h1>", None, FERRY),
    "below": (FERRY, f"<h1>{FERRY}</h1><p class=kicker>Sea", None, FERRY),
    "the headline": (FERRY, f"<h1 class=kicker>{FERRY}</h1>", None, FERRY),
}


@pytest.mark.parametrize(
    ("declared", "body", "kicker", "headline"), KICKERS.values(), ids=KICKERS.keys()
)
def test_kicker(declared: str, body: str, kicker: str | None, headline: str) -> None:
    head = f"<title>{declared} | Harbour News</title>{write_metas(og__title=declared)}"
    document = read_document(head, body)
    assert (document.kicker, document.headline) == (kicker, headline)


@pytest.mark.parametrize(
    ("heading", "rest"), [("Sea: Live", "Live"), ("Read: The Sea News", "The Sea News")]
)
def test_a_short_rest_or_the_site_is_no_headline_after_a_kicker(heading: str, rest: str) -> None:
    head = f"<title>{heading}</title>{write_metas(og__title=heading, og__site_name='The Sea News')}"
    head += write_json_ld({"@type": "NewsArticle", "headline": rest})
    assert read_document(head, f"<h1>{heading}</h1>").headline == heading
