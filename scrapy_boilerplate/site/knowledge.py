"""The statistics of one site, as seen from one of its pages.

`Knowledge` is a set of page records: the newest that fit. Workers merge by the union of their
pages. Of near-duplicates only the page with the smallest key counts, so that an article that is
crawled again does not look like boilerplate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray
from scrapy_boilerplate.site.fingerprints import match_simhashes
from scrapy_boilerplate.site.hashing import Hashes
from scrapy_boilerplate.site.page_records import PageRecord, Signatures

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
    def size(self) -> int:
        """Approximate bytes in memory."""
        return sum(record.size for record in self.pages.values())

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
        """Number of other pages."""
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
    def path_content(self) -> FloatArray:
        """Sum over these pages of the share of the words at the path that are content."""
        paths = [record.paths for record in self.others]
        return count_pages(self.signatures.paths, paths, [r.contents for r in self.others]) / 255

    @cached_property
    def path_share(self) -> FloatArray:
        """Mean over these pages of the share in `path_content`; 0 without pages."""
        shares: FloatArray = self.path_content / self.path_pages.clip(min=1)
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
