"""Which response an item came from."""

from __future__ import annotations

import gc

from scrapy.http import HtmlResponse

from scrapy_boilerplate.crawl.ties import ItemTies

FIRST, SECOND = HtmlResponse("http://x.example/1"), HtmlResponse("http://x.example/2")


def test_taken_once() -> None:
    ties, item = ItemTies(), {"url": "1"}
    ties.tie(item, FIRST)
    assert ties.take(item) is FIRST
    assert ties.take(item) is None


def test_unknown() -> None:
    assert ItemTies().take({}) is None


def test_equal_items_are_different_items() -> None:
    ties = ItemTies()
    one: dict[str, str] = {}
    other: dict[str, str] = {}
    ties.tie(one, FIRST)
    ties.tie(other, SECOND)
    assert (ties.take(one), ties.take(other)) == (FIRST, SECOND)


def test_a_later_tie_replaces_the_first() -> None:
    ties, item = ItemTies(), {"url": "1"}
    ties.tie(item, FIRST)
    ties.tie(item, SECOND)
    assert len(ties) == 1
    assert ties.take(item) is SECOND


def test_the_oldest_are_let_go() -> None:
    ties = ItemTies(limit=3)
    items = [{"n": number} for number in range(5)]
    for item in items:
        ties.tie(item, FIRST)
    assert len(ties) == 3
    assert [ties.take(item) is not None for item in items] == [False, False, True, True, True]


def test_a_tie_made_again_is_young() -> None:
    ties = ItemTies(limit=2)
    first, second, third = {"n": 1}, {"n": 2}, {"n": 3}
    for item in (first, second, first, third):
        ties.tie(item, FIRST)
    assert ties.take(second) is None
    assert ties.take(first) is FIRST


def test_an_item_that_never_arrives_does_not_keep_its_page() -> None:
    """Another component dropped it."""
    ties, item = ItemTies(), {"url": "3"}
    ties.tie(item, HtmlResponse("http://x.example/3"))
    gc.collect()
    assert len(ties) == 0
    assert ties.take(item) is None


def test_the_end_of_an_older_page_does_not_untie_the_item() -> None:
    ties, item = ItemTies(), {"url": "4"}
    older = HtmlResponse("http://x.example/4")
    ties.tie(item, older)
    ties.tie(item, FIRST)
    del older
    gc.collect()
    assert ties.take(item) is FIRST
