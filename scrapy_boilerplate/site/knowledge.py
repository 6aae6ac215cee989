"""The statistics of one site, and their view from one of its pages.

`Knowledge` is a function of the set of page records alone. It keeps the newest pages that fit. Of
near-duplicates only the page with the smallest key votes. So the statistics of workers merge by the
union of their pages, and a page that arrives twice counts once. After a redesign the statistics
change as old pages are dropped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray
from scrapy_boilerplate.site.fingerprints import match_simhashes
from scrapy_boilerplate.site.hashing import Hashes
from scrapy_boilerplate.site.page_records import PageRecord, Signatures

# Maximum bytes of the statistics of a site in memory.
MAX_BYTES = 1_000_000
MAX_PAGES = PageRecord.MAX_RECORDS
# Minimum pages that repeat a part of a title before it is a name, and their minimum share of the
# pages of the site. Names of sections count too (our choice).
MIN_NAME_PAGES = 2
MIN_NAME_SHARE = 0.3

Counts = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class CountTable:
    """Counts by hash in sorted arrays: a dict would take twenty times the memory.

    `keys` uint64[n], sorted, distinct; `counts` int32[n, columns], the first column never 0.
    Every change gives a new table.
    """

    keys: Hashes
    counts: Counts

    @classmethod
    def empty(cls, columns: int = 1) -> CountTable:
        """Return a table without keys."""
        return cls(np.zeros(0, dtype=np.uint64), np.zeros((0, columns), dtype=np.int32))

    def add(self, keys: Hashes, counts: Counts) -> CountTable:
        """Add `counts` int32[k, columns] at sorted distinct `keys`; keys at 0 are dropped."""
        positions, known = locate_keys(keys, self.keys)
        new = np.flatnonzero(~known)
        new_rows = positions[new] + np.arange(len(new))  # between the old rows
        is_old = np.ones(len(self.keys) + len(new), dtype=np.bool_)
        is_old[new_rows] = False
        merged = np.empty(len(is_old), dtype=np.uint64)
        sums = np.empty((len(is_old), counts.shape[1]), dtype=np.int32)
        merged[is_old], merged[new_rows] = self.keys, keys[new]
        sums[is_old], sums[new_rows] = self.counts, counts[new]
        sums[np.flatnonzero(is_old)[positions[known]]] += counts[known]
        if len(counts) == 0 or counts[:, 0].min() >= 0:
            return CountTable(merged, sums)
        kept = sums[:, 0] != 0
        return CountTable(merged[kept], sums[kept])

    def look_up(self, keys: Hashes) -> FloatArray:
        """Return float[k, columns]: the counts at `keys`, 0 for unknown ones."""
        positions, known = locate_keys(keys, self.keys)
        counts = np.zeros((len(keys), self.counts.shape[1]))
        counts[known] = self.counts[positions[known]]
        return counts


def locate_keys(keys: Hashes, sorted_keys: Hashes) -> tuple[IntArray, BoolArray]:
    """Return for each of `keys` its position in `sorted_keys`, and whether it is there."""
    positions: IntArray = np.searchsorted(sorted_keys, keys)
    if not len(sorted_keys):
        return positions, np.zeros(len(keys), dtype=np.bool_)
    return positions, sorted_keys[np.minimum(positions, len(sorted_keys) - 1)] == keys


@dataclass(frozen=True, eq=False)
class Knowledge:
    """Statistics of a site.

    max_pages    maximum number of pages
    pages        key to page record
    voting       the pages that count: of near-duplicates the one with the smallest key
    texts        pages by text hash
    paths        pages by class path, and the sum of their `contents` there
    path_texts   pages by class path and digest of the texts there, 32 bits each
    links        pages by link
    name_counts  pages by part of the title
    """

    max_pages: int = MAX_PAGES
    pages: Mapping[bytes, PageRecord] = field(default_factory=dict)
    voting: Mapping[bytes, PageRecord] = field(default_factory=dict)
    texts: CountTable = field(default_factory=CountTable.empty)
    paths: CountTable = field(default_factory=lambda: CountTable.empty(2))
    path_texts: CountTable = field(default_factory=CountTable.empty)
    links: CountTable = field(default_factory=CountTable.empty)
    name_counts: Counter[str] = field(default_factory=Counter)

    def with_pages(self, records: Iterable[PageRecord]) -> Knowledge:
        """Return the knowledge with these pages added, without the oldest above the limits."""
        knowledge = self
        for record in records:
            known = knowledge.pages.get(record.key)
            if known is None or known.at < record.at:  # of the same page the newest record counts
                knowledge = knowledge._with_page(record)
        return knowledge

    def view(self, record: PageRecord, signatures: Signatures) -> SiteView:
        """Return the view of the site from the page of `record` and `signatures`."""
        keys = self._near_duplicates(record.simhash) | {record.key}
        return SiteView(self, signatures, [self.voting[k] for k in sorted(keys & {*self.voting})])

    @property
    def voters(self) -> int:
        """Number of pages that vote."""
        return len(self.voting)

    @cached_property
    def size(self) -> int:
        """Approximate bytes in memory."""
        return sum(record.size for record in self.pages.values())

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the site and its sections that titles repeat, most frequent first."""
        threshold = max(MIN_NAME_PAGES, MIN_NAME_SHARE * self.voters)
        ranked = sorted(self.name_counts.items(), key=lambda entry: (-entry[1], entry[0]))
        return tuple(name for name, count in ranked if count >= threshold)

    @cached_property
    def _simhashes(self) -> tuple[list[bytes], Hashes]:
        simhashes = {k: r.simhash for k, r in self.pages.items() if r.simhash is not None}
        return list(simhashes), np.array(list(simhashes.values()), dtype=np.uint64).reshape(-1, 2)

    def _near_duplicates(self, simhash: Hashes | None) -> set[bytes]:
        keys, rows = self._simhashes
        if simhash is None or not keys:
            return set()
        return {keys[row] for row in np.flatnonzero(match_simhashes(simhash, rows)).tolist()}

    def _with_page(self, record: PageRecord) -> Knowledge:
        replaced = self.pages.get(record.key)
        pages, changed = {**self.pages, record.key: record}, [record]
        size = self.size + record.size - (0 if replaced is None else replaced.size)
        while len(pages) > self.max_pages or size > MAX_BYTES:
            oldest = min(pages.values(), key=lambda each: (each.at, each.key))
            del pages[oldest.key]
            size -= oldest.size
            changed.append(oldest)
        if replaced is not None:
            changed.append(replaced)
        return replace(self, pages=pages)._recount(changed)

    def _recount(self, changed: Iterable[PageRecord]) -> Knowledge:
        """Return the knowledge with the votes of changed pages and of their near-duplicates."""
        voting = dict(self.voting)
        keys = {each.key for each in changed}.union(
            *(self._near_duplicates(each.simhash) for each in changed)
        )
        for key in keys:
            voting.pop(key, None)
            record = self.pages.get(key)
            if record is not None and key <= min(
                self._near_duplicates(record.simhash), default=key
            ):
                voting[key] = record
        knowledge = replace(self, voting=voting)
        for key in keys:
            before, after = self.voting.get(key), voting.get(key)
            if before is not after:
                if before is not None:
                    knowledge = knowledge._count(before, -1)
                if after is not None:
                    knowledge = knowledge._count(after, 1)
        return knowledge

    def _count(self, record: PageRecord, sign: int) -> Knowledge:
        """Add the page to the sums (`sign` 1), or subtract it (-1)."""

        def ones(keys: Hashes) -> Counts:
            return np.full((len(keys), 1), sign, dtype=np.int32)

        path_texts = record.paths << np.uint64(32) | record.digests
        contents = np.stack((np.ones(len(record.paths)), record.contents), axis=1)
        names = self.name_counts.copy()
        names.update(dict.fromkeys(record.names, sign))
        return replace(
            self,
            texts=self.texts.add(record.texts, ones(record.texts)),
            paths=self.paths.add(record.paths, (sign * contents).astype(np.int32)),
            path_texts=self.path_texts.add(path_texts, ones(path_texts)),
            links=self.links.add(record.links, ones(record.links)),
            name_counts=+names,
        )


@dataclass(frozen=True, eq=False)
class SiteView:
    """Statistics of a site as seen from one of its pages; columns are float[n_blocks].

    The page itself and its near-duplicates are not counted. A second crawl of an article, its print
    version or its AMP version would make its own text look repeated. On fundus that costs .005
    token F1. Only `path_importance` counts them, as evidence of variety.
    """

    knowledge: Knowledge
    signatures: Signatures
    duplicates: Sequence[PageRecord]

    @cached_property
    def pages(self) -> int:
        """Number of other pages that vote."""
        return self.knowledge.voters - len(self.duplicates)

    @cached_property
    def text_pages(self) -> FloatArray:
        """Number of other pages that have the text of the block."""
        texts = self.signatures.texts
        return self._without_duplicates(self.knowledge.texts.look_up(texts)[:, 0], texts, "texts")

    @cached_property
    def path_pages(self) -> FloatArray:
        """Number of other pages that have the class path of the block."""
        paths = self.signatures.paths
        return self._without_duplicates(self._path_counts[:, 0], paths, "paths")

    @cached_property
    def path_content(self) -> FloatArray:
        """Sum over these pages of the share of the words at the path that are content."""
        sums = self._path_counts[:, 1].copy()
        for record in self.duplicates:
            positions, known = locate_keys(self.signatures.paths, record.paths)
            sums[known] -= record.contents[positions[known]]
        return sums / 255

    @cached_property
    def path_importance(self) -> FloatArray:
        """Variety of the texts at the path: 0 if always the same, 1 if always different.

        The value is the entropy divided by the log of the number of pages. This is the importance
        of a node in the Site Style Tree (Yi, Liu and Li 2003). It is 1 where fewer than two pages
        have the path.
        """
        table = self.knowledge.path_texts
        low = self.signatures.paths << np.uint64(32)
        first = np.searchsorted(table.keys, low)
        end = np.searchsorted(table.keys, low | np.uint64(0xFFFFFFFF), side="right")
        counts = table.counts[:, 0].astype(np.float64)
        sums = np.concatenate(([0.0], np.cumsum(counts)))
        logs = np.concatenate(([0.0], np.cumsum(counts * np.log(np.maximum(counts, 1)))))
        pages = sums[end] - sums[first]
        several = np.maximum(pages, 2)
        entropy = np.log(several) - (logs[end] - logs[first]) / several
        return np.where(pages >= 2, entropy / np.log(several), 1.0)

    @cached_property
    def link_pages(self) -> FloatArray:
        """Mean over the links and images in the block of the share of pages that have them.

        0 for a block without any.
        """
        n_blocks, blocks = len(self.signatures.texts), self.signatures.link_blocks
        links = self.signatures.links & np.uint64(0xFFFFFFFF)
        counts = self.knowledge.links.look_up(links)[:, 0]
        counts = self._without_duplicates(counts, links, "links")
        sums = np.bincount(blocks, counts, n_blocks)
        numbers = np.bincount(blocks, minlength=n_blocks)
        shares: FloatArray = sums / np.maximum(numbers, 1) / max(1, self.pages)
        return shares

    @cached_property
    def _path_counts(self) -> FloatArray:
        return self.knowledge.paths.look_up(self.signatures.paths)

    def _without_duplicates(self, counts: FloatArray, keys: Hashes, column: str) -> FloatArray:
        """Subtract from `counts` at `keys` the near-duplicates that have these keys in `column`."""
        for record in self.duplicates:
            counts = counts - locate_keys(keys, getattr(record, column))[1]
        return counts
