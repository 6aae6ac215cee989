"""Convert documents to plain values for other processes, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from itertools import starmap
from typing import Any

from scrapy_boilerplate.document import Document, DocumentBlock

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
