"""``python -m benchmarks.metadata``: headline, date, authors and language, compared with peers.

All systems read the same pages: of each corpus the half of the sites that was not used to write or
tune rules (``--half held-out``, the default). Peers need the extra [bench]; a missing peer is named
and left out. A peer that fails on a page has no value for it. Prints the tables of
docs/evaluation.md. Takes about half an hour; ``--pages 5 --no-peers`` some seconds.

``--without RULE`` prints instead on how many pages a field gets right or wrong without a rule: a
function of `scrapy_boilerplate.metadata`, which then returns None (``dates._find_better_shown``),
or a row of a table of sources (``authors.AUTHOR_SOURCES:dateline``).
"""

import argparse
import logging
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from itertools import islice
from typing import Any
from unittest.mock import patch

import numpy as np
from tqdm import tqdm

from benchmarks.corpora import corpus_file, create_parser
from benchmarks.markdown import format_table
from scrapy_boilerplate.document import Document
from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.training.corpora import LabelledPage, read_pages, site_position
from scrapy_boilerplate.training.metrics import FIELD_JUDGES, draw_sites, percentile_interval

# Salt of the hash that splits the sites of each corpus into two halves.
SALT = "metadata"
NAMES = ("fundus", "trafilatura", "article-extraction", "wcxb", "waddle")
HALVES = ("held-out", "development", "all")

OURS = "scrapy_boilerplate"

System = Callable[[LabelledPage], Document]


def main() -> None:
    parser = create_parser(__doc__)
    parser.add_argument("--half", choices=HALVES, default=HALVES[0], help="default: %(default)s")
    parser.add_argument("--no-peers", action="store_true", help="only this package")
    parser.add_argument("--without", metavar="RULE", help="a function or a row of a table")
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)  # what peers log about pages
    warnings.simplefilter("ignore")
    if options.without:
        print(format_rule(options))
        return
    systems = {OURS: _read_ours, **({} if options.no_peers else dict(_load_peers()))}
    for field in FIELD_JUDGES:
        print(f"\n{field}: share of pages right, {options.half} sites (95 % interval by site)\n")
        rows = [["system", *NAMES]]
        for name in systems:
            results = [_read_corpus(corpus, systems, options) for corpus in NAMES]
            rows.append([name, *(_format_cell(of_corpus, name, field) for of_corpus in results)])
        print(format_table(rows))


def format_rule(options: argparse.Namespace) -> str:
    """Return the table of pages that are better / worse without the rule ``options.without``."""
    name, _, row = options.without.partition(":")
    module_name, _, attribute = name.rpartition(".")
    module = import_module(f"scrapy_boilerplate.metadata.{module_name}")
    rows: list[list[str]] = [["field", *NAMES]]
    table = getattr(module, attribute)
    without: Any = tuple(each for each in table if each[0] != row) if row else _return_nothing
    systems = {
        OURS: _read_ours,
        options.without: lambda page: _read_with(module, attribute, without, page),
    }
    for field, judge in FIELD_JUDGES.items():
        cells = []
        for corpus in NAMES:
            changes = [
                judge.is_right(page, by[options.without]) - judge.is_right(page, by[OURS])
                for page, by in _read_corpus(corpus, systems, options)
                if judge.knows(page)
            ]
            cells.append(f"{changes.count(1)} / {changes.count(-1)}")
        rows.append([field, *cells])
    return format_table(rows)


def _return_nothing(*_: object, **__: object) -> None:
    return None


def _read_with(module: Any, attribute: str, value: Any, page: LabelledPage) -> Document:
    with patch.object(module, attribute, value):
        return _read_ours(page)


def is_of_half(page: LabelledPage, half: str) -> bool:
    """Return whether the site of a page is in a half, by a hash of its domain."""
    development = site_position(page.site, SALT) < 0.5
    return half == "all" or development == (half == "development")


Results = list[tuple[LabelledPage, Mapping[str, Document]]]
_results: dict[str, Results] = {}


def _read_corpus(
    corpus: str, systems: Mapping[str, System], options: argparse.Namespace
) -> Results:
    """Return the metadata of each system for each page of a corpus, read once."""
    if corpus not in _results:
        pages = read_pages(corpus_file(options.corpora, corpus))
        chosen = islice((page for page in pages if is_of_half(page, options.half)), options.pages)
        _results[corpus] = [
            (page, {name: _run_careful(system, page) for name, system in systems.items()})
            for page in tqdm(chosen, desc=corpus, unit="page")
            if any(judge.knows(page) for judge in FIELD_JUDGES.values())
        ]
    return _results[corpus]


def _run_careful(system: System, page: LabelledPage) -> Document:
    try:
        return system(page)
    except Exception as error:  # noqa: BLE001 - peers raise anything
        print(f"{page.dataset} {page.id}: {type(error).__name__}", file=sys.stderr)
        return Document()


def _format_cell(results: Results, system: str, field: str) -> str:
    judge = FIELD_JUDGES[field]
    judged = [(page, metadata[system]) for page, metadata in results if judge.knows(page)]
    if not any(judge.value(metadata) for _, metadata in judged):
        return "-"
    rows = np.array([judge.is_right(page, metadata) for page, metadata in judged], dtype=np.float64)
    samples = draw_sites([page.site for page, _ in judged])
    low, high = percentile_interval(np.array([rows[sample].mean() for sample in samples]))
    return f"{rows.mean():.3f} ({low:.3f}-{high:.3f}) {len(rows)}"


def _read_ours(page: LabelledPage) -> Document:
    document = extract(page.html, page.url)
    _ = document.evidence  # computes all metadata
    return document


def _load_peers() -> Iterator[tuple[str, System]]:
    for package, name, make in PEERS:
        try:
            module = import_module(package)
        except ImportError:
            print(f"(left out: {package} is not installed; the extra [bench] brings it)")
            continue
        yield name, make(module)


def _make_trafilatura(module: Any) -> System:
    def run(page: LabelledPage) -> Document:
        theirs = module.extract_metadata(page.html, page.url)
        authors = tuple((theirs.author or "").split("; ")) if theirs.author else ()
        return Document(headline=theirs.title, date_published=theirs.date, authors=authors)

    return run


def _make_newspaper(module: Any) -> System:
    def parse(page: LabelledPage, **arguments: str) -> Any:
        url = page.url or "http://unknown.example/"
        article = module.Article(url, fetch_images=False, **arguments)
        article.download(input_html=page.html)
        article.parse()
        return article

    def run(page: LabelledPage) -> Document:
        try:
            article = parse(page)
        except ImportError:  # no tokenizer for the language: its metadata does not need one
            article = parse(page, language="en")
        return Document(
            headline=article.title or None,
            date_published=_format_moment(article.publish_date),
            authors=tuple(article.authors),
            language=article.meta_lang or None,
        )

    return run


def _make_goose(module: Any) -> System:
    goose = module.Goose({"enable_image_fetching": False})

    def run(page: LabelledPage) -> Document:
        article = goose.extract(raw_html=page.html)
        return Document(
            headline=article.title or None,
            date_published=_format_moment(article.publish_datetime_utc),
            authors=tuple(article.authors),
            language=(article.meta_lang or "")[:2] or None,
        )

    return run


def _make_htmldate(module: Any) -> System:
    def run(page: LabelledPage) -> Document:
        return Document(
            date_published=module.find_date(page.html, url=page.url, original_date=True)
        )

    return run


def _make_readability(module: Any) -> System:
    return lambda page: Document(headline=module.Document(page.html).short_title())


def _format_moment(moment: Any) -> str | None:
    return moment.isoformat() if moment else None


PEERS: Sequence[tuple[str, str, Callable[[Any], System]]] = (
    ("trafilatura", "trafilatura", _make_trafilatura),
    ("newspaper", "newspaper4k", _make_newspaper),
    ("goose3", "goose3", _make_goose),
    ("htmldate", "htmldate", _make_htmldate),
    ("readability", "readability-lxml", _make_readability),
)


if __name__ == "__main__":
    main()
