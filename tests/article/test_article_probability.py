"""Article page or not: the columns of a page, the shipped model, and models that are refused."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_boilerplate import extract
from scrapy_boilerplate.article.article_probability import (
    COLUMNS,
    MODELS,
    UNKNOWN_URL,
    ArticleModel,
    build_row,
    read_article_model,
)
from scrapy_boilerplate.extraction import load_page
from scrapy_boilerplate.steps.model_store import ModelError, load_shipped
from tests.builders import document, filler, sentences
from tests.test_extraction_properties import SOUP

LOG2, LOG3 = math.log(2), math.log(3)


def row(html: str, url: str | None = None) -> dict[str, float]:
    columns = build_row(load_page(html, url).page)
    return dict(zip(COLUMNS, columns.tolist(), strict=True))


@pytest.mark.parametrize(
    ("url", "column", "value"),
    [
        ("https://example.com/", "home", 1),
        ("https://example.com?x=/y", "home", 1),
        ("https://example.com/x", "home", 0),
        ("https://example.com/tag/rain", "list_path", 1),
        ("https://example.com/blog/page/2/", "list_path", 1),
        ("https://example.com/autor/ada.html", "list_path", 1),
        ("https://example.com/about", "list_path", 1),
        ("https://example.com/category/rain/a-wet-may", "list_path", 0),
        ("https://example.com/pages/tagged", "list_path", 0),
        ("https://example.com/2024/05/x", "date_in_path", 1),
        ("https://example.com/2024/13/x", "date_in_path", 0),
        ("https://example.com/2024/056", "date_in_path", 0),
        ("https://example.com/x?d=/2024/05/", "date_in_path", 0),
        ("https://example.com/x-12345", "number_in_path", 1),
        ("https://example.com/x-1234", "number_in_path", 0),
        ("https://example.com:12345/x", "number_in_path", 0),
        ("https://example.com/a-b/rain-in-may", "slug_hyphens", 2),
        ("https://example.com/x", "slug_length", LOG2),
        ("https://blog.example.com/news/x", "journal_words", 2),
        ("https://example.com/x/story-of-news", "journal_words", 0),
        ("https://forum.example.com/t/rain/12", "forum_words", 2),
        ("https://me:pw@example.com/docs/x", "manual_words", 1),
        ("https://example.com/pricing", "service_words", 1),
    ],
)
def test_url(url: str, column: str, value: float) -> None:
    assert row("<p>x</p>", url)[column] == pytest.approx(value)


NO_URLS = (None, "", "x", "/news/x", "mailto:a@b.example", "//", "http://")
LOCAL = (
    *("http://127.0.0.1:8000/17.html", "http://localhost:8000/", "http://LOCALHOST./news/x"),
    *("http://mirror/news/x", "https://site.test/news/x", "https://site.example/news/x"),
)


def test_what_is_no_public_url_says_nothing() -> None:
    declared = "<link rel=canonical href=https://example.com/news/rain-in-may>"
    also_local = "<link rel=canonical href=http://localhost/news/rain-in-may>"
    for url in (*NO_URLS, *LOCAL):
        assert build_row(load_page("<p>x</p>", url).page)[:10].tolist() == list(UNKNOWN_URL)
        assert row(declared, url)["slug_hyphens"] == 2
        assert row(also_local, url)["slug_hyphens"] == UNKNOWN_URL[4]
    for host in ("local.example.com", "10.example.com", "localhost.com"):
        assert row("<p>x</p>", f"https://{host}/a-b-c")["slug_hyphens"] == 2


def test_the_declared_url_stands_in_for_one() -> None:
    for declared in ("link rel=canonical href", "meta property=og:url content"):
        html = f"<{declared}=https://example.com/news/rain-in-may>"
        assert row(html)["slug_hyphens"] == 2
        assert row(html, "https://example.com/")["slug_hyphens"] == 2, "not the home page"
        assert row(html, "https://example.com/x")["slug_hyphens"] == 0


def test_a_home_url_counts_unless_the_page_declares_an_article() -> None:
    published = "<meta property=article:published_time content=2026-05-01>"
    json_ld = '<script type=application/ld+json>{"@type":"NewsArticle"}</script>'
    for url in ("https://example.com/", "https://example.com/?p=12"):
        for declared in ("", "<link rel=canonical href=https://example.com>"):
            assert row(declared, url)["home"] == 1
        for declared in ("<meta property=og:type content=article>", published, json_ld):
            assert row(declared, url)["home"] == UNKNOWN_URL[0]


LD = "<script type=application/ld+json>{}</script>".format
DECLARED = {
    "<meta property=og:type content=Article>": ("og_article", 1),
    "<meta property=og:type content=og:product>": ("og_product", 1),
    "<meta property=article:published_time content=2024>": ("meta_published", 1),
    "<meta property=article:modified_time content=2024>": ("meta_published", 0),
    "<meta name=Author content=Ada>": ("meta_author", 1),
    "<meta name=author content=' '>": ("meta_author", 0),
    LD('{"@type":"NewsArticle"}'): ("ld_article", LOG2),
    LD('{"@type":["Article"],'): ("ld_article", LOG2),
    LD('{"@type":"Product"}'): ("ld_article", 0),
    '<script>{"@type":"NewsArticle"}</script>': ("ld_article", 0),
    LD('{"@type":"BreadcrumbList"}'): ("ld_breadcrumb", 1),
    LD('{"author":"Ada"}'): ("ld_author", 1),
    LD('{"priceCurrency":"x"}'): ("ld_price", 1),
    LD('{"ratingValue":"1"}'): ("ld_rating", 1),
    "<title>Rain in</title>": ("title_words", LOG3),
    "<title>Rain - May | The Daily</title>": ("title_parts", 2),
    "<title>Rain-soaked</title>": ("title_parts", 0),
}


@pytest.mark.parametrize("head", DECLARED)
def test_declared(head: str) -> None:
    column, value = DECLARED[head]
    assert row(f"<html><head>{head}</head><body><p>x</p>")[column] == pytest.approx(value)


GOOD = f"<p>{filler(20)}</p>"


@pytest.mark.parametrize(
    ("body", "column", "value"),
    [
        ("<pre>x</pre><p><code>y</code>", "code", LOG3),
        ("<p class=price>1</p><p class='x old-Price'>2</p>", "named_price", LOG3),
        ("<p id=price>1</p>", "named_price", 0),
        ("<div itemscope itemtype=//schema.org/Comment><p itemprop=text>x", "item_comment", 1),
        ("<div itemscope itemtype=//schema.org/Article><p itemprop=text>x", "item_comment", 0),
        (GOOD, "good_words", math.log1p(20)),
        (f"<p>{filler(11)}</p>", "good_words", 0),
        (f"<p><a href=/x>{filler(20)}</a></p>", "good_words", 0),
        (f"{GOOD}<p>{filler(5)}</p>", "good_share", 0.8),
        (f"{GOOD}<p><a href=/x>{filler(5)}</a></p>", "link_share", 0.2),
        (f"<div>{GOOD * 2}</div><div>{GOOD}</div>", "best_words", math.log1p(40)),
        (f"<div>{GOOD * 2}</div><div>{GOOD * 2}</div>", "best_share", 0.5),
        (f"<div>{GOOD}<ul><li>{filler(20)}</li></ul></div>", "best_share", 1),
        (f"<div>{GOOD}</div><div>{GOOD}</div>", "containers", LOG3),
        (f"<div>{GOOD}<div>{filler(20)}</div></div>", "paragraphs", 0.5),
    ],
)
def test_body(body: str, column: str, value: float) -> None:
    assert row(document(body))[column] == pytest.approx(value)


@given(html=SOUP, url=st.none() | st.text(max_size=30))
def test_any_page_gives_numbers(html: str, url: str | None) -> None:
    assert np.isfinite(build_row(load_page(html, url).page)).all()


STORY = document(
    "<article><h1>Rain floods the market hall</h1>"
    + "".join(f"<p>{sentences(40, topic)}</p>" for topic in ("rain", "market", "flood", "hall"))
    + "</article>",
    title="Rain floods the market hall | The Courier",
)
SHOP = document(
    "<h1>Hats</h1><ul>"
    + "<li class=product-card><a href=/hat>A hat</a> <b class=price>$5</b></li>" * 30
    + "</ul>",
    title="Hats",
)
FORUM = document(
    "".join(f"<div class=post><i>me</i><p>{sentences(15, 'hat')}</p></div>" for _ in range(12)),
    title="Hats: which one? | Hat board | Forum",
)


def probability(html: str, url: str, extractor: str = "container") -> float:
    likely = extract(html, url, extractor).article_probability
    assert likely is not None
    return likely


def test_a_story_is_an_article_and_other_pages_are_not() -> None:
    assert probability(STORY, "https://courier.example.com/news/rain-floods-the-market-hall") > 0.9
    assert probability(SHOP, "https://shop.example.com/collections/hats") < 0.1
    assert probability(FORUM, "https://forum.example.com/t/hats/12345") < 0.3
    assert probability("", "https://courier.example.com/") < 0.1


def test_url_and_declarations_count() -> None:
    plain = probability(STORY, "https://courier.example.com/x")
    assert probability(DECLARED_STORY, "https://courier.example.com/x") > plain
    assert probability(STORY, "https://courier.example.com/forum/threads/x") < plain


DECLARED_STORY = STORY.replace("<title>", "<meta property=og:type content=article><title>")


def test_urls_that_say_nothing_make_no_article_another_page() -> None:
    for local in ("http://127.0.0.1:8000/17.html", "http://localhost:8000/"):
        assert probability(STORY, local) > 0.5
    assert probability(DECLARED_STORY, "https://courier.example.com/") > 0.5


def test_values_beyond_those_of_training_count_as_their_limits() -> None:
    model = ArticleModel(np.zeros(2), np.ones(2), np.zeros(2), np.array([1.0, -2.0]), 0.5)
    assert model(np.array([9.0, -9.0])) == model(np.array([1.0, 0.0]))
    assert model(np.array([1.0, 0.0])) == pytest.approx(1 / (1 + np.exp(-1.5)))


def test_what_is_saved_judges_alike() -> None:
    stored = load_shipped(MODELS / "article")
    model = read_article_model(stored)
    again = read_article_model(replace(stored, arrays=model.arrays()))
    zeros = np.zeros(len(COLUMNS))
    assert again(zeros) == model(zeros)


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        ("low", None, "lacks the array 'low'"),
        ("weights", np.zeros(3), "'weights' .* finite numbers"),
        ("high", np.full(len(COLUMNS), np.nan), "'high' .* finite numbers"),
        ("bias", np.zeros(2), "'bias' .* finite numbers"),
    ],
)
def test_models_that_do_not_fit_are_refused(name: str, array: Any, message: str) -> None:
    stored = load_shipped(MODELS / "article")
    arrays = {**stored.arrays, name: array}
    if array is None:
        del arrays[name]
    with pytest.raises(ModelError, match=message):
        read_article_model(replace(stored, arrays=arrays))
    with pytest.raises(ModelError, match="other feature columns"):
        read_article_model(replace(stored, columns=stored.columns[1:]))
