"""The worker process of a crawl: requests for pages, and documents as values that a pipe can send.

It imports neither Scrapy nor the main module of the process that started it, so a script can start
a crawl without ``if __name__ == "__main__"``.
"""

import logging
from collections.abc import Iterable, Mapping
from dataclasses import fields
from itertools import starmap
from typing import Any

from lxml import etree

from scrapy_boilerplate.document import Document, DocumentBlock
from scrapy_boilerplate.extraction import extract_page
from scrapy_boilerplate.extractors import Options, UnknownExtractorError
from scrapy_boilerplate.markup.clean_html import has_packages
from scrapy_boilerplate.page.decoding import transcode_html
from scrapy_boilerplate.page.parsing import parse_utf_8
from scrapy_boilerplate.workers.pipe import serve
from scrapy_boilerplate.workers.pool import WorkerRequest

# seconds of wall time for a page without a budget of time
TIMEOUT = 60.0
# with a budget of CPU time: a multiple of the budget, because a stage cannot be interrupted, plus
# seconds for the imports of a new worker
TIMEOUT_FACTOR = 4
START_TIMEOUT = 20.0

# Blocks are sent as one list per column, in a third of the time of one mapping per block.
COLUMNS = tuple(field.name for field in fields(DocumentBlock))


def dump_document(document: Document, wanted_fields: Iterable[str]) -> dict[str, Any]:
    """Return a dict of field to value that JSON can hold; of LAZY_FIELDS only `wanted_fields`.

    The page is not included.
    """
    lazy_values: dict[str, Any] = {}
    for name in wanted_fields:
        if name == "blocks":
            rows = document.list_blocks()
            lazy_values[name] = {column: [row[column] for row in rows] for column in COLUMNS}
        else:
            lazy_values[name] = getattr(document, name)
    values = document.list_values()
    return {**values, **lazy_values, "late": sorted(document.late)}


def load_document(values: Mapping[str, Any], cls: type[Document] = Document) -> Document:
    """Return the document of these values; lists have become tuples again."""
    arguments: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in values.items()
    }
    if "blocks" in arguments:
        columns = (arguments["blocks"][name] for name in COLUMNS)
        arguments["blocks"] = tuple(starmap(DocumentBlock, zip(*columns, strict=True)))
    return cls(**arguments)


def build_page_request(
    url: str | None, body: bytes, encoding: str, options: Options
) -> WorkerRequest:
    """Return the message that asks a worker for the document of a page.

    `options` come from `Options.for_page`; their extractor has to be a name.
    """
    budget = options.limits.milliseconds
    timeout = TIMEOUT if budget is None else START_TIMEOUT + TIMEOUT_FACTOR * budget / 1000
    header = {"url": url, "encoding": encoding, "options": options.dump()}
    return WorkerRequest(header=header, body=body, timeout=timeout)


def serve_documents() -> None:
    """Answer the pages of a crawl with their documents."""
    # the crawl logs the failures of a document
    logging.getLogger("scrapy_boilerplate.document").addHandler(logging.NullHandler())
    serve(lambda: answer_page)


def answer_page(request: dict[str, Any], body: bytes) -> tuple[dict[str, Any], bytes]:
    """Return the document of a page, or the error."""
    try:
        options = Options.load(request["options"])
        page = _Response(body, request["encoding"])
        document = extract_page(page, request["url"], options)
        return {"document": dump_document(document, filter(has_packages, options.fields))}, b""
    except Exception as error:  # noqa: BLE001 - the next page is served
        kind = "meta" if isinstance(error, UnknownExtractorError) else "page"
        return {"error": f"{type(error).__name__}: {error}", "kind": kind}, b""


class _Response:
    """The part of a Scrapy response that `extract_page` needs."""

    def __init__(self, body: bytes, encoding: str) -> None:
        self.body = body
        self.encoding = encoding

    @property
    def root(self) -> etree._Element:
        """The tree that the response's own selector would have; parsel would import ssl."""
        return parse_utf_8(transcode_html(self.body, encoding=self.encoding))
