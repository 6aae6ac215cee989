"""Marks of boilerpipe 1.2; `test_boilerpipe_chains` compares its filters with boilerpy3."""

from __future__ import annotations

from scrapy_boilerplate.page.labels import Labeling
from scrapy_boilerplate.systems.boilerpipe import filters
from scrapy_boilerplate.systems.boilerpipe.filters import (
    END_OF_TEXT,
    list_possible_titles,
)
from tests.builders import filler, page_of


def test_terminating_blocks() -> None:
    for text, ends in [
        ("Comments", True),
        ("Comments (12)", True),
        ("12 Comments", True),
        ("3 users responded in this post", True),
        ("© Reuters 2010", True),
        ("Please rate this", True),
        ("Post a comment", True),
        ("Tell us what you think...", True),
        ("Click to add your comment", True),
        ("Now have your say", True),
        ("Thanks for your comments - this feedback is now closed", True),
        ("Thanks for your comments - this feedback is now closed again", False),
        ("The comments were many", False),
        ("Twelve comments", False),
        ("Comment", False),
        (f"Comments {filler(13)}", True),
        (f"Comments {filler(14)}", False),
    ]:
        page = page_of(f"<p>{text}</p>")
        marked = filters.TERMINATING_BLOCKS(page, Labeling.blank(1))
        assert marked.marked(END_OF_TEXT).tolist() == [ends]
        assert not marked.content.any()


def test_list_possible_titles() -> None:
    for title, expected in [
        ("", set()),
        ("Rain in May", {"rain in may"}),
        ("Rain in May | Daily", {"rain in may | daily", "rain in may"}),
        ("Rain in May - Daily", {"rain in may - daily", "rain in may"}),
        ("Daily: rain in May", {"daily: rain in may", "rain in may"}),
        ("thesite.com | Rain", {"thesite.com | rain", "rain"}),
    ]:
        assert list_possible_titles(title) == expected
