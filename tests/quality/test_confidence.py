"""`confidence` keeps its promise on real pages.

The shipped model has learnt from these pages; docs/folds.md has the same table by models that never
saw the site of a page.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice
from pathlib import Path

import numpy as np

from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.training.corpora import read_pages
from scrapy_boilerplate.training.metrics.tokens import token_scores, tokens

PAGES = 120
"""Pages of article-extraction; all of them take twice as long and say the same."""
PARTS = 3
"""Equal parts by confidence: doubtful, good, very good pages."""
MOST_APART = 0.05
"""Between the mean confidence of a part and its mean token F1; bad gold alone makes .02."""


def test_confidence_tells_the_f1_of_a_page(corpora: Path) -> None:
    pages = list(islice(read_pages(corpora / "article-extraction.jsonl.xz"), PAGES))
    documents = [extract(page.html, page.url) for page in pages]
    told = np.array([document.confidence for document in documents])
    true = np.array(
        [
            token_scores(Counter(tokens(document.text)), Counter(tokens(page.text or "")))[2]
            for page, document in zip(pages, documents, strict=True)
        ]
    )
    parts = np.array_split(np.argsort(told, kind="stable"), PARTS)
    assert all(abs(told[part].mean() - true[part].mean()) <= MOST_APART for part in parts)
    assert true[parts[0]].mean() < true[parts[-1]].mean()
