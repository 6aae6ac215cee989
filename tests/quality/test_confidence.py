"""`confidence` keeps its promise on real pages.

The shipped model has learnt from these pages; docs/folds.md has the same table by models that never
saw the site of a page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.training.corpora import LabelledPage, read_pages
from scrapy_boilerplate.training.tokens import score_tokens, tokenize

CORPORA = ("fundus", "article-extraction", "wcxb")
PAGES = 60
"""Articles of each corpus; all of them take ten times as long and say the same."""
PARTS = 3
"""Equal parts by confidence: doubtful, good, very good pages."""
MOST_APART = 0.04
"""Between the mean confidence of a part and its mean token F1; .011 on 90 pages of each corpus."""


def test_confidence_tells_the_f1_of_a_page(corpora: Path) -> None:
    pages = [page for name in CORPORA for page in islice(articles(corpora, name), PAGES)]
    scored = np.array([confidence_and_f1(page) for page in pages])
    parts = np.array_split(scored[np.argsort(scored[:, 0], kind="stable")], PARTS)
    means = np.array([part.mean(axis=0) for part in parts])
    assert (abs(means[:, 0] - means[:, 1]) <= MOST_APART).all(), means
    assert (np.diff(means[:, 1]) > 0).all(), means


def articles(corpora: Path, name: str) -> Iterator[LabelledPage]:
    pages = read_pages(corpora / f"{name}.jsonl.xz")
    return (page for page in pages if page.page_type in (None, "article"))


def confidence_and_f1(page: LabelledPage) -> tuple[float, float]:
    document = extract(page.html, page.url)
    ours, gold = (Counter(tokenize(text)) for text in (document.text, page.text or ""))
    return document.confidence, score_tokens(ours, gold)[2]
