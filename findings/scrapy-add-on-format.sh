#!/bin/sh
# Scrapy 2.19.0: the command line refuses the format of a feed that an add-on adds; in FEEDS the same format works.
#
# An add-on can set FEED_EXPORTERS in update_settings(). `scrapy crawl -o feed.own` checks the format before the add-ons
# change the settings.
#
# Seen on 2026-11-28 with Python 3.11: what the command says, then the feed of the same project through FEEDS.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv env
env/bin/pip install --quiet Scrapy==2.19.0
env/bin/scrapy startproject -q post . >log 2>&1 || env/bin/scrapy startproject post . >log 2>&1
cat >post/addon.py <<'PYTHON'
from scrapy.exporters import JsonLinesItemExporter


class AddOn:
    def update_settings(self, settings):
        settings.set("FEED_EXPORTERS", {"own": JsonLinesItemExporter}, "addon")
PYTHON
printf 'ADDONS = {"post.addon.AddOn": 100}\n' >>post/settings.py
echo '<title>Fares rise</title>' >page.html
cat >post/spiders/page.py <<'PYTHON'
from pathlib import Path

from scrapy import Spider


class PageSpider(Spider):
    name = "page"
    start_urls = [Path("page.html").resolve().as_uri()]

    def parse(self, response):
        yield {"headline": response.css("title::text").get()}
PYTHON
env/bin/scrapy crawl page -o feed.own >>log 2>crawl.log || true
grep -o "Unrecognized output format '[a-z]*'" crawl.log >seen
env/bin/scrapy crawl page -s FEEDS='{"feed.own": {"format": "own"}}' >>log 2>&1
cat feed.own >>seen
cat seen
diff - seen <<'SEEN'
Unrecognized output format 'own'
{"headline": "Fares rise"}
SEEN
