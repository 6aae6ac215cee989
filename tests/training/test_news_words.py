"""Word weights: what they learn, and that no page is scored by weights that saw its site."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from scrapy_boilerplate.news.features.names import WordWeights
from scrapy_boilerplate.page.labels import BoolArray
from scrapy_boilerplate.training.news import words as fitting
from scrapy_boilerplate.training.news.targets import NewsExample, news_example
from scrapy_boilerplate.training.news.words import (
    FOLDS,
    MIN_SITES,
    fit_words,
    fit_words_crosswise,
    name_bags,
)
from scrapy_boilerplate.training.splits import fold_of
from tests.training.news_pages import COMMENT, PARAGRAPHS, TEXT, gold, page

pytest.importorskip("sklearn", reason="needs scikit-learn")

SITES = [f"site{number}.com" for number in range(16)]


def example(site: str, html: str = "", **fields: str) -> NewsExample:
    url = f"https://{site}/"
    made = news_example(gold(html, url=url, text=TEXT, comments=(COMMENT,), **fields))
    assert made is not None
    return made


def examples(sites: Sequence[str] = SITES) -> list[NewsExample]:
    return [example(site) for site in sites]


def test_words_of_text_weigh_more_than_words_around_it() -> None:
    found = fit_words(examples())
    assert found.names["story"] > 0 > found.names["menu"]
    assert found.first["the"] > 0 > found.first["home"]
    assert found.comments["comments"] > 0 > found.comments["story"]
    assert found.names["comments"] < 0


def test_weights_are_rounded_and_small_ones_forgotten() -> None:
    found = fit_words(examples())
    for weights in (found.first, found.names, found.comments):
        assert weights
        assert all(abs(one) >= 0.05 and round(one, 2) == one for one in weights.values())


@pytest.mark.parametrize(("sites", "known"), [(MIN_SITES - 1, False), (MIN_SITES, True)])
def test_words_of_few_sites_are_no_words(sites: int, known: bool) -> None:
    rare = page().replace("class=story", "class='story courier'")
    made = [example(site, rare if n < sites else "") for n, site in enumerate(SITES)]
    assert ("courier" in fit_words(made).names) == known


def test_many_pages_of_one_site_are_one_site() -> None:
    rare = page().replace("class=story", "class='story courier'")
    made = [example(SITES[0], rare) for _ in range(9)] + examples(SITES[1:])
    assert "courier" not in fit_words(made).names


def test_a_single_site_is_enough_for_users_of_one() -> None:
    assert fit_words(examples(SITES[:1] * 3)).names["story"] > 0


def test_nothing_to_tell_apart_no_words() -> None:
    assert fit_words([]) == WordWeights()
    everything = page().replace("story", "all")
    made = [example(site, everything) for site in SITES[:4]]
    for one in made:
        one.content[:] = 1.0
    assert fit_words(made).names == {}


def test_names_stand_as_often_as_in_the_page() -> None:
    bags = name_bags(example(SITES[0]).facts)
    assert bags[0] == ["menu"]
    assert bags[2] == ["story"]


def test_crosswise_words_never_see_their_own_site(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each example's weights were fitted on examples of which none has its site."""
    made = examples(SITES + SITES[:5])
    sites = np.array([one.site for one in made])
    seen: list[set[str]] = []

    def fit(_fitting: object, used: BoolArray) -> WordWeights:
        seen.append(set(sites[used].tolist()))
        return WordWeights(first={"fit": float(len(seen) - 1)})

    monkeypatch.setattr(fitting._Fitting, "fit", fit)
    found = fit_words_crosswise(made)
    assert len(found) == len(made)
    for one, weights in zip(made, found, strict=True):
        assert one.site not in seen[int(weights.first["fit"])]
    assert set.union(*seen) == set(SITES)
    assert len(seen) == len({fold_of(site, FOLDS, "words") for site in SITES}) > 1


def test_a_word_that_stands_on_one_site_alone_scores_nothing_there() -> None:
    rare = page().replace("class=story", "class='story courier'")
    own = [example(SITES[0], rare)] * 5
    found = fit_words_crosswise([*own, *examples(SITES[1:])])
    assert all("courier" not in weights.names for weights in found[:5])


def test_crosswise_weights_know_the_words_of_the_other_sites() -> None:
    for weights in fit_words_crosswise(examples()):
        assert weights.names["story"] > 0 > weights.names["menu"]


def test_pages_of_one_site_get_no_weights_crosswise() -> None:
    found = fit_words_crosswise(examples(SITES[:1] * 3))
    assert found == [WordWeights()] * 3


def test_the_same_examples_give_the_same_weights() -> None:
    assert fit_words(examples()) == fit_words(examples())
    assert PARAGRAPHS[0].split()[0].lower() in fit_words(examples()).first
