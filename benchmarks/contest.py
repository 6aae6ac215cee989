"""Our extractors and the peers on one page: what each finds, and what CPU time it takes.

A system is a function of a page. Time is the CPU time of the whole process around one call, with
one thread to each numerical library; the parse of the same page with lxml is timed next to them.
"""

from __future__ import annotations

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

from benchmarks.ablation import FOLDS
from benchmarks.folds import Part, left_out_corpora, load_part
from benchmarks.peers import NO_ADDRESS, PEERS, Run, text_or_nothing
from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.extractors import extractor_named, model_folder
from scrapy_boilerplate.news.extractor import news_of
from scrapy_boilerplate.page.labels import Labeling
from scrapy_boilerplate.page.language import declared_language
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.parsing import tree_of
from scrapy_boilerplate.page.reading import read_page
from scrapy_boilerplate.steps.extractor import Extractor
from scrapy_boilerplate.steps.model_store import StoredModel, shipped
from scrapy_boilerplate.training.corpora import LabelledPage
from scrapy_boilerplate.training.evaluation import PageScores
from scrapy_boilerplate.training.gold import Gold
from scrapy_boilerplate.training.metrics.metric import Output
from scrapy_boilerplate.training.metrics.table import METRICS
from scrapy_boilerplate.training.splits import fold_of, position

NEWS, PARSE = "news", "parse"
UNSEEN = "news, corpus left out"
"""Only where a model was trained without the corpus."""
SECONDS = 120
"""Of a call on a page, by the clock; who takes longer has failed on it (our choice)."""
_SENTENCES = "It returns on Monday, the company said, after a repair that took the winter. " * 20
WARM_UP = (
    f"<html><body><h1>Ferry</h1><p>{_SENTENCES}</p></body></html>",
    "<html><head><title>Ferry - News</title><meta name=author content='Ann Lee'></head><body>"
    f"<h1>Ferry</h1><p>By Ann Lee, 3 March 2021 10:20</p><p>{_SENTENCES}</p></body></html>",
    "<html><body><p>Closed.</p></body></html>",
)
"""What every system reads once before it is timed. An article, one with a date and an author, one
with too little text: they make systems load what they load once (languages, names of months, the
word lists of a fall-back), 0.2 to 0.7 s that are not a page's cost."""


@dataclass(frozen=True, kw_only=True)
class Contest:
    """Who takes part: names of PEERS, and our extractors as `NAME` or `news:FAVOR`.

    models   directory of the models that `benchmarks.folds` makes; None for the shipped model
    rounds   calls to a page; the fastest counts
    """

    ours: tuple[str, ...]
    peers: tuple[str, ...]
    models: Path | None = None
    rounds: int = 1


@dataclass(frozen=True)
class PageResult:
    """One page: counts by system, CPU seconds by system and of PARSE, and errors by system."""

    scores: PageScores
    seconds: Mapping[str, float]
    failed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class System:
    """The timed work, and what makes text of what it found."""

    run: Run
    text: Callable[[Any], str] = text_or_nothing


def shown(ours: str) -> str:
    """How one of our extractors is called in tables: `news, precision`."""
    return ours.replace(":", ", ")


def measured(page: LabelledPage, contest: Contest, metric: str) -> PageResult:
    """What everybody makes of a page. A system that fails has found nothing."""
    whole, _ = systems_of(contest)
    clean = _without_surrogates(page)
    gold, site = Gold(clean, _nothing()), clean.site  # the site is known before anybody is timed
    content = clean.html.encode()
    rows, seconds, failed = {}, {}, {}
    all_of_them = {
        PARSE: System(lambda _: _parse(content)),
        **whole,
        **_unseen(contest, page.dataset),
    }
    for name in _in_turn(list(all_of_them), page.id):
        system = all_of_them[name]
        found, seconds[name], error = _timed(system.run, clean, contest.rounds)
        if error:
            failed[name] = error
        if name != PARSE:
            text = "" if error else system.text(found)
            output = Output(text, gold.page, Labeling.blank(0), ())
            rows[name, metric] = np.asarray(METRICS[metric].count(gold, output), dtype=np.float64)
    in_order = {(name, metric): rows[name, metric] for name in all_of_them if name != PARSE}
    return PageResult(PageScores(page.id, site, in_order), seconds, failed)


def _in_turn(names: list[str], page: str) -> list[str]:
    """Each page is started by another system, so that no place in the order costs or saves time."""
    first = int(position(page, "order") * len(names))
    return names[first:] + names[:first]


@cache
def systems_of(contest: Contest) -> tuple[dict[str, System], dict[str, System]]:
    """The systems by name, and those that judge one corpus alone, by corpus; all warmed up.

    Once a process. Raises ModelError and UnknownExtractorError.
    """
    ours = {shown(one): System(_ours(one, contest.models)) for one in contest.ours}
    peers = {p.name: System(p.load(), p.text) for p in PEERS if p.name in contest.peers}
    left_out = {}
    for corpus in left_out_corpora(contest.models) if contest.models else ():
        model = load_part(contest.models or Path(), Part(corpus=corpus))
        left_out[corpus] = System(_by(news_of(partial(_same, model))))
    for html in WARM_UP:
        page = LabelledPage(id="", dataset="", html=html, url=NO_ADDRESS, language="en")
        for system in (*ours.values(), *left_out.values()):
            system.run(page)
        for system in peers.values():
            _timed(system.run, page, rounds=1)  # they may raise what they like
    gc.collect()
    gc.freeze()  # so that collecting between two calls is quick
    return ours | peers, left_out


def _unseen(contest: Contest, corpus: str) -> dict[str, System]:
    _, left_out = systems_of(contest)
    return {UNSEEN: left_out[corpus]} if corpus in left_out else {}


def _ours(named: str, models: Path | None) -> Run:
    name, _, favor = named.partition(":")
    if name != NEWS:
        return _by(extractor_named(named))
    favor = favor or "balanced"
    if models is None:
        return _by(news_of(partial(shipped, model_folder(NEWS)), favor))
    parts = [load_part(models, Part(number=number)) for number in range(FOLDS)]
    by_fold = [_by(news_of(partial(_same, model), favor)) for model in parts]
    return lambda page: by_fold[fold_of(page.site, FOLDS)](page)  # it never saw the site


def _same(model: StoredModel) -> StoredModel:
    return model


def _by(extractor: Extractor) -> Run:
    return lambda page: extract(page.html, page.url, extractor).text


def _without_surrogates(page: LabelledPage) -> LabelledPage:
    """The same page for everybody: text that can be encoded, and a language if any is known."""
    html = page.html.encode("utf-8", "replace").decode()
    language = page.language or declared_language(tree_of(html))
    return replace(page, html=html, language=language)


@cache
def _nothing() -> Page:
    return read_page(tree_of(""))


def _parse(content: bytes) -> object:
    parser = lxml.html.HTMLParser(recover=True, encoding="utf8", huge_tree=True)
    return lxml.html.fromstring(content, parser=parser)


def _timed(run: Run, page: LabelledPage, rounds: int) -> tuple[Any, float, str]:
    """(what was found, CPU seconds of the fastest call, what went wrong or "")."""
    best, found, error = float("inf"), None, ""
    for _ in range(rounds):
        gc.collect()  # nobody pays for the garbage of others
        start = process_time()
        try:
            with _limit():
                found = run(page)
        except Exception as raised:  # noqa: BLE001 - peers raise anything
            found, error = None, type(raised).__name__
        best = min(best, process_time() - start)
    return found, best, error


@contextmanager
def _limit() -> Iterator[None]:
    """TimeoutError after SECONDS."""
    before = signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise TimeoutError(f"{SECONDS} seconds are over")
