#!/bin/sh
# extruct 0.18.0: JSON-LD whose media type has a parameter is not found.
#
# JSON-LD 1.1, 7: the type of the script may carry a profile, and a media type compares without regard to case
# (RFC 9110, 8.3.1). extruct compares the attribute with one string, so that such a page has no JSON-LD, without an
# error.
#
# Seen on 2026-11-28 with Python 3.11: type, number of objects.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv env
env/bin/pip install --quiet extruct==0.18.0
env/bin/python - >seen <<'PYTHON'
import extruct

TYPES = (
    "application/ld+json",
    "application/ld+json; charset=utf-8",
    "application/ld+json;profile='http://www.w3.org/ns/json-ld#compacted'",
    "Application/LD+JSON",
)
for kind in TYPES:
    page = f"""<html><script type="{kind}">{{"@type": "NewsArticle", "headline": "Fares rise"}}</script></html>"""
    print(len(extruct.extract(page, syntaxes=["json-ld"])["json-ld"]), kind)
PYTHON
cat seen
diff - seen <<'SEEN'
1 application/ld+json
0 application/ld+json; charset=utf-8
0 application/ld+json;profile='http://www.w3.org/ns/json-ld#compacted'
0 Application/LD+JSON
SEEN
