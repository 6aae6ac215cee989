"""The process at the other end of the pipe: pages in, documents out, until the pipe is closed.

It is a Python of its own that imports the core alone, neither Scrapy nor the main module of
whoever started it: a script that starts a crawl without ``if __name__ == "__main__"`` works.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any

from parsel import Selector

from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.extractors import UnknownExtractorError, get_extractor
from scrapy_boilerplate.extras import is_installed
from scrapy_boilerplate.markup.clean_html import REQUIRED_PACKAGES
from scrapy_boilerplate.page.encoding import decode_html
from scrapy_boilerplate.page.limits import NO_LIMITS, Limits
from scrapy_boilerplate.steps.extractor import Extractor
from scrapy_boilerplate.workers.frames import read_frame, write_frame
from scrapy_boilerplate.workers.pool import WorkerRequest
from scrapy_boilerplate.workers.serialization import dump_document

# Seconds of wall time that a page may take where pages have no budget of time; with one, so many
# times the budget and START_TIMEOUT more: a stage cannot be left in the middle, the budget counts
# CPU time, and a fresh worker imports for a second first.
TIMEOUT = 60.0
TIMEOUT_FACTOR = 4
START_TIMEOUT = 20.0
# Seconds beyond its timeout after which a worker ends by itself, so that a page which hangs does
# not stay for ever where the process that watches over it is gone.
LAST_RESORT = 10
# Seconds; above the timeout of any page.
LONGEST_TIMER = 10_000_000
# Extractors that a worker keeps; requests can name one each.
KEPT_EXTRACTORS = 8

Handler = Callable[[dict[str, Any], bytes], tuple[Mapping[str, Any], bytes]]


@dataclass(frozen=True, kw_only=True)
class PageRequest:
    """A page for a worker, and how to read it.

    `built` names what to build of `document.BUILT_ON_USE`.
    """

    url: str | None
    body: bytes = field(repr=False)
    encoding: str
    extractor: str
    favor: str
    limits: Limits = NO_LIMITS
    built: Sequence[str] = ()

    def for_worker(self) -> WorkerRequest:
        """Return the page as a message."""
        header = {name: value for name, value in vars(self).items() if name != "body"}
        header |= {"limits": asdict(self.limits), "built": list(self.built)}
        budget = self.limits.milliseconds
        timeout = TIMEOUT if budget is None else START_TIMEOUT + TIMEOUT_FACTOR * budget / 1000
        return WorkerRequest(header=header, body=self.body, timeout=timeout)


def main() -> None:
    """Answer the pages of a crawl."""
    serve(lambda: handle_page)


def serve(create_handler: Callable[[], Handler]) -> None:
    """Answer requests from standard input on standard output until it is closed.

    The first message says that the handler is there.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is our parent's, which ends us in time
    requests, responses = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not get between the responses
    handle = create_handler()
    header: Mapping[str, Any] = {}
    body = b""
    while True:
        try:
            write_frame(responses, header, body)
            request, request_body = read_frame(requests)
        except EOFError:
            return
        except OSError:
            os._exit(1)  # nobody is left to be told
        _set_timer(request.pop("timeout") + LAST_RESORT)
        header, body = handle(request, request_body)
        _set_timer(0)


def _set_timer(seconds: float) -> None:
    if hasattr(signal, "setitimer"):  # not on Windows
        signal.setitimer(signal.ITIMER_REAL, min(seconds, LONGEST_TIMER))


def handle_page(request: dict[str, Any], body: bytes) -> tuple[dict[str, Any], bytes]:
    """Return the document of a page as plain values; or the error, and whose it is."""
    try:
        extractor = _create_extractor(request["extractor"], request["favor"])
    except UnknownExtractorError as error:
        return {"error": f"{type(error).__name__}: {error}", "kind": "meta"}, b""
    try:
        page, limits = _Response(body, request["encoding"]), Limits(**request["limits"])
        document = extract(page, request["url"], extractor, limits=limits)
        built = [
            name
            for name in request["built"]
            if all(map(is_installed, REQUIRED_PACKAGES.get(name, ())))
        ]
        return {"document": dump_document(document, built)}, b""
    except Exception as error:  # noqa: BLE001 - the next page is served
        return {"error": f"{type(error).__name__}: {error}", "kind": "page"}, b""


class _Response:
    """As much of a Scrapy response as `extract` needs."""

    def __init__(self, body: bytes, encoding: str) -> None:
        self.body = body
        self.encoding = encoding

    @property
    def selector(self) -> Selector:
        """The tree that the response's own selector would have."""
        return Selector(text=decode_html(self.body, f"charset={self.encoding}"), type="html")


@lru_cache(maxsize=KEPT_EXTRACTORS)
def _create_extractor(name: str, favor: str) -> Extractor:
    return get_extractor(name, favor)
