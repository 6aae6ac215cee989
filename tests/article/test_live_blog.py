"""Live blogs: their entries, and the text of all of them."""

import json

import pytest

from scrapy_boilerplate import extract
from scrapy_boilerplate.site.rules import SiteRules

PLACES = ("harbour", "market", "school", "bridge", "station", "library")


def sentences(words: int, topic: str) -> str:
    """Sentences about a topic; no other topic has four of their words in a row."""
    return " ".join(
        f"The {topic}{n} went on near {topic} as they of {topic} hoped." for n in range(words // 10)
    )


def live_page(entries: str, head: str) -> str:
    """A page with a headline, a summary and the entries of a live blog."""
    return (
        f'<html lang="en"><head><title>Storm over the coast | The Paper</title>{head}</head><body>'
        f'<nav><a href="/">Home</a></nav>'
        f"<main><h1>Storm over the coast</h1><p>{sentences(40, 'storm')}</p>"
        f'<div class="list">{entries}</div></main><footer><p>All rights reserved.</p></footer>'
        "</body></html>"
    )


ENTRY = (
    '<article class="entry"><h2>News of the {place}</h2><p>{text}</p>'
    '<p class="author">By Ada Pell</p></article>'
)


def entries_of(places: tuple[str, ...]) -> str:
    """Entries about places, as a page shows them."""
    return "".join(ENTRY.format(place=place, text=sentences(30, place)) for place in places)


def entries_in_json(places: tuple[str, ...] = PLACES, bodies: dict[str, str] | None = None) -> str:
    """The JSON-LD of a live blog with entries about places, the newest first."""
    updates = [
        {
            "@type": "BlogPosting",
            "headline": f"News of the {place}",
            "datePublished": f"2024-05-01T{18 - n}:30:00Z",
            "articleBody": (bodies or {}).get(place, sentences(30, place)),
            "author": [{"@type": "Person", "name": "Ada Pell"}],
        }
        for n, place in enumerate(places)
    ]
    declared = json.dumps({"@type": "LiveBlogPosting", "liveBlogUpdate": updates})
    return f'<script type="application/ld+json">{declared}</script>'


STORM = "https://paper.example/storm"
SUMMARY = sentences(40, "storm")
HEADLINES = [f"News of the {place}" for place in PLACES]


def paragraphs_of(*places: str) -> list[str]:
    return [text for each in places for text in (f"News of the {each}", sentences(30, each))]


def test_entries_that_only_json_ld_has() -> None:
    found = extract(live_page("", head=entries_in_json()), STORM)
    assert found.entries[1] == {
        "time": "2024-05-01T17:30:00+00:00",
        "headline": "News of the market",
        "text": sentences(30, "market"),
        "author": "Ada Pell",
    }
    assert found.text.split("\n\n") == [SUMMARY, *paragraphs_of(*PLACES)]
    page = f"<html><head>{entries_in_json()}</head><body><h1>Storm</h1></body></html>"
    alone = extract(page, STORM)
    assert alone.text.split("\n\n") == paragraphs_of(*PLACES)
    assert alone.html == "\n".join(f"<p>{text}</p>" for text in paragraphs_of(*PLACES))


SHOWN = [PLACES[:1], PLACES[-1:], PLACES[1:3], PLACES[::2], PLACES]


@pytest.mark.parametrize("shown", SHOWN, ids=map(str, SHOWN))
def test_text_and_entries_have_each_entry_once(shown: tuple[str, ...]) -> None:
    entries = entries_of(shown)
    found = extract(live_page(entries, head=entries_in_json()), STORM)
    assert [entry["headline"] for entry in found.entries] == HEADLINES
    assert found.text.split("\n\n") == [SUMMARY, *paragraphs_of(*PLACES)]
    assert found.html is not None
    assert found.html.count("<p>") + found.html.count("<h2>") == 1 + 2 * len(PLACES)
    assert [found.html.index(text) for text in paragraphs_of(*PLACES)] == sorted(
        map(found.html.index, paragraphs_of(*PLACES))
    )
    assert found.markdown is not None
    assert [text for text in paragraphs_of(*PLACES) if text not in found.markdown] == []


def test_an_entry_that_two_paragraphs_have() -> None:
    headline, said = paragraphs_of(PLACES[0])
    shown = f"<p>{headline}<br>{said} Then.</p><p>{headline}<br>{said} Now.</p>"
    html = live_page(shown, head=entries_in_json(PLACES[:1]))
    assert extract(html, STORM, "keep-everything").text.count(said) == 2


def test_the_live_blog_of_another_page() -> None:
    blog = entries_in_json().partition(">")[2].partition("<")[0]
    for name in ("mentions", "isPartOf", "about"):
        article = f'{{"@type": "NewsArticle", "{name}": [{blog}]}}'
        head = f'<script type="application/ld+json">{article}</script>'
        found = extract(live_page("", head=head), STORM)
        assert (found.entries, found.text) == ((), SUMMARY), name


def test_a_page_that_shows_the_oldest_entry_first() -> None:
    oldest_first = PLACES[::-1]
    entries = entries_of(oldest_first[1:5])
    found = extract(live_page(entries, head=entries_in_json()), STORM)
    assert [entry["headline"] for entry in found.entries] == HEADLINES[::-1]
    assert found.text.split("\n\n") == [SUMMARY, *paragraphs_of(*oldest_first)]


BODIES = {
    "markup": f"<p>{SUMMARY.upper()}</p><p>Five &amp; six</p>",
    "lines": f"{SUMMARY.upper()}\nFive & six",
    "escaped twice": f"{SUMMARY.upper()}\nFive &amp;amp; six",
    "markup that is escaped twice": f"<p>{SUMMARY.upper()}</p><p>Five &amp;amp; six</p>",
}


@pytest.mark.parametrize("kind", BODIES)
def test_paragraphs_of_an_entry(kind: str) -> None:
    head = entries_in_json(PLACES[:1], {PLACES[0]: BODIES[kind]})
    found = extract(live_page("", head=head), STORM)
    assert found.entries[0]["text"] == f"{SUMMARY.upper()}\n\nFive & six"


def test_an_entry_of_which_the_page_shows_the_headline_and_the_beginning() -> None:
    body = f"{sentences(30, 'harbour')}\n{sentences(90, 'pier')}"
    head = entries_in_json(PLACES[:1], {"harbour": body})
    shown = f"<h2>News of the harbour</h2><p>{sentences(30, 'harbour')}</p>"
    found = extract(live_page(shown, head=head), STORM)
    assert found.text.split("\n\n") == [
        *(SUMMARY, "News of the harbour"),
        *(sentences(30, "harbour"), sentences(90, "pier")),
    ]


def test_text_chosen_by_a_rule_has_no_more_entries() -> None:
    rules = SiteRules.from_mapping({"paper.example": {"content": "main > p"}})
    found = extract(live_page("", head=entries_in_json()), STORM, sites=rules)
    assert (len(found.entries), found.text) == (len(PLACES), SUMMARY)


def test_json_ld_that_is_wrong() -> None:
    for declared in ('"liveBlogUpdate": [1, null, {"headline": 7}]}', '"liveBlogUpdate": "x"}', ""):
        written = f'{{"@type": "LiveBlogPosting", {declared}'
        head = f'<script type="application/ld+json">{written}</script>'
        assert extract(live_page("", head=head)).entries == ()
