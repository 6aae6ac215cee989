"""Signatures of a page, page records for stores, and the statistics of a site.

`Signatures` are columns over the blocks of a page: hashes of texts, class paths and links. A
`PageRecord` holds them without the blocks, in a few kilobytes. Stores keep page records, and the
statistics of a site are computed from them.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.page.columns import NO_ELEMENT
from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.site.fingerprints import digest_text, match_simhashes, parse_simhash
from scrapy_boilerplate.site.hashing import (
    Hashes,
    digest_arrays,
    hash_texts,
    normalise_texts,
    remove_digits,
)
from scrapy_boilerplate.site.stores import Record, check_values

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
    """uint64[n] over blocks: hashes of the normalised texts, and of the class paths (32 bits)."""

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
    own_text = "\n".join(page.texts[block] for block in np.flatnonzero(content))
    _, own_simhash = digest_text(own_text)
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


# The statistics of one site, as seen from one of its pages: `Knowledge` is a set of page records,
# the newest that fit. Workers merge by the union of their pages. Of near-duplicates only the page
# with the smallest key counts, so that an article that is crawled again does not look like
# boilerplate.

MAX_PAGES = PageRecord.MAX_RECORDS
MAX_BYTES = 1_000_000  # of the records of a site


@dataclass(frozen=True, eq=False)
class Knowledge:
    """Page records of a site, by key, the oldest first."""

    max_pages: int = MAX_PAGES
    pages: Mapping[bytes, PageRecord] = field(default_factory=dict)

    def with_pages(self, records: Iterable[PageRecord]) -> Knowledge:
        """Return the knowledge with these pages added, without the oldest above the limits."""
        known = dict(self.pages)
        for record in records:
            if record.key not in known or known[record.key].at < record.at:
                known[record.key] = record
        pages = dict(sorted(known.items(), key=lambda item: (item[1].at, item[0])))
        size = sum(record.size for record in pages.values())
        while len(pages) > self.max_pages or size > MAX_BYTES:
            size -= pages.pop(next(iter(pages))).size
        return Knowledge(self.max_pages, pages)

    def view(self, record: PageRecord, signatures: Signatures) -> SiteView:
        """Return the view of the site from the page of `record` and `signatures`."""
        keys, simhashes = self._simhashes
        near = {record.key}
        if record.simhash is not None:
            near |= {
                keys[row] for row in np.flatnonzero(match_simhashes(record.simhash, simhashes))
            }
        others = [each for key, each in self.voting.items() if key not in near]
        return SiteView(others, list(self.voting.values()), signatures)

    @cached_property
    def voting(self) -> Mapping[bytes, PageRecord]:
        """The pages that count: of near-duplicates only the page with the smallest key."""
        keys, simhashes = self._simhashes
        near = np.tril(match_simhashes(simhashes[:, np.newaxis], simhashes), k=-1).any(axis=1)
        copies = {keys[row] for row in np.flatnonzero(near)}
        return {key: record for key, record in self.pages.items() if key not in copies}

    @cached_property
    def _simhashes(self) -> tuple[list[bytes], Hashes]:
        """The keys of the pages with a simhash, sorted, and uint64[n, 2], their simhashes."""
        simhashes = {k: r.simhash for k, r in sorted(self.pages.items()) if r.simhash is not None}
        return list(simhashes), np.array(list(simhashes.values()), dtype=np.uint64).reshape(-1, 2)


@dataclass(frozen=True, eq=False)
class SiteView:
    """Statistics of a site as seen from one of its pages; columns are float[n_blocks].

    The page itself and its near-duplicates are not among the `others`. A second crawl of an
    article, its print version or its AMP version would make its own text look repeated. On fundus
    that costs .005 token F1. Only `path_importance` counts `voting`, as evidence of variety.
    """

    others: Sequence[PageRecord]
    voting: Sequence[PageRecord]
    signatures: Signatures

    @property
    def pages(self) -> int:
        return len(self.others)

    @cached_property
    def text_pages(self) -> FloatArray:
        """Number of other pages that have the text of the block."""
        return count_pages(self.signatures.texts, [record.texts for record in self.others])

    @cached_property
    def path_pages(self) -> FloatArray:
        """Number of other pages that have the class path of the block."""
        return count_pages(self.signatures.paths, [record.paths for record in self.others])

    @cached_property
    def path_share(self) -> FloatArray:
        """Mean over these pages of the share of the words at the path that are content, or 0."""
        paths = [record.paths for record in self.others]
        sums = count_pages(self.signatures.paths, paths, [r.contents for r in self.others])
        shares: FloatArray = sums / 255 / self.path_pages.clip(min=1)
        return shares

    @cached_property
    def path_importance(self) -> FloatArray:
        """Variety of the texts at the path: 0 if always the same, 1 if always different.

        The value is the entropy divided by the log of the number of pages. This is the importance
        of a node in the Site Style Tree (Yi, Liu and Li 2003). It is 1 where fewer than two pages
        have the path.
        """
        paths, inverse = np.unique(self.signatures.paths, return_inverse=True)
        rows, known = locate_keys(_join([record.paths for record in self.voting]), paths)
        digests = _join([record.digests for record in self.voting])[known]
        pairs, counts = np.unique(rows.astype(np.uint64) << 32 | digests, return_counts=True)
        rows = (pairs >> 32).astype(np.int64)
        pages = np.bincount(rows, counts, len(paths))
        several = np.maximum(pages, 2)
        sums = np.bincount(rows, counts * np.log(counts), len(paths))
        entropy = np.log(several) - sums / several
        return np.where(pages >= 2, entropy / np.log(several), 1.0)[inverse]


def count_pages(
    keys: Hashes, columns: Sequence[Hashes], values: Sequence[NDArray[Any]] | None = None
) -> FloatArray:
    """Return for each of `keys` in how many columns it is, or the sum of its values there."""
    distinct, inverse = np.unique(keys, return_inverse=True)
    rows, known = locate_keys(_join(columns), distinct)
    weights = None if values is None else _join(values)[known]
    return np.bincount(rows, weights, len(distinct))[inverse].astype(np.float64)


def locate_keys(keys: Hashes, distinct: Hashes) -> tuple[IntArray, BoolArray]:
    """Return a mask of the keys in sorted `distinct`, and the positions of these keys there."""
    positions: IntArray = np.searchsorted(distinct, keys)
    positions[positions == len(distinct)] = 0
    known = distinct[positions] == keys if len(distinct) else np.zeros(len(keys), dtype=np.bool_)
    return positions[known], known


def _join(columns: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return np.concatenate(columns) if columns else np.zeros(0, dtype=np.uint64)
