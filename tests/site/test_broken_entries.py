"""Entries of a store that cannot be decoded are ignored and counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from scrapy_boilerplate.extraction import SiteExtraction
from scrapy_boilerplate.site.fingerprints import EXACT, Article
from scrapy_boilerplate.site.hashing import hash_name
from scrapy_boilerplate.site.monitors import SiteMonitor
from scrapy_boilerplate.site.page_records import PageRecord
from scrapy_boilerplate.site.registry import SiteRegistry
from scrapy_boilerplate.site.stores import Collection, Store, StoreRecord, now
from scrapy_boilerplate.site.versions import Version
from tests.site.test_monitors import PAGE
from tests.site.test_stores import open_existing
from tests.site.test_versions import KEY, TEXT, see
from tests.site_pages import site_page

SITE = "example.com"
ARTICLE = Article.from_text(TEXT, f"{SITE}/a", SITE)
KINDS: dict[type, tuple[Collection, bytes]] = {
    PageRecord: (Collection(PageRecord, SITE), b"k" * 16),
    Article: (Collection(Article), ARTICLE.key),
    Version: (Collection(Version, SITE), KEY),
    SiteMonitor: (Collection(SiteMonitor), hash_name(SITE)),
}


def use(store: Store) -> tuple[str | None, str, int, int]:
    """Use every collection as a crawl does; return the results, and the number of bad records."""
    sites = SiteRegistry(store)
    sites.enable_articles()
    sites.enable_monitors()
    sites.synchronise()
    extraction = SiteExtraction(sites)
    document = extraction.extract(site_page(1), f"https://{SITE}/a", "container")
    sites.synchronise()
    duplicate = sites.register_article(ARTICLE)
    collection = Collection(Version, SITE)
    change = sites.register_version(see(TEXT), store.get(collection, [KEY]).get(KEY))
    sites.watch_page(f"https://{SITE}/a", PAGE)
    [(_, monitor)] = sites.monitors()
    sites.synchronise()
    sites.close()
    assert document.text
    return duplicate, change.change, monitor.pages, sites.bad_records


@pytest.mark.parametrize("kind", KINDS)
def test_a_broken_entry_is_ignored_counted_and_replaced(kind: type, tmp_path: Path) -> None:
    collection, key = KINDS[kind]
    address = str(tmp_path / "sites.sqlite")
    store = open_existing(address)
    store.put(collection, [StoreRecord(key, now(), b"\xff\0")])
    assert use(store) == (None, "new", 1, 1)
    *found, bad_records = use(open_existing(address))
    assert found == [EXACT, "unchanged", 2]
    assert bad_records == (kind is PageRecord), "no page was read under its key"
