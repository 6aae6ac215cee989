"""The URLs of a crawl, in SQLite: which wait, which were requested, and what their pages were.

With a file it is the state of a crawl that is resumed or run again. The URLs of a site wait in arms:
one for each context of a link and shape of a URL. What the pages of an arm were decides which arm is
next.
"""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from scrapy_boilerplate.crawl.spider.urls import (
    FOOT,
    NAV,
    NEXT,
    TEXT,
    TITLE,
    create_key,
    describe_shape,
    estimate_article,
    hash_text,
)

MAX_WAITING = 100_000  # URLs of a crawl
MAX_KNOWN = 1_000_000  # requested URLs and texts of articles, the newest
MAX_ARMS = 500  # of a site
MAX_WRITES = 500  # between two commits
PRIOR_PAGES = 3  # pages that weigh as much as a prior
LIKELY = 0.5  # probability from which a link counts as an article
SOURCE_SHARE = 0.08  # of requests for lists of articles, while articles wait
FIRST_SOURCES = 4  # such requests that are always allowed
BARREN_PAGES = 6  # pages of an arm without a new link until it ends
MAX_SECTIONS = 50  # lists of a site that a second run requests again

# arms of lists of articles, in the order of their requests
HOME, ROBOTS, FEEDS, SECTIONS, SITEMAPS = "@home", "@robots", "@feed", "@section", "@sitemap"
SOURCES = (HOME, ROBOTS, FEEDS, SECTIONS, SITEMAPS)
# new likely articles on a page, before the site has shown any
EXPECTED_LINKS = {NAV: 3.0, NEXT: 4.0, TEXT: 1.0, TITLE: 0.5, FOOT: 0.3}

QUEUED, REQUESTED, ARTICLE, OTHER, CLAIMED = range(5)

_CREATE = """
create table if not exists urls (
    key integer primary key, site text, state integer, at real, url text, arm text, context text,
    date real, is_dated integer, depth integer, found_in text, links integer
);
create index if not exists waiting on urls (site, arm, date) where state = 0;
create index if not exists lists on urls (site, links) where links > 0;
create table if not exists arms (
    site text, arm text, tried integer, articles integer, primary key (site, arm)
) without rowid;
begin;
"""
_COLUMNS = "url, context, date, is_dated, depth, found_in, arm"
_NEXT = f"""
select key, {_COLUMNS} from urls where site = ? and arm = ? and state = 0
order by date desc limit 1
"""  # noqa: S608 - our own constant


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A URL to request.

    date      timestamp of its publication or last change; an estimate unless `is_dated`
    depth     links from the home page to it
    found_in  URL of the feed, sitemap or page that links to it
    arm       one of SOURCES; "" for pages
    """

    url: str
    context: str
    date: float
    is_dated: bool = False
    depth: int = 0
    found_in: str = ""
    arm: str = ""


@dataclass(kw_only=True)
class Arm:
    """What the pages of an arm were: `links` are new likely articles on `listed` pages."""

    context: str
    generic: str
    prior: float
    tried: int = 0
    articles: int = 0
    listed: int = 0
    links: int = 0
    waiting: int = 0

    @property
    def is_barren(self) -> bool:
        """Whether the pages of the arm list no new articles."""
        return self.listed >= BARREN_PAGES and self.links * BARREN_PAGES < self.listed

    @property
    def expected_links(self) -> float:
        """The new likely articles that the next page is expected to list."""
        prior = EXPECTED_LINKS.get(self.context, 0.5)
        return _blend(self.links, self.listed, prior)


@dataclass
class SiteQueue:
    """The arms of a site, its requests, and of these the ones for lists of articles."""

    site: str
    arms: dict[str, Arm] = field(default_factory=dict)
    generics: dict[str, Arm] = field(default_factory=dict)
    saved: dict[str, tuple[int, int]] = field(default_factory=dict)
    waiting: int = 0
    requests: int = 0
    sources: int = 0
    skipped: Counter[str] = field(default_factory=Counter)

    def find_arm(self, candidate: Candidate) -> str:
        """Return the name of the arm of a candidate, which is added if it is new."""
        context = candidate.context
        shape, generic_shape = describe_shape(candidate.url)
        name, generic = candidate.arm or f"{context} {shape}", f"{context} {generic_shape}"
        if name not in self.arms and len(self.arms) >= MAX_ARMS:
            name = generic
        for arms, each in ((self.generics, generic), (self.arms, name)):
            if each not in arms:
                tried, articles = self.saved.get(each, (0, 0)) if arms is self.arms else (0, 0)
                prior = estimate_article(candidate.url, context)
                arms[each] = Arm(
                    context=context, generic=generic, prior=prior, tried=tried, articles=articles
                )
        return name

    def find_probability(self, name: str) -> float:
        """Return the probability that a page of an arm is an article."""
        if name in SOURCES:
            return 0.0
        arm = self.arms[name]
        generic = self.generics[arm.generic]
        prior = _blend(generic.articles, generic.tried, arm.prior)
        return _blend(arm.articles, arm.tried, prior)

    def ends(self, name: str) -> bool:
        """Return whether pages of an arm are no longer requested: a trap, or nothing new."""
        if name in SOURCES and name != SITEMAPS:
            return False
        return self.arms[name].is_barren and self.find_probability(name) < LIKELY

    def allows_source(self) -> bool:
        """Return whether a list of articles may be requested while articles wait."""
        return self.sources < FIRST_SOURCES + SOURCE_SHARE * self.requests


def _blend(hits: float, tried: int, prior: float) -> float:
    return (hits + PRIOR_PAGES * prior) / (tried + PRIOR_PAGES)


class Frontier:
    """The URLs of all sites of a crawl, in the file `path`, or in memory."""

    def __init__(self, path: Path | None, sites: Iterable[str]) -> None:
        """Open the file. Raises sqlite3.Error."""
        self._db = sqlite3.connect(path or ":memory:", isolation_level=None)
        self._db.execute("pragma synchronous = off")
        self._db.executescript(_CREATE)
        self._opened = time.time()
        self._writes = 0
        [[self._known]] = self._db.execute("select count(*) from urls where state > 1")
        self.queues = {site: SiteQueue(site) for site in sites}
        for queue in self.queues.values():
            self._load(queue)

    def _load(self, queue: SiteQueue) -> None:
        """Queue again what was interrupted, and the lists that gave most in an earlier run."""
        site = queue.site
        self._write("update urls set state = 0 where site = ? and state = ?", (site, REQUESTED))
        self._write(
            "update urls set state = 0, arm = ? where key in (select key from urls where site = ? "
            "and links > 0 and state = ? order by links desc limit ?)",
            (SECTIONS, site, OTHER, MAX_SECTIONS),
        )
        rows = self._db.execute("select arm, tried, articles from arms where site = ?", (site,))
        queue.saved = {name: (tried, articles) for name, tried, articles in rows}
        for *columns, waiting in self._db.execute(
            f"select {_COLUMNS}, count(*) from urls where site = ? and state = 0 group by arm",  # noqa: S608
            (site,),
        ).fetchall():
            candidate = _read_candidate(columns)
            arm = queue.find_arm(candidate)
            queue.arms[arm].waiting += waiting
            queue.waiting += waiting
            self._write(
                "update urls set arm = ? where site = ? and arm = ? and state = 0",
                (arm, site, columns[-1]),
            )

    def add(self, site: str, candidate: Candidate) -> float:
        """Queue a URL; return the probability that it is an article, 0 unless it is new.

        A known page is queued again if it was changed after its request; so is a source.
        """
        queue, key = self.queues[site], create_key(candidate.url)
        if key is None:
            queue.skipped["bad URL"] += 1
            return 0.0
        known = self._find(key)
        if known is not None:
            state, at = known
            is_changed = candidate.is_dated and candidate.date > at
            if not candidate.is_dated:
                is_changed = candidate.arm in SOURCES and at < self._opened
            if state in (QUEUED, REQUESTED) or not is_changed:
                return 0.0
        name = queue.find_arm(candidate)
        if queue.ends(name):
            queue.skipped["trap"] += 1
            return 0.0
        if queue.waiting >= MAX_WAITING // len(self.queues):
            queue.skipped["queue full"] += 1
            return 0.0
        row = (candidate.url, name, candidate.context, candidate.date, candidate.is_dated)
        self._write(
            "insert or replace into urls values (?, ?, 0, 0, ?, ?, ?, ?, ?, ?, ?, 0)",
            (key, site, *row, candidate.depth, candidate.found_in),
        )
        queue.arms[name].waiting += 1
        queue.waiting += 1
        return queue.find_probability(name) or 1.0

    def pop(self, site: str) -> Candidate | None:
        """Return the next URL of a site to request; its `arm` is set.

        The newest likely article is next; a source is, if it is newer and `allows_source`.
        """
        queue = self.queues[site]
        self._drop_ended(queue)
        waiting = [name for name, arm in queue.arms.items() if arm.waiting]
        likely = {name for name in waiting if queue.find_probability(name) >= LIKELY}
        best = max(map(self._peek, [queue] * len(likely), likely), default=None, key=_get_date)
        sources = [name for name in waiting if name not in likely]
        chosen = best
        if sources and (best is None or queue.allows_source()):
            name = min(sources, key=lambda name: _rank_source(queue, name))
            source = self._peek(queue, name)
            if best is None or name in (HOME, ROBOTS) or source[1].date >= best[1].date:
                chosen = source
        if chosen is None:
            return None
        key, candidate = chosen
        self._write("update urls set state = ? where key = ?", (REQUESTED, key))
        queue.arms[candidate.arm].waiting -= 1
        queue.waiting -= 1
        queue.requests += 1
        queue.sources += candidate.arm not in likely
        return candidate

    def _peek(self, queue: SiteQueue, name: str) -> tuple[int, Candidate]:
        key, *columns = self._db.execute(_NEXT, (queue.site, name)).fetchone()
        return key, _read_candidate(columns)

    def _drop_ended(self, queue: SiteQueue) -> None:
        for name, arm in queue.arms.items():
            if arm.waiting and queue.ends(name):
                self._write(
                    "delete from urls where site = ? and arm = ? and state = 0", (queue.site, name)
                )
                queue.skipped["trap"] += arm.waiting
                queue.waiting -= arm.waiting
                arm.waiting = 0

    def learn(
        self,
        site: str,
        candidate: Candidate,
        *,
        is_article: bool,
        looks_like_article: bool | None = None,
        links: int = 0,
    ) -> None:
        """Record what the page of a URL was, and how many new likely articles it lists.

        `looks_like_article` says what the page alone tells, which is what an arm learns.
        """
        queue, key = self.queues[site], create_key(candidate.url)
        name = candidate.arm if candidate.arm in queue.arms else queue.find_arm(candidate)
        arm = queue.arms[name]
        for each in (arm, queue.generics[arm.generic]):
            each.tried += 1
            each.articles += is_article if looks_like_article is None else looks_like_article
            each.listed += not is_article
            each.links += links
        # feeds and sitemaps are found again; other lists are requested again while they give links
        kept = 0 if is_article or name in (HOME, ROBOTS, FEEDS, SITEMAPS) else links
        half = 2 if name == SECTIONS else MAX_KNOWN
        self._write(
            "update urls set state = ?, at = ?, links = max(?, links / ?), "
            "url = case when max(?, links / ?) then url end, found_in = null where key = ?",
            (ARTICLE if is_article else OTHER, time.time(), kept, half, kept, half, key),
        )
        self._known += 1

    def claim(self, site: str, url: str) -> bool:
        """Record that a URL is another one of a page; return False if it was an article before."""
        key = create_key(url)
        known = None if key is None else self._find(key)
        if known is not None and known[0] == QUEUED:
            [[name]] = self._db.execute("select arm from urls where key = ?", (key,))
            self._write("update urls set state = ? where key = ?", (CLAIMED, key))
            self.queues[site].arms[name].waiting -= 1
            self.queues[site].waiting -= 1
        elif known is None and key is not None:
            self._insert_known(key, site)
        return known is None or known[0] != ARTICLE

    def claim_text(self, site: str, fingerprint: str) -> bool:
        """Record the text of an article; return False if the site had it before."""
        key = hash_text(f"{site} {fingerprint}")
        is_new = self._find(key) is None
        if is_new:
            self._insert_known(key, site)
        return is_new

    def _insert_known(self, key: int, site: str) -> None:
        self._write(
            "insert into urls (key, site, state, at, links) values (?, ?, ?, ?, 0)",
            (key, site, CLAIMED, time.time()),
        )
        self._known += 1

    def _find(self, key: int) -> tuple[int, float] | None:
        row = self._db.execute("select state, at from urls where key = ?", (key,)).fetchone()
        return None if row is None else (row[0], row[1])

    def _write(self, statement: str, values: tuple[object, ...]) -> None:
        self._db.execute(statement, values)
        self._writes += 1
        if self._writes >= MAX_WRITES:
            self.commit()

    def commit(self) -> None:
        """Write to the file, and forget the oldest pages above MAX_KNOWN."""
        self._writes = 0
        if self._known > MAX_KNOWN:
            self._db.execute(
                "delete from urls where key in "
                "(select key from urls where state > 1 order by at limit ?)",
                (MAX_KNOWN // 10,),
            )
            self._known -= MAX_KNOWN // 10
        self._db.execute("commit")
        self._db.execute("begin")

    def close(self) -> None:
        """Write what was learned, and close the file."""
        for queue in self.queues.values():
            self._db.executemany(
                "insert or replace into arms values (?, ?, ?, ?)",
                [(queue.site, name, arm.tried, arm.articles) for name, arm in queue.arms.items()],
            )
        self._db.execute("commit")
        self._db.close()


def _read_candidate(columns: list[object]) -> Candidate:
    url, context, date, is_dated, depth, found_in, arm = columns
    return Candidate(
        url=str(url),
        context=str(context),
        date=float(date),  # type: ignore[arg-type]
        is_dated=bool(is_dated),
        depth=int(depth),  # type: ignore[call-overload]
        found_in=str(found_in),
        arm=str(arm),
    )


def _get_date(row: tuple[int, Candidate]) -> float:
    return row[1].date


def _rank_source(queue: SiteQueue, name: str) -> tuple[int, float]:
    if name in SOURCES:
        return SOURCES.index(name), 0.0
    return len(SOURCES), -queue.arms[name].expected_links - queue.find_probability(name)
