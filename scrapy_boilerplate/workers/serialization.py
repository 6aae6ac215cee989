"""Documents, and what sites learn of pages, as plain values for other processes, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import accumulate, pairwise, starmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.document import LAZY_FIELDS, UNSERIALIZED_FIELDS, Document, DocumentBlock
from scrapy_boilerplate.site.knowledge import VIEW_COLUMNS, ComputedView, SiteView
from scrapy_boilerplate.site.page_records import PageRecord, Signatures

# Blocks travel as one list a column: that takes a third of the time of one mapping a block.
COLUMNS = tuple(field.name for field in fields(DocumentBlock))


def dump_document(document: Document, wanted_fields: Iterable[str]) -> dict[str, Any]:
    """Return a dict of field to value that JSON can hold; of LAZY_FIELDS only `wanted_fields`.

    The page is not included.
    """
    late = {name: getattr(document, name) for name in wanted_fields}
    values = {  # after them, since `partial` tells of them too
        field.name: getattr(document, field.name)
        for field in fields(document)
        if field.name not in UNSERIALIZED_FIELDS
    }
    values |= {"evidence": dict(document.evidence), **late}
    if "blocks" in values:
        values["blocks"] = {
            name: [getattr(block, name) for block in document.blocks] for name in COLUMNS
        }
    return values


def load_document(values: Mapping[str, Any], cls: type[Document] = Document) -> Document:
    """Return the document of these values; lists have become tuples again."""
    arguments: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in values.items()
    }
    lazy_values = {name: arguments.pop(name) for name in LAZY_FIELDS if name in arguments}
    if "blocks" in lazy_values:
        columns = (lazy_values["blocks"][name] for name in COLUMNS)
        lazy_values["blocks"] = tuple(starmap(DocumentBlock, zip(*columns, strict=True)))
    document = cls(**arguments)
    vars(document).update(lazy_values)  # where `cached_property` keeps them
    return document


@dataclass(frozen=True, eq=False)
class RemotePage:
    """What a worker tells of a page that is read for its site."""

    record: PageRecord
    signatures: Signatures

    def dump(self) -> tuple[dict[str, Any], bytes]:
        """Return plain values and bytes."""
        columns = [getattr(self.signatures, field.name) for field in fields(Signatures)]
        record = self.record.pack()
        header = {"sizes": [len(record), *map(len, columns)]}
        return header, record + b"".join(column.astype("<u8").tobytes() for column in columns)

    @classmethod
    def load(cls, header: Mapping[str, Any], body: bytes) -> RemotePage:
        """Return the page of `dump`."""
        size, *lengths = header["sizes"]
        texts, paths, links, blocks = _read_columns(body[size:], lengths, "<u8")
        signatures = Signatures(
            texts.astype(np.uint64),
            paths.astype(np.uint64),
            links.astype(np.uint64),
            blocks.astype(np.int64),
        )
        return cls(PageRecord.unpack(body[:size]), signatures)


def dump_view(view: SiteView, names: Sequence[str]) -> tuple[dict[str, Any], bytes]:
    """Return a view of a site, and the names in its titles, as plain values and bytes."""
    columns = [getattr(view, name) for name in VIEW_COLUMNS]
    header = {"pages": view.pages, "names": list(names), "blocks": len(columns[0])}
    return header, b"".join(column.astype("<f8").tobytes() for column in columns)


def load_view(header: Mapping[str, Any], body: bytes) -> tuple[SiteView, tuple[str, ...]]:
    """Return the view and the names of `dump_view`."""
    columns = _read_columns(body, [header["blocks"]] * len(VIEW_COLUMNS), "<f8")
    arrays = {
        name: column.astype(np.float64) for name, column in zip(VIEW_COLUMNS, columns, strict=True)
    }
    return ComputedView(pages=header["pages"], **arrays), tuple(header["names"])


def _read_columns(body: bytes, lengths: Sequence[int], kind: str) -> list[NDArray[Any]]:
    """Return arrays of eight bytes an element that stand one after the other."""
    ends = list(accumulate(lengths, initial=0))
    return [
        np.frombuffer(body, dtype=kind, count=end - start, offset=8 * start)
        for start, end in pairwise(ends)
    ]
