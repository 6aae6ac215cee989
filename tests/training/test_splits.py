"""Splits: by site, the same on every machine."""

from __future__ import annotations

import pytest

from scrapy_boilerplate.training.corpora import LabelledPage
from scrapy_boilerplate.training.splits import cross_validation, fold_of, position, split

PAGES = [
    LabelledPage(id=f"{site}-{page}", dataset="d", html="", url=f"http://site{site}.com/{page}")
    for site in range(200)
    for page in range(3)
]


def test_positions_never_change() -> None:
    assert [round(position(site), 6) for site in ("bbc.co.uk", "lemonde.fr")] == PINNED
    assert position("BBC.co.uk") == position("bbc.co.uk") != position("bbc.co.uk", "again")


PINNED = [0.563035, 0.879288]


def test_no_site_is_on_both_sides_and_no_page_is_lost() -> None:
    rest, held = split(PAGES, 0.25)
    assert not {page.site for page in rest} & {page.site for page in held}
    assert len(rest) + len(held) == len(PAGES)
    assert len(held) == pytest.approx(0.25 * len(PAGES), rel=0.3)


def test_a_page_keeps_its_side_whatever_else_is_there() -> None:
    _, held = split(PAGES, 0.25)
    _, of_half = split(PAGES[::2], 0.25)
    assert {page.id for page in of_half} <= {page.id for page in held}


def test_every_page_is_tested_once_and_never_on_its_own_site() -> None:
    tested = []
    for train, test in cross_validation(PAGES, 5):
        assert not {page.site for page in train} & {page.site for page in test}
        assert len(train) + len(test) == len(PAGES)
        tested += [page.id for page in test]
    assert sorted(tested) == sorted(page.id for page in PAGES)


def test_folds_are_in_range() -> None:
    assert {fold_of(f"site{number}", 3) for number in range(99)} == {0, 1, 2}
