"""The URLs of a crawl, in SQLite: which wait, which were requested, and with which result.

With a file it is the state of a crawl that is resumed or run again. The URLs of a site wait in
arms, one for each context of a link and shape of a URL; the results of an arm decide
when its next URL is requested.
"""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scrapy_boilerplate.crawl.spider import urls
from scrapy_boilerplate.crawl.spider.discovery import FEEDS, SITEMAPS, Link

MAX_WAITING = 100_000  # URLs of a crawl
MAX_KNOWN = 1_000_000  # requested URLs and texts of articles, the newest
MAX_ARMS = 500  # of a site
MAX_WRITES = 50  # between two commits
PRIOR_PAGES = 2  # pages that weigh as much as a prior
LIKELY = 0.5  # probability from which a link counts as an article
SOURCE_SHARE = 0.05  # of requests for lists of articles, while articles wait
FIRST_SOURCES = 3  # such requests that are always allowed
BARREN_PAGES = 6  # pages of an arm without a new link until it ends
MAX_SECTIONS = 50  # lists of a site that a second run requests again
# contexts and arms of lists of articles, in the order of their requests
HOME, SECTIONS = "@home", "@section"
SOURCES = (HOME, FEEDS, SECTIONS, SITEMAPS)

QUEUED, REQUESTED, ARTICLE, OTHER, CLAIMED = range(5)
_CREATE = """
pragma synchronous = off;
create table if not exists urls (
    key integer primary key, site text, state integer, at real, links integer, arm text,
    url text, context text, date real, depth integer, found_in text
);
create index if not exists waiting on urls (site, arm, date) where state = 0;
create table if not exists arms (
    site text, arm text, tried integer, articles integer, primary key (site, arm)
) without rowid;
begin;
"""
_NEXT = """
select key, url, context, date, depth, found_in from urls
where site = ? and arm = ? and state = 0 order by date desc limit 1
"""


@dataclass
class Arm:
    """The results of an arm: `links` are new likely articles on `listed` pages."""

    context: str
    prior: float = 0.0
    tried: int = 0
    articles: int = 0
    waiting: int = 0
    listed: int = 0
    links: int = 0
    folder: Arm | None = None

    @property
    def probability(self) -> float:
        """The probability that a page is an article, by the folder of the arm and its pages."""
        prior = self.prior if self.folder is None else self.folder.estimate(self.prior)
        return self.estimate(prior)

    def estimate(self, prior: float) -> float:
        """Return the probability that a page is an article, by a prior and the pages."""
        return (self.articles + PRIOR_PAGES * prior) / (self.tried + PRIOR_PAGES)

    @property
    def is_over(self) -> bool:
        """Whether the pages are neither articles nor lists of new ones, as in a calendar."""
        is_barren = self.listed >= BARREN_PAGES and self.links * BARREN_PAGES < self.listed
        can_end = self.context not in (HOME, FEEDS, SECTIONS)
        return can_end and is_barren and self.probability < LIKELY

    @property
    def rank(self) -> tuple[int, float]:
        """The place in the order of lists of articles."""
        order = SOURCES.index(self.context) if self.context in SOURCES else len(SOURCES)
        return order, -self.probability


@dataclass
class Site:
    """A site of a crawl: its arms, its requests and its results.

    folders  the results of all arms with a context and first folder
    saved    pages and articles of the arms of earlier runs
    sources  requests for lists of articles
    articles articles that were written, by the kind of list that has them
    old      articles before `since` in a row, by the URL of their list
    """

    name: str
    arms: dict[str, Arm] = field(default_factory=dict)
    folders: dict[str, Arm] = field(default_factory=dict)
    saved: dict[str, tuple[int, int]] = field(default_factory=dict)
    waiting: int = 0
    requests: int = 0
    sources: int = 0
    in_flight: int = 0
    failures: int = 0
    is_over: bool = False
    articles: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    old: Counter[str] = field(default_factory=Counter)

    def find_arm(self, link: Link) -> str:
        """Return the name of the arm of a link, which is added if it is new."""
        context = link.context
        name = context if context in SOURCES else f"{context} {urls.describe_shape(link.url)}"
        if name not in self.arms and len(self.arms) >= MAX_ARMS:
            name = context
        self.add_arm(name, link)
        return name

    def add_arm(self, name: str, link: Link) -> None:
        """Add the arm of a link under a name, if it is new."""
        context = link.context
        if context in SOURCES:
            self.arms.setdefault(name, Arm(context))
        elif name not in self.arms:
            folder = self.folders.setdefault("/".join(name.split("/")[:2]), Arm(context))
            tried, articles = self.saved.get(name, (0, 0))
            folder.tried += tried
            folder.articles += articles
            prior = urls.estimate_article(link.url, context)
            self.arms[name] = Arm(context, prior, tried, articles, folder=folder)


class Frontier:
    """The URLs of all sites of a crawl, in the file `path`, or in memory."""

    def __init__(self, path: Path | None, names: Iterable[str]) -> None:
        """Open the file. Raises sqlite3.Error."""
        self._db = sqlite3.connect(path or ":memory:", isolation_level=None)
        self._db.executescript(_CREATE)
        self._opened = time.time()
        self._writes = 0
        [[self._known]] = self._db.execute("select count(*) from urls where state > 1")
        self.sites = {name: Site(name) for name in names}
        for site in self.sites.values():
            self._load(site)

    def _load(self, site: Site) -> None:
        """Queue interrupted requests again, and the lists with most new links in an earlier run."""
        self._write("update urls set state = 0 where site = ? and state = ?", site.name, REQUESTED)
        self._write(
            "update urls set state = 0, arm = ?, context = ? where key in (select key from urls "
            "where site = ? and links > 0 and state = ? order by links desc limit ?)",
            *(SECTIONS, SECTIONS, site.name, OTHER, MAX_SECTIONS),
        )
        rows = self._db.execute(
            "select arm, tried, articles from arms where site = ?", (site.name,)
        )
        site.saved = {name: counts for name, *counts in rows}
        for name, *link, waiting in self._db.execute(
            "select arm, url, context, count(*) from urls where site = ? and state = 0 "
            "group by arm",
            (site.name,),
        ):
            site.add_arm(name, Link(*link))
            site.arms[name].waiting = waiting
            site.waiting += waiting

    def add(self, site: Site, link: Link, *, is_dated: bool = False) -> float:
        """Queue a link with a date; return the probability that it is an article, 0 if it is known.

        With `is_dated`, a page that was changed after its request is queued again. Otherwise a
        source is queued again in a new run.
        """
        key = urls.create_key(link.url)
        if key is None:
            site.skipped["bad URL"] += 1
            return 0.0
        state, at = self._find(key)
        changed = link.date or 0.0 if is_dated else self._opened
        is_again = (is_dated or link.context in SOURCES) and changed > at
        if state in (QUEUED, REQUESTED) or (state is not None and not is_again):
            return 0.0
        name = site.find_arm(link)
        arm = site.arms[name]
        if arm.is_over or site.waiting >= MAX_WAITING // len(self.sites):
            site.skipped["trap" if arm.is_over else "queue full"] += 1
            return 0.0
        self._write(
            "insert or replace into urls values (?, ?, 0, 0, 0, ?, ?, ?, ?, ?, ?)",
            *(key, site.name, name, *link),
        )
        arm.waiting += 1
        site.waiting += 1
        return arm.probability

    def pop(self, site: Site) -> Link | None:
        """Return the next URL of a site to request.

        The newest likely article is next. A list of articles is next if it is newer, and while few
        requests were for lists.
        """
        for name, arm in site.arms.items():
            if arm.waiting and arm.is_over:
                site.skipped["trap"] += self.drop(site, "arm", name)
        chances = {name: arm.probability for name, arm in site.arms.items() if arm.waiting}
        likely = [self._peek(site, name) for name, chance in chances.items() if chance >= LIKELY]
        lists = [name for name, chance in chances.items() if chance < LIKELY]
        chosen = max(likely, default=None, key=lambda row: row[2].date or 0.0)
        if lists and (
            chosen is None or site.sources < FIRST_SOURCES + SOURCE_SHARE * site.requests
        ):
            name = min(lists, key=lambda name: site.arms[name].rank)
            source = self._peek(site, name)
            if chosen is None or name == HOME or (source[2].date or 0) >= (chosen[2].date or 0):
                chosen = source
        if chosen is None:
            return None
        name, key, link = chosen
        self._take(site, name, key, REQUESTED)
        site.requests += 1
        site.sources += name in lists
        return link

    def _peek(self, site: Site, name: str) -> tuple[str, int, Link]:
        key, *columns = self._db.execute(_NEXT, (site.name, name)).fetchone()
        return name, key, Link(*columns)

    def _take(self, site: Site, name: str, key: int, state: int) -> None:
        self._write("update urls set state = ?, at = ? where key = ?", state, time.time(), key)
        site.arms[name].waiting -= 1
        site.waiting -= 1

    def drop(self, site: Site, column: str, value: str) -> int:
        """Never request the waiting URLs of an arm (`column` is "arm") or a list ("found_in").

        Return how many there are.
        """
        rows = self._db.execute(
            f"select arm, key from urls where site = ? and state = 0 and {column} = ?",  # noqa: S608
            (site.name, value),
        ).fetchall()
        for name, key in rows:
            self._take(site, name, key, OTHER)
        self._known += len(rows)
        return len(rows)

    def learn(self, site: Site, link: Link, *, is_article: bool = False, links: int = 0) -> None:
        """Record whether a page was an article, and how many new likely articles it lists."""
        arm = site.arms[site.find_arm(link)]
        for results in (arm, arm.folder):
            if results is not None:
                results.tried += 1
                results.articles += is_article
        arm.listed += not is_article
        arm.links += links
        # feeds and sitemaps are found again; other lists are requested again while they give links
        kept = 0 if is_article or link.context in (HOME, FEEDS, SITEMAPS) else links
        self._write(
            "update urls set state = ?, at = ?, links = links / 2 + ?, found_in = '', "
            "url = case when links / 2 + ? > 0 then url end where key = ?",
            *(ARTICLE if is_article else OTHER, time.time(), kept, kept),
            urls.create_key(link.url),
        )
        self._known += 1

    def claim(self, site: Site, key: int) -> int | None:
        """Record another URL, or the text, of an article; return its state before, or None."""
        state, _ = self._find(key)
        if state == QUEUED:
            [[name]] = self._db.execute("select arm from urls where key = ?", (key,))
            self._take(site, name, key, CLAIMED)
        elif state is None:
            self._write(
                "insert into urls (key, site, state, at, links) values (?, ?, ?, ?, 0)",
                *(key, site.name, CLAIMED, time.time()),
            )
            self._known += 1
        return state

    def _find(self, key: int) -> tuple[int | None, float]:
        row = self._db.execute("select state, at from urls where key = ?", (key,)).fetchone()
        return row or (None, 0.0)

    def _write(self, statement: str, *values: Any) -> None:
        self._db.execute(statement, values)
        self._writes += 1
        if self._writes >= MAX_WRITES:
            self._commit()

    def _commit(self) -> None:
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
        """Write the results of the arms, and close the file."""
        for site in self.sites.values():
            self._db.executemany(
                "insert or replace into arms values (?, ?, ?, ?)",
                [(site.name, name, arm.tried, arm.articles) for name, arm in site.arms.items()],
            )
        self._commit()
        self._db.close()
