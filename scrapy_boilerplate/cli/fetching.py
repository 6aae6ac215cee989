"""Fetch one page from a URL, within limits of time, size and redirects."""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPException, HTTPResponse
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from w3lib.url import safe_url_string

from scrapy_boilerplate import __version__
from scrapy_boilerplate.batch.http_body import MAX_BYTES, create_size_error, decompress_body
from scrapy_boilerplate.cli.options import TIMEOUT
from scrapy_boilerplate.page.text import collapse

SCHEMES = ("http://", "https://")
HEADERS = {
    "User-Agent": f"scrapy-boilerplate/{__version__} (Python package scrapy_boilerplate)",
    "Accept": "text/html,application/xhtml+xml,*/*;q=0.8",
    "Accept-Encoding": "gzip, deflate",
}
MAX_REDIRECTS = 10
CHUNK_BYTES = 16_384
PHRASES: Mapping[int, str] = {status.value: status.phrase for status in HTTPStatus}
REDIRECTS = (301, 302, 303, 307, 308)


class FetchError(ValueError):
    """The page cannot be fetched; the message says why, on one line."""


@dataclass(frozen=True)
class FetchedPage:
    """The body without its ``Content-Encoding``, the URL after redirects, the content type."""

    body: bytes
    url: str
    content_type: str | None


def is_url(name: str) -> bool:
    """Return whether `name` is an http or https URL."""
    return name.lower().startswith(SCHEMES)


def fetch(url: str, seconds: float = TIMEOUT) -> FetchedPage:
    """Return the page at `url`, which has MAX_BYTES at most. Raises FetchError.

    `seconds` is the maximum time from the first to the last byte. The timeout of a socket starts
    again with every byte, so a thread fetches the page.
    """
    results: SimpleQueue[FetchedPage | Exception] = SimpleQueue()

    def run() -> None:
        try:
            results.put(_fetch(url, seconds))
        except Exception as error:  # noqa: BLE001 - raised in the other thread
            results.put(error)

    Thread(target=run, daemon=True).start()
    try:
        result = results.get(timeout=seconds)
    except Empty:
        result = TimeoutError()
    if isinstance(result, FetchedPage):
        return result
    if not isinstance(result, OSError | HTTPException | ValueError):
        raise result
    raise FetchError(_describe(result, seconds)) from result


def _fetch(url: str, seconds: float) -> FetchedPage:
    request = Request(safe_url_string(url), headers=HEADERS)  # noqa: S310 - http or https
    with build_opener(_RedirectHandler).open(request, timeout=seconds) as response:
        body = _read_body(response)
        received = response.headers
        return FetchedPage(
            body=decompress_body(body, received.get("Content-Encoding")),
            url=response.geturl(),
            content_type=received.get("Content-Type"),
        )


def _read_body(response: HTTPResponse) -> bytes:
    length = response.length or 0
    body = bytearray()
    while length <= MAX_BYTES and (chunk := response.read1(CHUNK_BYTES)):
        body += chunk
        length = max(length, len(body))
    if length > MAX_BYTES:
        raise create_size_error(MAX_BYTES)
    if len(body) < length:
        raise FetchError("the response is cut off")
    return bytes(body)


class _RedirectHandler(HTTPRedirectHandler):
    """Follow MAX_REDIRECTS, to http and https only."""

    max_redirections = MAX_REDIRECTS

    def redirect_request(  # noqa: PLR0913, PLR0917 - as urllib calls it
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> Request | None:
        """Return the next request, or None, which makes the redirect an error."""
        fp.close()  # urllib reads the whole body of a redirect
        if not is_url(newurl):
            return None
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _describe(error: Exception, seconds: float) -> str:
    if isinstance(error, HTTPError):
        if error.code in REDIRECTS:
            if "Location" not in error.headers and "URI" not in error.headers:
                return "a redirect without a Location"
            return "a redirect loop, too many redirects, or a redirect to another scheme"
        return f"the server answers {error.code} {PHRASES.get(error.code, '')}".rstrip()
    reason = error.reason if isinstance(error, URLError) else error
    if isinstance(reason, TimeoutError):
        return f"no complete response within {seconds:g} s"
    return collapse(getattr(reason, "strerror", None) or str(reason)) or type(error).__name__
