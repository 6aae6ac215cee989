"""Word weights: their training, and that no page is scored by weights that saw its site."""

from collections.abc import Sequence

import numpy as np
import pytest

from scrapy_boilerplate.news.features import WordWeights
from scrapy_boilerplate.training.corpora import site_fold
from scrapy_boilerplate.training.trainers import news
from scrapy_boilerplate.training.trainers.news import (
    FOLDS,
    MIN_SITES,
    NewsExample,
    build_example,
    fit_words,
)
from tests.training.trainers.pages import COMMENT, TEXT, gold, page

pytest.importorskip("sklearn", reason="needs scikit-learn")

SITES = [f"site{number}.com" for number in range(16)]


def build_site_example(site: str, html: str = "", **fields: str) -> NewsExample:
    url = f"https://{site}/"
    example = build_example(gold(html, url=url, text=TEXT, comments=(COMMENT,), **fields))
    assert example is not None
    return example


def examples(sites: Sequence[str] = SITES) -> list[NewsExample]:
    return [build_site_example(site) for site in sites]


def test_words_of_text_weigh_more_than_words_around_it() -> None:
    weights = fit_words(examples())[0]
    assert weights.names["story"] > 0 > weights.names["menu"]
    assert weights.first["the"] > 0 > weights.first["home"]
    assert weights.comments["comments"] > 0 > weights.comments["story"]
    assert weights.names["comments"] < 0
    assert fit_words([])[0] == WordWeights()


def test_words_of_few_sites_are_no_words() -> None:
    rare = page().replace("class=story", "class='story courier'")
    for sites, known in [(MIN_SITES - 1, False), (MIN_SITES, True)]:
        pages = [
            build_site_example(site, rare if n < sites else "") for n, site in enumerate(SITES)
        ]
        pages += [build_site_example(SITES[0], rare) for _ in range(9)]  # still one site
        assert ("courier" in fit_words(pages)[0].names) == known


def test_crosswise_words_never_see_their_own_site(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each example's weights were fitted on examples of which none has its site."""
    pages = examples(SITES + SITES[:5])
    sites = np.array([example.site for example in pages])
    seen: list[set[str]] = []

    def fit(_bags: object, used: np.ndarray) -> dict[str, float]:
        seen.append(set(sites[used].tolist()))
        return {"fit": float(len(seen) - 1)}

    monkeypatch.setattr(news._WordBags, "fit", fit)
    weights = fit_words(pages)[1]
    assert len(weights) == len(pages)
    for example, fitted in zip(pages, weights, strict=True):
        assert example.site not in seen[int(fitted.first["fit"])]
    *of_folds, whole = seen[::3]  # three kinds of words
    assert whole == set.union(*of_folds) == set(SITES)
    assert len(of_folds) == len({site_fold(site, FOLDS, "words") for site in SITES}) > 1
