from courier.items import DataclassStory, ScrapyStory
from itemloaders.processors import TakeFirst
from scrapy.loader import ItemLoader
from scrapy.spiders import SitemapSpider


class StoryLoader(ItemLoader):
    default_output_processor = TakeFirst()


class ArchiveSpider(SitemapSpider):
    """Async callbacks and item loaders, one that takes the first value and one that keeps lists."""

    name = "archive"
    sitemap_rules = [("/story/", "parse_story")]

    def __init__(self, site, **kwargs):
        super().__init__(**kwargs)
        self.sitemap_urls = [site + "sitemap.xml"]

    async def parse_story(self, response):
        for loader in (
            StoryLoader(item=DataclassStory(), response=response),
            ItemLoader(item=ScrapyStory(), response=response),
            ItemLoader(item={}, response=response),
        ):
            loader.add_value("url", response.url)
            loader.add_css("headline", "h2.missing::text")
            yield loader.load_item()
