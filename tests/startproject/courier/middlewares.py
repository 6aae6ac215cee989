from copy import copy

from scrapy import Request


class CopyingMiddleware:
    """Yields copies of items, as middlewares do that clean or convert them."""

    async def process_spider_output(self, response, result):
        async for each in result:
            yield each if isinstance(each, Request) else copy(each)
