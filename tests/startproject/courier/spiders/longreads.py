from courier.items import DataclassStory
from scrapy import Spider

from scrapy_boilerplate import boilerplate


class LongreadsSpider(Spider):
    """Stories of two pages: an item with the document of page one, and one without it."""

    name = "longreads"

    def __init__(self, site, **kwargs):
        super().__init__(**kwargs)
        self.start_urls = [f"{site}long/{number}" for number in range(3)]

    def parse(self, response):
        for kind in ("dict", "dataclass"):
            yield response.follow(
                response.css("a.next").attrib["href"],
                self.parse_second,
                cb_kwargs={"first": response.url, "document": boilerplate(response), "kind": kind},
                dont_filter=True,
            )
        yield response.follow(
            response.css("a.next").attrib["href"],
            self.parse_bare,
            cb_kwargs={"item": {"url": response.url, "kind": "bare"}},
            dont_filter=True,
        )

    def parse_second(self, response, first, document, kind):
        second = boilerplate(response).text
        if kind == "dict":
            yield {"url": first, "kind": kind, "content": document, "second": second}
        else:
            item = DataclassStory(url=first, kind=kind)
            item.html = document
            yield item

    def parse_bare(self, response, item):
        yield item
