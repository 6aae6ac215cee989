"""Which response an item came from."""

from __future__ import annotations

import gc

from scrapy.http import HtmlResponse

from scrapy_boilerplate.crawl.context import ItemResponses

FIRST, SECOND = HtmlResponse("http://x.example/1"), HtmlResponse("http://x.example/2")


def test_known_until_it_is_forgotten() -> None:
    responses, item = ItemResponses(), {"url": "1"}
    assert responses.find(item) is None
    responses.add(item, FIRST)
    assert responses.find(item) is responses.find(item) is FIRST
    responses.forget(item)
    assert responses.find(item) is None


def test_equal_items_are_different_items() -> None:
    responses = ItemResponses()
    first: dict[str, str] = {}
    other: dict[str, str] = {}
    responses.add(first, FIRST)
    responses.add(other, SECOND)
    assert (responses.find(first), responses.find(other)) == (FIRST, SECOND)


def test_a_later_response_replaces_the_first() -> None:
    responses, item = ItemResponses(), {"url": "1"}
    responses.add(item, FIRST)
    responses.add(item, SECOND)
    assert len(responses) == 1
    assert responses.find(item) is SECOND


def test_the_oldest_are_let_go() -> None:
    responses = ItemResponses(limit=3)
    items = [{"n": number} for number in range(5)]
    for item in items:
        responses.add(item, FIRST)
    assert len(responses) == 3
    assert [responses.find(item) is not None for item in items] == [False, False, True, True, True]
    assert responses.lost == 2


def test_an_item_that_never_arrives_does_not_keep_its_page() -> None:
    """Another component dropped it."""
    responses, item = ItemResponses(), {"url": "3"}
    responses.add(item, HtmlResponse("http://x.example/3"))
    gc.collect()
    assert len(responses) == 0
    assert responses.find(item) is None
    assert (responses.lost, responses.lost_class) == (1, dict)


def test_nothing_is_lost_that_arrives() -> None:
    responses, item = ItemResponses(), {"url": "1"}
    responses.add(item, FIRST)
    responses.find(item)
    responses.add({}, FIRST, is_awaited=False)
    responses.close()
    assert (responses.lost, responses.lost_class) == (0, None)


def test_what_is_on_its_way_at_the_end_is_lost() -> None:
    responses, items = ItemResponses(), [{"url": "1"}, {"url": "2"}]
    for item in items:
        responses.add(item, FIRST)
    responses.close()
    assert (responses.lost, len(responses)) == (2, 0)


def test_the_end_of_an_older_response_does_not_forget_the_item() -> None:
    responses, item = ItemResponses(), {"url": "4"}
    older = HtmlResponse("http://x.example/4")
    responses.add(item, older)
    responses.add(item, FIRST)
    del older
    gc.collect()
    assert responses.find(item) is FIRST
