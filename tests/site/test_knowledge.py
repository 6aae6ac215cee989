"""Statistics of a site: the order of pages does not matter, and near-duplicates vote once."""

import tracemalloc
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_boilerplate.site.hashing import PORTION, hash_texts
from scrapy_boilerplate.site.page_records import (
    Knowledge,
    PageRecord,
    Signatures,
    build_page_record,
    compute_signatures,
)
from tests.builders import page_of
from tests.site_pages import article_text, page_around, site_page
from tests.site_views import block_classes, content_of


def read_page(html: str, at: int) -> tuple[PageRecord, Signatures]:
    page = page_of(html)
    signatures = compute_signatures(page)
    return build_page_record(page, signatures, content_of(page), at), signatures


@cache
def pool() -> list[PageRecord]:
    """Ten pages; three of them are one article with other surroundings."""
    pages = [site_page(number) for number in range(7)]
    pages += [page_around(article_text(0), seed) for seed in (100, 101, 102)]
    return [read_page(html, at)[0] for at, html in enumerate(pages)]


@cache
def sightings() -> list[PageRecord]:
    """The pool, and four of its pages again: of the same key, read in another way."""
    return [
        *pool(),
        *(see_again(pool()[number], at) for number, at in ((0, 13), (3, 20), (7, 19), (5, 15))),
    ]


def see_again(record: PageRecord, at: int) -> PageRecord:
    """The same page, seen later, by another extractor."""
    simhash = None if record.simhash is None else ~record.simhash
    contents = 255 - record.contents
    return replace(record, at=at, contents=contents, simhash=simhash)


def measure(knowledge: Knowledge) -> int:
    return sum(record.size for record in knowledge.pages.values())


def state(knowledge: Knowledge) -> object:
    pages = [(record.at, key) for key, record in knowledge.pages.items()]
    return pages, list(knowledge.voting), measure(knowledge)


@given(st.permutations(range(14)), st.integers(1, 12))
def test_the_order_of_pages_does_not_matter(order: Sequence[int], most: int) -> None:
    expected = Knowledge(max_pages=14).with_pages(sightings())
    knowledge = Knowledge(max_pages=14).with_pages(sightings()[n] for n in order)
    assert state(knowledge) == state(expected)
    bounded = Knowledge(max_pages=most).with_pages(sightings()[n] for n in sorted(order))
    assert len(bounded.pages) == min(most, 10)
    again = bounded.with_pages(sightings()[n] for n in order)
    assert [record.at for record in again.pages.values()] == sorted(
        record.at for record in again.pages.values()
    )


@given(st.permutations(range(14)), st.integers(1, 13))
def test_votes_are_those_of_the_pages_that_are_left(order: Sequence[int], most: int) -> None:
    knowledge = Knowledge(max_pages=most).with_pages(sightings()[n] for n in order)
    anew = Knowledge(max_pages=most).with_pages(knowledge.pages.values())
    assert state(knowledge) == state(anew)


def test_of_near_duplicates_one_votes_and_none_for_its_own_copies() -> None:
    """Else the text of a page would look repeated."""
    knowledge = Knowledge().with_pages(pool())
    assert len(knowledge.pages) == 10
    assert knowledge.view(*read_page(site_page(50), 99)).pages == 7
    html = page_around(article_text(0), 999)
    view = knowledge.view(*read_page(html, 99))
    paragraphs = [name == "text" for name in block_classes(page_of(html))]
    assert view.pages == 6
    assert view.text_pages[paragraphs].max() == 0
    assert view.text_pages.max() == 6


def test_places_that_always_say_the_same_have_no_importance() -> None:
    html = site_page(50)
    view = Knowledge().with_pages(pool()[:7]).view(*read_page(html, 99))
    where = np.array(block_classes(page_of(html)))
    assert view.path_importance[where == "notice"].max() == pytest.approx(0, abs=1e-9)
    assert view.path_importance[where == "text"].min() == pytest.approx(1)
    assert view.path_share[where == "text"].min() == pytest.approx(1)


def test_the_newest_pages_stay() -> None:
    knowledge = Knowledge(max_pages=3).with_pages(pool()[::-1])
    assert [record.at for record in knowledge.pages.values()] == [7, 8, 9]


def test_a_site_stays_under_its_bytes() -> None:
    record = pool()[0]
    records = [replace(record, texts=record.texts + np.uint64(n)) for n in range(1_000)]
    knowledge = Knowledge(max_pages=1_000).with_pages(records)
    assert 900_000 < measure(knowledge) <= 1_000_000


def test_class_paths_of_many_boxes_take_little_memory() -> None:
    """Each box had its own copy of the names around it: 30 MB."""
    page = page_of("".join(f"<div class={letter * 1_000}>" for letter in "abc")
                   + "<section><p>x</p></section>" * 5_000)  # fmt: skip
    tracemalloc.start()
    try:
        compute_signatures(page)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


TEXTS = st.lists(st.text(st.characters(exclude_characters="\0"), max_size=12), max_size=8)


@given(TEXTS)
def test_texts_are_hashed_alike_in_any_company(texts: list[str]) -> None:
    alone = [int(hash_texts([text])[0]) for text in texts]
    assert hash_texts(texts).tolist() == alone
    assert len(set(alone)) == len(set(texts))


def test_hashes_stay_what_they_are() -> None:
    """Stores hold them: another hash needs another `codec.VERSION`."""
    hashes = [0, 7247738914666652423, 10006692241979232190]
    assert hash_texts(["", "a", "the ferry"]).tolist() == hashes


def test_portions_of_a_long_page_are_hashed_alike() -> None:
    texts = [f"line {number} " * 40 for number in range(3_000)]
    assert sum(map(len, texts)) > PORTION
    assert hash_texts(texts)[-1] == hash_texts(texts[-1:])[0]
