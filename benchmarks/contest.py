"""The text and the CPU time of the extractors of this package and the peers on one page.

A system is a function of a page. Time is the CPU time of the whole process around one call, with
one thread for each numerical library. The parse of the same page with lxml is timed in between.
"""

import gc
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from time import process_time
from types import FrameType
from typing import Any

import lxml.html
import numpy as np

from benchmarks.corpora import FOLDS
from benchmarks.folds import Part, find_left_out_corpora, load_part
from benchmarks.peers import NO_URL, PEERS, Run, replace_none
from scrapy_boilerplate.extraction import extract, load_page
from scrapy_boilerplate.extractors import find_model_folder, get_extractor
from scrapy_boilerplate.news.extractor import build_news
from scrapy_boilerplate.page.labels import Labeling
from scrapy_boilerplate.page.parsing import parse_html
from scrapy_boilerplate.page.reading import read_tree
from scrapy_boilerplate.steps.extractor import Extractor
from scrapy_boilerplate.steps.model_store import load_shipped, return_model
from scrapy_boilerplate.training.corpora import LabelledPage, site_fold, site_position
from scrapy_boilerplate.training.evaluation import PageScores
from scrapy_boilerplate.training.gold import Gold
from scrapy_boilerplate.training.metrics import METRICS, ExtractedPage

NEWS, PARSE = "news", "parse"

# only where a model was trained without the corpus
UNSEEN = "news, corpus left out"
# maximum wall-clock seconds of a call on a page; a slower system has failed on it
MAX_SECONDS = 120

_SENTENCES = "It returns on Monday, the company said, after a repair that took the winter. " * 20

# pages that every system reads before it is timed: an article, one with a date and an author, and
# one with too little text. Systems then load data that they load once (languages, names of months,
# word lists of a fallback), which takes 0.2 to 0.7 s and is not the cost of a page
WARM_UP = (
    f"<html><body><h1>Ferry</h1><p>{_SENTENCES}</p></body></html>",
    "<html><head><title>Ferry - News</title><meta name=author content='Ann Lee'></head><body>"
    f"<h1>Ferry</h1><p>By Ann Lee, 3 March 2021 10:20</p><p>{_SENTENCES}</p></body></html>",
    "<html><body><p>Closed.</p></body></html>",
)

# an empty page, because metrics of texts do not read the page
EMPTY_PAGE = load_page("").page


@dataclass(frozen=True, kw_only=True)
class Contest:
    """Who takes part: names of PEERS, and our extractors as `NAME` or `news:FAVOR`.

    models   directory of the models that `benchmarks.folds` makes; None for the shipped model
    """

    ours: tuple[str, ...]
    peers: tuple[str, ...]
    models: Path | None = None


@dataclass(frozen=True)
class PageResult:
    """One page: counts by system, CPU seconds by system and of PARSE, and errors by system."""

    scores: PageScores
    seconds: Mapping[str, float]
    failed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class System:
    """The timed function, and the function that turns its result into text."""

    run: Run
    text: Callable[[Any], str] = replace_none


def format_display_name(extractor: str) -> str:
    """Return the name of one of our extractors in tables: `news, precision`."""
    return extractor.replace(":", ", ")


def measure_page(page: LabelledPage, contest: Contest, metric: str) -> PageResult:
    """Run every system on a page. A system that fails has an empty text."""
    systems, by_corpus = load_systems(contest)
    clean = _replace_surrogates(page)
    gold, site = Gold(clean, EMPTY_PAGE), clean.site  # the site is computed before the timing
    content = clean.html.encode()
    rows, seconds, failed = {}, {}, {}
    systems = {PARSE: System(lambda _: parse_with_lxml(content)), **systems}
    if page.dataset in by_corpus:
        systems[UNSEEN] = by_corpus[page.dataset]
    # the order of the systems rotates from page to page, so that it has no effect
    names = list(systems)
    first = int(site_position(page.id, "order") * len(names))
    for name in names[first:] + names[:first]:
        system = systems[name]
        result, seconds[name], error = _time_call(system.run, clean)
        if error:
            failed[name] = error
        if name != PARSE:
            text = "" if error else system.text(result)
            extracted = ExtractedPage(text, gold.page, Labeling.blank(0))
            rows[name, metric] = np.asarray(
                METRICS[metric].count(gold, extracted), dtype=np.float64
            )
    in_order = {(name, metric): rows[name, metric] for name in names if name != PARSE}
    return PageResult(PageScores(page.id, site, in_order), seconds, failed)


@cache
def load_systems(contest: Contest) -> tuple[dict[str, System], dict[str, System]]:
    """Return the systems by name, and systems of a single corpus by corpus; warmed up.

    Once a process. Raises ModelError and UnknownExtractorError.
    """
    ours = {
        format_display_name(name): System(_load_ours(name, contest.models)) for name in contest.ours
    }
    peers = {p.name: System(p.load(), p.text) for p in PEERS if p.name in contest.peers}
    left_out = {}
    for corpus in find_left_out_corpora(contest.models) if contest.models else ():
        model = load_part(contest.models or Path(), Part(corpus=corpus))
        left_out[corpus] = System(run_extractor(build_news(partial(return_model, model))))
    for html in WARM_UP:
        page = LabelledPage(id="", dataset="", html=html, url=NO_URL, language="en")
        for system in (*ours.values(), *left_out.values()):
            system.run(page)
        for system in peers.values():
            _time_call(system.run, page)  # peers can raise anything
    gc.collect()
    gc.freeze()  # so that collecting between two calls is quick
    return ours | peers, left_out


def _load_ours(extractor: str, models: Path | None) -> Run:
    name, _, favor = extractor.partition(":")
    if name != NEWS:
        return run_extractor(get_extractor(extractor))
    favor = favor or "balanced"
    if models is None:
        return run_extractor(build_news(partial(load_shipped, find_model_folder(NEWS)), favor))
    parts = [load_part(models, Part(number=number)) for number in range(FOLDS)]
    by_fold = [run_extractor(build_news(partial(return_model, model), favor)) for model in parts]
    return lambda page: by_fold[site_fold(page.site, FOLDS)](page)  # not trained on the site


def run_extractor(extractor: Extractor) -> Run:
    """Return a function from a page to the text that an extractor gives."""
    return lambda page: extract(page.html, page.url, extractor).text


def _replace_surrogates(page: LabelledPage) -> LabelledPage:
    """Return the page with text that can be encoded, and a language if any is known."""
    html = page.html.encode("utf-8", "replace").decode()
    language = page.language or read_tree(parse_html(html)).language
    return replace(page, html=html, language=language)


def parse_with_lxml(content: bytes) -> object:
    parser = lxml.html.HTMLParser(recover=True, encoding="utf8", huge_tree=True)
    return lxml.html.fromstring(content, parser=parser)


def _time_call(run: Run, page: LabelledPage) -> tuple[Any, float, str]:
    """Return (result, CPU seconds, name of the error or "")."""
    result, error = None, ""
    gc.collect()  # no system pays for the garbage of others
    start = process_time()
    try:
        with _time_limit():
            result = run(page)
    except Exception as raised:  # noqa: BLE001 - peers raise anything
        error = type(raised).__name__
    return result, process_time() - start, error


@contextmanager
def _time_limit() -> Iterator[None]:
    """Raise TimeoutError after MAX_SECONDS."""
    before = signal.signal(signal.SIGALRM, _raise_timeout)
    signal.setitimer(signal.ITIMER_REAL, MAX_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _raise_timeout(_number: int, _frame: FrameType | None) -> None:
    raise TimeoutError(f"{MAX_SECONDS} seconds are over")
