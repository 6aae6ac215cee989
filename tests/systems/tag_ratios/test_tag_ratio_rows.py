"""What holds for every extractor of the tag-ratio family."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from scrapy_boilerplate.extractors import EXTRACTORS, MODULES
from scrapy_boilerplate.page.labels import BoolArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.extractor import Extractor
from scrapy_boilerplate.training.corpora import read_records
from tests.steps.token_pages import page_of, paragraph

ROWS = [EXTRACTORS[name] for name, module in MODULES.items() if ".tag_ratios." in module]

every_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row.name))


def test_names() -> None:
    names = "bte dsc adsc cetr-tm cetr-km cetr ccb cetd text-density mss"
    assert [row.name for row in ROWS] == names.split()


TINY = (
    "<html></html>",
    "<p>One</p>",
    "<p>One</p><p>Two</p>",
    "<p>&nbsp;</p>",
    "<p>* * *</p>",
    "<a href=x>One</a>",
)


@every_row
def test_tiny_and_deep_pages_are_ordinary_pages(row: Extractor) -> None:
    for html in (*TINY, "<div>" * 1500 + paragraph(30) + "</div>" * 1500):
        page = page_of(html)
        with np.errstate(all="raise"):
            labeling = row.label(page)
        assert len(labeling) == len(page), html[:50]


@pytest.fixture(scope="module")
def news(corpora: Path) -> list[tuple[Page, str]]:
    records = islice(read_records(corpora / "fundus.jsonl.xz"), 40)
    return [(page_of(record["html"]), record["text"]) for record in records]


@every_row
def test_news_pages_lose_their_boilerplate(row: Extractor, news: list[tuple[Page, str]]) -> None:
    """Better than everything, which has F1 .64 on these pages; the worst of the family is dsc."""
    scores, baseline = [], []
    for page, gold in news:
        scores.append(bag_f1(page, row.decide_content(page).content, gold))
        baseline.append(bag_f1(page, np.ones(len(page), np.bool_), gold))
    assert np.mean(scores) > np.mean(baseline) + 0.05


def bag_f1(page: Page, content: BoolArray, gold: str) -> float:
    kept = Counter(page.joined(np.flatnonzero(content).tolist()).split())
    wanted = Counter(gold.split())
    return 2 * (kept & wanted).total() / max(kept.total() + wanted.total(), 1)
