#!/bin/sh
# mkdocs-rss-plugin 1.19.0 with mkdocs-material 9.8.2: links in the text of the feed lead to Markdown files.
#
# On the page a link to another document is rewritten. In the feed it is as in the source, relative and ending in ".md",
# a file that the site does not have. The image of a channel without a logo has the URL "None".
#
# Seen on 2026-11-28 with Python 3.11: link on the page, link in the feed, URL of the image.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv env
env/bin/pip install --quiet mkdocs==1.6.1 mkdocs-material==9.8.2 mkdocs-rss-plugin==1.19.0
mkdir -p docs/posts
cat >mkdocs.yml <<'CONFIG'
site_name: Harbour Post
site_url: https://news.example/
theme: {name: material}
plugins:
  - blog: {blog_dir: "."}
  - rss: {match_path: ".*posts/.*", use_git: false, date_from_meta: {as_creation: date}}
CONFIG
printf '# Harbour Post\n' >docs/index.md
printf '# Budget\n\nThe budget of the harbour.\n' >docs/budget.md
cat >docs/posts/fares.md <<'POST'
---
date: 2026-11-20
---
# Fares rise

The board raised the fares to meet [the budget](../budget.md).
POST
NO_MKDOCS_2_WARNING=1 env/bin/mkdocs build --quiet >log 2>&1
env/bin/python - >seen <<'PYTHON'
import html
import re
from pathlib import Path

(page,) = Path("site/2026").rglob("index.html")
feed = html.unescape(Path("site/feed_rss_created.xml").read_text())
for text in (page.read_text(), feed):
    print(re.search(r"""<a href="([^"]+)">the budget""", text)[1])
print(re.search(r"<image>\s*<url>(.*?)</url>", feed)[1])
PYTHON
cat seen
diff - seen <<'SEEN'
../../../../budget/
../budget.md
None
SEEN
