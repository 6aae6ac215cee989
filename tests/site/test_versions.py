"""Versions of articles."""

from functools import partial
from typing import Any

import pytest

from scrapy_boilerplate.site.fingerprints import (
    EXACT,
    Change,
    Sighting,
    Version,
    compare_paragraphs,
)
from scrapy_boilerplate.site.hashing import hash_name
from scrapy_boilerplate.site.registry import SiteRegistry
from scrapy_boilerplate.site.stores import Collection, now, open_store
from tests.site_pages import article_text

TEXT = "\n\n".join(article_text(1))
SITE, URL = "example.com", "example.com/a?"
MORE = "More than that was not to be learnt until the evening came."
KEY = hash_name(URL)
COLLECTION = Collection(Version, SITE)


def see(text: str, url: str = URL, *, with_paragraphs: bool = True) -> Sighting:
    return Sighting.from_text(text, url, SITE, with_paragraphs=with_paragraphs)


def meet(sites: SiteRegistry, text: str = TEXT, url: str = URL) -> Change:
    """Meet an article as the pipeline does."""
    sighting = see(text, url)
    found = {} if sites.store is None else sites.store.get(COLLECTION, [sighting.key])
    return sites.register_version(sighting, found.get(sighting.key))


@pytest.mark.parametrize(
    ("before", "after", "added", "removed"),
    [
        ("one\n\ntwo", "two\n\none", (), ()),
        ("one\n\ntwo", "ONE!\n\ntwo", (), ()),
        ("one\n\n...\n\ntwo", "one\n\nthree\n\n?\n\ntwo", ("three",), ()),
        ("one\n\ntwo", "one", (), ("two",)),
        ("a" * 61, "b", ("b",), ("a" * 59 + "…",)),
        ("a" * 60, "b", ("b",), ("a" * 60,)),
        ("one\n\n" * 201, "one", None, None),
    ],
)
def test_paragraphs(before: str, after: str, added: Any, removed: Any) -> None:
    new, old = see(after), see(before).version
    assert compare_paragraphs(new, old) == (added, removed)
    without = see(before, with_paragraphs=False).version
    assert compare_paragraphs(new, without) == (None, None)


def test_another_date_and_byline_are_no_change() -> None:
    sites = SiteRegistry()
    found = [meet(sites, f"By Ann Lee\n\n{TEXT}\n\n{n} comments").change for n in (3, 4)]
    assert found == ["new", "unchanged"]


def test_a_url_with_another_article_is_judged_anew() -> None:
    """As `/latest`, which showed a copy of an article, and then one of its own."""
    sites = SiteRegistry()
    meet(sites)
    other = "\n\n".join(article_text(7))
    changes = [meet(sites, text, "example.com/latest?") for text in (TEXT, TEXT, other)]
    assert [(change.change, change.duplicate) for change in changes] == [
        ("new", EXACT), ("unchanged", EXACT), ("updated", None)
    ]  # fmt: skip


def test_the_newer_of_store_and_memory_counts(location: str) -> None:
    """Two processes meet an article by turns."""
    one, other = (SiteRegistry(open_store(location)) for _ in range(2))
    found = []
    for sites, text in ((one, TEXT), (other, TEXT + "\n\n" + MORE), (one, TEXT + "\n\n" + MORE)):
        found.append(meet(sites, text))
        sites.synchronise()
    assert [(each.change, each.added) for each in found] == [
        ("new", None), ("updated", (MORE,)), ("unchanged", ())
    ]  # fmt: skip


def test_a_clock_that_is_set_back_between_crawls(location: str) -> None:
    times, changes = [now(), *[now() - 3 * 86_400_000] * 3], []
    for at, text in zip(times, (TEXT, TEXT, *[f"{TEXT}\n\n{MORE}"] * 2), strict=True):
        sites = SiteRegistry(open_store(location), clock=partial(int, at))
        changes.append(meet(sites, text).change)
        sites.close()
    assert changes == ["new", "unchanged", "updated", "unchanged"]


def test_paragraphs_of_a_spiders_text_can_be_encoded() -> None:
    """What an item said in one crawl is in the fields of the next one."""
    first, second = see("one\ud800 two\n\nthree"), see("three\n\nfour\udfff five")
    _, stored = Version.decode(first.version.encode(1))
    assert compare_paragraphs(second, stored) == (("four\ufffd five",), ("one\ufffd two",))
