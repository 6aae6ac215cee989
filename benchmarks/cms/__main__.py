"""``python -m benchmarks.cms``: publishes our own articles in real systems, and reads them again.

The systems and packages are installed below ``--work`` by pip and npm, once; a system whose program
is missing, or that fails, is left out with a line. The articles (`articles`) are the gold. The
first table has the fields of the pages, beside trafilatura and newspaper4k; a value that a page
does not show is not counted. The second has the crawls of `NewsSpider` and of a user's spider that
follows all links. With ``--write docs/evaluation.md`` the tables go there.
"""

import argparse
import json
import re
import subprocess
import sys
import threading
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from html import unescape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from subprocess import CalledProcessError, TimeoutExpired
from urllib.parse import urlsplit

from tqdm import tqdm

from benchmarks.cms.articles import ARTICLES, Article, Gallery, Listing, Table
from benchmarks.cms.systems import SYSTEMS, build_site
from benchmarks.markdown import format_table, update_page
from scrapy_boilerplate import Document, extract, is_installed

OURS = "scrapy_boilerplate"
FIELDS = (
    *("headline", "authors", "day", "section", "tags", "language", "rows", "code", "images"),
    "added",
)
# Words of a line that are in no article: the line counts as added.
ADDED_WORDS = 4
# A spider of a user who follows all links, and takes what the add-on calls an article.
USER_SPIDER = """
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule
from scrapy_boilerplate import ArticleItem

class Spider(CrawlSpider):
    name = "user"
    start_urls = [{url!r}]
    allowed_domains = ["127.0.0.1"]
    rules = [Rule(LinkExtractor(), callback="parse_page", follow=True)]
    custom_settings = {{"ADDONS": {{"scrapy_boilerplate.Addon": 500}}, "ROBOTSTXT_OBEY": False,
                       "BOILERPLATE_ARTICLES_ONLY": True}}

    def parse_page(self, response):
        yield ArticleItem(url=response.url)
"""


Reader = Callable[[str, str], Document]


def read_trafilatura(html: str, url: str) -> Document:
    theirs = import_module("trafilatura").bare_extraction(html, url=url, with_metadata=True)
    if theirs is None:
        return Document()
    return Document(
        text=theirs.text or "",
        headline=theirs.title,
        authors=tuple(theirs.author.split("; ")) if theirs.author else (),
        date_published=theirs.date,
        section=(theirs.categories or [None])[0],
        tags=tuple(theirs.tags or ()),
    )


def read_newspaper(html: str, url: str) -> Document:
    theirs = import_module("newspaper").article(url, input_html=html)
    return Document(
        text=theirs.text,
        headline=theirs.title,
        authors=tuple(theirs.authors or ()),
        date_published=theirs.publish_date and f"{theirs.publish_date:%Y-%m-%d}",
        language=theirs.meta_lang and theirs.meta_lang[:2],
        tags=tuple(theirs.tags or ()),
    )


READERS: Mapping[str, tuple[str | None, Reader]] = {
    OURS: (None, extract),
    "trafilatura": ("trafilatura", read_trafilatura),
    "newspaper4k": ("newspaper", read_newspaper),
}


def normalize(text: str | None) -> str:
    """Return text without case, spaces and punctuation."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text or "").casefold())


def count_words(text: str) -> Counter[str]:
    """Count words; every Han character and kana is a word."""
    return Counter(re.findall(r"[\u3040-\u30ff\u4e00-\u9fff]|\w+", text.casefold()))


def measure_f1(text: str, article: Article) -> float:
    found, gold = count_words(text), count_words("\n".join(article.list_lines()))
    common = (found & gold).total()
    return 2 * common / (found.total() + gold.total()) if common else 0.0


def judge(document: Document, article: Article, html: str) -> Iterator[tuple[str, bool]]:
    """Yield fields and whether they are right, of those that the page shows."""
    shown = normalize(unescape(re.sub(r"<(?!meta|html)[^>]*>", " ", html)))
    yield "headline", normalize(document.headline) == normalize(article.title)
    if all(normalize(name) in shown for name in article.authors):
        wanted = {normalize(name) for name in article.authors}
        yield "authors", {normalize(name) for name in document.authors} == wanted
    days = ("%Y%m%d", "%d%B%Y", "%B%d%Y", "%b%d%Y", "%d%b%Y")
    if any(article.date.strftime(each).lower() in shown for each in days):
        yield "day", (document.date_published or "")[:10] == str(article.date)
    if re.search(rf">\s*{re.escape(article.section)}\s*<", html):
        yield "section", normalize(document.section) == normalize(article.section)
    if all(re.search(rf">\s*#?{re.escape(tag)}\s*<", html) for tag in article.tags):
        wanted = {normalize(tag) for tag in article.tags}
        yield "tags", {normalize(tag) for tag in document.tags} == wanted
    yield "language", document.language == article.language
    text = normalize(document.text)
    for part in article.parts:
        if isinstance(part, Table):
            for row in part.rows:
                yield "rows", normalize("".join(row)) in text.replace("|", "")
        elif isinstance(part, Gallery):
            yield "images", tuple(image["alt"] for image in document.images or ()) == part.texts
        elif isinstance(part, Listing):
            yield "code", normalize(part.text) in text
    own = normalize("".join([article.title, *article.list_lines()]))
    lines = (line for line in document.text.splitlines() if len(line.split()) >= ADDED_WORDS)
    yield "added", all(normalize(line) in own for line in lines if not line.startswith("|"))


def find_page(site: Path, article: Article) -> Path | None:
    paths = [
        path
        for path in sorted(site.rglob("*.html"))
        if article.slug in (path.stem, path.parent.name if path.name == "index.html" else "")
    ]
    return min(paths, key=lambda path: len(path.parts), default=None)


@contextmanager
def serve(folder: Path, port: int) -> Iterator[None]:
    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            del args

    handler = partial(Handler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", port), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield
        server.shutdown()


def crawl(url: str, work: Path, *, is_user: bool) -> list[str]:
    """Return the paths of the articles that a spider finds, in order."""
    out, spider = work / "items.jsonl", work / "user_spider.py"
    out.unlink(missing_ok=True)
    if is_user:
        spider.write_text(USER_SPIDER.format(url=url), "utf-8")
        command = ["-m", "scrapy", "runspider", str(spider), "-o", str(out)]
    else:
        command = ["-m", "scrapy_boilerplate.cli", "crawl", url, "-o", str(out)]
    settings = ("AUTOTHROTTLE_ENABLED=0", "LOG_LEVEL=ERROR", "DOWNLOAD_DELAY=0")
    options = [each for setting in settings for each in ("-s", setting)]
    subprocess.run([sys.executable, *command, *options], check=True, timeout=600)
    lines = out.read_text("utf-8").splitlines() if out.exists() else []
    return [urlsplit(json.loads(line)["url"]).path for line in lines]


def describe_crawl(paths: list[str]) -> str:
    """Return how many articles there are, and how many other pages."""
    slugs = {article.slug for article in ARTICLES}
    stems = [Path(path).stem for path in paths]
    return f"{len(slugs & set(stems))} / {sum(stem not in slugs for stem in stems)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, default=Path("cms-work"), help="default: %(default)s")
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=list(SYSTEMS))
    parser.add_argument("--port", type=int, default=8997)
    parser.add_argument("--write", type=Path, metavar="PAGE", help="the page for the tables")
    options = parser.parse_args()
    options.work = options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    readers = {
        name: reader
        for name, (package, reader) in READERS.items()
        if package is None or is_installed(package)
    }
    right: dict[str, Counter[str]] = {name: Counter() for name in readers}
    shown: Counter[str] = Counter()
    scores: dict[str, list[float]] = {name: [] for name in readers}
    crawls = [["system", "`NewsSpider`: articles / others", "a spider that follows all links"]]
    url = f"http://127.0.0.1:{options.port}/"
    for system in (progress := tqdm(options.systems, unit="system")):
        progress.set_description(system)
        try:
            site = build_site(system, options.work, url.rstrip("/"))
        except (OSError, CalledProcessError, TimeoutExpired) as error:
            tqdm.write(f"{system} is left out: {error}")
            continue
        for article in ARTICLES:
            if (path := find_page(site, article)) is None:
                tqdm.write(f"{system} has no page of {article.slug}")
                continue
            html = path.read_text("utf-8")
            for name, reader in readers.items():
                document = reader(html, url + str(path.relative_to(site)))
                scores[name].append(measure_f1(document.text, article))
                for field, is_right in judge(document, article, html):
                    shown[field] += name == OURS
                    right[name][field] += is_right
        with serve(site, options.port):
            found = [crawl(url, options.work, is_user=is_user) for is_user in (False, True)]
        crawls.append([system, *map(describe_crawl, found)])
    fields = [[f"right of {scores[OURS] and len(scores[OURS])} pages", *readers]]
    fields.append(["text, F1", *(f"{sum(each) / len(each):.3f}" for each in scores.values())])
    for field in FIELDS:
        label = "nothing added" if field == "added" else field
        cells = (str(right[name][field] or "-") for name in readers)
        fields.append([f"{label} (of {shown[field]})", *cells])
    tables = {"cms-fields": format_table(fields), "cms-crawls": format_table(crawls)}
    print("\n\n".join(tables.values()))
    if options.write:
        update_page(options.write, options.write, tables)


if __name__ == "__main__":
    main()
