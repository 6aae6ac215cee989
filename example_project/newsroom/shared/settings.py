"""Settings of a worker of a shared crawl; `REDIS_URL` in the environment names the Redis."""

from __future__ import annotations

import os

from newsroom.settings import *  # noqa: F403 - the same project with other settings

SPIDER_MODULES = ["newsroom.shared.spider"]

REDIS_URL = os.environ.get("REDIS_URL", "redis://127.0.0.1:6379/0")

# The queue and the requested URLs. The first worker that ends must keep them for the others.
SCHEDULER = "scrapy_redis.scheduler.Scheduler"
DUPEFILTER_CLASS = "scrapy_redis.dupefilter.RFPDupeFilter"
SCHEDULER_PERSIST = True
MAX_IDLE_TIME_BEFORE_CLOSE = 15  # seconds without a request; Scrapy looks every five
# Requests that a worker takes from the queue at a time, so that the others get some too.
CONCURRENT_REQUESTS = 2
DOWNLOAD_DELAY = 0.5  # the embedded site is fast: without a delay one worker would crawl it alone

# Known articles, shared by all workers.
BOILERPLATE_SITE_STORE = REDIS_URL
ITEM_PIPELINES = {"scrapy_boilerplate.BoilerplateDuplicatesPipeline": 60}

# A feed for each worker: scrapy crawl shared -a worker=1
FEEDS = {
    "articles-%(worker)s.jsonl": {"format": "jsonlines", "encoding": "utf8", "overwrite": True},
}
