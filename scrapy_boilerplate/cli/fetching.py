"""Fetch one page from an address, within limits of time, size and redirects."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from queue import Empty, SimpleQueue
from socket import SHUT_RDWR, socket
from threading import Thread
from time import monotonic
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
)

from w3lib.url import safe_url_string

from scrapy_boilerplate import __version__
from scrapy_boilerplate.batch.http_body import MAX_BYTES, create_size_error, decompress_body
from scrapy_boilerplate.cli.options import TIMEOUT
from scrapy_boilerplate.page.text import collapse

SCHEMES = ("http://", "https://")
USER_AGENT = f"scrapy-boilerplate/{__version__} (Python package scrapy_boilerplate)"
# Redirects of a page at most (our choice).
MAX_REDIRECTS = 10
CHUNK_BYTES = 16_384
PHRASES: Mapping[int, str] = {status.value: status.phrase for status in HTTPStatus}
REDIRECTS = (301, 302, 303, 307, 308)


class FetchError(ValueError):
    """The page cannot be had; the message says why, on one line."""


@dataclass(frozen=True)
class FetchedPage:
    """The body without its ``Content-Encoding``, the address after redirects, its type."""

    body: bytes
    url: str
    content_type: str | None


def is_address(name: str) -> bool:
    """Return whether `name` is an address that can be fetched, and no file."""
    return name.lower().startswith(SCHEMES)


def fetch(url: str, seconds: float = TIMEOUT, limit: int = MAX_BYTES) -> FetchedPage:
    """Return the page at `url`, which has `limit` bytes at most. Raises FetchError.

    The time limit is for all of it, from the name of the host to the last byte: a server that sends
    a byte now and then does not stretch it. Hence the thread, whose connections end at the limit.
    """
    answers: SimpleQueue[FetchedPage | Exception] = SimpleQueue()
    connections = _Connections(monotonic() + seconds)

    def work() -> None:
        try:
            answers.put(_fetch(url, seconds, limit, connections))
        except Exception as error:  # noqa: BLE001 - raised in the other thread
            answers.put(error)

    Thread(target=work, name=f"fetch {url}", daemon=True).start()
    try:
        answer = answers.get(timeout=seconds)
    except Empty:
        connections.shut_down()
        answer = TimeoutError()
    if isinstance(answer, FetchedPage):
        return answer
    if not isinstance(answer, OSError | HTTPException | ValueError):
        raise answer
    raise FetchError(_describe(answer, seconds)) from answer


def _fetch(url: str, seconds: float, limit: int, connections: _Connections) -> FetchedPage:
    headers = {
        "User-Agent": USER_AGENT,
        "Accept": "text/html,application/xhtml+xml,*/*;q=0.8",
        "Accept-Encoding": "gzip, deflate",
    }
    request = Request(safe_url_string(url), headers=headers)  # noqa: S310 - of SCHEMES
    with _build_opener(connections).open(request, timeout=seconds) as response:
        body = _read_body(response, limit)
        headers_received = response.headers
        return FetchedPage(
            body=decompress_body(body, headers_received.get("Content-Encoding"), limit),
            url=response.geturl(),
            content_type=headers_received.get("Content-Type"),
        )


def _read_body(response: HTTPResponse, limit: int) -> bytes:
    """Return the body; a longer one is not read further. Raises BodyError, OSError."""
    if response.length is not None and response.length > limit:
        raise create_size_error(limit)
    body = bytearray()
    while chunk := response.read(CHUNK_BYTES):
        body += chunk
        if len(body) > limit:
            raise create_size_error(limit)
    if response.length:
        raise FetchError("the answer is cut off")
    return bytes(body)


class _Connections:
    """The connections of one fetch: none is opened after the time `end`."""

    def __init__(self, end: float) -> None:
        self._end = end
        self._sockets: list[socket] = []

    def add(self, connected: socket) -> None:
        """Note the socket of a connection. Raises TimeoutError if it comes too late."""
        self._sockets.append(connected)
        if monotonic() >= self._end:  # after the line above: `shut_down` may have been called
            connected.close()
            raise TimeoutError

    def shut_down(self) -> None:
        """End every connection, in the middle of a read too, which `close` would wait for."""
        for connected in self._sockets:
            with suppress(OSError):  # it is closed
                socket.shutdown(connected, SHUT_RDWR)  # that of TLS is not safe while it reads


class _HTTPConnection(HTTPConnection):
    def __init__(self, host: str, *, connections: _Connections, **options: Any) -> None:
        super().__init__(host, **options)
        self._connections = connections

    def connect(self) -> None:
        super().connect()
        self._connections.add(self.sock)


class _HTTPSConnection(_HTTPConnection, HTTPSConnection):
    """Notes its socket once that is one of TLS."""


class _HTTPHandler(HTTPHandler):
    def __init__(self, connections: _Connections) -> None:
        super().__init__()
        self._connections = connections

    def http_open(self, req: Request) -> HTTPResponse:
        return self.do_open(partial(_HTTPConnection, connections=self._connections), req)


class _HTTPSHandler(HTTPSHandler):
    def __init__(self, connections: _Connections) -> None:
        super().__init__()
        self._connections = connections

    def https_open(self, req: Request) -> HTTPResponse:
        return self.do_open(partial(_HTTPSConnection, connections=self._connections), req)


class _RedirectHandler(HTTPRedirectHandler):
    """Follows few redirects, and none away from http and https."""

    max_redirections = MAX_REDIRECTS
    http_error_308 = HTTPRedirectHandler.http_error_302  # Python 3.10 has none

    def redirect_request(  # noqa: PLR0913, PLR0917 - as urllib calls it
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> Request | None:
        """Return the next request, or None, which makes the redirect an error."""
        fp.close()  # urllib reads the body of a redirect, however long
        if not is_address(newurl):
            return None
        code = 307 if code == HTTPStatus.PERMANENT_REDIRECT else code
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _build_opener(connections: _Connections) -> OpenerDirector:
    """Return what opens http and https; the opener of urllib opens files and FTP as well."""
    opener = OpenerDirector()
    for handler in (
        ProxyHandler(),  # of the environment
        _HTTPHandler(connections),
        _HTTPSHandler(connections),
        _RedirectHandler(),
        HTTPErrorProcessor(),
        HTTPDefaultErrorHandler(),
    ):
        opener.add_handler(handler)
    return opener


def _describe(error: Exception, seconds: float) -> str:
    """Return what went wrong, on one line without control characters of the server."""
    if isinstance(error, HTTPError):
        if error.code in REDIRECTS:
            if "Location" not in error.headers and "URI" not in error.headers:
                return "it redirects and does not say where to"
            return "it redirects in a circle, too often, or to what is neither http nor https"
        return f"the server answers {error.code} {PHRASES.get(error.code, '')}".rstrip()
    reason = error.reason if isinstance(error, URLError) else error
    if isinstance(reason, TimeoutError):
        return f"it did not come within {seconds:g} s"
    return collapse(getattr(reason, "strerror", None) or str(reason)) or type(error).__name__
