"""Five kinds of simulated news sites, built from pages of the corpora while the benchmark runs.

Nothing of the pages is kept. The URLs of the development sites and of the reported sites have
other shapes, and their articles are other pages.
"""

import gzip
import hashlib
import json
import lzma
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

SECTIONS = ("politics", "economy", "sport", "culture", "science", "local")
TAGS = tuple(f"{word}" for word in "budget festival storm league museum harvest rail vote".split())
NOW = datetime.now(UTC).replace(microsecond=0)
PER_LIST = 15
# One teaser of this many leads nowhere.
DEAD = 12
SHAPES = {
    "dev": {
        "links": ("/news/{section}/{id}-{slug}.html", "/news/{section}/", "{list}?page={n}"),
        "sitemaps": ("/{y}/{m:02}/{slug}/", "/category/{section}/", "{list}page/{n}/"),
        "feeds": ("/artikel/{id}", "/rubrik/{section}", "{list}?seite={n}"),
        "hosts": ("/{section}/{id}/{slug}", "/{section}/", "{list}?page={n}"),
        "late": ("/article.php?id={id}", "/list.php?of={section}", "{list}&page={n}"),
    },
    "reported": {
        "links": ("/{section}/{slug}-{id}", "/{section}", "{list}?p={n}"),
        "sitemaps": (
            "/{y}/{m:02}/{d:02}/{section}/{slug}.php",
            "/s/{section}.php",
            "{list}?start={n}",
        ),
        "feeds": ("/story/{hash}", "/channel/{section}", "{list}/{n}"),
        "hosts": ("/a/{hash}/{slug}.html", "/t/{section}", "{list}?p={n}"),
        "late": ("/index.php?story={id}", "/index.php?channel={section}", "{list}&start={n}"),
    },
}


@dataclass
class SiteArticle:
    """An article of a site: number 0 is the newest."""

    number: int
    html: str
    title: str
    section: str
    date: datetime
    path: str = ""
    tags: tuple[str, ...] = ()


@dataclass
class SimulatedSite:
    """Answers paths of a host, with and without ``www.``.

    Of the kind ``hosts``, its sitemaps are on a subdomain, its feed is on another domain, and the
    entries of the feed lead through a third. Of the kind ``late``, the root of the sitemap follows
    a long comment, and the version of the JSON Feed follows its items.
    """

    host: str
    kind: str
    shapes: tuple[str, str, str]
    articles: list[SiteArticle] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.by_path: dict[str, SiteArticle] = {}
        for article in self.articles:
            slug = "-".join(re.findall(r"[a-z0-9]+", article.title.lower())[:7]) or "story"
            article.path = self.shapes[0].format(
                section=article.section,
                slug=slug,
                id=100000 + 7 * (len(self.articles) - article.number),
                hash=hashlib.md5(article.html.encode("utf-8", "replace")).hexdigest()[:12],  # noqa: S324
                y=article.date.year,
                m=article.date.month,
                d=article.date.day,
            )
            if article.path in self.by_path:
                article.path = article.path.replace(slug, f"{slug}-{article.number}")
            self.by_path[article.path] = article

    @property
    def url(self) -> str:
        return f"http://{self.host}"

    @property
    def hosts(self) -> dict[str, str]:
        """The hosts of the site, by their use."""
        name = self.host.removeprefix("www.")
        hosts = {"home": self.host, "bare": name}
        if self.kind == "hosts":
            hosts |= {"maps": f"maps.{name}", "feed": "feeds.burner.com", "click": "c.click.net"}
        return hosts

    def find(self, url: str) -> SiteArticle | None:
        """Return the article of a URL, also of its AMP, print and tracked variants."""
        parts = urlsplit(url)
        path = parts.path
        if self.kind == "late":
            pairs = parts.query.split("&")
            folder = next((name for name in ("/amp", "/print") if path.startswith(name)), "")
            known = (f"{path.removeprefix(folder)}?{pair}" for pair in pairs)
            path = next((folder + each for each in known if each in self.by_path), path)
        for prefix in ("/amp", "/print"):
            path = (
                path.removeprefix(prefix) if self.by_path.get(path.removeprefix(prefix)) else path
            )
        return self.by_path.get(path) or self.by_path.get(path + "/")

    def answer(self, target: str, host: str = "") -> tuple[int, str, bytes]:
        """Return status, type (or the URL of a redirect) and body."""
        parts = urlsplit(target)
        query = parse_qs(parts.query)
        path = parts.path or "/"
        use = next((use for use, name in self.hosts.items() if name == host), "home")
        if use == "click" and path.strip("/").isdigit():
            self.requests.append(f"//{host}{target}")
            return 302, self.url + self.articles[int(path.strip("/"))].path, b""
        if use in ("home", "bare"):
            found = self._answer(path if self.kind != "late" else target, query)
        else:
            found = self._list_of(use, path)
        if target not in ("/robots.txt", "/.well-known/tdmrep.json"):
            self.requests.append(target)
        if found is None:
            return 404, "text/html", b"<html><body><h1>Not found</h1></body></html>"
        kind, text = found
        return 200, kind, text if isinstance(text, bytes) else text.encode("utf-8", "replace")

    def _answer(self, path: str, query: dict[str, list[str]]) -> tuple[str, Any] | None:
        article = self.find(path)
        if article is not None:
            return "text/html; charset=utf-8", self._article(article, path != article.path)
        page = self._page(path, query)
        return None if page is None else page

    def _page(  # noqa: C901, PLR0911, PLR0912 - the table of a site
        self, path: str, query: dict[str, list[str]]
    ) -> tuple[str, Any] | None:
        html, xml = "text/html; charset=utf-8", "application/xml"
        if path == "/":
            return html, self._list("Front page", self.articles[: 2 * PER_LIST], 1, "/", last=True)
        if path == "/robots.txt":
            lines = ["User-agent: *", "Disallow: /admin/", "Crawl-delay: 0"]
            if self.kind == "sitemaps":
                lines.append(f"Sitemap: {self.url}/sitemaps/index.xml")
            if self.kind == "hosts":
                lines.append(f"Sitemap: http://{self.hosts['maps']}/sitemaps/index.xml")
            if self.kind == "late":
                lines.append(f"SITEMAP : {self.url}/map.xml # all")
            return "text/plain", "\n".join(lines)
        for section in SECTIONS:
            start = self.shapes[1].format(section=section)
            number = self._page_number(path, query, start)
            if number is not None:
                return self._slice(
                    section,
                    number,
                    start,
                    [each for each in self.articles if each.section == section],
                )
        for tag in TAGS:
            start = f"/tag/{tag}"
            if path == start:
                return self._slice(tag, 1, start, [a for a in self.articles if tag in a.tags])
        if path == "/calendar":
            return html, self._calendar(query.get("day", [NOW.date().isoformat()])[0])
        for number, other in enumerate(self.others):
            if path == f"/info/{number}":
                return html, _fit(other, self._navigation(), self._footer())
        if self.kind == "sitemaps" and path.startswith("/sitemaps/"):
            found = self._sitemap(path)
            kind = "application/gzip" if path.endswith(".gz") else xml
            return None if found is None else (kind, found)
        if self.kind == "feeds" and path.startswith("/rss"):
            return "application/rss+xml", self._feed(path)
        if self.kind == "late" and path == "/feed.json":
            return "application/feed+json", self._json_feed()
        if self.kind == "late" and path == "/map.xml":
            rows = "".join(f"<url><loc>{self.url}{each.path}</loc></url>" for each in self.articles)
            return xml, f"<!--{' about this map <html>' * 500}--><urlset>{rows}</urlset>"
        return None

    def _list_of(self, use: str, path: str) -> tuple[str, Any] | None:
        """Return what another host of the site has."""
        if use == "feed" and path == "/paper":
            links = [f"http://{self.hosts['click']}/{each.number}" for each in self.articles]
            return "application/rss+xml", self._feed_of(self.articles[:PER_LIST], links)
        found = self._sitemap(path) if use == "maps" else None
        return None if found is None else ("application/xml", found)

    def _json_feed(self) -> str:
        items = [
            {
                "id": str(each.number),
                "title": f"<html> {each.title}",
                "url": f"{self.url}{each.path}&utm_source=feed",
                "date_published": each.date.isoformat(),
            }
            for each in self.articles[: 2 * PER_LIST]
        ]
        return json.dumps({"items": items, "version": "https://jsonfeed.org/version/1.1"})

    def _page_number(self, path: str, query: dict[str, list[str]], start: str) -> int | None:
        if path == start or ("?" in start and path.startswith(f"{start}&")):
            numbers = [query[name][0] for name in ("page", "seite", "p", "start") if name in query]
            return int(numbers[0]) if numbers and numbers[0].isdigit() else 1
        match = re.fullmatch(re.escape(start.rstrip("/")) + r"/(?:page/)?(\d+)/?", path)
        return int(match[1]) if match else None

    def _slice(
        self, name: str, number: int, start: str, articles: list[SiteArticle]
    ) -> tuple[str, Any] | None:
        shown = articles[(number - 1) * PER_LIST : number * PER_LIST]
        if not shown:
            return None
        last = number * PER_LIST >= len(articles) or start.startswith("/tag")
        return "text/html; charset=utf-8", self._list(name.title(), shown, number, start, last=last)

    def _navigation(self) -> str:
        links = "".join(
            f'<li><a href="{self.shapes[1].format(section=section)}">{section.title()}</a></li>'
            for section in SECTIONS
        )
        feed = '<li><a href="/calendar">Events</a></li><li><a href="/login">Sign in</a></li>'
        return f'<header><a href="/">Home</a><nav><ul>{links}{feed}</ul></nav></header>'

    def _footer(self) -> str:
        infos = "".join(
            f'<a href="/info/{number}">Info {number}</a> ' for number in range(len(self.others))
        )
        return f'<footer>{infos}<a href="https://social.invalid/x">Follow us</a></footer>'

    def _head(self, title: str, more: str = "") -> str:
        feeds = ""
        if self.kind == "feeds":
            feeds = (
                '<link rel="alternate" type="application/rss+xml" href="/rss">'
                '<link rel="alternate" type="application/rss+xml" href="/rss/politics">'
            )
        if self.kind in ("hosts", "late"):
            href = "http://feeds.burner.com/paper" if self.kind == "hosts" else "/feed.json"
            form = "rss+xml" if self.kind == "hosts" else "feed+json"
            feeds = f'<link rel="alternate" type="application/{form}" href="{href}">'
        return f"<head><meta charset=utf-8><title>{escape(title)}</title>{feeds}{more}</head>"

    def _teaser(self, article: SiteArticle) -> str:
        path = f"/gone{article.path}" if article.number % DEAD == 5 else ""
        tracked = "utm_source=home&utm_medium=teaser" if article.number % 3 == 0 else ""
        dead = f'<li><h3><a href="{path}">An older story that is gone</a></h3></li>' if path else ""
        href = _add(article.path, tracked)
        return (
            f'{dead}<li class="teaser"><a href="{href}"><img src="/t.jpg" alt=""></a>'
            f'<h3><a href="{href}">{escape(article.title)}</a></h3><p>Read what happened.</p></li>'
        )

    def _list(
        self, title: str, articles: list[SiteArticle], number: int, start: str, *, last: bool
    ) -> str:
        teasers = "".join(map(self._teaser, articles))
        pages = ""
        if not last:
            following = self.shapes[2].format(list=start, n=number + 1)
            pages = f'<div class="pages"><a href="{following}">{number + 1}</a></div>'
        tags = " ".join(f'<a href="/tag/{tag}">{tag}</a>' for tag in TAGS)
        return (
            f"<html lang=en>{self._head(f'{title} - The {self.host}')}<body>{self._navigation()}"
            f"<main><h1>{title}</h1><ul>{teasers}</ul>{pages}</main><aside>{tags}</aside>"
            f"{self._footer()}</body></html>"
        )

    def _article(self, article: SiteArticle, is_variant: bool) -> str:
        step = len(self.articles) // 7 or 1
        related = [
            self.articles[(article.number + 1 + step * k) % len(self.articles)] for k in range(4)
        ]
        links = "".join(
            f'<li><a href="{_add(each.path, "ref=related")}">{escape(each.title)}</a></li>'
            for each in related
        )
        tags = " ".join(f'<a href="/tag/{tag}">{tag}</a>' for tag in article.tags)
        variants = (
            ""
            if is_variant
            else (f'<a href="/amp{article.path}">AMP</a> <a href="/print{article.path}">Print</a>')
        )
        below = f"<div class=related><h4>Related</h4><ul>{links}</ul>{tags} {variants}</div>"
        head = f'<link rel="canonical" href="{self.url}{article.path}">'
        return _fit(article.html, self._navigation(), below + self._footer(), head)

    def _calendar(self, day: str) -> str:
        try:
            date = datetime.fromisoformat(day)
        except ValueError:
            date = NOW
        links = "".join(
            f'<td><a href="/calendar?day={(date + timedelta(days=k)).date()}">{k}</a></td>'
            for k in range(-15, 16)
        )
        return (
            f"<html>{self._head('Events')}<body>{self._navigation()}<table><tr>{links}</tr></table>"
            f"<p>No events on {day}.</p>{self._footer()}</body></html>"
        )

    def _sitemap(self, path: str) -> bytes | None:
        years = sorted({each.date.year for each in self.articles})
        head = b'<?xml version="1.0"?>'
        base = f"http://{self.hosts.get('maps', self.host)}"
        space = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
        if path == "/sitemaps/index.xml":
            rows = "".join(
                f"<sitemap><loc>{base}/sitemaps/{year}.xml.gz</loc>"
                f"<lastmod>{min(NOW, datetime(year, 12, 31, tzinfo=UTC)).isoformat()}"
                "</lastmod></sitemap>"
                for year in years
            )
            lists = f"<sitemap><loc>{base}/sitemaps/pages.xml</loc></sitemap>"
            return head + f"<sitemapindex {space}>{rows}{lists}</sitemapindex>".encode()
        if path == "/sitemaps/pages.xml":
            urls = [f"/tag/{tag}" for tag in TAGS] + ["/", "/calendar"]
            urls += [self.shapes[1].format(section=section) for section in SECTIONS]
            rows = "".join(f"<url><loc>{self.url}{each}</loc></url>" for each in urls)
            return head + f"<urlset {space}>{rows}</urlset>".encode()
        match = re.fullmatch(r"/sitemaps/(\d{4})\.xml\.gz", path)
        if match is None or int(match[1]) not in years:
            return None
        rows = "".join(
            f"<url><loc>{self.url}{each.path}</loc><lastmod>{each.date.isoformat()}</lastmod></url>"
            for each in reversed(self.articles)
            if each.date.year == int(match[1])
        )
        return gzip.compress(head + f"<urlset {space}>{rows}</urlset>".encode())

    def _feed(self, path: str) -> str:
        section = path.removeprefix("/rss").strip("/")
        shown = [a for a in self.articles if not section or a.section == section][: 2 * PER_LIST]
        return self._feed_of(shown, [f"{self.url}{each.path}?utm_source=rss" for each in shown])

    def _feed_of(self, shown: list[SiteArticle], links: list[str]) -> str:
        items = "".join(
            f"<item><title>{escape(each.title)}</title><link>{link}</link>"
            f"<pubDate>{each.date:%a, %d %b %Y %H:%M:%S GMT}</pubDate></item>"
            for each, link in zip(shown, links, strict=False)
        )
        return f'<?xml version="1.0"?><rss version="2.0"><channel>{items}</channel></rss>'


def _add(path: str, pairs: str) -> str:
    return f"{path}{'&' if '?' in path else '?'}{pairs}" if pairs else path


_drop_links = re.compile(
    r"""<link\b[^>]*>|<base\b[^>]*>|<meta[^>]*og:url[^>]*>""", re.IGNORECASE
).sub
_drop_href = re.compile(
    r"""(<a\b[^>]*?)\shref\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)""", re.IGNORECASE
).sub
_body = re.compile(r"<body\b[^>]*>", re.IGNORECASE).search
_drop_refresh = re.compile(r"<meta[^>]*refresh[^>]*>", re.IGNORECASE).sub


def _fit(html: str, above: str, below: str, head: str = "") -> str:
    """Return a page of a corpus in which the links lead to the simulated site."""
    html = _drop_refresh("", _drop_links("", _drop_href(r"\1", html)))
    match = _body(html)
    start = match.end() if match else 0
    end = html.lower().rfind("</body")
    end = end if end > start else len(html)
    if head and "</head" in html:
        html = html.replace("</head", f"{head}</head", 1)
        start, end = start + len(head), end + len(head)
    return f"{html[:start]}{above}{html[start:end]}{below}{html[end:]}"


def read_pages(folder: Path) -> tuple[list[tuple[str, str]], list[str]]:
    """Return (HTML, title) of articles of many sites, and pages of other kinds."""
    articles, others = [], []
    seen = set()
    for path in ("fundus", "more/fundus", "article-extraction", "more/article-extraction",
                 "wcxb", "more/wcxb"):  # fmt: skip
        with lzma.open(folder / f"{path}.jsonl.xz", "rt", errors="surrogatepass") as lines:
            records = list(map(json.loads, lines))
        for record in records:
            html = record["html"]
            if (record.get("page_type") or "article") != "article":
                if record["page_type"] == "service":
                    others.append(html)
                continue
            title = record.get("title") or ""
            title = title[0] if isinstance(title, list) and title else title
            digest = hash(record.get("text") or html)
            if len(html) < 400_000 and title and digest not in seen:
                seen.add(digest)
                articles.append((html, str(title)))
    articles.sort(key=lambda page: hashlib.sha256(page[0].encode("utf-8", "replace")).digest())
    return articles, others[:8]


def build_sites(folder: Path, name: str, size: int) -> dict[str, SimulatedSite]:
    """Return the sites of a set, ``dev`` or ``reported``, by kind."""
    pages, others = read_pages(folder)
    dev_size = 100
    first = 0 if name == "dev" else 3 * dev_size
    size = dev_size if name == "dev" else min(size, (len(pages) - first) // 3)
    sites = {}
    for position, (kind, shapes) in enumerate(SHAPES[name].items()):
        offset = first + position % 3 * size  # two sites can have the same articles
        chosen = pages[offset : offset + size]
        has_years = kind in ("sitemaps", "hosts")
        age = timedelta(days=3650 if has_years else 60) / size
        articles = [
            SiteArticle(
                number=number,
                html=html,
                title=title,
                section=SECTIONS[number * 5 % 7 % len(SECTIONS)],
                date=NOW - age * number * (number / size if has_years else 1),
                tags=(TAGS[number % len(TAGS)], TAGS[number * 3 % len(TAGS)]),
            )
            for number, (html, title) in enumerate(chosen)
        ]
        host = f"www.{kind}-{'courier' if name == 'dev' else 'herald'}.com"
        sites[kind] = SimulatedSite(host, kind, shapes, articles, others)
    return sites


@contextmanager
def serving(sites: list[SimulatedSite]) -> Iterator[str]:
    """Serve sites by host; yield the URL of the proxy that leads to them."""
    by_host = {host: site for site in sites for host in site.hosts.values()}
    lock = Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            host = parts.netloc or self.headers.get("Host", "")
            site = by_host.get(host)
            target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            with lock:
                status, kind, body = (
                    site.answer(target, host) if site is not None else (502, "text/plain", b"")
                )
            self.send_response_only(status)
            self.send_header("Location" if status == 302 else "Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

        do_HEAD = do_GET  # noqa: N815 - as the base class has it

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
