#!/bin/sh
# ultimate-sitemap-parser 1.8.1: a page that changed in a month changed on today's day of it.
#
# The sitemap protocol takes dates of W3C's "Date and Time Formats", where 2026-02 and 2026 are whole dates. The parser
# fills the rest with today: on the 28th, 2026-02 is 28 February, and 2026 is the same day of the year as today.
#
# Seen on 2026-11-28 with Python 3.11: the year, the month (of the second: whether it is today's), and whether the day is today's.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv env
env/bin/pip install --quiet ultimate-sitemap-parser==1.8.1
env/bin/python - >seen <<'PYTHON'
import datetime

from usp.fetch_parse import XMLSitemapParser
from usp.web_client.requests_client import RequestsWebClient

SITEMAP = """<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://news.example/month</loc><lastmod>2020-01</lastmod></url>
<url><loc>https://news.example/year</loc><lastmod>2020</lastmod></url></urlset>"""
today = datetime.date.today()
parser = XMLSitemapParser("https://news.example/s.xml", SITEMAP, 0, RequestsWebClient(), set())
for page in parser.sitemap().pages:
    changed = page.last_modified
    month = changed.month if page.url.endswith("month") else changed.month == today.month
    print(page.url, changed.year, month, changed.day == today.day)
PYTHON
cat seen
diff - seen <<'SEEN'
https://news.example/month 2020 1 True
https://news.example/year 2020 True True
SEEN
