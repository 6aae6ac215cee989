"""The chains of boilerpipe 1.2 against its port boilerpy3, on pages of our own making."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np
import pytest

from scrapy_boilerplate.extractors import EXTRACTORS
from tests.builders import document, filler, page_of, paragraph

boilerpy3 = pytest.importorskip("boilerpy3.extractors")

TITLE = "Heavy rain in the north | The Daily"
PARTS: tuple[Callable[[int], str], ...] = (
    lambda number: f"<h1>Heavy rain in the north{'' if number % 2 else ' again'}</h1>",
    lambda number: f"<p>{filler(number, f'w{number}')}</p>",
    lambda number: f"<div>{filler(2 * number, f'x{number}')}</div>",
    lambda number: paragraph((number, number // 2)),
    lambda number: f"<ul><li><a href=/{number}>{filler(number % 7 + 1)}</a></li></ul>",
    lambda number: f"<p>{number} comments</p>",
    lambda number: f"<p>{filler(3 * number, f'y{number}')}<br>{filler(number)}</p>",
)


def made_page(seed: int) -> str:
    """A page of 3 to 25 parts, the same for the same seed."""
    choose = Random(seed)  # noqa: S311 - not for secrets
    parts = choose.choices(PARTS, weights=(1, 5, 2, 2, 4, 1, 1), k=choose.randint(3, 25))
    return document("".join(part(choose.randint(1, 40)) for part in parts), title=TITLE)


def our_words(html: str, extractor: str) -> list[str]:
    page = page_of(html)
    content = EXTRACTORS[extractor].decide_content(page).content
    return " ".join(page.texts[block] for block in np.flatnonzero(content).tolist()).split()


@pytest.mark.parametrize(
    ("extractor", "theirs"),
    [
        ("boilerpipe-article", "ArticleExtractor"),
        ("boilerpipe-default", "DefaultExtractor"),
        ("largest-content", "LargestContentExtractor"),
        ("num-words", "NumWordsRulesExtractor"),
        ("keep-everything", "KeepEverythingExtractor"),
        ("boilerpipe-canola", "CanolaExtractor"),
        ("boilerpipe-article-sentences", "ArticleSentencesExtractor"),
    ],
)
def test_same_text_as_boilerpy3(extractor: str, theirs: str) -> None:
    for seed in range(30):
        html = made_page(seed)
        expected = getattr(boilerpy3, theirs)().get_content(html).split()
        assert our_words(html, extractor) == expected, seed


def test_made_pages_differ_and_some_hold_text() -> None:
    pages = [made_page(seed) for seed in range(30)]
    assert len(set(pages)) == 30
    kept = [len(our_words(page, "boilerpipe-article")) for page in pages]
    assert sum(map(bool, kept)) > 20
