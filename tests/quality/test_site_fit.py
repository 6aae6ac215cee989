"""The fit of the correction by site knowledge, on made-up sites."""

from __future__ import annotations

import numpy as np

from benchmarks.site_fit import SitePage, build_views, fit_site_correction
from scrapy_boilerplate.page.labels import FloatArray
from scrapy_boilerplate.site.correction import COLUMNS, compute_columns, compute_log_odds
from tests.site_views import body_of, box, content_of

NOTICE = "Read our daily letter and send us yours"
SITES, PAGES = 4, 4
AT = {name: number for number, name in enumerate(COLUMNS)}


def pages(corpus: str = "one", *, notice: float = 0.0) -> list[SitePage]:
    """Pages of SITES sites. The model scores every block .5; `notice` is the gold share of
    repeated text."""
    site_pages = []
    for site in range(SITES):
        for number in range(PAGES):
            name = f"{chr(97 + site)}{chr(97 + number)}"
            page = body_of(
                box("text", f"Story {name} begins with these words", f"And {name} ends here"),
                box("foot", NOTICE),
            )
            target = content_of(page)
            target[-1] = notice
            scores = np.array([0.6, 0.5, 0.6])
            site_pages.append(SitePage(page, scores, target, f"site{site}", corpus))
    return site_pages


def fit_weights(site_pages: list[SitePage]) -> FloatArray:
    return fit_site_correction(site_pages, build_views(site_pages, seed=0))


def test_each_page_is_seen_with_a_part_of_its_site_and_with_all_of_it() -> None:
    site_pages = pages()
    views = build_views(site_pages, seed=0)
    assert all(len(of_page) == 2 for of_page in views)
    assert all(whole.pages == PAGES - 1 for _, whole in views)
    for site in range(SITES):
        of_site = views[site * PAGES : (site + 1) * PAGES]
        assert sorted(part.pages for part, _ in of_site) == list(range(PAGES))


def test_the_weights_tell_content_apart_where_the_model_cannot() -> None:
    site_pages = pages()
    views = build_views(site_pages, seed=0)
    weights = fit_site_correction(site_pages, views)
    for page, (_, whole) in zip(site_pages, views, strict=True):
        odds = compute_log_odds(page.scores)
        moved = odds + compute_columns(whole, page.page, odds) @ weights
        assert (moved > 0).tolist() == [True, True, False]


def test_what_is_repeated_and_wanted_is_not() -> None:
    unwanted, wanted = fit_weights(pages(notice=0.0)), fit_weights(pages(notice=1.0))
    assert wanted[AT["repeated"]] > unwanted[AT["repeated"]] + 0.5
