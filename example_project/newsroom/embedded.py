"""The embedded news site: the folder `site/`, served on a free loopback port."""

from __future__ import annotations

import logging
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urljoin, urlsplit

from scrapy import signals

from newsroom.harbour_log import write_log_page

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

SITE = Path(__file__).resolve().parent.parent / "site"
CONTENT_TYPES = {
    "/rss.xml": "application/rss+xml; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".xml": "application/xml; charset=utf-8",
}


class EmbeddedSite:
    """A Scrapy extension that serves the embedded site from its first use to the spider's end."""

    def __init__(self) -> None:
        self._server: ThreadingHTTPServer | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> EmbeddedSite:
        """Build the extension; it stops with the spider."""
        site = cls()
        crawler.signals.connect(site.stop, signal=signals.spider_closed)
        return site

    @property
    def url(self) -> str:
        """The URL of the site, `http://127.0.0.1:<port>`; the first call starts the server."""
        if self._server is None:
            self._server = ThreadingHTTPServer(("127.0.0.1", 0), SiteHandler)
            Thread(target=self._server.serve_forever, daemon=True).start()
            logger.info("Embedded news site: http://127.0.0.1:%d", self._server.server_port)
        return f"http://127.0.0.1:{self._server.server_port}"

    def stop(self) -> None:
        """Stop the server, if it was ever started."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None


class SiteHandler(BaseHTTPRequestHandler):
    """Answers with the files of the site; `{{ base }}` in a file becomes the site's URL."""

    def do_GET(self) -> None:
        """Send one file, or one page of the log."""
        text, kind = write_log_page(self.path), CONTENT_TYPES[".html"]
        if text is None:
            file = find_file(self.path)
            if file is None:
                self.send_error(404)
                return
            text, kind = file.read_text(encoding="utf-8"), find_content_type(file)
        host, port = self.connection.getsockname()
        body = text.replace("{{ base }}", f"http://{host}:{port}").encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args: Any) -> None:
        """Log nothing, so that the log only contains the crawl."""


def find_file(target: str) -> Path | None:
    """Return the file a request target names, or None when the site has no such file."""
    file = (SITE / unquote(urlsplit(target).path).lstrip("/")).resolve()
    if file.is_dir():
        file /= "index.html"
    return file if file.is_file() and file.is_relative_to(SITE) else None


def find_content_type(file: Path) -> str:
    """Return the Content-Type of a file of the site."""
    name = "/" + file.relative_to(SITE).as_posix()
    return CONTENT_TYPES.get(name) or CONTENT_TYPES[file.suffix]


def resolve_url(crawler: Crawler, start: str) -> str:
    """Return `start` if it is a full URL, else the page of that path on the embedded site."""
    if urlsplit(start).netloc:
        return start
    site = crawler.get_extension(EmbeddedSite)
    if site is None:
        raise RuntimeError("no start URL given and newsroom.embedded.EmbeddedSite is switched off")
    return urljoin(site.url, start)
