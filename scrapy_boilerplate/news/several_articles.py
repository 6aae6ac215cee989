"""Several articles on one page, as pages that never end have them: keep the one of the title."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.news.features.likeness import START
from scrapy_boilerplate.news.named_containers import LEFT_OUT
from scrapy_boilerplate.page.labels import Label, Labeling
from scrapy_boilerplate.page.page import Page

MIN_WORDS = 40
"""Content words after a headline that make an article of it (our choice)."""
BEFORE, AFTER = 3, 6
"""Blocks before and after a headline in which byline and date stand (our choice)."""
MAX_BYLINE_WORDS = 20
MIN_TITLE = 8
"""Characters from which a headline and a title can be recognised in each other."""

_says_time = re.compile(
    r"\b(?:19|20)\d\d\b|\d{1,2}[:.h]\d\d|\d{1,2}[./-]\d{1,2}|\d{1,2}\u6708|\d{1,2}\u65e5"
).search
_byline_name = re.compile(
    r"(?i:byline|author|auteur|autor|publi(?:sh|ca|e|é))|(?<![A-Za-z])(?:date|time)|Date|Time"
).search
"""Class names of a byline; no ``update``, no ``sentiment``, no ``public``."""


@dataclass(frozen=True, kw_only=True)
class SeveralArticles:
    """What stands under the headlines of other articles becomes boilerplate.

    A headline of an article is an `h1` with content after it and a byline, date or time near it.
    Those of other articles have the same class as that of the page's own article, which the title
    of the page names; without a title that does, the headlines are those of parts of one article.
    LEARNING.md (the recipe, 5); our sweep of 2026-11-21 (3 folds by site): article-extraction
    +.003.
    """

    min_words: int = MIN_WORDS
    name: str = "several-articles"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        starts = [block for block, tag in enumerate(page.tags) if tag == "h1"]
        if len(starts) < 2:
            return labeling
        parts = list(zip(starts, [*starts[1:], len(page)], strict=True))
        words = np.concatenate(([0], np.cumsum(np.where(labeling.content, page.words, 0))))
        articles = [
            (start, end)
            for start, end in parts
            if words[end] - words[start + 1] >= self.min_words and _has_byline(page, start)
        ]
        others = _others(page, articles)
        content = others & labeling.content
        headlines = np.isin(np.arange(len(page)), starts)
        decided = labeling.choose(content, Label.BOILERPLATE, self.name)
        return decided.mark(LEFT_OUT, content | others & headlines)


def _others(page: Page, articles: list[tuple[int, int]]) -> np.ndarray:
    """bool[n]: the blocks of articles other than the page's own."""
    found = np.zeros(len(page), dtype=np.bool_)
    title = page.title.lower()
    named = (start for start, _ in articles if _names(page.texts[start].lower(), title))
    main = next(named, None)
    if main is None:
        return found
    for start, end in articles:
        same_kind = _class(page, start) == _class(page, main) != ""
        if start != main and same_kind and page.texts[start] != page.texts[main]:
            found[start:end] = True
    return found


def _names(headline: str, title: str) -> bool:
    long = min(len(headline), len(title)) >= MIN_TITLE
    return long and (headline[:START] in title or title in headline)


def _class(page: Page, block: int) -> str:
    return page.elements.classes[int(page.blocks.elements[block])].strip()


def _has_byline(page: Page, headline: int) -> bool:
    near = range(max(0, headline - BEFORE), min(len(page), headline + AFTER + 1))
    return any(_is_byline(page, block) for block in near if block != headline)


def _is_byline(page: Page, block: int) -> bool:
    short = page.words[block] <= MAX_BYLINE_WORDS
    named = _byline_name(_class(page, block)) is not None
    return named or bool(short and _says_time(page.texts[block]))
