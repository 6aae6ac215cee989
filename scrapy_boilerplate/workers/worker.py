"""The process at the other end of the pipe: pages in, documents out, until the pipe is closed.

It is a Python of its own that imports the core alone, neither Scrapy nor the main module of
whoever started it: a script that starts a crawl without ``if __name__ == "__main__"`` works.
"""

from __future__ import annotations

import os
import signal
import sys
from functools import lru_cache
from typing import Any, BinaryIO

from parsel import Selector

from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.extractors import UnknownExtractorError, extractor_named
from scrapy_boilerplate.extras import is_installed
from scrapy_boilerplate.markup.clean import NEEDED
from scrapy_boilerplate.page.encoding import decoded
from scrapy_boilerplate.page.limits import Limits
from scrapy_boilerplate.steps.extractor import Extractor
from scrapy_boilerplate.workers.frames import read_frame, write_frame
from scrapy_boilerplate.workers.plain import plain_values

KEPT = 8
"""Extractors that a worker keeps made; requests can name one each."""


def main() -> None:
    """Answer pages from standard input on standard output until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the crawl's, which ends us in time
    pages, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not get between the answers
    serve(pages, answers)


def serve(pages: BinaryIO, answers: BinaryIO) -> None:
    """Answer every page, also a bad one."""
    while True:
        try:
            asked, body = read_frame(pages)
        except EOFError:
            return
        write_frame(answers, answered(asked, body))


def answered(asked: dict[str, Any], body: bytes) -> dict[str, Any]:
    """The document of a page as plain values; or the error, and whose it is."""
    try:
        extractor = _extractor(asked["extractor"], asked["favor"])
    except UnknownExtractorError as error:
        return {"error": _told(error), "kind": "meta"}
    try:
        page, limits = _SentPage(body, asked["encoding"]), Limits(**asked["limits"])
        document = extract(page, asked["url"], extractor, limits=limits)
        late = [name for name in asked["late"] if all(map(is_installed, NEEDED.get(name, ())))]
        return {"document": plain_values(document, late)}
    except Exception as error:  # noqa: BLE001 - the next page is served
        return {"error": _told(error), "kind": "page"}


class _SentPage:
    """As much of a response as `extract` needs."""

    def __init__(self, body: bytes, encoding: str) -> None:
        self.body = body
        self.encoding = encoding

    @property
    def selector(self) -> Selector:
        """The tree that the response's own selector would have."""
        return Selector(text=decoded(self.body, f"charset={self.encoding}"), type="html")


@lru_cache(maxsize=KEPT)
def _extractor(name: str, favor: str) -> Extractor:
    return extractor_named(name, favor)


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
