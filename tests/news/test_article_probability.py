"""Article page or not, as the shipped model has it, and what of a model is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.news.article_probability import (
    COLUMNS,
    MODELS,
    ArticleModel,
    read_article_model,
)
from scrapy_boilerplate.steps.model_store import ModelError, load_shipped
from tests.builders import document, sentences

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


def test_address_and_declarations_count() -> None:
    plain = probability(STORY, "https://courier.example.com/x")
    assert probability(DECLARED, "https://courier.example.com/x") > plain
    assert probability(STORY, "https://courier.example.com/forum/threads/x") < plain


DECLARED = STORY.replace("<title>", "<meta property=og:type content=article><title>")


def test_addresses_that_say_nothing_make_no_article_another_page() -> None:
    for local in ("http://127.0.0.1:8000/17.html", "http://localhost:8000/"):
        assert probability(STORY, local) > 0.5
    assert probability(DECLARED, "https://courier.example.com/") > 0.5


def test_values_beyond_those_of_training_count_as_their_limits() -> None:
    model = ArticleModel(np.zeros(2), np.ones(2), np.array([1.0, -2.0]), 0.5)
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
