from __future__ import annotations

import numpy as np
import pytest

from scrapy_boilerplate.systems.tag_ratios.document_slope import (
    choose_window_size,
    find_low_sections,
    fit_slopes,
)
from tests.systems.token_pages import content_of, links, paragraph, words


def sequence(*runs: int) -> list[bool]:
    """Runs of tags and words by turns, tags first."""
    return [bool(number % 2) for number, length in enumerate(runs) for _ in range(length)]


def selected(*runs: int) -> list[tuple[int, int]]:
    """(first, end) of each section of low slope."""
    mask = np.concatenate(([0], find_low_sections(np.array(sequence(*runs), np.bool_)), [0]))
    edges = np.flatnonzero(np.diff(mask.astype(int))).tolist()
    return list(zip(edges[::2], edges[1::2], strict=True))


def test_window_grows_with_the_page() -> None:
    for tokens, size in [
        (0, 8),
        (200, 8),
        (314, 8),
        (315, 9),
        (500, 10),
        (4999, 49),
        (5000, 50),
        (90_000, 50),
    ]:
        assert choose_window_size(tokens) == size


def test_sections() -> None:
    for runs, sections in [
        ((40, 60, 40), [(40, 100)]),  # a plateau between two slopes, windows at multiples of 4
        ((40, 16, 40), [(40, 56)]),  # three windows of 8 in a row are low
        ((40, 12, 40), []),  # two are not enough
        ((40, 40, 4, 40, 40), [(40, 124)]),  # a gap that only two windows see
        ((40, 40, 8, 40, 40), [(40, 80), (88, 128)]),  # three windows see it
        ((60,), []),
        ((0, 60), [(0, 60)]),  # no tags: as flat as the document
        ((4, 4), []),
        ((), []),
    ]:
        assert selected(*runs) == sections


def test_the_slope_is_that_of_least_squares() -> None:
    tokens = np.array(sequence(7, 5, 3, 20, 4, 11), np.bool_)
    curve = np.cumsum(~tokens).astype(np.float64)
    starts = np.array([0, 4, 13, 30])
    expected = [np.polyfit(np.arange(9), curve[start : start + 9], 1)[0] for start in starts]
    assert fit_slopes(curve, starts, 9) == pytest.approx(np.array(expected))


def test_dsc_keeps_the_longest_section_and_adsc_all() -> None:
    html = links(10) + paragraph(40, "first") + links(10) + paragraph(30, "second") + links(10)
    assert content_of("dsc", html) == [words(40, "first")]
    both = [words(40, "first"), words(30, "second")]
    assert content_of("adsc", html) == both
