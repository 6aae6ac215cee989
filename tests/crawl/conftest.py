"""A site to crawl and a way to crawl it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

import pytest
from scrapy import Request

from tests.crawl.crawling import ADDON, Callback, Crawl, Reactor
from tests.crawl.pages import Answer, page
from tests.crawl.site import Site, serving


@pytest.fixture(scope="session")
def reactor() -> Iterator[Reactor]:
    """The reactor of all crawls that run inside the test process."""
    running = Reactor()
    yield running
    running.stop()


@pytest.fixture
def site() -> Iterator[Site]:
    """A site with one page, `/article`."""
    with serving() as running:
        running.pages["/article"] = page()
        yield running


class CrawlPages(Protocol):
    """The type of the fixture `crawl`."""

    def __call__(
        self,
        callback: Callback,
        settings: Mapping[str, Any] = ...,
        *,
        pages: Mapping[str, Answer] = ...,
        meta: Mapping[str, Any] = ...,
        components: Mapping[str, Any] = ...,
    ) -> Crawl: ...


@pytest.fixture
def crawl(site: Site, reactor: Reactor) -> CrawlPages:
    """Crawls the `pages` (in order, one at a time) and gives what came of it.

    Every request has `meta`; `components` are the settings that put ours in place, the add-on
    unless told otherwise.
    """

    def run(
        callback: Callback,
        settings: Mapping[str, Any] = {},  # noqa: B006 - never written to
        *,
        pages: Mapping[str, Answer] | None = None,
        meta: Mapping[str, Any] = {},  # noqa: B006
        components: Mapping[str, Any] = ADDON,
    ) -> Crawl:
        if pages is not None:
            site.pages = dict(pages)
        wanted = [Request(site.url(path), meta=dict(meta)) for path in site.pages]
        together = {"CONCURRENT_REQUESTS": 1, **components, **settings}
        return reactor.crawl(wanted, callback, together)

    return run


def items_of(kind: Callable[..., Any]) -> Callback:
    """A callback that yields one item a page, made by `kind(url=...)`."""
    return lambda response: [kind(url=response.url)]
