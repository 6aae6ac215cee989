"""Smoothing of series and grouping of points, for the tag-ratio methods."""

import numpy as np

from scrapy_boilerplate.page.labels import FloatArray, IntArray

# Standard deviations after which a Gaussian kernel is cut off (scipy's default; the rest is below
# 1e-4).
KERNEL_RADIUS = 4.0
MAX_ROUNDS = 50  # rounds after which k-means stops (dragnet; keeps it linear)
# Shift of every center below which k-means stops (dragnet), in the units of the points.
TOLERANCE = 1e-3


def gaussian_smooth(series: FloatArray, sigma: float) -> FloatArray:
    """Return the series blurred by a Gaussian of `sigma` entries, mirrored beyond its ends.

    The end entries are part of their mirror image (scipy's ``reflect``). Linear time.
    """
    if not len(series):
        return series
    radius = int(KERNEL_RADIUS * sigma + 0.5)
    weights = np.exp(-0.5 * (np.arange(-radius, radius + 1) / sigma) ** 2)
    padded = np.pad(series, radius, mode="symmetric")
    return np.convolve(padded, weights / weights.sum(), mode="valid")


def spread_centers(points: FloatArray, k: int) -> FloatArray:
    """float[k, dimensions]: the origin, then repeatedly the point farthest from all chosen points.

    With farthest-point traversal (Gonzalez 1985), k-means starts the same way on every run. If
    points are equally far, the first is chosen.
    """
    centers = np.zeros((1, points.shape[1]))
    while len(centers) < k:
        distances = _squared_distances(points, centers).min(axis=1)
        centers = np.vstack((centers, points[np.argmax(distances)]))
    return centers


def k_means(
    points: FloatArray, centers: FloatArray, *, pinned: int = 0
) -> tuple[IntArray, FloatArray]:
    """Return (int[n]: nearest center of each point, centers) by Lloyd's algorithm.

    `points` is float[n, dimensions]. The first `pinned` centers and centers without points never
    move. If centers are equally near, the first is chosen. Linear time: at most MAX_ROUNDS rounds.
    """
    nearest: IntArray = _squared_distances(points, centers).argmin(axis=1)
    for _ in range(MAX_ROUNDS):
        moved = centers.copy()
        for k in range(pinned, len(centers)):
            members = points[nearest == k]
            if len(members):
                moved[k] = members.mean(axis=0)
        shift = np.abs(moved - centers).max(initial=0.0)
        centers, nearest = moved, _squared_distances(points, moved).argmin(axis=1)
        if shift < TOLERANCE:
            break
    return nearest, centers


def _squared_distances(points: FloatArray, centers: FloatArray) -> FloatArray:
    differences = points[:, np.newaxis, :] - centers[np.newaxis, :, :]
    distances: FloatArray = (differences**2).sum(axis=2)
    return distances
