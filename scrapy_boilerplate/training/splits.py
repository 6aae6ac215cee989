"""Site-disjoint splits: no site is on both sides, and every machine cuts alike.

The side of a site follows from a hash of its registered domain alone: no random state, no order of
pages, no other pages. (Only another Public Suffix List could move a site.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b

from scrapy_boilerplate.training.corpora import LabelledPage

_HASH_BYTES = 6  # 48 bits: exact as a float, never rounded up to 1


def position(site: str, salt: str = "") -> float:
    """A number in [0, 1) that belongs to the site; another `salt` shuffles anew."""
    digest = blake2b(site.lower().encode(), digest_size=_HASH_BYTES, key=salt.encode()).digest()
    return int.from_bytes(digest, "big") / float(1 << 8 * _HASH_BYTES)


def fold_of(site: str, folds: int, salt: str = "") -> int:
    """The fold of a site, 0 to ``folds - 1``."""
    return int(position(site, salt) * folds)


def split(
    pages: Iterable[LabelledPage], held_out: float, salt: str = ""
) -> tuple[list[LabelledPage], list[LabelledPage]]:
    """(the rest, the pages of about the share `held_out` of the sites)."""
    rest: list[LabelledPage] = []
    held: list[LabelledPage] = []
    for page in pages:
        (held if position(page.site, salt) < held_out else rest).append(page)
    return rest, held


def cross_validation(
    pages: Iterable[LabelledPage], folds: int, salt: str = ""
) -> Iterator[tuple[list[LabelledPage], list[LabelledPage]]]:
    """(training pages, test pages) of each fold in turn; every page is tested once."""
    placed = [(fold_of(page.site, folds, salt), page) for page in pages]
    for fold in range(folds):
        yield (
            [page for place, page in placed if place != fold],
            [page for place, page in placed if place == fold],
        )
