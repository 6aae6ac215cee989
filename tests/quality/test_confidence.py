"""`confidence` keeps its promise on real pages.

The shipped model has learnt from these pages; docs/folds.md has the same table by models that never
saw the site of a page.
"""

from itertools import islice
from operator import itemgetter
from pathlib import Path

import numpy as np

from scrapy_boilerplate import extract
from scrapy_boilerplate.training.corpora import read_pages
from scrapy_boilerplate.training.tokens import compute_token_f1

CORPORA = ("fundus", "article-extraction", "wcxb")
# Articles of each corpus; all of them take ten times as long and say the same.
PAGES = 60
# Between the mean confidence of a part and its mean token F1; .011 on 90 pages of each corpus.
MOST_APART = 0.04


def test_confidence_tells_the_f1_of_a_page(corpora: Path) -> None:
    scored = []
    for name in CORPORA:
        pages = read_pages(corpora / f"{name}.jsonl.xz")
        articles = (page for page in pages if page.page_type in (None, "article"))
        for page in islice(articles, PAGES):
            document = extract(page.html, page.url)
            f1 = compute_token_f1(document.text, page.text or "")
            scored.append((document.confidence, f1))
    parts = np.array_split(np.array(sorted(scored, key=itemgetter(0))), 3)
    means = np.array([part.mean(axis=0) for part in parts])
    assert (abs(means[:, 0] - means[:, 1]) <= MOST_APART).all(), means
    assert (np.diff(means[:, 1]) > 0).all(), means
