#!/bin/sh
# fastfeedparser 0.6.5: of several authors of an entry, `authors` holds the first.
#
# RSS with two dc:creator elements, and Atom with two author elements (RFC 4287, 4.2.1 allows several). The key is a
# list, as in feedparser, which gives both.
#
# Seen on 2026-11-28 with Python 3.11: format, names of fastfeedparser, names of feedparser.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv env
env/bin/pip install --quiet fastfeedparser==0.6.5 feedparser==6.0.14
env/bin/python - >seen <<'PYTHON'
import fastfeedparser
import feedparser

RSS = """<?xml version="1.0"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>
<title>Harbour Post</title><link>https://news.example/</link><description>News</description>
<item><title>Fares rise</title><link>https://news.example/fares</link>
<dc:creator>Ada Brown</dc:creator><dc:creator>Carl Dunn</dc:creator></item></channel></rss>"""
ATOM = """<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Harbour Post</title>
<id>urn:post</id><updated>2026-11-27T10:00:00Z</updated><entry><title>Fares rise</title><id>urn:fares</id>
<link href="https://news.example/fares"/><updated>2026-11-27T10:00:00Z</updated>
<author><name>Ada Brown</name></author><author><name>Carl Dunn</name></author></entry></feed>"""
for name, text in (("rss", RSS), ("atom", ATOM)):
    for parse in (fastfeedparser.parse, feedparser.parse):
        print(name, parse.__module__.split(".")[0], [author["name"] for author in parse(text).entries[0]["authors"]])
PYTHON
cat seen
diff - seen <<'SEEN'
rss fastfeedparser ['Ada Brown']
rss feedparser ['Ada Brown', 'Carl Dunn']
atom fastfeedparser ['Ada Brown']
atom feedparser ['Ada Brown', 'Carl Dunn']
SEEN
