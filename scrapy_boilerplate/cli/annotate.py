"""``scrapy-boilerplate annotate``: label pages in the browser, the most doubtful first."""

from __future__ import annotations

import argparse
import getpass
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_boilerplate.cli.shared import complain, natural, progress_over

if TYPE_CHECKING:
    from scrapy_boilerplate.report.annotator import Annotator

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

HTML = (".html", ".htm", ".xhtml")
CORPORA = (".jsonl", ".jsonl.xz")


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
    parser.add_argument("--limit", type=natural, metavar="N", help="only N pages of each corpus")
    parser.add_argument("--open", action="store_true", help="show it in the browser")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Serve until interrupted; 1 if pages, an extractor or a package are missing."""
    from scrapy_boilerplate.extractors import UnknownExtractorError
    from scrapy_boilerplate.extras import MissingExtraError
    from scrapy_boilerplate.report.label_store import LabelsError
    from scrapy_boilerplate.training.corpora import CorpusError

    try:
        _require()
        annotator = _annotator(options)
    except (UnknownExtractorError, MissingExtraError, CorpusError, LabelsError, OSError) as error:
        return complain(error)
    if not annotator.pages:
        return complain(f"no page in {', '.join(map(str, options.pages))}: give HTML or JSON lines")
    _serve(annotator, in_browser=options.open)
    return 0


def _require() -> None:
    """What would only be missed when the browser asks for the first page."""
    from scrapy_boilerplate.extras import optional

    for package in ("nh3", "tinycss2"):
        optional(package, "annotate", "html")


def _annotator(options: argparse.Namespace) -> Annotator:
    from scrapy_boilerplate.extractors import DEFAULT, get_extractor
    from scrapy_boilerplate.report.annotator import Annotator, sort_by_confidence
    from scrapy_boilerplate.report.label_store import LabelStore

    extractor = get_extractor(options.extractor or DEFAULT)
    pages = progress_over("reading")(_pages(options))
    return Annotator(
        pages=sort_by_confidence(pages, extractor),
        extractor=extractor,
        store=LabelStore(options.labels),
        name=options.annotator or user_name(),
    )


def user_name() -> str:
    """Who runs this, or ``unknown``: in a container a user may have no name."""
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


def _pages(options: argparse.Namespace) -> Iterator[tuple[str, str, str | None]]:
    """Name, HTML and address of each page."""
    from scrapy_boilerplate.page.encoding import decode_html
    from scrapy_boilerplate.training.corpora import read_pages

    for path in _files(options.pages):
        if path.name.endswith(CORPORA):
            for page in read_pages(path, options.limit):
                yield f"{page.dataset}/{page.id}", page.html, page.url
        else:
            yield path.name, decode_html(path.read_bytes()), None


def _files(paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            inside = sorted(one for one in path.rglob("*") if one.is_file())
            yield from (one for one in inside if one.name.endswith((*HTML, *CORPORA)))
        else:
            yield path
