"""boilerpipe's Canola classifier, and its filter for sentences."""

from __future__ import annotations

import numpy as np
import pytest

from scrapy_boilerplate.page.labels import Labeling
from scrapy_boilerplate.systems.boilerpipe.filters import CANOLA_RULES, MIN_CLAUSE, SplitParagraphs
from tests.builders import filler, paragraphs, with_content
from tests.systems.context_pages import content_texts, kept, page_of


@pytest.mark.parametrize(
    ("before", "block", "after", "content"),
    [
        (None, (20, 0), None, True),
        (None, (19, 0), None, False),
        (None, (20, 20), None, True),  # long blocks of links too
        (None, (2, 1), (12, 0), True),  # a link, and text after it
        (None, (2, 1), (11, 0), False),
        (None, (2, 0), (12, 0), False),
        (None, (7, 0), (7, 0), True),  # no links around
        (None, (7, 0), (6, 0), False),
        (None, (6, 0), (7, 0), False),
        ((8, 0), (1, 0), (7, 0), True),
        ((7, 0), (1, 0), (7, 0), False),
        ((8, 1), (1, 0), (7, 0), False),
        ((8, 0), (1, 0), (7, 1), False),
        (None, (1, 0), (20, 0), True),
        (None, (1, 0), (19, 0), False),
    ],
)
def test_canola_by_hand(
    before: tuple[int, int] | None,
    block: tuple[int, int],
    after: tuple[int, int] | None,
    content: bool,
) -> None:
    page = page_of(paragraphs(*(given for given in (before, block, after) if given)))
    labeling = CANOLA_RULES(page, Labeling.blank(len(page)))
    assert bool(labeling.content[1 if before else 0]) is content


def test_clauses_are_sought_in_blocks_not_in_runs() -> None:
    page = page_of(f"<p>{filler(9)}.</p><p>{filler(9)}</p>")
    fused = with_content(page, 0, 1).fuse(np.array([0, 0]))
    split = SplitParagraphs()(page, fused)
    assert split.fused.tolist() == [0, 1]
    assert kept(MIN_CLAUSE(page, split)) == [0]


def test_article_sentences_leaves_out_what_has_no_clause() -> None:
    body = f"<p>{filler(30)}.</p><p>{filler(18)}</p><p>{filler(30)}.</p>"
    expected = [f"{filler(30)}.", f"{filler(30)}."]
    assert content_texts(body, "boilerpipe-article-sentences") == expected
