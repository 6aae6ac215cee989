"""``scrapy-boilerplate inspect``: an HTML report of the labels of a page."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_boilerplate.cli.options import Commands, add_timeout

if TYPE_CHECKING:
    from scrapy_boilerplate.batch.pages import StoredPage

CACHE = ".scrapy/httpcache"


def add_to(commands: Commands) -> None:
    parser = commands.add_parser(
        "inspect",
        help="write an HTML report of the labels of a page and their reasons",
        description="Write a self-contained HTML report: the page with each block in the colour "
        "of its label, the reasons, the steps, the article and the metadata. Scripts of the page "
        "do not run in it. Needs the extra [html].",
    )
    add = parser.add_argument
    add("source", nargs="?", metavar="SOURCE", help="HTML file or URL")
    add("--extractor", action="append", metavar="NAME",
        help="repeatable, to compare extractors (default: the default extractor)")  # fmt: skip
    add("-o", "--out", type=Path, metavar="FILE", help="default: inspect-NAME.html")
    add("--open", action="store_true", help="open the report in the browser")
    add("--cache", nargs="?", const=CACHE, metavar="DIR",
        help=f"read the URL from the HTTP cache of a crawl (default: {CACHE})")  # fmt: skip
    add("--url", help="URL of the page, if SOURCE is a file")
    add_timeout(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from scrapy_boilerplate.extractors import DEFAULT, Options
    from scrapy_boilerplate.report.inspection import inspect, render_inspection

    extractors = [Options(extractor=name) for name in dict.fromkeys(options.extractor or [DEFAULT])]
    source = _read_source(options)
    url = options.url or source.url
    page = render_inspection(inspect(source.html, url, extractors, source.id))
    # from the URL or file name, without path separators
    name = source.id.partition("://")[2] or Path(source.id).stem
    name = re.sub(r"\W+", "-", name).strip("-")[:80]
    out = options.out or Path(f"inspect-{name or 'page'}.html")
    out.write_text(page, encoding="utf-8")
    print(f"wrote {out}")
    if options.open:
        import webbrowser

        webbrowser.open(out.resolve().as_uri())
    return 0


def _read_source(options: argparse.Namespace) -> StoredPage:
    from scrapy_boilerplate.cli.sources import SourceError, read_source

    source, cache = options.source, options.cache
    if source is None:  # argparse reads the URL of ``--cache URL`` as DIR
        source, cache = cache, CACHE
    if source in (None, CACHE):
        raise SourceError("no SOURCE: give an HTML file or a URL")
    return read_source(source, None if cache is None else Path(cache), options.timeout)
