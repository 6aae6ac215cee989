"""Fetch one page from an address, within limits of time, size and redirects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPException, HTTPResponse
from queue import Empty, SimpleQueue
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
    a byte now and then does not stretch it. Hence the thread, which ends with the process.
    """
    answers: SimpleQueue[FetchedPage | Exception] = SimpleQueue()

    def work() -> None:
        try:
            answers.put(_fetch(url, seconds, limit))
        except Exception as error:  # noqa: BLE001 - raised in the other thread
            answers.put(error)

    Thread(target=work, daemon=True).start()
    try:
        answer = answers.get(timeout=seconds)
    except Empty:
        answer = TimeoutError()
    if isinstance(answer, FetchedPage):
        return answer
    if not isinstance(answer, OSError | HTTPException | ValueError):
        raise answer
    raise FetchError(_describe(answer, seconds)) from answer


def _fetch(url: str, seconds: float, limit: int) -> FetchedPage:
    end = monotonic() + seconds
    headers = {
        "User-Agent": USER_AGENT,
        "Accept": "text/html,application/xhtml+xml,*/*;q=0.8",
        "Accept-Encoding": "gzip, deflate",
    }
    request = Request(safe_url_string(url), headers=headers)  # noqa: S310 - of SCHEMES
    with _build_opener().open(request, timeout=seconds) as response:
        body = _read_body(response, end, limit)
        headers_received = response.headers
        return FetchedPage(
            body=decompress_body(body, headers_received.get("Content-Encoding"), limit),
            url=response.geturl(),
            content_type=headers_received.get("Content-Type"),
        )


def _read_body(response: HTTPResponse, end: float, limit: int) -> bytes:
    """Return the body; a longer one is not read further. Raises BodyError, OSError."""
    if response.length is not None and response.length > limit:
        raise create_size_error(limit)
    body = bytearray()
    while chunk := response.read(CHUNK_BYTES):
        body += chunk
        if len(body) > limit:
            raise create_size_error(limit)
        if monotonic() > end:
            raise TimeoutError
    if response.length:
        raise FetchError("the answer is cut off")
    return bytes(body)


class _RedirectHandler(HTTPRedirectHandler):
    """Follows few redirects, and none away from http and https."""

    max_redirections = MAX_REDIRECTS
    http_error_308 = HTTPRedirectHandler.http_error_302  # Python 3.10 has none

    def redirect_request(  # noqa: PLR0913, PLR0917 - as urllib calls it
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> Request | None:
        """Return the next request, or None, which makes the redirect an error."""
        if not is_address(newurl):
            return None
        code = 307 if code == HTTPStatus.PERMANENT_REDIRECT else code
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _build_opener() -> OpenerDirector:
    """Return what opens http and https; the opener of urllib opens files and FTP as well."""
    opener = OpenerDirector()
    for handler in (
        ProxyHandler(),  # of the environment
        HTTPHandler(),
        HTTPSHandler(),
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
            return "it redirects in a circle, too often, or to what is neither http nor https"
        return f"the server answers {error.code} {PHRASES.get(error.code, '')}".rstrip()
    if isinstance(error, URLError) and isinstance(error.reason, Exception):
        error = error.reason
    if isinstance(error, TimeoutError):
        return f"it did not come within {seconds:g} s"
    return collapse(getattr(error, "strerror", None) or str(error)) or type(error).__name__
