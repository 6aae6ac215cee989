"""Live blogs: their entries, and the text of all of them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scrapy_boilerplate import extract
from scrapy_boilerplate.news.live_blog import find_shape, may_be_live
from tests.builders import document, page_of, sentences

URL = "https://paper.example/news/storm-live"
PLACES = ("harbour", "market", "school", "bridge", "station", "library")
TITLE = "Storm over the coast | The Paper"


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


@pytest.mark.parametrize("kind", TEMPLATES)
def test_the_entries_in_the_order_of_the_page(kind: str) -> None:
    day = '<meta property="article:published_time" content="2024-05-01T07:00:00+02:00">'
    entries = extract(live_page(entries_of(TEMPLATES[kind]), head=day), URL).entries
    zone = "+02:00" if "datetime" in TEMPLATES[kind] else ""
    assert entries == tuple(
        {
            "time": f"2024-05-01T{18 - n}:30:00{zone}",
            "headline": f"News of the {place}",
            "text": sentences(30, place),
            "author": "Ada Pell",
        }
        for n, place in enumerate(PLACES)
    )


@pytest.mark.parametrize("kind", TEMPLATES)
def test_the_text_has_all_entries(kind: str) -> None:
    text = extract(live_page(entries_of(TEMPLATES[kind])), URL).text
    assert [place for place in PLACES if sentences(30, place) not in text] == []
    assert [place for place in PLACES if f"News of the {place}" not in text] == []


def test_a_clock_without_a_day() -> None:
    html = live_page(entries_of(TEMPLATES["a clock in a line"]))
    assert [entry["time"] for entry in extract(html, URL).entries][:2] == ["18:30", "17:30"]


SAYS_LIVE: dict[str, dict[str, Any]] = {
    "the address": {"url": URL},
    "the title": {"title": "Live: storm over the coast"},
    "the title in French": {"title": "En direct : la tempête"},
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


def test_other_pages_have_no_entries() -> None:
    entries = entries_of(TEMPLATES["time elements"])
    assert extract(live_page(entries), "https://paper.example/news/storm").entries == ()


COMMENT = '<li><time datetime="2024-05-01T{hour}:30">x</time><p>{text}</p></li>'
TEASER = '<li><time datetime="2024-05-01T{hour}:30">x</time><a href="/{place}">{text}</a></li>'
NO_SHAPE = {
    "comments": f'<ul class="comments">{entries_of(COMMENT)}</ul>',
    "links to articles": f"<ul>{entries_of(TEASER)}</ul>",
    "two entries": entries_of(TEMPLATES["time elements"], PLACES[:2]),
    "no times": entries_of("<div><h2>News of the {place}</h2><p>{text}</p></div>"),
    "times alone": entries_of('<p class="t"><time datetime="2024-05-01T{hour}:30">x</time></p>'),
    "nothing": "",
}


@pytest.mark.parametrize("kind", NO_SHAPE)
def test_what_is_no_live_blog(kind: str) -> None:
    assert extract(live_page(NO_SHAPE[kind]), URL).entries == ()


def test_entries_that_only_json_ld_has() -> None:
    updates = [
        {
            "@type": "BlogPosting",
            "headline": f"News of the {place}",
            "datePublished": f"2024-05-01T{18 - n}:30:00Z",
            "articleBody": sentences(30, place),
            "author": [{"@type": "Person", "name": "Ada Pell"}],
        }
        for n, place in enumerate(PLACES)
    ]
    declared = json.dumps({"@type": "LiveBlogPosting", "liveBlogUpdate": updates})
    head = f'<script type="application/ld+json">{declared}</script>'
    entries = extract(live_page("", head=head), "https://paper.example/storm").entries
    assert entries[1] == {
        "time": "2024-05-01T17:30:00+00:00",
        "headline": "News of the market",
        "text": sentences(30, "market"),
        "author": "Ada Pell",
    }


BAD = ['{"liveBlogUpdate": [1, null, {"headline": 7}]}', '{"liveBlogUpdate": "x"}', "{"]


@pytest.mark.parametrize("declared", BAD)
def test_json_ld_that_is_wrong(declared: str) -> None:
    written = declared.replace("{", '{"@type": "LiveBlogPosting", ', 1)
    head = f'<script type="application/ld+json">{written}</script>'
    assert extract(live_page("", head=head)).entries == ()


def test_a_page_of_many_times_is_read_in_linear_time() -> None:
    entry = "<div><p>18:30</p><p>Rain fell on the harbour for hours and nobody went out.</p></div>"
    page = page_of(document(entry * 5_000, "Live"))
    shape = find_shape(page)
    assert shape is not None
    assert len(shape.elements) == 2_000


@pytest.mark.parametrize("word", ["delivery", "olive", "livestock", "lively", "alive"])
def test_words_that_hold_live(word: str) -> None:
    page = page_of(document(f'<p class="{word}">{word}</p>', word))
    assert not may_be_live(page)
