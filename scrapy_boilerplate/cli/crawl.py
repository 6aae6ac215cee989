"""``scrapy-boilerplate crawl``: the articles of news sites, without a project."""

import argparse
import json
from io import SEEK_END
from mmap import ACCESS_READ, mmap
from pathlib import Path

from scrapy_boilerplate.cli.options import Commands, OptionError

# formats to which a further run can append
LINES = ("jl", "jsonl")
# the setting of the store that keeps the URLs of earlier runs
STORE = "BOILERPLATE_SITE_STORE"
FORMATS = {"jl": "jsonlines", "jsonl": "jsonlines"}
FORMATS |= {name: name for name in ("csv", "json", "parquet", "xml")}


def add_to(commands: Commands) -> None:
    parser = commands.add_parser("crawl", help="find and clean the articles of news sites")
    add = parser.add_argument
    add("urls", nargs="+", metavar="URL", help="home page of a site")
    add("-o", "--out", required=True, metavar="FILE",
        help=f"file that ends with .{', .'.join(FORMATS)}; overwritten without --jobdir "
        "or a store")  # fmt: skip
    add("--since", metavar="AGE", help="12h, 2d, 1w, or a date")
    add("--strategy", help="auto, feeds, sitemaps, links or direct")
    add("--max-articles", metavar="N", help="of each site")
    add("--max-pages", metavar="N", help="requests to each site")
    add("--subdomains", action="store_true", help="also crawl other hosts of the domain")
    add("--languages", help="all: also versions in other languages that a sitemap declares")
    add("--jobdir", metavar="DIR", help="folder for the state: a further run appends")
    add("-s", "--set", action="append", default=[], metavar="NAME=VALUE",
        help="a Scrapy setting; can be repeated")  # fmt: skip
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Crawl. Raises OptionError for a wrong option, and if no page could be read."""
    from scrapy_boilerplate.crawl.settings import SettingError
    from scrapy_boilerplate.crawl.spider.news_spider import crawl, list_fields
    from scrapy_boilerplate.site.stores import MEMORY

    suffix = options.out.rpartition(".")[2].lower()
    pairs = [pair.partition("=") for pair in options.set]
    if suffix not in FORMATS:
        raise OptionError(f"-o {options.out}: end the name with .{', .'.join(FORMATS)}")
    if wrong := [name for name, equals, _ in pairs if not equals or not name]:
        raise OptionError(f"-s {wrong[0]}: write NAME=VALUE")
    stores = [value for name, _, value in pairs if name == STORE and value not in ("", MEMORY)]
    appends = options.jobdir is not None or bool(stores)
    if appends and suffix not in LINES:
        raise OptionError(f"-o {options.out}: with --jobdir or a store, end the name with .jsonl")
    if "://" not in options.out:
        _check_writable(Path(options.out))
        if appends:
            mend_last_line(Path(options.out))
    feed = {"format": FORMATS[suffix], "encoding": "utf-8", "overwrite": not appends}
    written = {name: value for name, _, value in pairs}
    settings = {"FEEDS": {options.out: feed}, "JOBDIR": options.jobdir, **written}
    names = ("since", "strategy", "max_articles", "max_pages", "languages")
    arguments = {name: value for name in names if (value := getattr(options, name)) is not None}
    arguments |= {"urls": options.urls, "subdomains": options.subdomains}
    try:
        feed["fields"] = list_fields({"JOBDIR": options.jobdir, **written})
        failure = crawl(arguments, settings)
    except SettingError as error:
        raise OptionError(str(error)) from error
    if failure is not None:
        raise OptionError(failure)
    return 0


def _check_writable(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8"):
            pass
    except OSError as error:
        raise OptionError(f"-o {path}: it cannot be written ({error.strerror})") from error


def mend_last_line(path: Path) -> None:
    """Remove the part of an item that a killed crawl wrote; its page is requested again."""
    with path.open("r+b") as file:
        if not file.seek(0, SEEK_END):
            return
        with mmap(file.fileno(), 0, access=ACCESS_READ) as lines:
            start = lines.rfind(b"\n") + 1
            last = lines[start:]
        try:
            file.write(b"\n" if last and json.loads(last) else b"")
        except ValueError:
            file.truncate(start)
