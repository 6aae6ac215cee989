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
from typing import Any, NamedTuple

from scrapy_boilerplate.crawl.spider import urls

MAX_WAITING = 100_000  # URLs of a crawl
MAX_KNOWN = 1_000_000  # requested URLs and texts of articles, the newest
MAX_ARMS = 500  # of a site
MAX_WRITES = 500  # between two commits
PRIOR_PAGES = 2  # pages that weigh as much as a prior
LIKELY = 0.5  # probability from which a link counts as an article
SOURCE_SHARE = 0.05  # of requests for lists of articles, while articles wait
FIRST_SOURCES = 4  # such requests that are always allowed
BARREN_PAGES = 6  # pages of an arm without a new link until it ends
MAX_SECTIONS = 50  # lists of a site that a second run requests again
# arms of lists of articles, in the order of their requests
HOME, ROBOTS, FEEDS, SECTIONS, SITEMAPS = "@home", "@robots", "@feed", "@section", "@sitemap"
SOURCES = (HOME, ROBOTS, FEEDS, SECTIONS, SITEMAPS)
# new likely articles on a page, before the site has shown any
EXPECTED_LINKS = {urls.NAV: 3.0, urls.NEXT: 4.0, urls.TEXT: 1.0, urls.FOOT: 0.3}

QUEUED, REQUESTED, ARTICLE, OTHER, CLAIMED = range(5)
_CREATE = """
pragma synchronous = off;
create table if not exists urls (
    key integer primary key, site text, state integer, at real, links integer, url text,
    context text, date real, is_dated integer, depth integer, found_in text, arm text
);
create index if not exists waiting on urls (site, arm, date) where state = 0;
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


class Candidate(NamedTuple):
    """A URL to request.

    date      timestamp of its publication or last change; an estimate unless `is_dated`
    depth     links from the home page to it
    found_in  URL of the feed, sitemap or page that links to it
    arm       one of SOURCES; "" until it waits
    """

    url: str
    context: str
    date: float
    is_dated: bool = False
    depth: int = 0
    found_in: str = ""
    arm: str = ""


@dataclass
class Arm:
    """The results of an arm: `links` are new likely articles on `listed` pages."""

    context: str
    prior: float
    tried: int = 0
    articles: int = 0
    listed: int = 0
    links: int = 0
    waiting: int = 0

    @property
    def probability(self) -> float:
        """The probability that a page is an article."""
        return (self.articles + PRIOR_PAGES * self.prior) / (self.tried + PRIOR_PAGES)

    @property
    def expected_links(self) -> float:
        """The new likely articles that the next page is expected to list."""
        prior = EXPECTED_LINKS.get(self.context, 0.5)
        return (self.links + PRIOR_PAGES * prior) / (self.listed + PRIOR_PAGES)

    @property
    def is_over(self) -> bool:
        """Whether the pages are neither articles nor lists of new ones, as in a calendar."""
        is_barren = self.listed >= BARREN_PAGES and self.links * BARREN_PAGES < self.listed
        return is_barren and self.probability < LIKELY


@dataclass
class Site:
    """A site of a crawl: its arms, its requests and its results.

    sources  requests for lists of articles
    old      articles before `since` in a row, by the URL of their list
    """

    name: str
    arms: dict[str, Arm] = field(default_factory=dict)
    saved: dict[str, tuple[int, int]] = field(default_factory=dict)
    waiting: int = 0
    requests: int = 0
    sources: int = 0
    in_flight: int = 0
    failures: int = 0
    is_over: bool = False
    n_feeds: int = 0
    n_articles: int = 0
    found: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    old: Counter[str] = field(default_factory=Counter)

    def find_arm(self, candidate: Candidate) -> str:
        """Return the name of the arm of a candidate, which is added if it is new."""
        name = candidate.arm or f"{candidate.context} {urls.describe_shape(candidate.url)}"
        if name not in self.arms:
            if len(self.arms) >= MAX_ARMS and name not in SOURCES:
                name = candidate.context
            is_source = name in SOURCES
            prior = 0.0 if is_source else urls.estimate_article(candidate.url, candidate.context)
            arm = Arm(candidate.context, prior, *self.saved.get(name, ()))
            self.arms.setdefault(name, arm)
        return name

    def rank_source(self, name: str) -> tuple[int, float]:
        """Return the place of an arm in the order of lists of articles."""
        if name in SOURCES:
            return SOURCES.index(name), 0.0
        return len(SOURCES), -self.arms[name].expected_links - self.arms[name].probability


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
            "update urls set state = 0, arm = ? where key in (select key from urls where site = ? "
            "and links > 0 and state = ? order by links desc limit ?)",
            *(SECTIONS, site.name, OTHER, MAX_SECTIONS),
        )
        rows = self._db.execute(
            "select arm, tried, articles from arms where site = ?", (site.name,)
        )
        site.saved = {name: counts for name, *counts in rows}
        for *columns, waiting in self._db.execute(
            f"select {_COLUMNS}, count(*) from urls where site = ? and state = 0 group by arm",  # noqa: S608
            (site.name,),
        ):
            site.arms[site.find_arm(Candidate(*columns))].waiting = waiting
            site.waiting += waiting

    def add(self, site: Site, candidate: Candidate) -> float:
        """Queue a URL; return the probability that it is an article, 0 unless it is new.

        A page that was changed after its request is queued again; so is a source in a new run.
        """
        key = urls.create_key(candidate.url)
        if key is None:
            site.skipped["bad URL"] += 1
            return 0.0
        state, at = self._find(key)
        is_again = candidate.arm in SOURCES and at < self._opened
        if candidate.is_dated:
            is_again = candidate.date > at
        if state is not None and (state in (QUEUED, REQUESTED) or not is_again):
            return 0.0
        name = site.find_arm(candidate)
        arm = site.arms[name]
        is_over = arm.is_over and name not in (HOME, FEEDS, SECTIONS)
        if is_over or site.waiting >= MAX_WAITING // len(self.sites):
            site.skipped["trap" if is_over else "queue full"] += 1
            return 0.0
        self._write(
            "insert or replace into urls values (?, ?, 0, 0, 0, ?, ?, ?, ?, ?, ?, ?)",
            *(key, site.name, *candidate[:-1], name),
        )
        arm.waiting += 1
        site.waiting += 1
        return arm.probability or 1.0

    def pop(self, site: Site) -> Candidate | None:
        """Return the next URL of a site to request; its `arm` is set.

        The newest likely article is next. A list of articles is next if it is newer, and while few
        requests were for lists.
        """
        self._drop_traps(site)
        waiting = {name: arm.probability for name, arm in site.arms.items() if arm.waiting}
        likely = [self._peek(site, name) for name, chance in waiting.items() if chance >= LIKELY]
        best = max(likely, default=None, key=lambda row: row[1].date)
        lists = [name for name, chance in waiting.items() if chance < LIKELY]
        allowed = FIRST_SOURCES + SOURCE_SHARE * site.requests
        chosen = best
        if lists and (best is None or site.sources < allowed):
            name = min(lists, key=site.rank_source)
            source = self._peek(site, name)
            if best is None or name in (HOME, ROBOTS) or source[1].date >= best[1].date:
                chosen = source
        if chosen is None:
            return None
        key, candidate = chosen
        self._take(site, candidate.arm, key, REQUESTED)
        site.requests += 1
        site.sources += candidate.arm in lists
        return candidate

    def _peek(self, site: Site, name: str) -> tuple[int, Candidate]:
        key, *columns = self._db.execute(_NEXT, (site.name, name)).fetchone()
        return key, Candidate(*columns)

    def _take(self, site: Site, arm: str, key: int, state: int) -> None:
        self._write("update urls set state = ? where key = ?", state, key)
        site.arms[arm].waiting -= 1
        site.waiting -= 1

    def _drop_traps(self, site: Site) -> None:
        for name, arm in site.arms.items():
            if arm.waiting and arm.is_over and name not in (HOME, FEEDS, SECTIONS):
                self._write(
                    "delete from urls where site = ? and arm = ? and state = 0", site.name, name
                )
                site.skipped["trap"] += arm.waiting
                site.waiting -= arm.waiting
                arm.waiting = 0

    def learn(
        self,
        site: Site,
        candidate: Candidate,
        *,
        is_article: bool = False,
        looks_so: bool = False,
        links: int = 0,
    ) -> None:
        """Record whether a page was an article, and how many new likely articles it lists.

        `looks_so` says whether the page looks like one without its arm; the arm learns from it.
        """
        key, name = urls.create_key(candidate.url), site.find_arm(candidate)
        arm = site.arms[name]
        arm.tried += 1
        arm.articles += looks_so
        arm.listed += not is_article
        arm.links += links
        # feeds and sitemaps are found again; other lists are requested again while they give links
        kept = 0 if is_article or name in (HOME, ROBOTS, FEEDS, SITEMAPS) else links
        half = 2 if name == SECTIONS else MAX_KNOWN
        self._write(
            "update urls set state = ?, at = ?, links = max(?, links / ?), "
            "url = case when max(?, links / ?) then url end, found_in = '' where key = ?",
            *(ARTICLE if is_article else OTHER, time.time(), kept, half, kept, half, key),
        )
        self._known += 1

    def give_up(self, candidate: Candidate) -> None:
        """Do not request a URL again, although its page was not read."""
        key = urls.create_key(candidate.url)
        self._write("update urls set state = ?, at = ? where key = ?", OTHER, time.time(), key)

    def claim(self, site: Site, key: int) -> bool:
        """Record another URL, or the text, of a page; return False if it was an article before."""
        state, _ = self._find(key)
        if state == QUEUED:
            [[arm]] = self._db.execute("select arm from urls where key = ?", (key,))
            self._take(site, arm, key, CLAIMED)
        elif state is None:
            self._write(
                "insert into urls (key, site, state, at, links) values (?, ?, ?, ?, 0)",
                *(key, site.name, CLAIMED, time.time()),
            )
            self._known += 1
        return state != ARTICLE

    def claim_text(self, site: Site, fingerprint: str) -> bool:
        """Record the text of an article; return False if the site had it before."""
        key = urls.hash_text(f"{site.name} {fingerprint}")
        is_new = self._find(key)[0] is None
        return self.claim(site, key) and is_new

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
        self._db.execute("commit")
        self._db.close()
