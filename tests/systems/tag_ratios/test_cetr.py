"""CETR by hand: tag ratios, their smoothing and derivative, clusters."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest

from scrapy_boilerplate import EXTRACTORS
from scrapy_boilerplate.systems.tag_ratios.cetr import (
    compute_derivative,
    compute_tag_ratios,
    count_block_tags,
)
from scrapy_boilerplate.systems.tag_ratios.series import gaussian_smooth, k_means, spread_centers
from tests.builders import page_of
from tests.systems.pages import content_of, links, paragraph, words


def test_tags_of_a_block_are_those_of_its_line() -> None:
    page = page_of("<html><body><p>One</p>\n<p>Two <b>x</b> y</p>\n<div><p>Three</p></div></html>")
    assert page.texts == ["One", "Two x y", "Three"]
    # html body p ... /p | p b /b /p | div p ... /p /div /body /html
    assert count_block_tags(page).tolist() == [4, 4, 6]
    assert compute_tag_ratios(page).tolist() == [3 / 4, 7 / 4, 5 / 6]


def test_absolute_derivative() -> None:
    for ratios, expected in [
        ([0, 3, 6, 9, 12], [6, 6, 4.5, 3, 1.5]),  # mean of three, three, two, one; of the last two
        ([9, 0, 0, 0], [9, 0, 0, 0]),
        ([1, 5], [4, 2]),
        ([5], [0]),
        ([], []),
    ]:
        assert compute_derivative(np.array(ratios, np.float64)) == pytest.approx(np.array(expected))


def test_paragraphs_among_links_are_content() -> None:
    html = links(30) + paragraph(60, "a") + paragraph(50, "b") + paragraph(60, "c") + links(30)
    for extractor in ("cetr-tm", "cetr-km", "cetr"):
        kept = content_of(extractor, html)
        assert {words(60, "a"), words(50, "b"), words(60, "c")} <= set(kept)
        assert kept.count("Link") <= 4  # smoothing and derivative lift neighbours


def test_the_derivative_brings_in_what_stands_before_text() -> None:
    html = links(30) + "<h1>Headline</h1><p>Byline</p>" + paragraph(40) * 6 + links(30)
    assert "Headline" in content_of("cetr", html)
    assert "Headline" not in content_of("cetr-km", html)


def test_one_center_is_pinned_at_the_origin() -> None:
    html = "".join(paragraph(count) for count in (2, 10, 2, 2, 2, 30, 20, 2, 15))
    page = page_of(html)
    series = (compute_tag_ratios(page), compute_derivative(compute_tag_ratios(page)))
    points = np.stack([gaussian_smooth(values, 1.0) for values in series], axis=1)
    pinned, free = (
        k_means(points, spread_centers(points, 3), pinned=count)[0] != 0 for count in (1, 0)
    )
    assert pinned.tolist() != free.tolist()
    assert EXTRACTORS["cetr"].decide_content(page).content.tolist() == pinned.tolist()


def test_smoothing_one_peak_gives_the_kernel_and_mirrors_at_the_ends() -> None:
    series = np.zeros(21)
    series[10] = 1.0
    total = 1 + 2 * sum(exp(-k * k / 2) for k in range(1, 5))
    smooth = gaussian_smooth(series, 1.0)
    assert smooth[[8, 10, 12]] * total == pytest.approx([exp(-2), 1, exp(-2)])
    assert smooth[5] == 0.0  # beyond four standard deviations
    assert gaussian_smooth(np.full(3, 7.0), 5.0) == pytest.approx(np.full(3, 7.0))


def test_k_means() -> None:
    for points, centers, pinned, nearest, moved in [
        ([0, 1, 10, 11, 30], None, 0, [0, 0, 2, 2, 1], [0.5, 30, 10.5]),
        ([4, 5, 100], [0, 100], 0, [0, 0, 1], [4.5, 100]),
        ([4, 5, 100], [0, 100], 1, [0, 0, 1], [0, 100]),  # a pinned center stays
        ([1, 1], [0, 1, 9], 0, [1, 1], [0, 1, 9]),  # a center without points stays
    ]:
        column = np.array(points, np.float64)[:, np.newaxis]
        start = (
            np.array(centers, np.float64)[:, np.newaxis] if centers else spread_centers(column, 3)
        )
        found, means = k_means(column, start, pinned=pinned)
        assert (found.tolist(), means[:, 0].tolist()) == (nearest, moved)
