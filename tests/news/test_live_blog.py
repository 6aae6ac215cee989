"""Live blogs: their entries, and the text of all of them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from scrapy_boilerplate import extract
from scrapy_boilerplate.news.live_blog import find_shown_entries, may_be_live, place_entries
from scrapy_boilerplate.page.labels import OVERRIDE, Labeling
from tests.builders import document, page_of

URL = "https://paper.example/news/storm-live"
PLACES = ("harbour", "market", "school", "bridge", "station", "library")
TITLE = "Storm over the coast | The Paper"


def sentences(words: int, topic: str) -> str:
    """Sentences about a topic; no other topic has four of their words in a row."""
    return " ".join(
        f"The {topic}{n} went on near {topic} as they of {topic} hoped." for n in range(words // 10)
    )


def live_page(entries: str, title: str = TITLE, head: str = "") -> str:
    """A page with a headline, a summary and the entries of a live blog."""
    return (
        f'<html lang="en"><head><title>{title}</title>{head}</head><body><nav><a href="/">Home</a>'
        f"</nav><main><h1>Storm over the coast</h1><p>{sentences(40, 'storm')}</p>"
        f'<div class="list">{entries}</div></main><footer><p>All rights reserved.</p></footer>'
        "</body></html>"
    )


TEMPLATES = {
    "time elements": (
        '<article class="entry"><time datetime="2024-05-01T{hour}:30:00+02:00">{hour}:30</time>'
        '<h2>News of the {place}</h2><p>{text}</p><p class="author">By Ada Pell</p></article>'
    ),
    "a clock in a line": (
        '<div class="block"><span class="t">{hour}:30</span><h3>News of the {place}</h3>'
        '<div class="author">Ada Pell</div><div>{text}</div></div>'
    ),
    "list items": (
        '<li><p class="when">{hour}.30 Uhr</p><h4>News of the {place}</h4><p>{text}</p>'
        '<span class="byline">von Ada Pell</span></li>'
    ),
    "headings of the first order": (
        '<section class="u"><time datetime="2024-05-01T{hour}:30:00+02:00">x</time>'
        '<h1 class="t">News of the {place}</h1><p class="author">Ada Pell</p><p>{text}</p>'
        "</section>"
    ),
}


def entries_of(template: str, places: tuple[str, ...] = PLACES) -> str:
    """Entries about places, the newest first."""
    return "".join(
        template.format(hour=18 - n, place=place, text=sentences(30, place))
        for n, place in enumerate(places)
    )


@pytest.mark.parametrize("template", TEMPLATES.values(), ids=TEMPLATES)
def test_the_entries_in_the_order_of_the_page(template: str) -> None:
    day = '<meta property="article:published_time" content="2024-05-01T07:00:00+02:00">'
    found = extract(live_page(entries_of(template), head=day), URL)
    zone = "+02:00" if "datetime" in template else ""
    assert found.entries == tuple(
        {
            "time": f"2024-05-01T{18 - n}:30:00{zone}",
            "headline": f"News of the {place}",
            "text": sentences(30, place),
            "author": "Ada Pell",
        }
        for n, place in enumerate(PLACES)
    )
    assert [text for text in paragraphs_of(*PLACES) if text not in found.text] == []


SAYS_LIVE: dict[str, dict[str, Any]] = {
    "the address": {"url": URL},
    "the title": {"title": "Live: storm over the coast"},
    "a class": {
        "template": '<div class="live-blog-entry"><time datetime="2024-05-01T{hour}:00">'
        "</time><p>{text}</p></div>"
    },
    "JSON-LD": {"head": '<script type="application/ld+json">{"@type": "LiveBlogPosting"}</script>'},
}


@pytest.mark.parametrize("kind", SAYS_LIVE)
def test_what_says_that_a_page_is_a_live_blog(kind: str) -> None:
    how = {**SAYS_LIVE[kind]}
    url = how.pop("url", "https://paper.example/news/storm")
    entries = entries_of(how.pop("template", TEMPLATES["time elements"]))
    assert len(extract(live_page(entries, **how), url).entries) == len(PLACES)


COMMENT = '<li><time datetime="2024-05-01T{hour}:30">x</time><p>{text}</p></li>'
TEASER = '<li><time datetime="2024-05-01T{hour}:30">x</time><a href="/{place}">{text}</a></li>'
NO_SHAPE = {
    "comments": f'<ul class="comments">{entries_of(COMMENT)}</ul>',
    "links to articles": f"<ul>{entries_of(TEASER)}</ul>",
    "two entries": entries_of(TEMPLATES["time elements"], PLACES[:2]),
    "no times": entries_of("<div><h2>News of the {place}</h2><p>{text}</p></div>"),
    "only times": entries_of('<p class="t"><time datetime="2024-05-01T{hour}:30">x</time></p>'),
}


def test_what_is_no_live_blog() -> None:
    for kind, entries in NO_SHAPE.items():
        assert extract(live_page(entries), URL).entries == (), kind
    entries = entries_of(TEMPLATES["time elements"])
    assert extract(live_page(entries), "https://paper.example/news/storm").entries == ()


HIDDEN_TIMES = TEMPLATES["time elements"].replace(">{hour}:30<", "><")


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
    """The headline and the text of the entry of each place."""
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
    entries = entries_of(HIDDEN_TIMES, shown)
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


def test_the_live_blog_of_another_page() -> None:
    blog = entries_in_json().partition(">")[2].partition("<")[0]
    for name in ("mentions", "isPartOf", "about"):
        article = f'{{"@type": "NewsArticle", "{name}": [{blog}]}}'
        head = f'<script type="application/ld+json">{article}</script>'
        found = extract(live_page("", head=head), STORM)
        assert (found.entries, found.text) == ((), SUMMARY), name


def test_a_page_that_shows_the_oldest_entry_first() -> None:
    oldest_first = PLACES[::-1]
    entries = entries_of(HIDDEN_TIMES, oldest_first[1:5])
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
    page = page_of(live_page("", head=entries_in_json()))
    labeling = Labeling.blank(len(page)).mark(OVERRIDE, np.ones(len(page), dtype=np.bool_))
    assert place_entries(page, labeling, "") == []


def test_json_ld_that_is_wrong() -> None:
    for declared in ('"liveBlogUpdate": [1, null, {"headline": 7}]}', '"liveBlogUpdate": "x"}', ""):
        written = f'{{"@type": "LiveBlogPosting", {declared}'
        head = f'<script type="application/ld+json">{written}</script>'
        assert extract(live_page("", head=head)).entries == ()


def test_a_page_of_many_times_is_read_in_linear_time() -> None:
    entry = "<div><p>18:30</p><p>Rain fell on the harbour for hours and all stayed in.</p></div>"
    page = page_of(document(entry * 5_000, "Live"))
    shown = find_shown_entries(page)
    assert shown is not None
    assert len(shown.times) == 2_000


def test_words_that_hold_live() -> None:
    for word in ("delivery", "olive", "livestock", "lively"):
        assert not may_be_live(page_of(document(f'<p class="{word}">{word}</p>', word))), word
