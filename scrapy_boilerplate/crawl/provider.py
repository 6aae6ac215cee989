"""The provider for scrapy-poet: documents as arguments of callbacks and page objects.

Importing this needs the extra [poet].
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence, Set
from typing import Any, ClassVar

from scrapy import Request
from scrapy.http import Response
from scrapy_poet.page_input_providers import PageObjectInputProvider
from web_poet.annotated import AnnotatedInstance
from web_poet.serialization import SerializedLeafData, register_serialization

from scrapy_boilerplate.crawl.callbacks import boilerplate_async
from scrapy_boilerplate.document import PLAIN_LAZY_FIELDS, Document
from scrapy_boilerplate.items import CONTENT_FIELDS
from scrapy_boilerplate.workers.worker import dump_document, load_document

# The one file of a document in a cache or fixture of scrapy-poet
FILE = "json"


class DocumentProvider(PageObjectInputProvider):
    """Makes `Document` injectable: ``def parse(self, response, document: Document)``.

    It is the document that `boilerplate(response)` returns and that fills the items. The page is
    read once.
    """

    provided_classes: ClassVar[set[Callable[..., Any]]] = {Document}  # type: ignore[misc]
    name: ClassVar[str] = "boilerplate"

    def is_provided(self, type_: Callable[..., Any]) -> bool:
        """Return whether `type_` is `Document`, with or without annotations."""
        return getattr(type_, "__origin__", type_) is Document

    async def __call__(
        self, to_provide: Set[Callable[..., Any]], request: Request, response: Response
    ) -> Sequence[Document | AnnotatedInstance]:
        """Return the document of a response. Never raises for a bad page."""
        if response.request is None:  # Scrapy sets it after the last middleware
            response.request = request
        document = await boilerplate_async(response, html=True)
        annotations = (getattr(wanted, "__metadata__", None) for wanted in to_provide)
        return [AnnotatedInstance(document, a) if a else document for a in annotations]


def serialize_leaf(document: Document) -> SerializedLeafData:
    """Return a document as JSON, without its page, for caches and fixtures of scrapy-poet."""
    values = dump_document(document, (*PLAIN_LAZY_FIELDS, *CONTENT_FIELDS, "html"))
    return {FILE: json.dumps(values, ensure_ascii=False, default=dict).encode()}


def deserialize_leaf(cls: type[Document], data: SerializedLeafData) -> Document:
    """Return the document from the data of `serialize_leaf`."""
    return load_document(json.loads(data[FILE]), cls)


register_serialization(serialize_leaf, deserialize_leaf)
