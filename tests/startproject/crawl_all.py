"""Crawls with several spiders at once: ``crawl_all.py SITE FOLDER SETTINGS SPIDER...``.

Each spider leaves its items and its stats in the folder.
"""

import json
import sys
from pathlib import Path

from scrapy.crawler import AsyncCrawlerProcess
from scrapy.utils.project import get_project_settings


def main(site, folder, written, *names):
    settings = get_project_settings()
    settings.setdict(json.loads(written), priority="cmdline")
    settings.set("FEEDS", {f"{folder}/%(name)s.jsonl": {"format": "jsonlines"}})
    process = AsyncCrawlerProcess(settings)
    crawlers = [process.create_crawler(name) for name in names]
    for crawler in crawlers:
        process.crawl(crawler, site=site)
    process.start()
    for crawler in crawlers:
        stats = json.dumps(crawler.stats.get_stats(), default=str)
        Path(folder, f"{crawler.spidercls.name}.json").write_text(stats, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
