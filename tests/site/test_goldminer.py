"""The step goldminer: content lies between the first and the last place of articles."""

from __future__ import annotations

from typing import Any

import pytest

from scrapy_boilerplate.page.labels import Label
from scrapy_boilerplate.site.steps import GoldMiner, SiteStyleTree, SiteTextFrequency
from tests.builders import all_content, document, page_of, with_content
from tests.site_views import body_of, box, view_from

TEXT, LOST = Label.FULL_TEXT, Label.BOILERPLATE


def other(number: int) -> str:
    letter = chr(97 + number)
    return (
        box("head", f"Top line of {letter}")
        + box("text", f"Story {letter} begins", f"Story {letter} ends")
        + box("foot", f"Last line of {letter}")
    )


OTHERS = [body_of(other(n)) for n in range(1, 4)]


def test_what_lies_outside_the_places_of_articles_is_cut() -> None:
    page = body_of(
        box("top", "A new box before"),
        box("text", "Our story begins", "Our story ends"),
        box("end", "A new box behind"),
    )
    after = GoldMiner(view=view_from(page, OTHERS))(page, all_content(page))
    assert after.labels.tolist() == [LOST, TEXT, TEXT, LOST]


def test_what_lies_between_them_stays_at_a_place_that_is_new() -> None:
    page = body_of(
        box("text", "Our story begins"), box("quote", "Somebody said"), box("text", "It ends")
    )
    after = GoldMiner(view=view_from(page, OTHERS))(page, all_content(page))
    assert after.labels.tolist() == [TEXT, TEXT, TEXT]


def test_places_without_content_are_cut_inside_too() -> None:
    page = body_of(
        box("text", "Our story begins"), box("head", "Top line again"), box("text", "It ends")
    )
    after = GoldMiner(view=view_from(page, OTHERS))(page, all_content(page))
    assert after.labels.tolist() == [TEXT, LOST, TEXT]


def test_short_lines_at_places_of_articles_become_content_and_links_do_not() -> None:
    page = body_of(
        box("text", "Our story begins", "Short", "<a href='/x'>Another story</a>", "It ends")
    )
    after = GoldMiner(view=view_from(page, OTHERS))(page, with_content(page, 0, 3))
    assert after.labels.tolist() == [TEXT, TEXT, LOST, TEXT]


def test_what_the_site_repeats_is_cut_wherever_it_stands() -> None:
    page = body_of(box("text", "Our story begins", "Story b ends", "It ends"))
    after = GoldMiner(view=view_from(page, OTHERS))(page, all_content(page))
    assert after.labels.tolist() == [TEXT, LOST, TEXT]


def test_without_a_known_place_of_articles_repeated_text_alone_is_cut() -> None:
    page = body_of(box("other", "A page of another kind", "Story b ends"))
    after = GoldMiner(view=view_from(page, OTHERS))(page, all_content(page))
    assert after.labels.tolist() == [TEXT, LOST]


def test_where_the_page_has_no_content_none_is_made() -> None:
    page = body_of(box("text", "Our story begins", "It ends"))
    after = GoldMiner(view=view_from(page, OTHERS))(page, with_content(page))
    assert after.labels.tolist() == [LOST, LOST]


@pytest.mark.parametrize("step", [GoldMiner, SiteStyleTree, SiteTextFrequency])
@pytest.mark.parametrize("html", ["", "<p>one</p>", "<p>one</p><p>two</p>"])
def test_steps_on_pages_with_hardly_a_block_and_nothing_known(html: str, step: Any) -> None:
    page = page_of(document(html))
    after = step(view=view_from(page, []))(page, all_content(page))
    assert after.labels.tolist() == [TEXT] * len(page)
