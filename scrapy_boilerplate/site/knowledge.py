"""The statistics of one site: an immutable sum over its pages; the order of adding does not matter.

What is known is a function of the set of pages alone: the newest pages that fit are remembered, and
of near-duplicates one votes, the one with the smallest key. So the statistics of workers merge by
the union of their pages, a page that arrives twice counts once, and a redesign is learnt as old
pages leave.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from scrapy_boilerplate.page.labels import BoolArray
from scrapy_boilerplate.site.fingerprints import near
from scrapy_boilerplate.site.hashing import Hashes
from scrapy_boilerplate.site.names import learnt_names
from scrapy_boilerplate.site.observation import PageRecord
from scrapy_boilerplate.site.tally import Counts, Tally

MAX_BYTES = 1_000_000
"""What the statistics of a site may take in memory."""
MAX_PAGES = 100
"""Pages that are remembered unless told otherwise: LEARNING.md finds that a line filter works from
the second page on, and our sweep (docs/site.md) little more after 20."""

Age = tuple[int, bytes]
"""When a page was seen, and its key."""


@dataclass(frozen=True, eq=False)
class Knowledge:
    """What is known of a site. `pages` key to page; `blockers` key to the number of its
    near-duplicates with a smaller key: pages with none vote.

    `horizon` is the newest page that was let go: older ones do not come back.
    """

    max_pages: int = MAX_PAGES
    pages: Mapping[bytes, PageRecord] = field(default_factory=dict)
    blockers: Mapping[bytes, int] = field(default_factory=dict)
    texts: Tally = field(default_factory=Tally.empty)
    paths: Tally = field(default_factory=lambda: Tally.empty(2))
    said: Tally = field(default_factory=Tally.empty)
    links: Tally = field(default_factory=Tally.empty)
    name_counts: Counter[str] = field(default_factory=Counter)
    size: int = 0
    horizon: Age = (-1, b"")

    def __add__(self, other: Knowledge) -> Knowledge:
        """The knowledge of the pages of both."""
        merged = replace(self, horizon=max(self.horizon, other.horizon))
        return merged.added(other.pages.values())._bounded()

    def added(self, records: Iterable[PageRecord]) -> Knowledge:
        """The knowledge of these pages as well."""
        knowledge = self
        for record in records:
            knowledge = knowledge._with(record)
        return knowledge

    @cached_property
    def voters(self) -> int:
        """Pages that vote: of near-duplicates one."""
        return sum(not count for count in self.blockers.values())

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the site and its sections, as titles repeat them."""
        return learnt_names(self.name_counts, self.voters)

    def voting_near(self, key: bytes, simhash: Hashes | None) -> list[PageRecord]:
        """The voting pages that are this page, or near-duplicates of it."""
        found = self._near(simhash) | ({key} & self.pages.keys())
        return [self.pages[one] for one in sorted(found) if not self.blockers[one]]

    @cached_property
    def _simhashes(self) -> tuple[list[bytes], Hashes]:
        known = {k: r.simhash for k, r in self.pages.items() if r.simhash is not None}
        rows = np.array(list(known.values()), dtype=np.uint64).reshape(-1, 2)
        return list(known), rows

    def _near(self, simhash: Hashes | None) -> set[bytes]:
        keys, rows = self._simhashes
        if simhash is None or not keys:
            return set()
        found: BoolArray = near(simhash, rows)
        return {keys[number] for number in np.flatnonzero(found).tolist()}

    def _with(self, record: PageRecord) -> Knowledge:
        known = self.pages.get(record.key)
        if known is not None:  # the same page again: it is as its newest sight
            if not _is_newer(record, known):
                return self
            without = self._without((known.at, known.key))
            return replace(without, horizon=self.horizon)._with(record)
        if (record.at, record.key) <= self.horizon:
            return self
        relatives = self._near(record.simhash)
        blockers = dict(self.blockers)
        blockers[record.key] = sum(one < record.key for one in relatives)
        knowledge = self
        for one in relatives:
            if one > record.key:
                if not blockers[one]:
                    knowledge = knowledge._counted(self.pages[one], -1)
                blockers[one] += 1
        if not blockers[record.key]:
            knowledge = knowledge._counted(record, 1)
        pages, size = {**self.pages, record.key: record}, self.size + record.size
        return replace(knowledge, pages=pages, blockers=blockers, size=size)._bounded()

    def _bounded(self) -> Knowledge:
        """Without the oldest pages that are too many, or older than one that was let go."""
        knowledge = self
        ages = sorted((record.at, key) for key, record in self.pages.items())
        for age in ages:
            over = len(knowledge.pages) > self.max_pages or knowledge.size > MAX_BYTES
            if not over and age > self.horizon:
                break
            knowledge = knowledge._without(age)
        return knowledge

    def _without(self, age: Age) -> Knowledge:
        record = self.pages[age[1]]
        pages, blockers = dict(self.pages), dict(self.blockers)
        del pages[record.key]
        knowledge = self if blockers.pop(record.key) else self._counted(record, -1)
        for one in self._near(record.simhash):
            if one > record.key:
                blockers[one] -= 1
                if not blockers[one]:
                    knowledge = knowledge._counted(self.pages[one], 1)
        size, horizon = self.size - record.size, max(self.horizon, age)
        return replace(knowledge, pages=pages, blockers=blockers, size=size, horizon=horizon)

    def _counted(self, record: PageRecord, sign: int) -> Knowledge:
        said = record.paths << np.uint64(32) | record.digests
        of_paths = np.stack((np.ones(len(record.paths)), record.contents), axis=1)
        names = self.name_counts.copy()
        names.update(dict.fromkeys(record.names, sign))
        return replace(
            self,
            texts=self.texts.changed(record.texts, _each(record.texts, sign)),
            paths=self.paths.changed(record.paths, (sign * of_paths).astype(np.int32)),
            said=self.said.changed(said, _each(said, sign)),
            links=self.links.changed(record.links, _each(record.links, sign)),
            name_counts=+names,
        )


def _is_newer(record: PageRecord, known: PageRecord) -> bool:
    """Of two sights of one page; what a key leaves out decides between those of one moment."""
    if record.at != known.at:
        return record.at > known.at
    return record.packed() > known.packed()


def _each(keys: Hashes, sign: int) -> Counts:
    return np.full((len(keys), 1), sign, dtype=np.int32)
