"""A worker that shares its queue and its store by Redis; run as a process of its own.

python -m tests.crawl.shared_spider REDIS_URL OUT.jsonl SETTING
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from scrapy.crawler import CrawlerProcess
from scrapy.http import Response
from scrapy_redis.spiders import RedisSpider


class SharedSpider(RedisSpider):  # type: ignore[misc]
    """Takes addresses from the list ``shared:start_urls``."""

    name = "shared"
    redis_key = "shared:start_urls"
    redis_batch_size = 2

    def parse(self, response: Response, **kwargs: Any) -> Iterator[dict[str, Any]]:
        """One item a page."""
        yield {"url": response.url}


def main(redis_url: str, out: str, setting: str) -> None:
    """Crawl until the queue has been empty for a while, with `setting` on."""
    settings = {
        "ADDONS": {"scrapy_boilerplate.Addon": 500},
        "BOILERPLATE_EXTRACTOR": "num-words",
        setting: True,
        "BOILERPLATE_SITE_STORE": redis_url,
        "BOILERPLATE_SITE_SYNC_SECONDS": 0.2,
        "ITEM_PIPELINES": {"scrapy_boilerplate.BoilerplateDuplicatesPipeline": 60},
        "SCHEDULER": "scrapy_redis.scheduler.Scheduler",
        "DUPEFILTER_CLASS": "scrapy_redis.dupefilter.RFPDupeFilter",
        "SCHEDULER_IDLE_BEFORE_CLOSE": 0,
        "MAX_IDLE_TIME_BEFORE_CLOSE": 1,
        "REDIS_URL": redis_url,
        "FEEDS": {out: {"format": "jsonl"}},
        "TELNETCONSOLE_ENABLED": False,
        "REMOTE_CONTROL_ENABLED": False,
        "CONCURRENT_REQUESTS": 2,
        "LOG_LEVEL": "INFO",
    }
    process = CrawlerProcess(settings)
    process.crawl(SharedSpider)
    process.start()


if __name__ == "__main__":
    main(*sys.argv[1:])
