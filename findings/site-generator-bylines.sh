#!/bin/sh
# Pelican 4.12.0 and ABlog 0.11.13: an article of two authors has one in the feed, Pelican's first and ABlog's last.
#
# The pages of both name both. Atom allows several authors of an entry (RFC 4287, 4.2.1).
#
# Seen on 2026-11-28 with Python 3.11: program, authors of the entry.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv env
env/bin/pip install --quiet "pelican[markdown]==4.12.0" ablog==0.11.13 feedparser==6.0.14
mkdir -p pelican/content ablog
cat >pelican/content/fares.md <<'POST'
Title: Fares rise
Date: 2026-11-20
Authors: Ada Brown, Carl Dunn

The harbour board raised the fares.
POST
cat >pelican/pelicanconf.py <<'CONFIG'
SITEURL = FEED_DOMAIN = "https://news.example"
SITENAME = "Harbour Post"
PATH = "content"
FEED_ALL_ATOM = "atom.xml"
CONFIG
cat >ablog/conf.py <<'CONFIG'
extensions = ["ablog"]
exclude_patterns = ["_website"]
blog_title = "Harbour Post"
blog_baseurl = "https://news.example"
blog_authors = {"ada": ("Ada Brown", None), "carl": ("Carl Dunn", None)}
CONFIG
printf 'Harbour Post\n============\n' >ablog/index.rst
cat >ablog/fares.rst <<'POST'
.. post:: Nov 20, 2026
   :author: ada, carl

Fares rise
==========

The harbour board raised the fares.
POST
(cd pelican && ../env/bin/pelican --settings pelicanconf.py --quiet) >log 2>&1
(cd ablog && ../env/bin/ablog build) >>log 2>&1
env/bin/python - >seen <<'PYTHON'
import feedparser

for path in ("pelican/output/atom.xml", "ablog/_website/blog/atom.xml"):
    (entry,) = feedparser.parse(path).entries
    print(path.split("/")[0], [author["name"] for author in entry.authors])
PYTHON
cat seen
diff - seen <<'SEEN'
pelican ['Ada Brown']
ablog ['Carl Dunn']
SEEN
