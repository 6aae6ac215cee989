"""Methods over the tokens of a page in a row: BTE, MSS, DSC, CETR and CCB."""

from functools import partial

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.extractor import Extractor, build_extractor
from scrapy_boilerplate.systems.common.columns import (
    count_characters,
    read_token_runs,
    select_blocks,
    sum_by_block,
    sum_spans,
    take_previous,
)
from scrapy_boilerplate.systems.common.rules import ContentRule

# BTE and MSS (docs/systems/bte.md, mss.md): the contiguous stretch of tokens with the largest sum,
# where a word adds 1 and a tag subtracts a fixed weight.

# words that a tag subtracts: Finn et al. 2001, and Pasternack and Roth 2009
TAG_WEIGHT, HEAVY_TAG_WEIGHT = 1.0, 3.25


def find_best_stretch(page: Page, tag_weight: float) -> BoolArray:
    """bool[n]: the blocks in the stretch with the largest sum, the first to start if several.

    It starts and ends with words. Linear time (Kadane's maximum subarray, by prefix sums).
    """
    runs = read_token_runs(page)
    inside = np.zeros_like(runs.words)
    if runs.words.any():
        after = np.cumsum(runs.words - tag_weight * runs.tag_counts[:-1])
        before = after - runs.words
        last = int(np.argmax(after - np.minimum.accumulate(before)))
        inside[np.argmin(before[: last + 1]) : last + 1] = 1
    return select_blocks(page, runs.words * inside, runs.words)


# DSC and ADSC (docs/systems/document-slope.md): regions where tags are rarer than on the page as a
# whole. The papers were not available; windows and thresholds come from a public program with
# functions `FindContentBlock` and `DetermineLowSlopeSections`. Its windows do not overlap, and it
# raises WINDOWS while a tenth of the tokens stays selected.

SLOPE_SHARE = 0.5  # maximum share of the document's slope in a low window (the public program)
WINDOWS = 3  # windows in a row that start or end a section (the public program)
# Tokens of a window on pages up to SMALL_PAGE tokens (the public program).
SMALL_WINDOW, SMALL_PAGE = 8, 200
# Tokens of a window on pages from LARGE_PAGE tokens on (as above); linear in between.
LARGE_WINDOW, LARGE_PAGE = 50, 5000


def _find_flat_sections(page: Page, *, several: bool) -> BoolArray:
    runs = read_token_runs(page)
    selected = find_low_sections(runs.is_word)
    if not several:
        starts = selected & ~take_previous(selected)
        section = np.cumsum(starts) * selected
        words = np.bincount(section[selected & runs.is_word], minlength=1)
        selected &= section == np.argmax(words)  # the first if several are equal
    return select_blocks(page, runs.words_among(selected), runs.words)


def find_low_sections(is_word: BoolArray) -> BoolArray:
    """bool[tokens]: the tokens in sections of low slope."""
    size = int(np.interp(len(is_word), (SMALL_PAGE, LARGE_PAGE), (SMALL_WINDOW, LARGE_WINDOW)))
    starts = np.arange(0, len(is_word) - size + 1, size // 2)
    if len(starts) < WINDOWS:
        return np.zeros(len(is_word), dtype=np.bool_)
    curve = np.cumsum(~is_word).astype(np.float64)
    whole = fit_slopes(curve, starts[:1], len(curve))[0]
    inside = starts[_in_section(fit_slopes(curve, starts, size) <= SLOPE_SHARE * whole)]
    edges = np.bincount(inside, minlength=len(curve) + 1)
    edges -= np.bincount(inside + size, minlength=len(curve) + 1)
    return np.cumsum(edges)[:-1] > 0


def fit_slopes(curve: FloatArray, starts: IntArray, size: int) -> FloatArray:
    """Return the least-squares slope of the curve over each window; linear time."""
    sum_y = sum_spans(curve, starts, starts + size)
    sum_xy = sum_spans(curve * np.arange(len(curve)), starts, starts + size)
    middle, spread = starts + (size - 1) / 2, size * (size**2 - 1) / 12
    slopes: FloatArray = (sum_xy - middle * sum_y) / spread
    return slopes


def _in_section(low: BoolArray) -> BoolArray:
    in_a_row = sliding_window_view(low, WINDOWS).sum(axis=1)
    decided = np.zeros(len(low), dtype=np.int64)
    decided[: len(in_a_row)] = (in_a_row == WINDOWS).astype(np.int64) - (in_a_row == 0)
    latest = np.maximum.accumulate(np.where(decided != 0, np.arange(len(low)), 0))
    inside: BoolArray = decided[latest] == 1
    return inside


# Smoothing of series and grouping of points

# Standard deviations after which a Gaussian kernel is cut off (scipy's default).
KERNEL_RADIUS = 4.0
MAX_MOVES = 50  # rounds after which k-means stops (dragnet; keeps it linear)
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
    move. If centers are equally near, the first is chosen. Linear time: at most MAX_MOVES rounds.
    """
    nearest: IntArray = _squared_distances(points, centers).argmin(axis=1)
    for _ in range(MAX_MOVES):
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


# CETR (docs/systems/cetr.md): blocks with much text and few tags. As in dragnet, text blocks are
# the lines, and derivatives come before smoothing.

SIGMA = 1.0  # standard deviation of the Gaussian, in blocks (the paper: radius 1; dragnet)
DERIVED = 3  # following blocks that a derivative reads (the paper; dragnet)
CLUSTERS = 3  # clusters of k-means (the paper; dragnet)
# A ratio above so many standard deviations is content, the paper's lambda.
DEVIATIONS = 1.0


def _select_above_deviation(page: Page) -> BoolArray:
    ratios = gaussian_smooth(compute_tag_ratios(page), SIGMA)
    return ratios > DEVIATIONS * (ratios.std() if len(ratios) else 0.0)


def select_other_clusters(page: Page, *, derivative: bool) -> BoolArray:
    """bool[n]: CETR-KM, with `derivative` CETR: all clusters but the one at 0; linear time."""
    if not len(page):
        return np.zeros(0, dtype=np.bool_)
    ratios = compute_tag_ratios(page)
    series = (ratios, compute_derivative(ratios)) if derivative else (ratios,)
    points = np.stack([gaussian_smooth(values, SIGMA) for values in series], axis=1)
    nearest, _ = k_means(points, spread_centers(points, CLUSTERS), pinned=int(derivative))
    # center 0 starts at the origin and, with no point below it, stays the nearest to it
    content: BoolArray = nearest != 0
    return content


def compute_tag_ratios(page: Page) -> FloatArray:
    """float[n]: characters of text per tag, for each block."""
    return count_characters(page) / np.maximum(count_block_tags(page), 1)


def count_block_tags(page: Page) -> IntArray:
    """int[n]: the start tags before each block, the tags inside, and the end tags after it."""
    runs, blocks = read_token_runs(page), page.blocks
    before_first = sum_by_block(page, runs.tag_counts[:-1]) - runs.tag_counts[blocks.first_leaf]
    return before_first + runs.starts[blocks.first_leaf] + runs.ends[blocks.end_leaf]


def compute_derivative(ratios: FloatArray) -> FloatArray:
    """float[n]: distance of each value from the mean of the next DERIVED (fewer near the end)."""
    count = len(ratios)
    first = np.arange(1, count + 1)
    first[-1:] = max(count - 2, 0)  # the last block uses the block before it
    end = np.minimum(np.arange(1, count + 1) + DERIVED, count)
    return np.abs(sum_spans(ratios, first, end) / (end - first) - ratios)


# CCB (docs/systems/content-code-blurring.md): regions that stay text when the page is blurred.

BLUR = 5.0  # standard deviation of the blur in tokens (our sweep, docs/provenance.md)
MIN_BLUR_CHANGE = 0.02  # blurring stops at a round that changes every entry by less (our sweep)
MIN_TEXT_SHARE = 0.75  # minimum share of text around a token (a public implementation)
# Rounds of blurring, so that time is linear; pages of the corpora need 6 to 13.
MAX_BLURS = 50


def _find_text_regions(page: Page) -> BoolArray:
    runs = read_token_runs(page)
    words = runs.words_among(blur(runs.is_word.astype(np.float64)) > MIN_TEXT_SHARE)
    return select_blocks(page, words, runs.words)


def blur(vector: FloatArray) -> FloatArray:
    """Return the vector after the last round."""
    for _ in range(MAX_BLURS):
        before, vector = vector, gaussian_smooth(vector, BLUR)
        if np.abs(vector - before).max(initial=0.0) < MIN_BLUR_CHANGE:
            break
    return vector


WENINGER = "Weninger, Hsu, Han 2010"

ROWS: tuple[Extractor, ...] = (
    build_extractor("bte", "Finn, Kushmerick, Smyth 2001",
        "the stretch with most words and fewest tags; any language, keeps interruptions",
        ContentRule("body-text", partial(find_best_stretch, tag_weight=TAG_WEIGHT))),
    build_extractor("dsc", "Pinto et al. 2002",
        "the longest region with few tags for its page; a baseline, loses interrupted articles",
        ContentRule("document-slope", partial(_find_flat_sections, several=False))),
    build_extractor("adsc", "Pinto et al. 2002; Gottron 2007",
        "every region with few tags for its page; not for pages that are mostly text",
        ContentRule("document-slope", partial(_find_flat_sections, several=True))),
    build_extractor("cetr-tm", WENINGER,
        "blocks with much text and few tags, by one threshold; keeps long teasers",
        ContentRule("tag-ratio-threshold", _select_above_deviation)),
    build_extractor("cetr-km", WENINGER,
        "blocks with much text and few tags, by three clusters; keeps long teasers",
        ContentRule("tag-ratio-clusters", partial(select_other_clusters, derivative=False))),
    build_extractor("cetr", WENINGER,
        "cetr-km with the change to the next blocks; pages of any kind",
        ContentRule("tag-ratio-clusters", partial(select_other_clusters, derivative=True))),
    build_extractor("ccb", "Gottron 2008",
        "regions that are text after blurring; several regions, any language, drops headlines",
        ContentRule("content-code-blurring", _find_text_regions)),
    build_extractor("mss", "Pasternack, Roth 2009, simple weights",
        "bte with heavier tags; high precision, loses the rest of articles in pieces",
        ContentRule("maximum-subsequence",
            partial(find_best_stretch, tag_weight=HEAVY_TAG_WEIGHT))),
)  # fmt: skip
