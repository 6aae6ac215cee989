#!/bin/sh
# Scrapy 2.19.0: a feed whose exporter fails is reported as stored, and the crawl ends with exit status 0.
#
# Two exporters: one raises for every item, the other in finish_exporting(), where formats with a footer write the file.
# Of the first the log has an error for each item, but the items count as scraped. The exception of the second stays in
# a task that nobody waits for: there is no failed feed in the stats. Exporters that were written for older versions of
# Scrapy, such as scrapy-xlsx 0.1.1, fail like that.
#
# Seen on 2026-11-28 with Python 3.11: exporter, items that count as scraped, feeds that count as failed, bytes of the
# feed, exit status.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv env
env/bin/pip install --quiet Scrapy==2.19.0
cat >page.html <<'PAGE'
<title>Fares rise</title>
PAGE
cat >crawl.py <<'PYTHON'
import sys
from pathlib import Path

from scrapy import Spider
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.exporters import BaseItemExporter


class Exporter(BaseItemExporter):
    def __init__(self, file, **kwargs):
        super().__init__(**kwargs)

    def export_item(self, item):
        if sys.argv[1] == "item":
            raise ValueError("this item cannot be written")

    def finish_exporting(self):
        if sys.argv[1] == "finish":
            raise ValueError("this file cannot be written")


class PageSpider(Spider):
    name = "page"
    start_urls = [Path("page.html").resolve().as_uri()]

    def parse(self, response):
        yield {"headline": response.css("title::text").get()}


settings = {
    "FEED_EXPORTERS": {"own": Exporter},
    "FEEDS": {"feed.own": {"format": "own", "overwrite": True}},
    "LOG_ENABLED": False,
}
process = AsyncCrawlerProcess(settings)
crawler = process.create_crawler(PageSpider)
process.crawl(crawler)
process.start()
stats = crawler.stats
failed = [value for name, value in stats.get_stats().items() if name.startswith("feedexport/failed")]
print(sys.argv[1], stats.get_value("item_scraped_count"), sum(failed), Path("feed.own").stat().st_size, end=" ")
PYTHON
for where in item finish; do
  status=0
  env/bin/python crawl.py "$where" >>seen 2>log || status=$?
  echo "$status" >>seen
done
cat seen
diff - seen <<'SEEN'
item 1 0 0 0
finish 1 0 0 0
SEEN
