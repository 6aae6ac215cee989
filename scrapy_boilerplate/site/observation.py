"""What is remembered of one page: hashes and shares, a few kilobytes."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.page.labels import FloatArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.site.fingerprints import simhash_words
from scrapy_boilerplate.site.hashing import Hashes, digest_of
from scrapy_boilerplate.site.names import title_ends
from scrapy_boilerplate.site.signatures import Signatures

MOST = 1_000
"""Texts, paths and links of a page that are remembered, each; pages have 240 blocks on average."""
CONTENT = 0.5
"""Score from which a block counts for the page's own text."""
FORMAT = b"SP2"
"""The first bytes of a packed page; the number counts the ways texts were hashed."""

_HEAD = struct.Struct("<3sqB4H")
_TYPES = ("<u8", "<u4", "u1", "<u4", "<u4")
"""texts, paths, contents, digests, links."""
_TALLIED = 12
"""Bytes of an entry of a tally: a key and a count."""
_PATH_TALLIED = 28
"""Bytes of a class path in both tallies: of the paths, with two counts, and of what is there."""


class PackedPageError(ValueError):
    """Bytes that are no packed page."""


@dataclass(frozen=True, eq=False)
class PageRecord:
    """What one page adds to the statistics of its site; it depends on this page alone.

    at        when it was seen, milliseconds since 1970: which pages are remembered
    texts     uint64, sorted, distinct: the normalised texts of its blocks
    paths     uint64, sorted, distinct: the class paths of its blocks
    contents  uint8 beside `paths`: share of the words there that were content, 255 for all
    digests   uint64 beside `paths`: 32 bits of what the page says there
    links     uint64, sorted, distinct: link targets and images
    simhash   uint64[2] of its own text, None if that is short
    names     first and last parts of its title
    """

    at: int
    texts: Hashes
    paths: Hashes
    contents: NDArray[np.uint8]
    digests: Hashes
    links: Hashes
    simhash: Hashes | None
    names: tuple[str, ...]

    @cached_property
    def key(self) -> bytes:
        """16 bytes that name the page: equal for pages that say the same in the same places."""
        return digest_of((self.texts, self.paths, self.digests, self.links))

    @property
    def size(self) -> int:
        """Bytes that it takes here and at most in the sums, about."""
        columns = (self.texts, self.paths, self.contents, self.digests, self.links)
        sums = _TALLIED * (len(self.texts) + len(self.links)) + _PATH_TALLIED * len(self.paths)
        return sum(column.nbytes for column in columns) + sums + 1_000

    def packed(self) -> bytes:
        """Bytes for a store; no pickle."""
        columns: tuple[NDArray[Any], ...] = (
            *(self.texts, self.paths, self.contents),
            *(self.digests, self.links),
        )
        names = "\n".join(self.names).encode("utf-8", "surrogatepass")
        simhash = b"" if self.simhash is None else self.simhash.astype("<u8").tobytes()
        head = _HEAD.pack(FORMAT, self.at, len(simhash), len(self.texts), len(self.paths),
                          len(self.links), len(names))  # fmt: skip
        body = b"".join(
            column.astype(t).tobytes() for column, t in zip(columns, _TYPES, strict=True)
        )
        return head + simhash + body + names

    @staticmethod
    def unpacked(data: bytes) -> PageRecord:
        """The page of `packed`. Raises PackedPageError."""
        try:
            form, at, *sizes = _HEAD.unpack_from(data)
        except struct.error as error:
            raise PackedPageError("no page of a site: too short") from error
        of_simhash, texts, paths, links, names = sizes
        counts = (texts, paths, paths, paths, links)
        lengths = [np.dtype(t).itemsize * n for t, n in zip(_TYPES, counts, strict=True)]
        if form != FORMAT or _HEAD.size + of_simhash + sum(lengths) + names != len(data):
            raise PackedPageError("no page of a site, or of another version")
        start = _HEAD.size + of_simhash
        columns: list[Any] = []
        for kind, length in zip(_TYPES, lengths, strict=True):
            column = np.frombuffer(data, kind, length // np.dtype(kind).itemsize, start)
            columns.append(column.astype(np.uint8 if kind == "u1" else np.uint64))
            start += length
        simhash = np.frombuffer(data, "<u8", of_simhash // 8, _HEAD.size).astype(np.uint64)
        try:
            written = data[start:].decode("utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            raise PackedPageError("no page of a site: its names are no text") from error
        names_of_title = tuple(written.split("\n")) if written else ()
        seen, places, contents, digests, targets = columns
        own = simhash if len(simhash) == 2 else None
        return PageRecord(at, seen, places, contents, digests, targets, own, names_of_title)


def record_of(page: Page, signatures: Signatures, content: FloatArray, at: int) -> PageRecord:
    """What to remember of `page`, whose blocks are content with the probability `content`."""
    paths, inverse = np.unique(signatures.paths, return_inverse=True)
    words = np.maximum(page.words, 1).astype(np.float64)
    totals = np.bincount(inverse, words, len(paths))
    shares = np.bincount(inverse, words * content, len(paths)) / np.maximum(totals, 1)
    return PageRecord(
        at=at,
        texts=np.unique(signatures.texts)[:MOST],
        paths=paths[:MOST],
        contents=np.rint(255 * np.clip(shares, 0, 1)).astype(np.uint8)[:MOST],
        digests=path_digests(signatures.texts, inverse, len(paths))[:MOST],
        links=np.unique(signatures.links & np.uint64(0xFFFFFFFF))[:MOST],
        simhash=simhash_words(own_text(page, content)),
        names=title_ends(page.title),
    )


def path_digests(texts: Hashes, path_numbers: NDArray[np.int64], size: int) -> Hashes:
    """uint64[size]: 32 bits of all texts of each path, in whatever order."""
    sums = np.zeros(size, dtype=np.uint64)
    np.add.at(sums, path_numbers, texts)
    return sums >> np.uint64(32)


def own_text(page: Page, content: FloatArray) -> str:
    """The text of the blocks that are content rather than not: what makes it this page."""
    return "\n".join(page.texts[block] for block in np.flatnonzero(content >= CONTENT).tolist())
