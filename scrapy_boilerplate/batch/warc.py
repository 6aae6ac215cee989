"""WARC files (plain or gzip), read by fastwarc: the HTML answers in them."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from pathlib import Path
from typing import Any

from scrapy_boilerplate.batch.pages import StoredPage
from scrapy_boilerplate.extras import optional
from scrapy_boilerplate.http_body import GZIP, BodyError, decoded, is_html, too_large, unpacked


def read_warc(path: Path, limit: int) -> Iterator[StoredPage]:
    """The responses with status 200 to 299 (and resources) that are HTML; the id is the record's.

    An archive that is cut off or broken gives a last page with an error. Raises MissingExtraError.
    """
    warc = optional("fastwarc.warc", "reading WARC files", "batch")
    kinds = warc.WarcRecordType.response | warc.WarcRecordType.resource
    before, end = 0, _end_of(path)
    with path.open("rb") as raw:
        try:
            for record in warc.ArchiveIterator(raw, record_types=kinds, parse_http=False):
                page = _page(record, limit, cut=_end_of_record(record) > end)
                if page is not None:
                    here = raw.tell()
                    yield StoredPage(**{**page, "size": here - before})
                    before = here
        except (OSError, ValueError) as error:
            name = f"{path.name}:{raw.tell()}"
            yield StoredPage(id=name, error=f"{path} cannot be read on: {error}")


def _end_of(path: Path) -> float:
    """Where a plain file ends; inside gzip a missing end is noticed by the reader."""
    with path.open("rb") as file:
        return inf if file.read(2) == GZIP else path.stat().st_size


def _end_of_record(record: Any) -> int:
    """Where a record of a plain file should end, its headers without superfluous blanks."""
    lines = (f"{name}: {value}\r\n".encode() for name, value in record.headers.to_tuples())
    headers = len(b"WARC/1.0\r\n\r\n") + sum(map(len, lines))
    return int(record.stream_pos + headers + record.content_length)


def _page(record: Any, limit: int, *, cut: bool) -> dict[str, Any] | None:
    """The fields of a page; None for a record that holds none."""
    url = (record.headers.get("WARC-Target-URI") or "").strip("<>") or None
    known = {"id": record.record_id, "url": url}
    if cut:
        return {**known, "error": "the archive is cut off within this record"}
    try:
        if not record.is_http:
            kind = record.headers.get("Content-Type")
            return {**known, "html": _body(record, None, limit)} if kind and is_html(kind) else None
        record.parse_http(auto_decode="transfer")
        headers = record.http_headers
        kind, status = headers.get("Content-Type"), headers.status_code
        if status is None:
            return {**known, "error": "the record holds no HTTP answer"}
        if not (200 <= status < 300 and is_html(kind)):
            return None
        body = _body(record, headers.get("Content-Encoding"), limit)
        return {**known, "html": decoded(body, kind)}
    except (BodyError, OSError, ValueError) as error:
        return {**known, "error": str(error)}


def _body(record: Any, encoding: str | None, limit: int) -> bytes:
    body = record.reader.read(limit + 1)
    if len(body) > limit:
        raise too_large(limit)
    try:
        return unpacked(body, encoding, limit)
    except BodyError:
        if body.lstrip()[:1] == b"<":  # crawlers that unpack and leave the header as it was
            return body
        raise
