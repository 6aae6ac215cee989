#!/bin/sh
# Pelican 4.12.0: the guid of its RSS items says that it is the URL of the article, and is a tag URI.
#
# RSS 2.0: without isPermaLink="false" a reader may take the guid for a URL that opens in a browser. Pelican writes
# "tag:..." in a bare guid element.
#
# Seen on 2026-11-28 with Python 3.11.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv env
env/bin/pip install --quiet "pelican[markdown]==4.12.0"
mkdir content
cat >content/fares.md <<'POST'
Title: Fares rise
Date: 2026-11-20

The harbour board raised the fares.
POST
cat >pelicanconf.py <<'CONFIG'
SITEURL = FEED_DOMAIN = "https://news.example"
SITENAME = "Harbour Post"
PATH = "content"
FEED_ALL_RSS = "rss.xml"
CONFIG
env/bin/pelican --settings pelicanconf.py --quiet >log 2>&1
grep -o '<guid.*</guid>' output/rss.xml >seen
cat seen
diff - seen <<'SEEN'
<guid>tag:news.example,2026-11-20:/fares-rise.html</guid>
SEEN
