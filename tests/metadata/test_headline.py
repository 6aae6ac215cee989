"""What speaks for a headline beside its sources: the address, and what an h1 holds beside it."""

from __future__ import annotations

import pytest

from scrapy_boilerplate.metadata.headline import Slug
from tests.metadata.pages import meta, read, script

FERRY = "Ferry returns to the harbour"
OTHER = "Islanders get their ship back"


@pytest.mark.parametrize(
    ("url", "text", "shares"),
    [
        ("https://x.example/sea/ferry-returns-to-the-harbour", FERRY, (1.0, 1.0)),
        ("https://x.example/ferry-returns-harbour-12345.html", FERRY, (1.0, 1.0)),
        ("https://x.example/ferry-back-home", FERRY, (1 / 3, 1 / 3)),
        ("https://x.example/a-b/robbe-in-goettingen-gefunden", "Göttingen: Robbe", (1, 2 / 3)),
        ("https://x.example/robbe-in-gottingen-gefunden", "Göttingen: Robbe", (1, 2 / 3)),
        ("https://x.example/sa-kom-sjokkvendingen", "Så kom sjokkvendingen", (1.0, 1.0)),
        ("https://x.example/%D0%BB%D1%91%D0%B4-x-2024", "Лёд", (1.0, 1.0)),
        ("https://x.example/sea/ferry", FERRY, (0.0, 0.0)),
        ("https://x.example/ferry-returns-to-the-harbour", "!", (0.0, 0.0)),
        ("https://[x/ferry-returns-to-the-harbour", FERRY, (0.0, 0.0)),
        (None, FERRY, (0.0, 0.0)),
    ],
)  # fmt: skip
def test_words_of_the_address(url: str | None, text: str, shares: tuple[float, float]) -> None:
    assert Slug(url).shares(text) == pytest.approx(shares)


def test_of_two_titles_the_address_spells_one() -> None:
    head = script({"@type": "NewsArticle", "headline": OTHER}) + meta(og__title=FERRY)
    told = "https://harbour-news.example/ferry-returns-to-the-harbour"
    other = "https://harbour-news.example/islanders-get-their-ship-back"
    assert read(head, url=told).headline == FERRY
    assert read(head, url=other).headline == OTHER


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
    assert read(f"<title>{FERRY} | Harbour</title>", f"<h1>{heading}</h1>").headline == FERRY


def test_a_heading_that_is_nothing_but_such_a_line_stays() -> None:
    assert read("", f"<h1><span class=section-title>{FERRY}</span></h1>").headline == FERRY
