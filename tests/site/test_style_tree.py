"""The step site-style-tree: places that never vary, and places where articles are."""

from __future__ import annotations

from scrapy_boilerplate.page.labels import Label
from scrapy_boilerplate.site.steps import SiteStyleTree
from tests.builders import all_content, with_content
from tests.site_views import body_of, box, view_from

TEXT, LOST = Label.FULL_TEXT, Label.BOILERPLATE


def other(number: int, foot: str = "All rights are with us") -> str:
    letter = chr(97 + number)
    return box("text", f"Story {letter} begins", f"Story {letter} ends") + box("foot", foot)


OTHERS = [body_of(other(n)) for n in range(1, 5)]


def test_a_place_that_never_varies_is_noise() -> None:
    page = body_of(box("text", "Our own story"), box("foot", "All rights are with us"))
    after = SiteStyleTree(view=view_from(page, OTHERS))(page, all_content(page))
    assert after.labels.tolist() == [TEXT, LOST]


def test_a_place_that_held_no_content_elsewhere_is_noise_though_it_varies() -> None:
    others = [body_of(other(n, f"Advice of the day {chr(97 + n)}")) for n in range(1, 5)]
    page = body_of(box("text", "Our own story"), box("foot", "Advice that nobody gave before"))
    after = SiteStyleTree(view=view_from(page, others))(page, all_content(page))
    assert after.labels.tolist() == [TEXT, LOST]


def test_text_where_articles_are_becomes_content() -> None:
    page = body_of(box("text", "Our own story", "Its short end"), box("foot", "More"))
    after = SiteStyleTree(view=view_from(page, OTHERS))(page, with_content(page, 0))
    assert after.labels.tolist() == [TEXT, TEXT, LOST]
    assert after.decided_by.tolist()[1] == "site-style-tree"


def test_links_where_articles_are_stay_out() -> None:
    page = body_of(box("text", "Our own story", "<a href='/x'>Read this one too</a>"))
    after = SiteStyleTree(view=view_from(page, OTHERS))(page, with_content(page, 0))
    assert after.labels.tolist() == [TEXT, LOST]


def test_what_the_site_repeats_does_not_become_content() -> None:
    others = [body_of(box("text", f"Story {chr(97 + n)}", "Send us a letter")) for n in range(1, 5)]
    page = body_of(box("text", "Our own story", "Send us a letter"))
    after = SiteStyleTree(view=view_from(page, others))(page, with_content(page, 0))
    assert after.labels.tolist() == [TEXT, LOST]


def test_a_place_that_two_pages_have_is_not_judged() -> None:
    page = body_of(box("text", "Our own story"), box("foot", "All rights are with us"))
    after = SiteStyleTree(view=view_from(page, OTHERS[:2]))(page, all_content(page))
    assert after.labels.tolist() == [TEXT, TEXT]
