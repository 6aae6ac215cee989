"""site-frequency alone: content that other pages of the site say too."""

from __future__ import annotations

import numpy as np
import pytest

from scrapy_boilerplate.label import Label, Labeling
from scrapy_boilerplate.rules.site.frequency import FEW_PAGES, SiteFrequency, repeated
from tests.builders import all_content, document, page_of, with_content
from tests.site_views import body_of, box, view_from

NOTICE = "Read our daily letter"


def story(number: int, *more: str) -> str:
    letters = f"{chr(97 + number // 26)}{chr(97 + number % 26)}"
    return box("text", f"Only page {letters} says this", *more)


def test_what_another_page_says_becomes_boilerplate() -> None:
    page = body_of(story(0, NOTICE))
    view = view_from(page, [body_of(story(1, NOTICE))])
    after = SiteFrequency(view=view)(page, all_content(page))
    assert after.labels.tolist() == [Label.FULL_TEXT, Label.BOILERPLATE]
    assert after.decided_by.tolist()[1] == "site-frequency"


def test_numbers_and_case_make_no_difference() -> None:
    page = body_of(box("text", "Posted 12 May", "Two men in a boat"))
    view = view_from(page, [body_of(box("text", "POSTED 30 MAY", "Three men in a boat"))])
    assert repeated(view).tolist() == [True, False]


def test_what_is_not_content_stays_what_it_is() -> None:
    page = body_of(story(0, NOTICE))
    view = view_from(page, [body_of(story(1, NOTICE))])
    before = with_content(page, 0).relabel(np.array([1]), Label.COMMENTS, "test")
    after = SiteFrequency(view=view)(page, before)
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
    assert repeated(view).tolist() == [False, lost]


@pytest.mark.parametrize("html", ["", "<p>one</p>", "<p>one</p><p>two</p>"])
def test_pages_with_hardly_a_block_and_nothing_known(html: str) -> None:
    page = page_of(document(html))
    after = SiteFrequency(view=view_from(page, []))(page, all_content(page))
    assert after.labels.tolist() == [Label.FULL_TEXT] * len(page)
    blank = Labeling.blank(len(page))
    assert SiteFrequency(view=view_from(page, []))(page, blank).labels.tolist() == [0] * len(page)
