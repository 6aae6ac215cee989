"""scrapy-poet: the document of a page as an argument of callbacks and page objects.

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

from scrapy_boilerplate.crawl.analysis import boilerplate_async
from scrapy_boilerplate.document import Document
from scrapy_boilerplate.extras import is_installed
from scrapy_boilerplate.markup.clean import SANITISER
from scrapy_boilerplate.workers.plain import BLOCKS, HTML, PROBABILITY, document_of, plain_values

FILE = "json"
"""The one file of a document in a cache or fixture of scrapy-poet."""


class DocumentProvider(PageObjectInputProvider):
    """Makes `Document` injectable: ``def parse(self, response, document: Document)``.

    The document is the one that `boilerplate(response)` gives and that the items' fields come from;
    the page is read once.
    """

    provided_classes: ClassVar[set[Callable[..., Any]]] = {Document}  # type: ignore[misc]
    name: ClassVar[str] = "boilerplate"

    def is_provided(self, type_: Callable[..., Any]) -> bool:
        """Whether `type_` is `Document`, with or without annotations."""
        return getattr(type_, "__origin__", type_) is Document

    async def __call__(
        self, to_provide: Set[Callable[..., Any]], request: Request, response: Response
    ) -> Sequence[Document | AnnotatedInstance]:
        """Called by scrapy-poet for each response that needs a document; never raises for one."""
        if response.request is None:  # Scrapy sets it when the last middleware is through
            response.request = request
        document = await boilerplate_async(response, html=True)
        notes = (getattr(wanted, "__metadata__", None) for wanted in to_provide)
        return [AnnotatedInstance(document, one) if one else document for one in notes]


def serialized(document: Document) -> SerializedLeafData:
    """A document as JSON, for the cache and the fixtures of scrapy-poet; the page stays behind."""
    late = [BLOCKS, PROBABILITY]
    if document.tree is None or is_installed(SANITISER):
        late.append(HTML)
    values = plain_values(document, late)
    return {FILE: json.dumps(values, ensure_ascii=False, default=dict).encode()}


def deserialized(cls: type[Document], data: SerializedLeafData) -> Document:
    """The document of `serialized`."""
    return document_of(json.loads(data[FILE]), cls)


register_serialization(serialized, deserialized)
