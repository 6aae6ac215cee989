"""The downloader middleware in real crawls: responses that it notes and skips."""

from __future__ import annotations

import gzip
from typing import Any

import pytest
from scrapy import Request
from scrapy.exceptions import DropItem
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK

from scrapy_boilerplate import boilerplate
from scrapy_boilerplate.crawl.page_reader import DEFAULT_READER, find_reader
from tests.crawl.conftest import CrawlPages, items_of
from tests.crawl.crawling import ADDON, Reactor
from tests.crawl.pages import Answer, article, page, text_of
from tests.crawl.site import Site


@pytest.mark.parametrize("meta", [{"boilerplate": False}, {"dont_boilerplate": True}])
def test_a_callback_that_asks_all_the_same(meta: dict[str, Any], crawl: CrawlPages) -> None:
    """It gets the document by the crawl's extractor; the items stay as they are."""

    def parse(response: Response) -> Any:
        yield {"by": boilerplate(response).extractor}

    crawled = crawl(parse, {"BOILERPLATE_EXTRACTOR": "num-words"}, meta=meta)
    assert crawled.items == [{"by": "num-words"}]
    assert crawled.counts["documents/num-words"] == crawled.counts["skipped"] == 1


def test_a_callback_that_reuses_the_meta_for_another_request(crawl: CrawlPages) -> None:
    def parse(response: Response) -> Any:
        response.meta["boilerplate"] = False
        yield {"title": "Harbour"}

    assert crawl(parse).items[0]["text"] == text_of()


def test_robots_txt(crawl: CrawlPages, site: Site) -> None:
    pages = {"/robots.txt": page("<html><body><p>No rules, but a page.</p></body></html>")}
    crawled = crawl(items_of(dict), {"ROBOTSTXT_OBEY": True}, pages=pages, ask=["/article"])
    assert site.asked == ["/robots.txt", "/article"]
    assert crawled.counts["responses"] == crawled.counts["documents"] == 1


def test_requests_a_pipeline_makes(crawl: CrawlPages, site: Site) -> None:
    class Downloads:
        """As the media pipelines download."""

        def __init__(self, crawler: Any) -> None:
            self.crawler = crawler

        @classmethod
        def from_crawler(cls, crawler: Any) -> Downloads:
            return cls(crawler)

        async def process_item(self, item: Any) -> Any:
            request = Request(site.url("/picture"), callback=NO_CALLBACK)
            response = await self.crawler.engine.download_async(request)
            if find_reader(response) is not DEFAULT_READER:
                raise DropItem("a picture is no page")
            return item

    pipelines = {"ITEM_PIPELINES": {Downloads: 100}}
    crawled = crawl(items_of(dict), pipelines, pages={"/picture": page()}, ask=["/article"])
    assert site.asked == ["/article", "/picture"]
    assert len(crawled.items) == crawled.counts["responses"] == 1


def test_gzip_and_charset(crawl: CrawlPages) -> None:
    paragraphs = ["Паром вернулся на остров " * 8, "Его ждали одиннадцать месяцев " * 8]
    html = article("Паром", [text.strip() for text in paragraphs], language="ru")
    headers = {"Content-Type": "text/html; charset=windows-1251", "Content-Encoding": "gzip"}
    answer = Answer(gzip.compress(html.encode("cp1251")), headers=headers)
    [item] = crawl(items_of(dict), pages={"/parom": answer}).items
    assert item["headline"] == "Паром"
    assert item["text"].split("\n\n") == [text.strip() for text in paragraphs]


def test_links_cost_nothing(crawl: CrawlPages) -> None:
    crawled = crawl(lambda _: [], pages={"/section": page(), "/other": page()})
    assert crawled.counts == {"responses": 2}


def test_a_request_made_with_copied_meta(site: Site, reactor: Reactor) -> None:
    """Many spiders pass `meta=response.meta` on: only the user's own switches travel."""
    site.pages["/next"] = page()

    def parse(response: Response) -> Any:
        boilerplate(response)
        yield {"extractor_": response.meta["boilerplate"]}
        if "/article" in response.url:
            yield response.follow("/next", meta=response.meta)

    first = Request(site.url("/article"), meta={"boilerplate": "num-words"})
    crawled = reactor.crawl([first], parse, ADDON)
    assert [item["extractor"] for item in crawled.items] == ["num-words", "num-words"]
    assert crawled.counts["responses"] == crawled.counts["documents/num-words"] == 2
