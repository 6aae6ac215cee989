from courier.items import DataclassStory
from scrapy import Spider

from scrapy_boilerplate import Extraction, boilerplate


class ApiSpider(Spider):
    """JSON responses with HTML inside."""

    name = "api"

    def __init__(self, site, **kwargs):
        super().__init__(**kwargs)
        self.start_urls = [site + "api/stories.json"]

    def parse(self, response):
        extraction = Extraction.from_crawler(self.crawler)
        yield {"url": response.url, "error": boilerplate(response).error}
        for story in response.json():
            document = extraction.extract(story["html"], story["url"])
            yield {"url": story["url"], "kind": "dict", "content": document}
            item = DataclassStory(url=story["url"], kind="dataclass")
            item.text = document
            yield item
            yield {"url": story["url"], "kind": "bare"}
