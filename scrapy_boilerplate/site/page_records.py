"""Signatures of a page, for comparison, and page records, for stores.

`Signatures` are columns over the blocks of a page: hashes of texts, class paths and links. A
`PageRecord` holds them without the blocks, in a few kilobytes. Stores keep page records, and the
statistics of a site are computed from them.
"""

from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.page.columns import NO_ELEMENT
from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.site.codec import Record, check_values
from scrapy_boilerplate.site.fingerprints import parse_simhash, simhash
from scrapy_boilerplate.site.hashing import (
    Hashes,
    digest_arrays,
    hash_texts,
    normalise_texts,
    remove_digits,
)

K = TypeVar("K")
T = TypeVar("T")

LEVELS = 4  # elements of a class path: the block's own and those above it
ROOT_TAGS = frozenset(("html", "body"))  # their classes change from page to page (``postid-17``)
MAX_ENTRIES = 1_000  # texts and paths of a record, each
MIN_CONTENT_SHARE = 0.5  # of the words at a class path of content

_COLUMN_TYPES = {
    "texts": "<u8",
    "paths": "<u4",
    "contents": "u1",
    "digests": "<u4",
    "simhash": "<u8",
}
_LOW_BITS = np.uint64(0xFFFFFFFF)


@dataclass(frozen=True, eq=False)
class Signatures:
    """Columns over the blocks of a page.

    texts          uint64[n], hashes of the normalised texts
    paths          uint64[n], hashes of the class paths (32 bits are used)
    """

    texts: Hashes
    paths: Hashes


def compute_signatures(page: Page) -> Signatures:
    """Return the signatures of a segmented page; linear time."""
    return Signatures(texts=hash_texts(normalise_texts(page.texts)), paths=_hash_class_paths(page))


def _hash_class_paths(page: Page) -> Hashes:
    parents, tags = page.elements.parents, page.elements.tags
    # sites number their boxes
    classes = _map_distinct(page.elements.classes, remove_digits)
    known: dict[str, str] = {}  # equal paths share their memory

    def build_path(element: int) -> str:
        names: list[str] = []
        while len(names) < LEVELS and element != NO_ELEMENT and tags[element] not in ROOT_TAGS:
            names.append(f"{tags[element]}.{classes[element]}")
            element = parents[element]
        path = "/".join(names)
        return known.setdefault(path, path)

    paths = _map_distinct(page.blocks.elements.tolist(), lambda each: list(map(build_path, each)))
    hashes = _map_distinct(paths, lambda texts: hash_texts(texts).tolist())
    return np.array(hashes, dtype=np.uint64) & _LOW_BITS


def _map_distinct(keys: Sequence[K], function: Callable[[Sequence[K]], Sequence[T]]) -> list[T]:
    distinct = list(dict.fromkeys(keys))
    results = dict(zip(distinct, function(distinct), strict=True))
    return [results[key] for key in keys]


@dataclass(frozen=True, eq=False)
class PageRecord(Record):
    """The hashes of one page for the statistics of its site; they depend only on this page.

    at        when the page was seen, milliseconds since 1970; the newest pages are kept
    texts     uint64, sorted, distinct: the normalised texts of its blocks
    paths     uint64, sorted, distinct: the class paths of its blocks
    contents  uint8 for each path: share of its words that are content, 255 for all
    digests   uint64 for each path: 32 bits of its texts
    simhash   uint64[2] of the page's own text, None if that text is short
    """

    COLLECTION: ClassVar[str] = "pages"
    MAX_RECORDS: ClassVar[int] = 100  # of a site; more than 20 add little (docs/usage/site.md)

    at: int
    texts: Hashes
    paths: Hashes
    contents: NDArray[np.uint8]
    digests: Hashes
    simhash: Hashes | None

    @cached_property
    def key(self) -> bytes:
        """16 bytes that identify the page; equal for pages with equal texts at equal paths."""
        return digest_arrays((self.texts, self.paths, self.digests))

    @cached_property
    def size(self) -> int:
        """Approximate bytes of the record in memory."""
        return sum(column.nbytes for column in self._columns) + 1_000

    @property
    def _columns(self) -> tuple[NDArray[Any], ...]:
        return self.texts, self.paths, self.contents, self.digests

    def to_values(self) -> dict[str, Any]:
        arrays = [*self._columns, np.zeros(0) if self.simhash is None else self.simhash]
        columns = zip(_COLUMN_TYPES.items(), arrays, strict=True)
        return {
            name: b64encode(array.astype(kind).tobytes()).decode()
            for (name, kind), array in columns
        }

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Self:
        columns: dict[str, Any] = {}
        for name, kind in _COLUMN_TYPES.items():
            column = np.frombuffer(b64decode(values[name], validate=True), kind)
            columns[name] = column.astype(np.uint8 if kind == "u1" else np.uint64)
        texts, paths, contents, digests, simhash = columns.values()
        check_values(
            max(map(len, columns.values())) <= MAX_ENTRIES,
            len(paths) == len(contents) == len(digests),
            len(simhash) in (0, 2),
            all((column[1:] > column[:-1]).all() for column in (texts, paths)),
        )
        columns["simhash"] = simhash if len(simhash) else None
        return cls(at=values["at"], **columns)


def build_page_record(
    page: Page, signatures: Signatures, labeling: Labeling, at: int = 0
) -> PageRecord:
    """Return the record of `page`.

    `at` is when the page was seen, milliseconds since 1970; `SiteRegistry.add_page` sets it.
    """
    content = labeling.content
    paths, inverse, shares = _measure_paths(page, signatures.paths, content)
    text_sums = np.zeros(len(paths), dtype=np.uint64)  # per path; independent of the order of texts
    np.add.at(text_sums, inverse, signatures.texts)
    own_simhash = simhash("\n".join(page.texts[block] for block in np.flatnonzero(content)))
    return PageRecord(
        at=at,
        texts=np.unique(signatures.texts)[:MAX_ENTRIES],
        paths=paths[:MAX_ENTRIES],
        contents=np.rint(255 * shares).astype(np.uint8)[:MAX_ENTRIES],
        digests=(text_sums >> np.uint64(32))[:MAX_ENTRIES],
        simhash=parse_simhash(own_simhash) if own_simhash else None,
    )


def find_content_paths(page: Page, labeling: Labeling) -> frozenset[int]:
    """Return the hashes of the class paths at which at least half of the words are content."""
    paths, _, shares = _measure_paths(page, _hash_class_paths(page), labeling.content)
    return frozenset(paths[shares >= MIN_CONTENT_SHARE].tolist())


def _measure_paths(
    page: Page, paths: Hashes, content: BoolArray
) -> tuple[Hashes, IntArray, FloatArray]:
    distinct, inverse = np.unique(paths, return_inverse=True)
    words = np.maximum(page.words, 1).astype(np.float64)
    totals = np.bincount(inverse, words, len(distinct))
    return distinct, inverse, np.bincount(inverse, words * content, len(distinct)) / totals
