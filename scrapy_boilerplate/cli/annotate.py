"""``scrapy-boilerplate annotate``: label pages in the browser, the least confident first."""

from __future__ import annotations

import argparse
import getpass
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_boilerplate.cli.options import (
    Commands,
    OptionError,
    add_limit,
    create_progress_bar,
    format_count,
    print_error,
)

if TYPE_CHECKING:
    from scrapy_boilerplate.report.annotator import Annotator


def add_to(commands: Commands) -> None:
    parser = commands.add_parser(
        "annotate",
        help="label pages in the browser, for training",
        description="Label pages in the browser, the least confident ones first. The labels "
        "go to DIR/labels.jsonl, which train and evaluate read. The server listens on this "
        "machine only. Needs the extra [html].",
    )
    add = parser.add_argument
    add("pages", nargs="+", type=Path, metavar="PAGES",
        help="files or folders, as for batch: HTML, JSON lines, WARC, HTTP cache")  # fmt: skip
    add("--labels", type=Path, required=True, metavar="DIR", help="output folder")
    add("--extractor", metavar="NAME", help="extractor of the first labels")
    add("--annotator", metavar="NAME", help="default: your user name")
    add_limit(parser, "maximum pages of each input")
    add("--open", action="store_true", help="open the browser")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from scrapy_boilerplate import import_optional
    from scrapy_boilerplate.extractors import DEFAULT, get_extractor
    from scrapy_boilerplate.report.annotator import Annotator, sort_by_confidence
    from scrapy_boilerplate.report.label_store import LabelStore

    import_optional("nh3", "annotate", "html")  # else missing when the browser asks for a page
    extractor = get_extractor(options.extractor or DEFAULT)
    annotator = Annotator(
        pages=sort_by_confidence(create_progress_bar("reading")(list_pages(options)), extractor),
        extractor=extractor,
        store=LabelStore(options.labels),
        name=options.annotator or find_user_name(),
    )
    if not annotator.pages:
        raise OptionError(
            f"no page in {', '.join(map(str, options.pages))}: "
            "give HTML files, JSON lines, WARC files or the HTTP cache of a crawl"
        )
    _serve(annotator, in_browser=options.open)
    return 0


def find_user_name() -> str:
    """Return the name of the user, or ``unknown``, for example in a container."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # OSError from Python 3.13 on
        return "unknown"


def _serve(annotator: Annotator, *, in_browser: bool) -> None:
    from scrapy_boilerplate.report.annotator import AnnotatorServer

    with AnnotatorServer(annotator) as server:
        print(f"{format_count(len(annotator.pages))} at {server.url}", flush=True)
        print("press Ctrl-C to stop; saved labels are kept", flush=True)
        if in_browser:
            import webbrowser

            webbrowser.open(server.url)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()


def list_pages(options: argparse.Namespace) -> Iterator[tuple[str, str, str | None]]:
    """Yield name, HTML and URL of each page; print the errors. Raises InputError."""
    from scrapy_boilerplate.batch.inputs import find_inputs

    for source in find_inputs(options.pages):
        for page in islice(source.read_pages(), options.limit):
            name = page.url or str(page.id)
            if page.error is None:
                yield name, page.decode(), page.url
            else:
                print_error(f"{name}: {page.error}")
