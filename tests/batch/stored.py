"""Builders of small inputs."""

import gzip
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from scrapy import Request, Spider
from scrapy.extensions.httpcache import FilesystemCacheStorage
from scrapy.http import Response
from scrapy.utils.request import RequestFingerprinter
from scrapy.utils.test import get_crawler

from scrapy_boilerplate.batch.inputs import find_inputs
from scrapy_boilerplate.batch.pages import ReadOptions, StoredPage
from tests.builders import document, filler

HTML = "text/html; charset=utf-8"


# The beginning of the error of a page without HTML
NO_HTML = 'there is no "html"'


def read_pages(*paths: Path, follow_links: bool = False, **options: Any) -> list[StoredPage]:
    reading = ReadOptions(follow_links=follow_links, **options)
    inputs = find_inputs(paths, follow_links=follow_links)
    return [page for source in inputs for page in source.read_pages(reading)]


def page(number: int) -> str:
    """A page that is unlike the others."""
    body = f"<h1>Page {number}</h1><p>{filler(60, f'first{number}')}</p><footer>naïve</footer>"
    return document(body, title=f"Page {number}")


def http(body: bytes, kind: str = HTML, status: str = "200 OK", more: str = "") -> bytes:
    """An HTTP answer as it came over the wire."""
    return f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{more}\r\n".encode() + body


def record(url: str, content: bytes, number: int, kind: str = "response") -> bytes:
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{number:08}>\r\n"
        f"WARC-Target-URI: {url}\r\nWARC-Date: 2024-05-01T00:00:00Z\r\n"
        f"Content-Type: application/http; msgtype={kind}\r\nContent-Length: {len(content)}\r\n\r\n"
    )
    return head.encode() + content + b"\r\n\r\n"


def warc(path: Path, records: Iterable[bytes]) -> Path:
    """A WARC file; with the suffix .gz every record is a gzip member, as crawlers write it."""
    pack = gzip.compress if path.suffix == ".gz" else bytes
    path.write_bytes(b"".join(map(pack, records)))
    return path


def pages_warc(path: Path, pages: int) -> Path:
    """A WARC file of `page` 0 and so on, of two sites."""
    url = "https://www.site{}.example/{}"
    answers = [http(page(number).encode()) for number in range(pages)]
    return warc(path, [record(url.format(n % 2, n), each, n) for n, each in enumerate(answers)])


def store_in_cache(folder: Path, *responses: Response, **settings: Any) -> None:
    crawler = get_crawler(settings_dict={"HTTPCACHE_DIR": str(folder), **settings})
    crawler.spider = Spider.from_crawler(crawler, "news")
    crawler.request_fingerprinter = RequestFingerprinter(crawler)
    storage = FilesystemCacheStorage(crawler.settings)
    storage.open_spider(crawler.spider)
    for response in responses:
        storage.store_response(crawler.spider, Request(response.url), response)


def json_lines(path: Path, records: Iterable[Any]) -> Path:
    """A file of JSON lines; strings are lines."""
    written = (record if isinstance(record, str) else json.dumps(record) for record in records)
    path.write_text("".join(f"{line}\n" for line in written), encoding="utf-8")
    return path


def rows_in(folder: Path) -> list[dict[str, Any]]:
    files = sorted(path for path in folder.rglob("part-*") if path.suffix in (".jsonl", ".txt"))
    return [json.loads(line) for file in files for line in file.read_bytes().splitlines()]


class _Handler(SimpleHTTPRequestHandler):
    def log_message(self, *_arguments: object) -> None:
        pass


@contextmanager
def serve_folder(folder: Path) -> Iterator[str]:
    """The URL of a site with the files of a folder."""
    handler = partial(_Handler, directory=folder)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
