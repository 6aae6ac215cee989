"""The step site-frequency: content that other pages of the site say too."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_boilerplate.page.labels import Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.site.steps import (
    FEW_PAGES,
    SiteTextFrequency,
    find_repeated_blocks,
    remove_blocks,
)
from tests.builders import all_content, page_of, with_content
from tests.site_views import body_of, box, view_from

NOTICE = "Read our daily letter"


def story(number: int, *more: str) -> str:
    letters = f"{chr(97 + number // 26)}{chr(97 + number % 26)}"
    return box("text", f"Only page {letters} says this", *more)


def test_what_another_page_says_becomes_boilerplate() -> None:
    page = body_of(story(0, NOTICE))
    view = view_from(page, [body_of(story(1, NOTICE))])
    after = SiteTextFrequency(view=view)(page, all_content(page))
    assert after.labels.tolist() == [Label.FULL_TEXT, Label.BOILERPLATE]
    assert after.decided_by.tolist()[1] == "site-frequency"


def test_what_is_not_content_stays_what_it_is() -> None:
    page = body_of(story(0, NOTICE))
    view = view_from(page, [body_of(story(1, NOTICE))])
    before = with_content(page, 0).relabel(np.array([1]), Label.COMMENTS, "test")
    after = SiteTextFrequency(view=view)(page, before)
    assert after.labels.tolist() == [Label.FULL_TEXT, Label.COMMENTS]
    assert after.decided_by.tolist() == before.decided_by.tolist()


@pytest.mark.parametrize(
    ("known", "saying", "lost"),
    [
        (FEW_PAGES - 1, 1, True),  # with this one FEW_PAGES
        (FEW_PAGES, 1, False),
        (FEW_PAGES, 2, True),
        (60, 2, False),  # 5 % are three pages
        (60, 3, True),
    ],
)
def test_how_many_pages_must_say_it(known: int, saying: int, lost: bool) -> None:
    others = [body_of(story(n, *([NOTICE] if n <= saying else []))) for n in range(1, known + 1)]
    page = body_of(story(0, NOTICE))
    view = view_from(page, others)
    assert view.pages == known
    assert find_repeated_blocks(view).tolist() == [False, lost]


LEGAL = "Whoever wants to print what stands here asks us first, in a letter"


def longest(page: Page, labeling: Labeling) -> Labeling:
    """An extractor of one step: the block with the most words."""
    mask = np.zeros(len(page), dtype=np.bool_)
    if len(page):
        mask[int(np.argmax(page.words))] = True
    return labeling.classify(mask, "longest")


def test_where_all_that_was_found_is_repeated_the_rest_is_read_again() -> None:
    page = body_of(box("text", "A short story of ours", "Its end"), box("foot", LEGAL))
    view = view_from(page, [body_of(box("text", "Another short story"), box("foot", LEGAL))])
    before = longest(page, Labeling.blank(len(page)))
    assert before.content.tolist() == [False, False, True]
    after = SiteTextFrequency(view=view, extractor_steps=[longest])(page, before)
    assert after.labels.tolist() == [Label.FULL_TEXT, Label.BOILERPLATE, Label.BOILERPLATE]
    assert after.decided_by.tolist()[0] == "site-frequency"
    alone = SiteTextFrequency(view=view)(page, before)
    assert not alone.content.any()


def test_where_every_block_is_repeated_nothing_is_left_to_read() -> None:
    page = body_of(box("text", "A page of links"), box("foot", LEGAL))
    view = view_from(page, [body_of(box("text", "A page of links"), box("foot", LEGAL, "More"))])
    after = SiteTextFrequency(view=view, extractor_steps=[longest])(page, all_content(page))
    assert not after.content.any()


@given(st.lists(st.booleans(), min_size=5, max_size=5))
def test_a_page_without_some_blocks_has_the_others_as_they_were(gone: list[bool]) -> None:
    page = page_of(
        "<p>one <b>two</b></p>three<ul><li>four<li>five <a href='/x'>six</a></ul><p>seven"
    )
    mask = np.array(gone)
    rest = remove_blocks(page, mask)
    kept = np.flatnonzero(~mask).tolist()
    assert rest.texts == [page.texts[block] for block in kept]
    assert rest.link_words.tolist() == page.link_words[kept].tolist()
    assert rest.tags == [page.tags[block] for block in kept]
    assert rest.blocks.end_leaf.tolist()[-1:] == ([len(rest.leaves)] if kept else [])
