"""A site to crawl and a way to crawl it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import pytest

from tests.crawl.crawling import ADDON, Callback, Crawl, PagesSpider, Reactor
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
        ask: Sequence[str] = ...,
        meta: Mapping[str, Any] = ...,
        components: Mapping[str, Any] = ...,
        spider: type[PagesSpider] = ...,
    ) -> Crawl: ...


@pytest.fixture
def crawl(site: Site, reactor: Reactor) -> CrawlPages:
    """Crawls a site that has `pages` (and `/article`), and returns the results.

    Asks for the paths of `ask`, else for all of `pages`, else for `/article`, one at a time, with
    `meta` on each request. `components` enables the components: the add-on by default.
    """

    def run(
        callback: Callback,
        settings: Mapping[str, Any] = {},
        *,
        pages: Mapping[str, Answer] = {},
        ask: Sequence[str] = (),
        meta: Mapping[str, Any] = {},
        components: Mapping[str, Any] = ADDON,
        spider: type[PagesSpider] = PagesSpider,
    ) -> Crawl:
        site.pages.update(pages)
        paths = ask or list(pages) or ["/article"]
        wanted = [site.request(path, meta) for path in paths]
        together = {"CONCURRENT_REQUESTS": 1, **components, **settings}
        return reactor.crawl(wanted, callback, together, spider)

    return run


def items_of(kind: Callable[..., Any]) -> Callback:
    """A callback that yields one item a page, made by `kind(url=...)`."""
    return lambda response: [kind(url=response.url)]
