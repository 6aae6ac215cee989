"""Different articles that were made with equal simhashes: none is dropped."""

from __future__ import annotations

import numpy as np
import pytest

from scrapy_boilerplate.site import fingerprints
from scrapy_boilerplate.site.hashing import Hashes
from tests.crawl.conftest import CrawlPages, items_of
from tests.crawl.pages import Answer
from tests.crawl.test_site import DUPLICATES
from tests.site_pages import site_page

N_PAGES = 6
PAGES = {f"/{number}": Answer(site_page(number).encode()) for number in range(N_PAGES)}


@pytest.fixture(autouse=True)
def equal_simhashes(monkeypatch: pytest.MonkeyPatch) -> None:
    def give_same_bits(_text: str) -> Hashes:
        return np.array([3, 5], dtype=np.uint64)

    monkeypatch.setattr(fingerprints, "compute_simhash", give_same_bits)


@pytest.mark.parametrize("written", ["drop", "drop-near", "mark"])
def test_of_one_site(written: str, crawl: CrawlPages) -> None:
    settings = {**DUPLICATES, "BOILERPLATE_DUPLICATES": written}
    crawled = crawl(items_of(dict), settings, pages=PAGES)
    assert len(crawled.items) == N_PAGES
    assert [item["duplicate"] is None for item in crawled.items] == [True] + 5 * [False]


@pytest.mark.parametrize(("written", "n_items"), [(None, N_PAGES), ("drop-near", 1)])
def test_of_other_sites(written: str | None, n_items: int, crawl: CrawlPages) -> None:
    pages = {f"http://site{path[1:]}.example/a": answer for path, answer in PAGES.items()}
    settings = dict(DUPLICATES)
    if written:
        settings["BOILERPLATE_DUPLICATES"] = written
    crawled = crawl(items_of(dict), settings, pages=pages)
    assert len(crawled.items) == n_items
    assert crawled.counts["duplicates/near"] == N_PAGES - 1
