"""Settings of a worker of a shared crawl; `REDIS_URL` in the environment names the Redis."""

from __future__ import annotations

import os

from newsroom.settings import *  # noqa: F403 - the same project with other settings

SPIDER_MODULES = ["newsroom.shared.spider"]

REDIS_URL = os.environ.get("REDIS_URL", "redis://127.0.0.1:6379/0")

# The queue, and the addresses that were asked for. Who ends first must leave them to the others.
SCHEDULER = "scrapy_redis.scheduler.Scheduler"
DUPEFILTER_CLASS = "scrapy_redis.dupefilter.RFPDupeFilter"
SCHEDULER_PERSIST = True
MAX_IDLE_TIME_BEFORE_CLOSE = 15  # seconds without a request; Scrapy looks every five
# What a worker takes out of the queue at a time: the rest is for the others.
CONCURRENT_REQUESTS = 2
DOWNLOAD_DELAY = 0.5  # the embedded site answers at once: one worker would have done it all

# What is known of the sites, and the articles that were met, by whichever worker.
BOILERPLATE_SITE = True
BOILERPLATE_SITE_STORE = REDIS_URL
ITEM_PIPELINES = {"scrapy_boilerplate.BoilerplateDuplicatesPipeline": 60}

# A feed for each worker: scrapy crawl shared -a worker=1
FEEDS = {
    "articles-%(worker)s.jsonl": {"format": "jsonlines", "encoding": "utf8", "overwrite": True},
}
