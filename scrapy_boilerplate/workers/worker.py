"""The worker process of a crawl: pages in, documents out; and the message of a page.

It is a Python of its own that imports the core alone, neither Scrapy nor the main module of
whoever started it: a script that starts a crawl without ``if __name__ == "__main__"`` works.
"""

from __future__ import annotations

from collections.abc import Sequence
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
from scrapy_boilerplate.workers.pool import WorkerRequest
from scrapy_boilerplate.workers.serialization import dump_document
from scrapy_boilerplate.workers.serve import serve

# Seconds of wall time that a page may take where pages have no budget of time; with one, so many
# times the budget and START_TIMEOUT more: a stage cannot be left in the middle, the budget counts
# CPU time, and a fresh worker imports for a second first.
TIMEOUT = 60.0
TIMEOUT_FACTOR = 4
START_TIMEOUT = 20.0
# Extractors that a worker keeps; requests can name one each.
KEPT_EXTRACTORS = 8
_get_extractor = lru_cache(maxsize=KEPT_EXTRACTORS)(get_extractor)


@dataclass(frozen=True, kw_only=True)
class PageRequest:
    """A page for a worker, and how to read it.

    `wanted_fields` are the `document.LAZY_FIELDS` to compute.
    """

    url: str | None
    body: bytes = field(repr=False)
    encoding: str
    extractor: str
    favor: str
    limits: Limits = NO_LIMITS
    wanted_fields: Sequence[str] = ()

    def for_worker(self) -> WorkerRequest:
        """Return the page as a message."""
        header = {name: value for name, value in vars(self).items() if name != "body"}
        header |= {"limits": asdict(self.limits), "wanted_fields": list(self.wanted_fields)}
        budget = self.limits.milliseconds
        timeout = TIMEOUT if budget is None else START_TIMEOUT + TIMEOUT_FACTOR * budget / 1000
        return WorkerRequest(header=header, body=self.body, timeout=timeout)


def serve_documents() -> None:
    """Answer the pages of a crawl with their documents."""
    serve(lambda: handle_page)


def handle_page(request: dict[str, Any], body: bytes) -> tuple[dict[str, Any], bytes]:
    """Return the document of a page as plain values; or the error and its kind."""
    try:
        extractor = _get_extractor(request["extractor"], request["favor"])
    except UnknownExtractorError as error:
        return {"error": f"{type(error).__name__}: {error}", "kind": "meta"}, b""
    try:
        page, limits = _Response(body, request["encoding"]), Limits(**request["limits"])
        document = extract(page, request["url"], extractor, limits=limits)
        wanted_fields = [
            name
            for name in request["wanted_fields"]
            if all(map(is_installed, REQUIRED_PACKAGES.get(name, ())))
        ]
        return {"document": dump_document(document, wanted_fields)}, b""
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
        return Selector(text=decode_html(self.body, encoding=self.encoding), type="html")
