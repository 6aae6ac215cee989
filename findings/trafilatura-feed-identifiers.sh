#!/bin/sh
# trafilatura 2.3.1: an entry of a JSON Feed that is no page of the site becomes a URL that does not exist.
#
# JSON Feed 1.1: `id` is any string, `url` is optional, and a link blog names the page of another site in
# `external_url`. extract_links joins the identifier with the site's URL. In Atom it ignores xml:base (RFC 4287, 2), so
# that a relative link leads to the root.
#
# Seen on 2026-11-28 with Python 3.11: the URLs of each feed.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv env
env/bin/pip install --quiet trafilatura==2.3.1 lxml_html_clean==0.4.3
env/bin/python - >seen <<'PYTHON'
from trafilatura.feeds import FeedParameters, extract_links

JSON = """{"version": "https://jsonfeed.org/version/1.1", "title": "Harbour Post", "items": [
{"id": "fares-4711", "external_url": "https://council.example/minutes", "title": "Fares rise", "content_text": "x"}]}"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://www.example.org/2026/11/"><title>Post</title>
<entry><title>Fares rise</title><link rel="alternate" href="fares-rise-again"/></entry></feed>"""
for text in (JSON, ATOM):
    feed = FeedParameters("https://www.example.org", "example.org", "https://www.example.org/feed")
    print(extract_links(text, feed))
PYTHON
cat seen
diff - seen <<'SEEN'
['https://www.example.org/fares-4711']
['https://www.example.org/fares-rise-again']
SEEN
