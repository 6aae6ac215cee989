"""`make compare`: peers get the article, no model scores its training pages, the page says so."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import contest, peers
from benchmarks.comparison_page import Comparison, CorpusResults, format_page
from benchmarks.contest import PARSE, UNSEEN, Contest, PageResult, measure_page
from benchmarks.corpora import FOLDS
from benchmarks.folds import LEFT_OUT, Part
from scrapy_boilerplate.steps.model_store import StoredModel, save_model
from scrapy_boilerplate.training.corpora import LabelledPage, site_fold
from scrapy_boilerplate.training.evaluation import PageScores

PARAGRAPHS = [
    f"The ferry returns to the harbour of {place} on Monday, the company said, after a long repair "
    "of its engines. Passengers who had booked before the winter, and there are many, can use "
    "their old tickets, or ask for their money at the office by the pier."
    for place in ("Norden", "Westerland", "Dover", "Calais")
]
TEXT = "\n\n".join(PARAGRAPHS)
HTML = (
    "<html lang=en><head><title>Ferry</title></head><body><nav><a href=/>Weather</a></nav><article>"
    f"<h1>Ferry</h1>{''.join(f'<p>{text}</p>' for text in PARAGRAPHS)}</article>"
    "<footer><a href=/x>Imprint</a></footer></body></html>"
)
SITES = ("example.com", "example.org", "example.net", "example.de", "example.fr", "example.it")


def page_of(site: str, dataset: str = "fundus") -> LabelledPage:
    url = f"https://{site}/1"
    return LabelledPage(id=site, dataset=dataset, html=HTML, url=url, text=TEXT, language="en")


@pytest.mark.parametrize("peer", peers.PEERS, ids=lambda peer: peer.name)
def test_every_peer_finds_the_article(peer: peers.Peer) -> None:
    if not peer.installed:
        pytest.skip(f"{peer.package} is not installed")
    text = peer.text(peer.load()(page_of("example.com")))
    assert text.count("harbour") == len(PARAGRAPHS)
    assert peer.version[0].isdigit()


def test_news_judges_a_page_by_the_model_that_never_saw_its_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for part in (*(Part(number=number) for number in range(FOLDS)), Part(corpus="wcxb")):
        facts = {LEFT_OUT: part.fact, "pages": 7, "pages_of_unknown_site": 2}
        save_model(tmp_path / part.folder, StoredModel(kind="news", columns=(), facts=facts))
    calls: list[tuple[str, dict[str, Any]]] = []

    def build_news(load_model: Callable[[], StoredModel], favor: str = "balanced") -> Any:
        return load_model().facts[LEFT_OUT] | {"favor": favor}

    def run_extractor(extractor: Any) -> Callable[[LabelledPage], object]:
        return lambda page: calls.append((page.site, extractor))

    monkeypatch.setattr(contest, "build_news", build_news)
    monkeypatch.setattr(contest, "run_extractor", run_extractor)
    plan = Contest(ours=("news:recall",), peers=(), models=tmp_path)
    for site in SITES:
        calls.clear()
        result = measure_page(page_of(site, "wcxb"), plan, "shingles")
        fold = {"fold": site_fold(site, FOLDS), "folds": FOLDS, "favor": "recall"}
        expected: list[dict[str, Any]] = [fold, {"corpus": "wcxb", "favor": "balanced"}]
        extractors = [extractor for page, extractor in calls if page == site]
        assert sorted(extractors, key=repr) == sorted(expected, key=repr)
        assert list(result.scores.rows) == [("news, recall", "shingles"), (UNSEEN, "shingles")]


def test_the_page_gives_scores_costs_and_errors() -> None:
    """`news` is right on all pages and costs 3 parses; the peer is right on half and costs 10."""
    pages = []
    for number, site in enumerate(SITES):
        right = number < 3
        rows = {
            ("news", "segments"): np.array([2.0, 0, 0, 2]),
            ("trafilatura", "segments"): np.array([2.0 * right, 0, 2.0 * (not right), 2]),
        }
        seconds = {PARSE: 0.1, "news": 0.3, "trafilatura": 1.0}
        failed = {} if right else {"trafilatura": "ValueError"}
        pages.append(PageResult(PageScores(site, site, rows), seconds, failed))
    plan = Contest(ours=("news",), peers=("trafilatura",))
    results = [CorpusResults("trafilatura", "segments", pages)]
    text = format_page(Comparison(plan, results, None))
    assert "was trained on these pages" in text
    assert "| news | 1 | 1 | 0.0 % | 3.0 |" in text
    assert "| trafilatura | .667 | .667 | 50.0 % | 10.0 |" in text
    assert "Errors raised: trafilatura on 3 pages (ValueError)." in text
