"""``python -m benchmarks.metadata``: headline, date, authors and language, ours beside the peers'.

All read the same pages: of each corpus the half of the sites on which nothing was written or tuned
(``--half held-out``, the default). Peers come with the extra [bench]; one that is not installed is
named and left out. A peer that fails on a page has no value for it. Prints the tables of
docs/evaluation.md. Takes about half an hour; ``--pages 5 --no-peers`` some seconds.

``--without RULE`` prints on how many pages of each corpus a field gets right or wrong without a
source or a rule of RULES, or without each of them (``--without all``).
"""

from __future__ import annotations

import argparse
import logging
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from tqdm import tqdm

from benchmarks.corpora import CORPORA, corpus_file
from benchmarks.markdown import format_table
from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.metadata import authors, dates, headline, person_names
from scrapy_boilerplate.metadata.fields import Metadata
from scrapy_boilerplate.metadata.sources import MetadataSources
from scrapy_boilerplate.training.corpora import LabelledPage, read_pages, site_position
from scrapy_boilerplate.training.metrics.bootstrap import draw_sites, percentile_interval
from scrapy_boilerplate.training.metrics.fields import FIELD_JUDGES

SALT = "metadata"
"""Of the hash that cuts each corpus's sites in two."""
NAMES = ("fundus", "trafilatura", "article-extraction", "wcxb", "waddle")
HALVES = ("held-out", "development", "all")

OURS = "scrapy_boilerplate"

System = Callable[[LabelledPage], Metadata]


def main() -> None:
    """Measure and print a table for each field."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=Path, default=CORPORA, help="default: %(default)s")
    parser.add_argument("--half", choices=HALVES, default=HALVES[0], help="default: %(default)s")
    parser.add_argument("--no-peers", action="store_true", help="ours alone")
    parser.add_argument("--pages", type=int, help="of each corpus, for a quick look")
    parser.add_argument("--without", metavar="RULE", help="a name of RULES, or all")
    options = parser.parse_args()
    if options.without:
        print(format_rules(options))
        return
    logging.disable(logging.CRITICAL)  # what peers log about pages
    warnings.simplefilter("ignore")
    systems = {OURS: _read_ours, **({} if options.no_peers else dict(_load_peers()))}
    for field in FIELD_JUDGES:
        print(f"\n{field}: share of pages right, {options.half} sites (95 % interval by site)\n")
        rows = [["system", *NAMES]]
        for name in systems:
            results = [_read_corpus(corpus, systems, options) for corpus in NAMES]
            rows.append([name, *(_format_cell(of_corpus, name, field) for of_corpus in results)])
        print(format_table(rows))


Rule = tuple[str, Any, str, Any]
"""A field of FIELD_JUDGES, and what is replaced: object, attribute, value."""


def _return_nothing(*_: object, **__: object) -> None:
    return None


def _return_text(text: str, *_: object) -> str:
    return text


def _list_sources() -> Iterator[tuple[str, Rule]]:
    for table in ("DECLARED", "SHOWN", "CHANGED", "LAST_RESORTS"):
        rows = getattr(dates, table)
        for number, (source, _) in enumerate(rows):
            rest = (*rows[:number], *rows[number + 1 :])
            yield f"date {table} {source}", ("date", dates, table, rest)
    for name in headline.WEIGHTS:
        weights = {**headline.WEIGHTS, name: 0.0}
        yield f"headline {name}", ("headline", headline, "WEIGHTS", weights)


_REPLACED: tuple[tuple[str, Any, Any, str], ...] = (
    ("date", dates, _return_nothing, "_find_better_shown _date_in_words _date_in_number"),
    ("date", dates, _return_nothing, "names_date _change"),
    ("date", dates, lambda _: iter(()), "read_close_lines"),
    ("authors", authors, _return_nothing, "_find_agreed match_credit _is_of_other_article"),
    ("authors", authors, _return_nothing, "_company _agency"),
    ("authors", person_names, _return_text, "_drop_job_titles _drop_markup"),
    ("authors", person_names, _return_nothing, "_is_note is_credential _starts_date ends_sentence"),
    ("authors", person_names, frozenset(), "DAYS MENU_WORDS PLACEHOLDER_NAMES"),
    ("headline", headline, _return_nothing, "_read_without_asides cut_end"),
)
RULES: Mapping[str, Rule] = {
    **dict(_list_sources()),
    **{
        f"{field} {name}": (field, owner, name, value)
        for field, owner, value, names in _REPLACED
        for name in names.split()
    },
}
"""Name to rule: the sources and rules of dates, authors and headlines."""
FINDERS_OF = {
    "date": ("date_published", dates.find_date_published),
    "authors": ("authors", authors.find_authors),
    "headline": ("headline", headline.find_headline),
}


def format_rules(options: argparse.Namespace) -> str:
    """Return better and worse pages of each corpus without each rule; pages are labelled once."""
    rules = RULES if options.without == "all" else {options.without: RULES[options.without]}
    fields = {rule[0] for rule in rules.values()}
    pages: dict[str, list[tuple[LabelledPage, Any]]] = {}
    for folder in (options.corpora, options.corpora / "more"):
        for corpus in NAMES[:-1]:
            file = corpus_file(folder, corpus)
            labelled = pages.setdefault(f"{corpus}{(folder.name == 'more' and ' more') or ''}", [])
            for page in islice(read_pages(file) if file.exists() else (), options.pages):
                if any(FIELD_JUDGES[field].knows(page) for field in fields):
                    labelled.append((replace(page, html=""), extract(page.html, page.url).labelled))
    before = {field: _judge_pages(pages, field) for field in fields}
    rows = [["rule", *pages]]
    for name, (field, owner, attribute, value) in rules.items():
        with patch.object(owner, attribute, value):
            after = _judge_pages(pages, field)
        cells = []
        for corpus in pages:
            pairs = list(zip(before[field][corpus], after[corpus], strict=True))
            better = sum(now > then for then, now in pairs)
            worse = sum(now < then for then, now in pairs)
            cells.append(f"{better} / {worse}" if better or worse else "")
        rows.append([name, *cells])
    return format_table(rows)


def _judge_pages(
    pages: Mapping[str, list[tuple[LabelledPage, Any]]], field: str
) -> dict[str, list[bool]]:
    (name, find), judge = FINDERS_OF[field], FIELD_JUDGES[field]
    judged: dict[str, list[bool]] = {}
    for corpus, labelled in pages.items():
        judged[corpus] = []
        for page, columns in labelled:
            if judge.knows(page) and columns:
                found = find(MetadataSources(*columns))
                values: dict[str, Any] = {name: found[0]} if found else {}
                metadata = Metadata(**values)
                judged[corpus].append(judge.is_right(page, metadata))
    return judged


def is_of_half(page: LabelledPage, half: str) -> bool:
    """Return whether the site of a page is in a half, by a hash of its domain."""
    development = site_position(page.site, SALT) < 0.5
    return half == "all" or development == (half == "development")


Results = list[tuple[LabelledPage, Mapping[str, Metadata]]]
_results: dict[str, Results] = {}


def _read_corpus(
    corpus: str, systems: Mapping[str, System], options: argparse.Namespace
) -> Results:
    """Return what each system gives for each page of a corpus, read once."""
    if corpus not in _results:
        pages = read_pages(corpus_file(options.corpora, corpus))
        chosen = islice((page for page in pages if is_of_half(page, options.half)), options.pages)
        _results[corpus] = [
            (page, {name: _run_careful(system, page) for name, system in systems.items()})
            for page in tqdm(chosen, desc=corpus, unit="page")
            if any(judge.knows(page) for judge in FIELD_JUDGES.values())
        ]
    return _results[corpus]


def _run_careful(system: System, page: LabelledPage) -> Metadata:
    try:
        return system(page)
    except Exception as error:  # noqa: BLE001 - peers raise anything
        print(f"{page.dataset} {page.id}: {type(error).__name__}", file=sys.stderr)
        return Metadata()


def _format_cell(results: Results, system: str, field: str) -> str:
    judge = FIELD_JUDGES[field]
    judged = [(page, metadata[system]) for page, metadata in results if judge.knows(page)]
    if not any(judge.value(metadata) for _, metadata in judged):
        return "-"
    rows = np.array([judge.is_right(page, metadata) for page, metadata in judged], dtype=np.float64)
    samples = draw_sites([page.site for page, _ in judged])
    low, high = percentile_interval(np.array([rows[sample].mean() for sample in samples]))
    return f"{rows.mean():.3f} ({low:.3f}-{high:.3f}) {len(rows)}"


def _read_ours(page: LabelledPage) -> Metadata:
    return extract(page.html, page.url)


def _load_peers() -> Iterator[tuple[str, System]]:
    for package, name, make in PEERS:
        try:
            module = import_module(package)
        except ImportError:
            print(f"(left out: {package} is not installed; the extra [bench] brings it)")
            continue
        yield name, make(module)


def _make_trafilatura(module: Any) -> System:
    def run(page: LabelledPage) -> Metadata:
        theirs = module.extract_metadata(page.html, page.url)
        authors = tuple((theirs.author or "").split("; ")) if theirs.author else ()
        return Metadata(headline=theirs.title, date_published=theirs.date, authors=authors)

    return run


def _make_newspaper(module: Any) -> System:
    def parse(page: LabelledPage, **arguments: str) -> Any:
        address = page.url or "http://unknown.example/"
        article = module.Article(address, fetch_images=False, **arguments)
        article.download(input_html=page.html)
        article.parse()
        return article

    def run(page: LabelledPage) -> Metadata:
        try:
            article = parse(page)
        except ImportError:  # no tokenizer for the language: its metadata does not need one
            article = parse(page, language="en")
        return Metadata(
            headline=article.title or None,
            date_published=_format_moment(article.publish_date),
            authors=tuple(article.authors),
            language=article.meta_lang or None,
        )

    return run


def _make_goose(module: Any) -> System:
    goose = module.Goose({"enable_image_fetching": False})

    def run(page: LabelledPage) -> Metadata:
        article = goose.extract(raw_html=page.html)
        return Metadata(
            headline=article.title or None,
            date_published=_format_moment(article.publish_datetime_utc),
            authors=tuple(article.authors),
            language=(article.meta_lang or "")[:2] or None,
        )

    return run


def _make_htmldate(module: Any) -> System:
    def run(page: LabelledPage) -> Metadata:
        return Metadata(
            date_published=module.find_date(page.html, url=page.url, original_date=True)
        )

    return run


def _make_readability(module: Any) -> System:
    return lambda page: Metadata(headline=module.Document(page.html).short_title())


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
