"""``python -m benchmarks.metadata``: headline, date, authors and language, ours beside the peers'.

All read the same pages: of each corpus the half of the sites on which nothing was written or tuned
(``--half held-out``, the default). Peers come with the extra [bench]; one that is not installed is
named and left out. A peer that fails on a page has no value for it.
"""

from __future__ import annotations

import argparse
import logging
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.speed import CORPORA
from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.metadata.fields import Metadata
from scrapy_boilerplate.training.corpora import LabelledPage, read_pages
from scrapy_boilerplate.training.metrics.bootstrap import draws, interval
from scrapy_boilerplate.training.metrics.fields import JUDGED
from scrapy_boilerplate.training.splits import position

SALT = "metadata"
"""Of the hash that cuts each corpus's sites in two."""
NAMES = ("fundus", "trafilatura", "article-extraction", "wcxb", "waddle")
HALVES = ("held-out", "development", "all")

OURS = "scrapy_boilerplate"

System = Callable[[LabelledPage], Metadata]


def main() -> None:
    """Measure and print a table for each field."""
    options = _options()
    logging.disable(logging.CRITICAL)  # what peers have to say about pages
    warnings.simplefilter("ignore")
    systems = {OURS: _ours, **({} if options.no_peers else dict(_peers()))}
    for field in JUDGED:
        print(f"\n{field}: share of pages right, {options.half} sites (95 % interval by site)\n")
        print(f"{'':20}" + "".join(f"{name:>26}" for name in NAMES))
        for name in systems:
            cells = [_cell(_results(corpus, systems, options), name, field) for corpus in NAMES]
            print(f"{name:20}" + "".join(f"{cell:>26}" for cell in cells))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=Path, default=CORPORA, help="default: %(default)s")
    parser.add_argument("--half", choices=HALVES, default=HALVES[0], help="default: %(default)s")
    parser.add_argument("--no-peers", action="store_true", help="ours alone")
    parser.add_argument("--pages", type=int, help="of each corpus, for a quick look")
    return parser.parse_args()


def of_half(page: LabelledPage, half: str) -> bool:
    """Whether the site of a page is in a half; the sides follow from a hash of its domain."""
    development = position(page.site, SALT) < 0.5
    return half == "all" or development == (half == "development")


Results = list[tuple[LabelledPage, Mapping[str, Metadata]]]
_kept: dict[str, Results] = {}


def _results(corpus: str, systems: Mapping[str, System], options: argparse.Namespace) -> Results:
    if corpus not in _kept:
        print(f"{corpus} ...", file=sys.stderr)
        pages = read_pages(options.corpora / f"{corpus}.jsonl.xz")
        chosen = islice((page for page in pages if of_half(page, options.half)), options.pages)
        _kept[corpus] = [
            (page, {name: _careful(system, page) for name, system in systems.items()})
            for page in chosen
            if any(knows(page) for knows, _ in JUDGED.values())
        ]
    return _kept[corpus]


def _careful(system: System, page: LabelledPage) -> Metadata:
    try:
        return system(page)
    except Exception as error:  # noqa: BLE001 - peers raise anything
        print(f"{page.dataset} {page.id}: {type(error).__name__}", file=sys.stderr)
        return Metadata()


def _cell(results: Results, system: str, field: str) -> str:
    knows, right = JUDGED[field]
    judged = [(page, found[system]) for page, found in results if knows(page)]
    if not judged or not any(_given(one, field) for _, one in judged):
        return "-"
    rows = np.array([right(page, found) for page, found in judged], dtype=np.float64)
    drawn = draws([page.site for page, _ in judged])
    low, high = interval(np.array([rows[one].mean() for one in drawn]))
    return f"{rows.mean():.3f} ({low:.3f}-{high:.3f}) {len(rows):3}"


def _given(found: Metadata, field: str) -> bool:
    values = {"date": found.date_published, "authors": found.authors}
    return bool(values[field] if field in values else getattr(found, field))


def _ours(page: LabelledPage) -> Metadata:
    return extract(page.html, page.url)


def _peers() -> Iterator[tuple[str, System]]:
    for package, name, make in PEERS:
        try:
            module = import_module(package)
        except ImportError:
            print(f"(left out: {package} is not installed; the extra [bench] brings it)")
            continue
        yield name, make(module)


def _trafilatura(module: Any) -> System:
    def run(page: LabelledPage) -> Metadata:
        found = module.extract_metadata(page.html, page.url)
        authors = tuple((found.author or "").split("; ")) if found.author else ()
        return Metadata(headline=found.title, date_published=found.date, authors=authors)

    return run


def _newspaper(module: Any) -> System:
    def parsed(page: LabelledPage, **told: str) -> Any:
        address = page.url or "http://unknown.example/"
        article = module.Article(address, fetch_images=False, **told)
        article.download(input_html=page.html)
        article.parse()
        return article

    def run(page: LabelledPage) -> Metadata:
        try:
            article = parsed(page)
        except ImportError:  # no tokenizer for the language: its metadata does not need one
            article = parsed(page, language="en")
        return Metadata(
            headline=article.title or None,
            date_published=_iso(article.publish_date),
            authors=tuple(article.authors),
            language=article.meta_lang or None,
        )

    return run


def _goose(module: Any) -> System:
    goose = module.Goose({"enable_image_fetching": False})

    def run(page: LabelledPage) -> Metadata:
        article = goose.extract(raw_html=page.html)
        return Metadata(
            headline=article.title or None,
            date_published=_iso(article.publish_datetime_utc),
            authors=tuple(article.authors),
            language=(article.meta_lang or "")[:2] or None,
        )

    return run


def _htmldate(module: Any) -> System:
    def run(page: LabelledPage) -> Metadata:
        return Metadata(
            date_published=module.find_date(page.html, url=page.url, original_date=True)
        )

    return run


def _readability(module: Any) -> System:
    return lambda page: Metadata(headline=module.Document(page.html).short_title())


def _iso(moment: Any) -> str | None:
    return moment.isoformat() if moment else None


PEERS: Sequence[tuple[str, str, Callable[[Any], System]]] = (
    ("trafilatura", "trafilatura", _trafilatura),
    ("newspaper", "newspaper4k", _newspaper),
    ("goose3", "goose3", _goose),
    ("htmldate", "htmldate", _htmldate),
    ("readability", "readability-lxml", _readability),
)


if __name__ == "__main__":
    main()
