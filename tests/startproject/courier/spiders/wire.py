from courier.items import AttrsStory
from scrapy.spiders import XMLFeedSpider

from scrapy_boilerplate import boilerplate_async


class WireSpider(XMLFeedSpider):
    """Items of the feed itself, and of its stories, with the place where they were found."""

    name = "wire"
    iterator = "iternodes"
    itertag = "item"

    def __init__(self, site, **kwargs):
        super().__init__(**kwargs)
        self.start_urls = [site + "rss.xml"]

    def parse_node(self, response, node):
        link, title = node.xpath("link/text()").get(), node.xpath("title/text()").get()
        yield {"url": link, "title": title}
        yield response.follow(link, self.parse_story, cb_kwargs={"item": AttrsStory(url=link)})

    async def parse_story(self, response, item):
        document = await boilerplate_async(response)
        item.kind = document.headline
        return item
