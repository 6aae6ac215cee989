#!/bin/sh
# har2warc 1.0.4 on a HAR that Playwright 1.65 writes with record_har_content="attach": every page is empty.
#
# With "attach", and for every HAR in a ZIP file, the body lies in a file of its own and `content` has its name as
# `_file`. har2warc writes a response record of status 200 with no body, without an error or a warning. The HAR below
# has the members of such an entry.
#
# Seen on 2026-11-28 with Python 3.11: status, type and length of the body of the record.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv env
env/bin/pip install --quiet har2warc==1.0.4 warcio==1.8.1
env/bin/python - >seen <<'PYTHON'
import json
from pathlib import Path

from har2warc.har2warc import har2warc
from warcio.archiveiterator import ArchiveIterator

PAGE = "<html><title>Fares rise</title><p>The harbour board raised the fares."
TIMINGS = {"send": 0, "wait": 1, "receive": 1}
Path("page.html").write_text(PAGE)
content = {"size": len(PAGE), "mimeType": "text/html; charset=utf-8", "compression": 0, "_file": "page.html"}
common = {"httpVersion": "HTTP/1.1", "cookies": [], "headersSize": -1, "bodySize": -1}
request = {"method": "GET", "url": "https://news.example/fares", "headers": [], "queryString": [], **common}
response = {"status": 200, "statusText": "OK", "headers": [], "redirectURL": "", "content": content, **common}
entry = {"startedDateTime": "2026-11-27T10:00:00.000Z", "time": 2, "request": request, "response": response}
log = {
    "version": "1.2",
    "creator": {"name": "Playwright", "version": "1.65.2"},
    "browser": {"name": "chromium", "version": "156"},
    "pages": [],
    "entries": [{**entry, "cache": {}, "timings": TIMINGS}],
}
Path("page.har").write_text(json.dumps({"log": log}))
har2warc("page.har", "page.warc.gz")
with open("page.warc.gz", "rb") as archive:
    for record in ArchiveIterator(archive):
        if record.rec_type == "response":
            print(record.http_headers.get_statuscode(), content["mimeType"], len(record.content_stream().read()))
PYTHON
cat seen
diff - seen <<'SEEN'
200 text/html; charset=utf-8 0
SEEN
