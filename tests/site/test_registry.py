"""The knowledge of sites over stores."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from scrapy_boilerplate import EXTRACTORS, Document, extract
from scrapy_boilerplate.extractors import build_site_steps
from scrapy_boilerplate.site.fingerprints import EXACT, UNPLACED, UPDATED, Article, Version
from scrapy_boilerplate.site.hashing import hash_name
from scrapy_boilerplate.site.monitors import SiteMonitor
from scrapy_boilerplate.site.page_records import PageRecord
from scrapy_boilerplate.site.registry import SiteRegistry
from scrapy_boilerplate.site.stores import Collection, StoreError, StoreRecord, now, open_store
from scrapy_boilerplate.site.visit import SiteVisit
from tests.site.test_monitors import PAGE
from tests.site.test_stores import open_existing
from tests.site.test_versions import KEY, TEXT, see
from tests.site_pages import article_text, page_around, site_page

SITE, URL = "example.com", "https://news.example.com/a"
PAGES = Collection(PageRecord, SITE)
ARTICLES = Collection(Article)
# Milliseconds by which the clocks of workers may differ, and more.
OVERLAP = 90_000


def read_page(
    sites: SiteRegistry, html: str, url: str, extractor: str, *, learns: bool = True
) -> Document:
    base = EXTRACTORS[extractor]
    visit = SiteVisit(sites, build_site_steps(base), learns=learns)
    document = extract(html, url, visit.insert_into(base))
    document.site_pages = visit.site_pages
    return document


def learn(sites: SiteRegistry, *numbers: int) -> None:
    for number in numbers:
        read_page(sites, site_page(number), URL, "container")


def count_stored(location: str, collection: Collection) -> int:
    store = open_existing(location)
    count = len(store.newest(collection))
    store.close()
    return count


def test_knowledge_and_articles_outlive_a_crawl(location: str) -> None:
    sites = SiteRegistry(open_store(location))
    learn(sites, 1, 2, 3)
    assert sites.register_article(Article.from_text(TEXT)) is None
    sites.close()
    later = SiteRegistry(open_store(location))
    later.enable_articles()
    later.knowledge(SITE)
    later.synchronise()
    assert len(later.knowledge(SITE).pages) == 3
    assert later.register_article(Article.from_text(TEXT)) == (EXACT, "")
    assert later.register_article(Article.from_text(TEXT + " x" * 9)) == (UNPLACED, "")
    later.close()


def test_two_workers_know_together_what_one_would(location: str) -> None:
    first, second = (SiteRegistry(open_store(location)) for _ in range(2))
    learn(first, 1, 2, 3, 4)
    learn(second, 4, 5, 6)
    for sites in (first, second, first):
        sites.knowledge(SITE)
        sites.synchronise()
    alone = SiteRegistry()
    learn(alone, 1, 2, 3, 4, 5, 6)
    expected = set(alone.knowledge(SITE).pages)
    for sites in (first, second):
        assert set(sites.knowledge(SITE).pages) == expected
        sites.close()


def test_least_recently_used_sites_go_first_and_come_back(location: str) -> None:
    sites = SiteRegistry(open_store(location), max_sites=2)
    for host in ("a.com", "b.com", "c.com"):
        read_page(sites, site_page(1), f"https://{host}/1", "container")
        sites.synchronise()
    assert len(sites) == 2
    sites.knowledge("a.com")
    sites.synchronise()
    assert len(sites.knowledge("a.com").pages) == 1
    sites.close()


def test_a_file_that_cannot_be_read_at_first_is_read_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    location = str(tmp_path / "sites.sqlite")
    before = SiteRegistry(open_store(location))
    learn(before, 20)
    before.close()
    store = open_existing(location)
    sites, errors = SiteRegistry(store), list[StoreError]()
    sites.on_error = errors.append

    def fail(*_: Any) -> None:
        raise StoreError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr(store, "newest", fail)
        learn(sites, 1, 2)
    assert (len(errors), sites.buffered) == (1, 2)
    sites.synchronise()
    assert (sites.buffered, len(sites.knowledge(SITE).pages)) == (0, 3)
    sites.close()


def test_a_full_buffer_drops_the_oldest_and_says_so_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    crowded: list[int] = []
    sites = SiteRegistry(open_store(str(tmp_path / "sites.sqlite")))
    sites.on_crowded = lambda: crowded.append(sites.buffered)
    for number in range(20_002):
        sites.register_article(Article.from_text(f"story {number}"))
    assert (sites.buffered, sites.lost, crowded[0]) == (20_000, 2, 10_001)
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    sites.close()
    assert (sites.buffered, sites.lost) == (0, 2)


def test_an_exchange_writes_all_that_waits_and_others_find_it(location: str) -> None:
    """In portions; also what waited longer than OVERLAP, as after a failure of the store."""
    clock = [now()]
    one, other = (SiteRegistry(open_store(location), clock=lambda: clock[0]) for _ in range(2))
    articles = [Article.from_text(f"story {number}") for number in range(1_100)]
    for article in articles:
        one.register_article(article)
    clock[0] += 10 * OVERLAP
    for sites in (other, one, other):
        sites.enable_articles()
        sites.synchronise()
    assert (one.buffered, len(other.articles)) == (0, 1_100)
    store = open_existing(location)
    assert store.newest(ARTICLES) == [article.key for article in reversed(articles)]
    for opened in (one, other, store):
        opened.close()


def test_a_record_that_changes_during_an_exchange_is_written_again(location: str) -> None:
    sites = SiteRegistry(open_store(location))
    assert sites.store is not None
    learn(sites, 1)
    exchange = sites.prepare_exchange()
    found = exchange.run(sites.store)
    learn(sites, 1, 2)
    sites.finish_exchange(exchange, found)
    assert sites.buffered == 2
    sites.close()


PLACE = ("example.com/a", "example.com")


def meet(location: str, article: Article, time: int | None = None) -> str | None:
    """Register an article in a crawl of its own."""
    clock = now if time is None else partial(int, time)
    sites = SiteRegistry(open_store(location), clock=clock)
    sites.enable_articles()
    sites.synchronise()
    duplicate = sites.register_article(article)
    sites.close()
    return None if duplicate is None else duplicate.kind


def test_an_exact_article_gives_its_url_to_a_record_without(location: str) -> None:
    without, placed = Article.from_text(TEXT), Article.from_text(TEXT, *PLACE)
    nearly = Article.from_text(f"{TEXT}\nOne more line at the end of it.", *PLACE)
    duplicates = [meet(location, article) for article in (without, placed, without)]
    assert duplicates == [None, EXACT, EXACT]
    assert meet(location, nearly) == UPDATED, "the URL is known"


@pytest.mark.parametrize("ahead", [0, OVERLAP])
def test_an_update_of_one_fingerprint_replaces_its_record(location: str, ahead: int) -> None:
    old, new = (
        Article.from_text("\n".join([*article_text(1, 1), *f"{values * 9}".split(",")]), *PLACE)
        for values in ("1 C,2 C,", "13 C,14 C,")
    )
    assert old.key == new.key
    assert meet(location, old, now() + ahead) is None
    assert meet(location, new) == UPDATED
    assert meet(location, new) == EXACT


@pytest.mark.parametrize("host", ["\ud800.example", "x" * 1_000_000, "[::1", "\0"])
def test_odd_hosts_can_be_stored(host: str, location: str) -> None:
    sites = SiteRegistry(open_store(location))
    read_page(sites, site_page(1), f"https://{host}/a", "container")
    sites.close()
    assert sites.buffered == 0


# --- entries of a store that cannot be decoded ---

ARTICLE = Article.from_text(TEXT, f"{SITE}/a", SITE, URL)
KINDS: dict[type, tuple[Collection, bytes]] = {
    PageRecord: (PAGES, b"k" * 16),
    Article: (ARTICLES, ARTICLE.key),
    Version: (Collection(Version, SITE), KEY),
    SiteMonitor: (Collection(SiteMonitor), hash_name(SITE)),
}


def use(store: Any) -> tuple[object, str, int, int]:
    """Use every collection as a crawl does; return the results, and the number of bad records."""
    sites = SiteRegistry(store)
    sites.enable_articles()
    sites.enable_monitors()
    sites.synchronise()
    document = read_page(sites, site_page(1), URL, "container")
    sites.synchronise()
    duplicate = sites.register_article(ARTICLE)
    collection = Collection(Version, SITE)
    change = sites.register_version(see(TEXT), store.get(collection, [KEY]).get(KEY))
    sites.watch_page(URL, PAGE)
    [(_, monitor)] = sites.monitors()
    sites.synchronise()
    sites.close()
    assert document.text
    return duplicate, change.change, monitor.pages, sites.bad_records


@pytest.mark.parametrize("kind", KINDS)
def test_a_broken_entry_is_ignored_counted_and_replaced(kind: type, tmp_path: Path) -> None:
    collection, key = KINDS[kind]
    location = str(tmp_path / "sites.sqlite")
    store = open_existing(location)
    store.put(collection, [StoreRecord(key, now(), b"\xff\0")])
    assert use(store) == (None, "new", 1, 1)
    *found, bad_records = use(open_existing(location))
    assert found == [(EXACT, ARTICLE.url), "unchanged", 2]
    assert bad_records == (kind is PageRecord), "no page was read under its key"


# --- a site that poisons knowledge, clocks that are set back ---

N_PAGES, N_POISON = 8, 40


def poison(number: int) -> str:
    """A page that repeats a page of the victim, at the same places, among other things."""
    return page_around([*article_text(number % N_PAGES), *article_text(1_000 + number)], number)


def read_victim(sites: SiteRegistry) -> list[Document]:
    for learns in (True, False):
        documents = [
            read_page(sites, site_page(number), f"{URL}/{number}", "num-words", learns=learns)
            for number in range(N_PAGES)
        ]
    return documents


def test_no_site_reaches_another(location: str) -> None:
    alone = read_victim(SiteRegistry())
    assert all(document.site_pages == N_PAGES - 1 for document in alone)
    evil = SiteRegistry(open_store(location))
    for number in range(N_POISON):
        url = f"https://news.example.com@evil.example/{number}"
        read_page(evil, poison(number), url, "num-words")
    evil.close()
    sites = SiteRegistry(open_store(location))
    sites.knowledge(SITE)
    sites.synchronise()
    assert read_victim(sites) == alone
    sites.close()


def test_a_clock_that_is_set_back(location: str) -> None:
    """While pages are learned, and between crawls."""
    start = now()
    times = [start, start - 3_600_000]
    sites = SiteRegistry(open_store(location), clock=lambda: times.pop(0) if times else 5)
    assert all(document.text for document in read_victim(sites))
    last = sites.next_time()
    sites.close()
    sites = SiteRegistry(open_store(location), clock=lambda: start - 3 * 86_400_000)
    sites.knowledge(SITE)
    sites.synchronise()
    assert len(sites.knowledge(SITE).pages) == N_PAGES
    assert sites.next_time() == last
    sites.close()
