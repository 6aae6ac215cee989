"""``scrapy-boilerplate inspect``: an HTML page with the label of each block, and its reasons."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_boilerplate.cli.options import Commands, add_timeout
from scrapy_boilerplate.cli.output import print_error

if TYPE_CHECKING:
    from scrapy_boilerplate.cli.sources import PageSource

CACHE = ".scrapy/httpcache"


def add_to(commands: Commands) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "inspect",
        help="show what was taken for what on a page, and why",
        description="Write one self-contained HTML page: the page as it looks, each block in the "
        "colour of its label, why it has that label, the steps, the article, the metadata "
        "(docs/inspect.md). Nothing of the page can act in it. Needs the extra [html].",
    )
    parser.add_argument("source", nargs="?", metavar="SOURCE", help="an HTML file, or an address")
    parser.add_argument(
        "--extractor",
        action="append",
        metavar="NAME",
        help="can be repeated, to compare; default: the default extractor",
    )
    parser.add_argument("-o", "--out", type=Path, metavar="FILE.html", help="default: NAME.html")
    parser.add_argument("--open", action="store_true", help="show it in the browser")
    parser.add_argument(
        "--cache",
        nargs="?",
        const=CACHE,
        metavar="DIR",
        help=f"take the address from a crawl's HTTP cache (default: {CACHE})",
    )
    parser.add_argument("--url", help="the address of the page, where SOURCE is a file")
    add_timeout(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write the page; 1 if the source, an extractor or a package is missing."""
    from scrapy_boilerplate.cli.sources import SourceError
    from scrapy_boilerplate.extractors import DEFAULT, UnknownExtractorError, get_extractor
    from scrapy_boilerplate.extras import MissingExtraError
    from scrapy_boilerplate.report.inspection import inspect, render_inspection

    try:
        names = dict.fromkeys(options.extractor or [DEFAULT])
        extractors = [get_extractor(name) for name in names]
        source = _read_source(options)
        url = options.url or source.url
        page = render_inspection(inspect(source.html, url, extractors, source.name))
        # from the address or file name, without what would make it a path
        name = source.name.partition("://")[2] or Path(source.name).stem
        name = re.sub(r"\W+", "-", name).strip("-")[:80]
        out = options.out or Path(f"inspect-{name or 'page'}.html")
        out.write_text(page, encoding="utf-8")
    except (UnknownExtractorError, MissingExtraError, SourceError, OSError) as error:
        return print_error(error)
    print(f"written: {out}")
    if options.open:
        import webbrowser

        webbrowser.open(out.resolve().as_uri())
    return 0


def _read_source(options: argparse.Namespace) -> PageSource:
    """Return the page to inspect. Raises SourceError.

    In ``--cache ADDRESS`` argparse takes the address for DIR; without another SOURCE it is that.
    """
    from scrapy_boilerplate.cli.sources import SourceError, read_source

    source, cache = options.source, options.cache
    if source is None:
        source, cache = cache, CACHE
    if source in (None, CACHE):
        raise SourceError("inspect what? Give an HTML file, or an address")
    return read_source(source, None if cache is None else Path(cache), options.timeout)
