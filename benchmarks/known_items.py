"""Known-item search: a query, the one page that it should find, and where BM25 ranks it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scrapy_boilerplate.page.labels import FloatArray, Label
from scrapy_boilerplate.training import l3s
from scrapy_boilerplate.training.corpora import LabelledPage
from scrapy_boilerplate.training.extras import optional
from scrapy_boilerplate.training.metrics.tokens import tokens

HEADLINE_IS_FIRST_LINE = frozenset({"waddle"})

TOP = 10
FIGURES = ("reciprocal rank", "precision at 10")


@dataclass(frozen=True)
class Query:
    """A query, and the number of the page that it should find."""

    text: str
    page: int
    site: str


def headline(labelled: LabelledPage) -> str | None:
    """The gold headline of a page, or None."""
    if labelled.annotated_html is not None:
        return l3s.gold_text(labelled.annotated_html, {Label.HEADLINE})
    if labelled.dataset in HEADLINE_IS_FIRST_LINE:
        return next((line for line in (labelled.text or "").splitlines() if line.strip()), None)
    return labelled.title


def description(labelled: LabelledPage) -> str | None:
    """The gold standfirst of a page, or None."""
    return labelled.summary


def queries(
    pages: Sequence[LabelledPage], text_of: Callable[[LabelledPage], str | None]
) -> list[Query]:
    """A query of each page of which `text_of` has tokens."""
    return [
        Query(text, number, page.site)
        for number, page in enumerate(pages)
        if tokens(text := text_of(page) or "")
    ]


def search(documents: Sequence[list[str]], asked: Sequence[Query]) -> FloatArray:
    """float[queries, 2]: the figures of each query.

    Pages of the same score share their mean rank, so that order decides nothing.
    """
    index = _index(documents)
    rows = np.empty((len(asked), len(FIGURES)))
    for number, query in enumerate(asked):
        scores = index.get_scores(tokens(query.text))
        better = int((scores > scores[query.page]).sum())
        equal = int((scores == scores[query.page]).sum())
        rank = better + (equal + 1) / 2
        rows[number] = 1 / rank, (rank <= TOP) / TOP
    return rows


def _index(documents: Sequence[list[str]]) -> Any:
    """A BM25 index over documents of tokens; an empty one gets a token that nobody asks for."""
    bm25s = optional("bm25s", "retrieval", extra="bench")
    index = bm25s.BM25(method="lucene")
    index.index([document or [""] for document in documents], show_progress=False)
    return index
