"""Settings of the example project."""

from __future__ import annotations

from typing import Any

BOT_NAME = "newsroom"
SPIDER_MODULES = ["newsroom.spiders"]

# This line adds headline, text, blocks, ... to every item.
ADDONS = {"scrapy_boilerplate.Addon": 500}

# Without "fields" the CSV feed has all of them, lists as JSON: too wide for a spreadsheet.
FEEDS: dict[str, dict[str, Any]] = {
    "articles.jsonl": {"format": "jsonlines", "encoding": "utf8", "overwrite": True},
    "articles.csv": {
        "format": "csv",
        "encoding": "utf8",
        "overwrite": True,
        "fields": ["url", "headline", "language", "confidence", "extractor", "text"],
    },
}
FEED_EXPORT_ENCODING = "utf-8"

# Polite on real sites: about one request at a time, slower when the site is slow.
ROBOTSTXT_OBEY = True
CONCURRENT_REQUESTS_PER_DOMAIN = 2
AUTOTHROTTLE_ENABLED = True
AUTOTHROTTLE_START_DELAY = 0.5
DEPTH_LIMIT = 3

# The news site that comes with the project, served while a spider runs.
EXTENSIONS = {"newsroom.embedded.EmbeddedSite": 500}

LOG_LEVEL = "INFO"
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False
