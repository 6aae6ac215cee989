"""A site to crawl and a way to crawl it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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


@dataclass(frozen=True)
class CrawlPages:
    """Crawls a site that has `pages` (and `/article`), and gives what came of it.

    Asks for the paths of `ask`, else for all of `pages`, else for `/article`, one at a time, with
    `meta` on each request. `components` enables the components: the add-on by default.
    """

    site: Site
    reactor: Reactor

    def __call__(
        self,
        callback: Callback,
        settings: Mapping[str, Any] = {},
        *,
        pages: Mapping[str, Answer] = {},
        ask: Sequence[str] = (),
        meta: Mapping[str, Any] = {},
        components: Mapping[str, Any] = ADDON,
        spider: type[PagesSpider] = PagesSpider,
    ) -> Crawl:
        self.site.pages.update(pages)
        paths = ask or list(pages) or ["/article"]
        wanted = [self.site.request(path, meta) for path in paths]
        together = {"CONCURRENT_REQUESTS": 1, **components, **settings}
        return self.reactor.crawl(wanted, callback, together, spider)


@pytest.fixture
def crawl(site: Site, reactor: Reactor) -> CrawlPages:
    return CrawlPages(site, reactor)


def items_of(kind: Callable[..., Any]) -> Callback:
    """A callback that yields one item a page, made by `kind(url=...)`."""
    return lambda response: [kind(url=response.url)]
