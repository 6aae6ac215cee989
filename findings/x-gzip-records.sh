#!/bin/sh
# warcio 1.8.1 and FastWARC 2.0.1: a body with Content-Encoding "x-gzip" is not unpacked, or ends the archive.
#
# RFC 9110, 8.4.1.3: a recipient takes "x-gzip" as "gzip". warcio gives the packed bytes without an error. FastWARC with
# auto_decode raises OSError, names the wrong header, and a loop over the archive does not reach the next record.
#
# Seen on 2026-11-28 with Python 3.11: program, URL, start of the body.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv env
env/bin/pip install --quiet warcio==1.8.1 FastWARC==2.0.1
env/bin/python - >seen <<'PYTHON'
import gzip
import io

from fastwarc.warc import ArchiveIterator as FastIterator
from fastwarc.warc import WarcRecordType
from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

PAGE = b"<html><title>Fares rise</title>"
archive = io.BytesIO()
writer = WARCWriter(archive, gzip=True)
for coding, body in (("x-gzip", gzip.compress(PAGE)), ("gzip", gzip.compress(PAGE))):
    headers = StatusAndHeaders("200 OK", [("Content-Encoding", coding)], protocol="HTTP/1.1")
    url = f"https://news.example/{coding}"
    writer.write_record(writer.create_warc_record(url, "response", io.BytesIO(body), http_headers=headers))
archive.seek(0)
for record in ArchiveIterator(archive):
    body = record.content_stream().read()
    print("warcio", record.rec_headers.get_header("WARC-Target-URI"), "page" if body == PAGE else "packed bytes")
archive.seek(0)
try:
    for record in FastIterator(archive, record_types=WarcRecordType.response, auto_decode="all"):
        print("FastWARC", record.headers["WARC-Target-URI"], record.reader.read() == PAGE)
except OSError as error:
    print("FastWARC", error)
PYTHON
cat seen
diff - seen <<'SEEN'
warcio https://news.example/x-gzip packed bytes
warcio https://news.example/gzip page
FastWARC Unsupported Transfer-Encoding: x-gzip
SEEN
