"""One crawl of `NewsSpider` in a process of its own, without a project."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrapy.crawler import AsyncCrawlerProcess

from scrapy_boilerplate.crawl.spider.news_spider import NewsSpider

SETTINGS = {
    "AUTOTHROTTLE_ENABLED": True,
    "AUTOTHROTTLE_START_DELAY": 0.5,  # seconds
    "CONCURRENT_REQUESTS_PER_DOMAIN": 2,
    "LOG_LEVEL": "INFO",
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
}


def crawl(arguments: Mapping[str, Any], settings: Mapping[str, Any]) -> int:
    """Crawl to the end; return 0. Raises SettingError and MissingExtraError before the start."""
    process = AsyncCrawlerProcess({**SETTINGS, **settings})
    task = process.crawl(NewsSpider, **arguments)
    process.start()
    task.result()
    return 0
