from __future__ import annotations

from math import exp

import numpy as np
import pytest

from scrapy_boilerplate.systems.tag_ratios.series import gaussian_smooth, k_means, spread_centers


def test_smoothing_one_peak_gives_the_kernel() -> None:
    series = np.zeros(21)
    series[10] = 1.0
    total = 1 + 2 * sum(exp(-k * k / 2) for k in range(1, 5))
    smooth = gaussian_smooth(series, 1.0)
    assert smooth[10] == pytest.approx(1 / total)
    assert smooth[12] == smooth[8] == pytest.approx(exp(-2) / total)
    assert smooth[5] == 0.0  # beyond four standard deviations


def test_smoothing_mirrors_at_the_ends() -> None:
    assert gaussian_smooth(np.full(3, 7.0), 5.0) == pytest.approx(np.full(3, 7.0))
    left = gaussian_smooth(np.array([1.0, 0, 0, 0, 0, 0, 0, 0, 0]), 1.0)
    middle = gaussian_smooth(np.array([0.0, 0, 0, 0, 1, 1, 0, 0, 0]), 1.0)
    assert left[0] == pytest.approx(middle[4])


def test_k_means() -> None:
    points = np.array([[0.0], [1.0], [10.0], [11.0], [30.0]])
    nearest, centers = k_means(points, spread_centers(points, 3))
    assert nearest.tolist() == [0, 0, 2, 2, 1]
    assert centers.tolist() == [[0.5], [30.0], [10.5]]


def test_a_pinned_center_stays() -> None:
    points = np.array([[4.0], [5.0], [100.0]])
    assert k_means(points, np.array([[0.0], [100.0]]))[1].tolist() == [[4.5], [100.0]]
    assert k_means(points, np.array([[0.0], [100.0]]), pinned=1)[1].tolist() == [[0.0], [100.0]]


def test_a_center_without_points_stays() -> None:
    nearest, centers = k_means(np.array([[1.0], [1.0]]), np.array([[0.0], [1.0], [9.0]]))
    assert nearest.tolist() == [1, 1]
    assert centers.tolist() == [[0.0], [1.0], [9.0]]
