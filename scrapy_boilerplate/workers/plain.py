"""Documents as plain values, and back: what goes between processes, and into files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from itertools import starmap
from typing import Any

from scrapy_boilerplate.document import Document, DocumentBlock

NOT_WRITTEN = frozenset(("labelled", "tree"))
BLOCKS, PROBABILITY, HTML, MARKDOWN = "blocks", "article_probability", "html", "markdown"
LATE = (BLOCKS, PROBABILITY, HTML, MARKDOWN)
"""What a document builds on first use, and takes along if it is asked to."""
COLUMNS = tuple(field.name for field in fields(DocumentBlock))
"""Blocks travel as one list each: a third of the time of one mapping a block (200 corpora pages of
240 blocks, .3 against .85 ms to read, 2026-11-22)."""


def plain_values(document: Document, late: Iterable[str]) -> dict[str, Any]:
    """Field to value, as JSON can hold them; of `LATE` only those named. The page stays behind."""
    values = {
        field.name: getattr(document, field.name)
        for field in fields(document)
        if field.name not in NOT_WRITTEN
    }
    values["evidence"] = dict(document.evidence)
    values.update((name, getattr(document, name)) for name in late)
    if BLOCKS in values:
        values[BLOCKS] = {
            name: [getattr(block, name) for block in document.blocks] for name in COLUMNS
        }
    return values


def document_of(values: Mapping[str, Any], cls: type[Document] = Document) -> Document:
    """The document of `plain_values`; lists have become tuples again."""
    made: dict[str, Any] = {
        name: tuple(v) if isinstance(v, list) else v for name, v in values.items()
    }
    late = {name: made.pop(name) for name in LATE if name in made}
    if BLOCKS in late:
        columns = (late[BLOCKS][name] for name in COLUMNS)
        late[BLOCKS] = tuple(starmap(DocumentBlock, zip(*columns, strict=True)))
    document = cls(**made)
    vars(document).update(late)  # where `cached_property` keeps them
    return document
