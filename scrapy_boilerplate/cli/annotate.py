"""``scrapy-boilerplate annotate``: label pages in the browser, the least confident first."""

from __future__ import annotations

import argparse
import getpass
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_boilerplate.cli.options import Commands, parse_positive
from scrapy_boilerplate.cli.output import print_error, progress_bar

if TYPE_CHECKING:
    from scrapy_boilerplate.report.annotator import Annotator

HTML_SUFFIXES = (".html", ".htm", ".xhtml")
CORPUS_SUFFIXES = (".jsonl", ".jsonl.xz")


def add_to(commands: Commands) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "annotate",
        help="label pages in the browser, for training",
        description="Show pages one by one in the browser, the most doubtful first, and write what "
        "you make of them to DIR/labels.jsonl, which train and evaluate read (docs/inspect.md). "
        "Only this machine can reach it. Needs the extra [html].",
    )
    parser.add_argument(
        "pages", nargs="+", type=Path, metavar="PAGES", help="HTML files, corpora, or folders"
    )
    parser.add_argument("--labels", type=Path, required=True, metavar="DIR", help="where they go")
    parser.add_argument("--extractor", metavar="NAME", help="what labels the pages at first")
    parser.add_argument("--annotator", metavar="NAME", help="default: your user name")
    parser.add_argument(
        "--limit", type=parse_positive, metavar="N", help="only N pages of each corpus"
    )
    parser.add_argument("--open", action="store_true", help="show it in the browser")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Serve until interrupted; 1 if pages, an extractor or a package are missing."""
    from scrapy_boilerplate.extractors import UnknownExtractorError
    from scrapy_boilerplate.extras import MissingExtraError
    from scrapy_boilerplate.report.label_store import LabelsError
    from scrapy_boilerplate.training.corpora import CorpusError

    try:
        annotator = _build_annotator(options)
    except (UnknownExtractorError, MissingExtraError, CorpusError, LabelsError, OSError) as error:
        return print_error(error)
    if not annotator.pages:
        return print_error(
            f"no page in {', '.join(map(str, options.pages))}: give HTML or JSON lines"
        )
    _serve(annotator, in_browser=options.open)
    return 0


def _build_annotator(options: argparse.Namespace) -> Annotator:
    from scrapy_boilerplate.extractors import DEFAULT, get_extractor
    from scrapy_boilerplate.extras import optional
    from scrapy_boilerplate.report.annotator import Annotator, sort_by_confidence
    from scrapy_boilerplate.report.label_store import LabelStore

    for package in ("nh3", "tinycss2"):  # else missing when the browser asks for a page
        optional(package, "annotate", "html")
    extractor = get_extractor(options.extractor or DEFAULT)
    pages = progress_bar("reading")(_read_pages(options))
    return Annotator(
        pages=sort_by_confidence(pages, extractor),
        extractor=extractor,
        store=LabelStore(options.labels),
        name=options.annotator or find_user_name(),
    )


def find_user_name() -> str:
    """Return who runs this, or ``unknown``: in a container a user may have no name."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # OSError from Python 3.13 on
        return "unknown"


def _serve(annotator: Annotator, *, in_browser: bool) -> None:
    from scrapy_boilerplate.report.server import AnnotatorServer

    with AnnotatorServer(annotator) as server:
        print(f"{len(annotator.pages)} pages at {server.address}", flush=True)
        print("press Ctrl-C to end; nothing is lost", flush=True)
        if in_browser:
            import webbrowser

            webbrowser.open(server.address)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()


def _read_pages(options: argparse.Namespace) -> Iterator[tuple[str, str, str | None]]:
    """Yield name, HTML and address of each page."""
    from scrapy_boilerplate.page.encoding import decode_html
    from scrapy_boilerplate.training.corpora import read_pages

    for path in _find_files(options.pages):
        if path.name.endswith(CORPUS_SUFFIXES):
            for page in read_pages(path, options.limit):
                yield f"{page.dataset}/{page.id}", page.html, page.url
        else:
            yield path.name, decode_html(path.read_bytes()), None


def _find_files(paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            files = sorted(file for file in path.rglob("*") if file.is_file())
            suffixes = (*HTML_SUFFIXES, *CORPUS_SUFFIXES)
            yield from (file for file in files if file.name.endswith(suffixes))
        else:
            yield path
