"""Entries of a store that cannot be decoded are ignored and counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from scrapy_boilerplate.extraction import SiteExtraction
from scrapy_boilerplate.site.codec import encode_record
from scrapy_boilerplate.site.fingerprints import EXACT, Article
from scrapy_boilerplate.site.hashing import hash_name
from scrapy_boilerplate.site.monitors import SiteMonitor
from scrapy_boilerplate.site.page_records import PageRecord
from scrapy_boilerplate.site.registry import SiteRegistry
from scrapy_boilerplate.site.stores import Collection, Store, StoreRecord, now
from scrapy_boilerplate.site.versions import Version
from tests.site.test_knowledge import pool
from tests.site.test_monitors import PAGE
from tests.site.test_stores import open_existing
from tests.site.test_versions import KEY, TEXT, see
from tests.site_pages import site_page

SITE = "example.com"
ARTICLE = Article.from_text(TEXT, f"{SITE}/a", SITE)
KINDS: dict[type, tuple[Collection, bytes, Callable[[], Any]]] = {
    PageRecord: (Collection(PageRecord, SITE), b"k" * 16, lambda: pool()[0]),
    Article: (Collection(Article), ARTICLE.key, lambda: ARTICLE),
    Version: (Collection(Version, SITE), KEY, lambda: see(TEXT).version),
    SiteMonitor: (Collection(SiteMonitor), hash_name(SITE), lambda: SiteMonitor(SITE)),
}


def use(store: Store) -> tuple[str, str | None, str, int, int]:
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
    return document.text, duplicate, change.change, monitor.pages, sites.bad_records


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fault", ["other bytes", "half"])
def test_a_broken_entry_is_ignored_counted_and_replaced(
    kind: type, fault: str, address: str
) -> None:
    collection, key, build = KINDS[kind]
    at = now()
    data = b"\xff\0" if fault == "other bytes" else encode_record(build(), at)[:-9]
    store = open_existing(address)
    store.put(collection, [StoreRecord(key, at, data)])
    _, duplicate, change, pages, bad_records = use(store)
    assert (duplicate, change, pages, bad_records) == (None, "new", 1, 1)
    _, duplicate, change, pages, bad_records = use(open_existing(address))
    assert (duplicate, change, pages) == (EXACT, "unchanged", 2)
    assert bad_records == (kind is PageRecord), "no page was read under its key"


def test_tables_and_keys_of_an_earlier_version_are_left_alone(address: str) -> None:
    """Redis had the hash `records` beside `times`; SQLite had the table `records`."""
    store = open_existing(address)
    if not store.is_local:
        client = store._client  # type: ignore[attr-defined]
        for name in ("articles", "monitors", f"pages:{SITE}"):
            client.hset(f"boilerplate:{{{name}}}:records", b"k" * 16, b"SP2")
            client.zadd(f"boilerplate:{{{name}}}:times", {b"k" * 16: now()})
    _, _, change, _, bad_records = use(store)
    assert (change, bad_records) == ("new", 0)
