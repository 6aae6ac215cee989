"""What is known of a site, seen from one of its pages: columns over its blocks.

The page itself and its near-duplicates are not counted: the same article crawled again, printed, or
as AMP would make its own text look repeated (without that guard fundus loses .005 in the notes that
this project began with). Only `path_importance` counts them, where they speak for variety.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scrapy_boilerplate.page.labels import FloatArray
from scrapy_boilerplate.site.hashing import Hashes
from scrapy_boilerplate.site.knowledge import Knowledge
from scrapy_boilerplate.site.observation import PageRecord
from scrapy_boilerplate.site.signatures import Signatures
from scrapy_boilerplate.site.tally import places_of


@dataclass(frozen=True, eq=False)
class SiteView:
    """The other pages of the site, as far as they are known and vote; computed when asked.

    `pages` is their number. Columns are float[n_blocks].
    """

    knowledge: Knowledge
    signatures: Signatures
    near: Sequence[PageRecord]

    @cached_property
    def pages(self) -> int:
        """Number of other pages that vote."""
        return self.knowledge.voters - len(self.near)

    @cached_property
    def text_pages(self) -> FloatArray:
        """Pages that say the text of the block as well."""
        counts = self.knowledge.texts.at(self.signatures.texts)[:, 0]
        return self._without_near(counts, self.signatures.texts, "texts")

    @cached_property
    def path_pages(self) -> FloatArray:
        """Pages that have the block's class path."""
        return self._without_near(self._path_counts[:, 0], self.signatures.paths, "paths")

    @cached_property
    def path_content(self) -> FloatArray:
        """Sum over these pages of the share of the words at the path that were content."""
        sums = self._path_counts[:, 1].copy()
        for record in self.near:
            at, same = places_of(self.signatures.paths, record.paths)
            sums[same] -= record.contents[at[same]]
        return sums / 255

    @cached_property
    def path_importance(self) -> FloatArray:
        """How varied is what pages say at the path: 0 always the same, 1 always something else.

        The entropy over the log of the number of pages, as the importance of a node in the Site
        Style Tree (Yi, Liu and Li 2003); 1 where fewer than two pages have the path.
        """
        said = self.knowledge.said
        first, end = self._range(said.keys)
        counts = said.counts[:, 0].astype(np.float64)
        sums = np.concatenate(([0.0], np.cumsum(counts)))
        logs = np.concatenate(([0.0], np.cumsum(counts * np.log(np.maximum(counts, 1)))))
        pages = sums[end] - sums[first]
        several = np.maximum(pages, 2)
        entropy = np.log(several) - (logs[end] - logs[first]) / several
        return np.where(pages >= 2, entropy / np.log(several), 1.0)

    @cached_property
    def link_pages(self) -> FloatArray:
        """Mean over the links and images in the block: share of the pages that have it too; 0
        without any."""
        n = len(self.signatures.texts)
        links = self.signatures.links & np.uint64(0xFFFFFFFF)
        counts = self._without_near(self.knowledge.links.at(links)[:, 0], links, "links")
        sums = np.bincount(self.signatures.link_blocks, counts, n)
        numbers = np.bincount(self.signatures.link_blocks, minlength=n)
        shares: FloatArray = sums / np.maximum(numbers, 1) / max(1, self.pages)
        return shares

    @cached_property
    def _path_counts(self) -> FloatArray:
        return self.knowledge.paths.at(self.signatures.paths)

    def _without_near(self, counts: FloatArray, keys: Hashes, column: str) -> FloatArray:
        """`counts` at `keys` without those of the near-duplicates, which have them in `column`."""
        for record in self.near:
            counts = counts - places_of(keys, getattr(record, column))[1]
        return counts

    def _range(self, said: Hashes) -> tuple[np.ndarray, np.ndarray]:
        low = self.signatures.paths << np.uint64(32)
        high = low | np.uint64(0xFFFFFFFF)
        return np.searchsorted(said, low), np.searchsorted(said, high, side="right")


def view_of(knowledge: Knowledge, record: PageRecord, signatures: Signatures) -> SiteView:
    """The site as the page of `record` and `signatures` sees it."""
    return SiteView(knowledge, signatures, knowledge.voting_near(record.key, record.simhash))
