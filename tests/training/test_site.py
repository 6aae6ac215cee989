"""The fit of the correction by site knowledge, on made-up sites."""

from __future__ import annotations

import numpy as np
import pytest

from scrapy_boilerplate.page.labels import FloatArray
from scrapy_boilerplate.site.correction import COLUMNS, log_odds, site_columns
from scrapy_boilerplate.training.site import SitePage, fitted, views_of
from tests.site_views import body_of, box, content_of

NOTICE = "Read our daily letter and send us yours"
SITES, PAGES = 4, 4
AT = {name: number for number, name in enumerate(COLUMNS)}


def pages(corpus: str = "one", *, notice: float = 0.0) -> list[SitePage]:
    """Pages of SITES sites. A model is in two minds about everything; `notice` is how far what the
    site repeats is wanted."""
    found = []
    for site in range(SITES):
        for number in range(PAGES):
            said = f"{chr(97 + site)}{chr(97 + number)}"
            page = body_of(
                box("text", f"Story {said} begins with these words", f"And {said} ends here"),
                box("foot", NOTICE),
            )
            wanted = content_of(page)
            wanted[-1] = notice
            scores = np.array([0.6, 0.5, 0.6])
            found.append(SitePage(page, scores, wanted, f"site{site}", corpus))
    return found


def weights_of(found: list[SitePage]) -> FloatArray:
    return fitted(found, views_of(found, seed=0))


def test_each_page_is_seen_with_a_part_of_its_site_and_with_all_of_it() -> None:
    found = pages()
    views = views_of(found, seed=0)
    assert all(len(seen) == 2 for seen in views)
    assert all(whole.pages == PAGES - 1 for _, whole in views)
    for site in range(SITES):
        of_site = views[site * PAGES : (site + 1) * PAGES]
        assert sorted(part.pages for part, _ in of_site) == list(range(PAGES))


def test_pages_of_other_corpora_are_other_sites() -> None:
    both = [*pages("one")[:PAGES], *pages("two")[:PAGES]]
    assert {whole.pages for _, whole in views_of(both, seed=0)} == {PAGES - 1}


def test_the_same_seed_gives_the_same_views_and_weights() -> None:
    found = pages()
    first, again, other = (views_of(found, seed) for seed in (3, 3, 4))
    parts = [[part.pages for part, _ in views] for views in (first, again, other)]
    assert parts[0] == parts[1] != parts[2]
    assert fitted(found, first).tolist() == fitted(found, again).tolist()


def test_what_is_repeated_and_unwanted_is_weighed_against() -> None:
    weights = weights_of(pages())
    assert weights.shape == (len(COLUMNS),)
    assert weights[AT["repeated"]] < 0
    assert weights[AT["text_share"]] < 0
    assert weights[AT["path_varied"]] > 0, "where pages differ is content"


def test_the_weights_tell_content_apart_where_the_model_cannot() -> None:
    found = pages()
    views = views_of(found, seed=0)
    weights = fitted(found, views)
    for one, (_, whole) in zip(found, views, strict=True):
        odds = log_odds(one.scores)
        moved = odds + site_columns(whole, one.page, odds) @ weights
        assert (moved > 0).tolist() == [True, True, False]


def test_what_is_repeated_and_wanted_is_not() -> None:
    unwanted, wanted = weights_of(pages(notice=0.0)), weights_of(pages(notice=1.0))
    assert wanted[AT["repeated"]] > unwanted[AT["repeated"]] + 0.5


def test_blocks_whose_gold_is_unknown_have_no_part() -> None:
    found = pages()
    odd = pages()
    for one in odd:
        one.wanted[-1] = np.nan
    assert np.abs(weights_of(odd)[AT["repeated"]]) < np.abs(weights_of(found)[AT["repeated"]])


def test_columns_that_never_vary_get_no_weight() -> None:
    weights = weights_of(pages())
    assert weights[AT["links"]] == 0
    assert np.isfinite(weights).all()


@pytest.mark.parametrize("alone", [1, 2])
def test_sites_of_one_page_tell_nothing(alone: int) -> None:
    found = pages()
    lonely = [SitePage(body_of(box("text", f"Alone {chr(97 + n)}")), np.array([0.5]),
                       np.array([1.0]), f"alone{n}", "one") for n in range(alone)]  # fmt: skip
    views = views_of([*found, *lonely], seed=0)
    assert all(view.pages == 0 for seen in views[len(found) :] for view in seen)
    assert fitted([*found, *lonely], views).tolist() == pytest.approx(weights_of(found).tolist())
