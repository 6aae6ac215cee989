from itertools import cycle

from courier.items import KINDS, Teaser
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule


class SectionsSpider(CrawlSpider):
    """Plain callbacks: items of every kind for each story, teasers for each section."""

    name = "sections"
    rules = (
        Rule(LinkExtractor(allow=r"/section/"), callback="parse_section", follow=True),
        Rule(LinkExtractor(allow=r"/story/"), callback="parse_story"),
    )

    def __init__(self, site, **kwargs):
        super().__init__(**kwargs)
        self.start_urls = [site]

    def parse_section(self, response):
        for link in response.css("article a"):
            url = response.urljoin(link.attrib["href"])
            yield Teaser(url=url, title=link.css("::text").get())
            yield {"url": url, "title": link.css("::text").get()}

    def parse_story(self, response):
        urls = cycle(
            (
                response.url,
                response.request.meta.get("redirect_urls", [response.url])[0],
                response.css("link[rel=canonical]").attrib["href"],
            )
        )
        for kind, item_class in KINDS.items():
            yield item_class(url=next(urls), kind=kind)
