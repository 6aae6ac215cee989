"""Content extraction via tag ratios (CETR): blocks with much text and few tags.

Weninger, Hsu and Han 2010 (docs/systems/cetr.md). It follows dragnet's ``_weninger.pyx`` and
``kmeans.py``, which use text blocks as lines and derive before smoothing. The tags of a block are
the start tags before it, all tags inside it and the end tags after it (`common.tokens`), as on a
line of ordinary source. k-means starts at the origin and far points (`series.spread_centers`), and
a center without points does not move, so that the same page always gives the same text.
"""

from functools import partial

import numpy as np

from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.extractor import Extractor, build_extractor
from scrapy_boilerplate.systems.common.features import sum_spans
from scrapy_boilerplate.systems.common.rules import ContentRule
from scrapy_boilerplate.systems.common.tokens import count_characters, read_token_runs, sum_by_block
from scrapy_boilerplate.systems.tag_ratios.series import gaussian_smooth, k_means, spread_centers

SIGMA = 1.0  # standard deviation of the Gaussian, in blocks (the paper: radius 1; dragnet)
ALPHA = 3  # following blocks that a derivative reads (the paper; dragnet)
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
    """float[n]: distance of each value from the mean of the next ALPHA (fewer near the end)."""
    count = len(ratios)
    first = np.arange(1, count + 1)
    first[-1:] = max(count - 2, 0)  # the last block uses the block before it
    end = np.minimum(np.arange(1, count + 1) + ALPHA, count)
    return np.abs(sum_spans(ratios, first, end) / (end - first) - ratios)


WENINGER = "Weninger, Hsu, Han 2010"

ROWS: tuple[Extractor, ...] = (
    build_extractor("cetr-tm", WENINGER,
        "blocks with much text and few tags, by one threshold; keeps long teasers",
        ContentRule("tag-ratio-threshold", _select_above_deviation)),
    build_extractor("cetr-km", WENINGER,
        "blocks with much text and few tags, by three clusters; keeps long teasers",
        ContentRule("tag-ratio-clusters", partial(select_other_clusters, derivative=False))),
    build_extractor("cetr", WENINGER,
        "cetr-km with the change to the next blocks; pages of any kind",
        ContentRule("tag-ratio-clusters", partial(select_other_clusters, derivative=True))),
)  # fmt: skip
