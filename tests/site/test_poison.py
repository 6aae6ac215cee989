"""Sites that poison their own knowledge, clocks that are set back, equal simhashes on purpose."""

from __future__ import annotations

import numpy as np
import pytest

from scrapy_boilerplate.document import Document
from scrapy_boilerplate.extraction import SiteExtraction
from scrapy_boilerplate.site import page_records, stores
from scrapy_boilerplate.site.hashing import Hashes
from scrapy_boilerplate.site.registry import SiteRegistry
from scrapy_boilerplate.site.stores import open_store
from tests.site_pages import article_text, page_around, site_page

VICTIM = "https://news.example.com/"
N_PAGES, N_POISON = 8, 40


def poison(number: int) -> str:
    """A page that repeats a page of the victim, at the same places, among other things."""
    return page_around(
        [*article_text(number % N_PAGES), *article_text(1_000 + number)], number, "The Harbour Post"
    )


def read_victim(extractor: str, sites: SiteRegistry) -> list[Document]:
    """Read all pages of the victim."""
    extraction = SiteExtraction(sites)
    observed = [
        extraction.read_and_learn(site_page(number), f"{VICTIM}{number}", extractor)
        for number in range(N_PAGES)
    ]
    return [extraction.build_document(page) for page in observed]


def test_no_site_reaches_another(address: str) -> None:
    alone = read_victim("num-words", SiteRegistry())
    assert all(document.site_pages == N_PAGES - 1 for document in alone)
    evil = SiteRegistry(open_store(address))
    for number in range(N_POISON):
        url = f"https://news.example.com@evil.example/{number}"
        SiteExtraction(evil).read_and_learn(poison(number), url, "num-words")
    evil.close()
    sites = SiteRegistry(open_store(address))
    sites.knowledge("example.com")
    sites.synchronise()
    assert read_victim("num-words", sites) == alone
    sites.close()


@pytest.mark.parametrize("changes", [(0, -3_600_000), (0, -(10**14)), (0, 10**12, 0)])
def test_a_clock_that_is_set_while_pages_are_learned(changes: tuple[int, ...]) -> None:
    times = [stores.now() + change for change in changes]
    sites = SiteRegistry(clock=lambda: times.pop(0) if len(times) > 1 else times[0])
    documents = read_victim("num-words", sites)
    assert all(document.text for document in documents)
    assert sites.knowledge("example.com").voters == N_PAGES
    given = [sites.next_time() for _ in range(9)]
    assert given == sorted(set(given))


def test_a_clock_that_is_set_back_between_crawls(address: str) -> None:
    start = stores.now()
    before = SiteRegistry(open_store(address), clock=lambda: start)
    read_victim("num-words", before)
    before.close()
    sites = SiteRegistry(open_store(address), clock=lambda: start - 3 * 86_400_000)
    sites.knowledge("example.com")
    sites.synchronise()
    assert sites.knowledge("example.com").voters == N_PAGES
    assert sites.next_time() > start
    sites.close()


def test_pages_with_equal_simhashes_keep_their_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """They vote once, so that the site is known less."""
    monkeypatch.setattr(page_records, "compute_simhash", give_same_bits)
    sites = SiteRegistry()
    assert all(document.text for document in read_victim("num-words", sites))
    assert len(sites.knowledge("example.com").pages) == N_PAGES


def give_same_bits(_text: str) -> Hashes:
    return np.array([3, 5], dtype=np.uint64)
