"""A local HTTP server for crawls."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any

from scrapy import Request

from tests.crawl.pages import Answer

NOT_FOUND = Answer(b"<html><body>There is no such page.</body></html>", 404)


def nothing(path: str) -> None:
    """The default reaction of a site to a request."""


class Site:
    """Serves `pages` (path to answer) on a free loopback port; notes each path and its headers.

    `on_request` is called with the path before the answer is sent, in the request's own thread.
    """

    def __init__(self) -> None:
        self.pages: dict[str, Answer] = {}
        self.asked: list[str] = []
        self.headers: dict[str, Message] = {}
        self.on_request: Callable[[str], None] = nothing
        self._lock = Lock()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.site = self

    def url(self, path: str = "/") -> str:
        return f"http://127.0.0.1:{self._server.server_port}{path}"

    def request(self, path: str, meta: Mapping[str, Any] = {}) -> Request:
        """A request for a page; an absolute URL goes through this server as a proxy."""
        if path.startswith("http://"):
            return Request(path, meta={**meta, "proxy": self.url("")})
        return Request(self.url(path), meta=dict(meta))

    def answer(self, path: str) -> Answer:
        with self._lock:
            self.asked.append(path)
        self.on_request(path)
        return self.pages.get(path, NOT_FOUND)

    def serve(self) -> None:
        self._server.serve_forever(poll_interval=0.05)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def serving() -> Iterator[Site]:
    """A site that runs as long as the block."""
    site = Site()
    thread = Thread(target=site.serve, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        site.close()
        thread.join()


class _Server(ThreadingHTTPServer):
    site: Site
    daemon_threads = True
    request_queue_size = 128


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        self.server.site.headers[self.path] = self.headers
        answer = self.server.site.answer(self.path)
        self.send_response_only(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    do_POST = do_GET  # noqa: N815 - the base has it so

    def log_message(self, *_args: Any) -> None:
        pass
