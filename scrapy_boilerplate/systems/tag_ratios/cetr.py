"""Content extraction via tag ratios (CETR): content has much text and few tags.

Weninger, Hsu and Han 2010. The tag ratio of a line of source is its characters of text to its tags
(at least 1). The ratios T are smoothed by a Gaussian (SIGMA lines): T'. The absolute derivative
G_k = |mean of the next ALPHA ratios - T_k| (the last: |mean of the last two - T_k|) is smoothed
alike: G'. Three ways to decide:

- `TagRatioThreshold` (CETR-TM): content if T' > `deviations` times the standard deviation of T'.
- `TagRatioClusters` (CETR-KM): k-means with CLUSTERS clusters over T'; all but the cluster nearest
  0 is content.
- `TagRatioClusters` with ``derivative=True`` (CETR): k-means over (T', G') with one center pinned
  at the origin; all but its cluster is content.

Followed: dragnet's ``_weninger.pyx`` and ``kmeans.py``, which take text blocks for lines (today's
source is often one line) and derive before smoothing. As on a line of ordinary source, a block's
tags are the start tags before it, all tags inside it and the end tags after it
(`common.tokens`). dragnet counts its own and inner start tags only: that costs `cetr` 6 points of
token F1 on L3S-GN1, 4 to 6 on fundus and article-extraction, and gains 1 on CleanEval (measured
here). dragnet draws the first centers at random, and new ones for clusters without points; this
module starts at the origin and far points (`series.spread_centers`), and a center without points
stays, so that the same page always gives the same text. Blocks without text, zeros among the
paper's lines, do not exist here.

Known failures: a page of nothing but text still gives a cluster to the origin (single short
paragraphs and headlines are lost); one very long paragraph draws the other centers away; long
teasers, comments and legal notices have the ratios of text.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.page.labels import FloatArray, IntArray, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.extractor import Extractor, build_extractor
from scrapy_boilerplate.systems.common.tokens import read_token_runs, sum_by_block
from scrapy_boilerplate.systems.tag_ratios.series import gaussian_smooth, k_means, spread_centers

SIGMA = 1.0
"""Standard deviation of the Gaussian, in blocks (the paper: radius 1; dragnet)."""
ALPHA = 3
"""Following blocks that a derivative looks at (the paper; dragnet)."""
CLUSTERS = 3
"""Clusters of k-means (the paper; dragnet)."""


@dataclass(frozen=True, kw_only=True)
class TagRatioThreshold:
    """CETR-TM: blocks with a smoothed tag ratio above a multiple of its deviation; linear time.

    `deviations` is the paper's lambda, a factor on the page's standard deviation.
    """

    deviations: float = 1.0
    name: str = "tag-ratio-threshold"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        ratios = gaussian_smooth(compute_tag_ratios(page), SIGMA)
        deviation = ratios.std() if len(ratios) else 0.0
        return labeling.classify(ratios > self.deviations * deviation, self.name)


@dataclass(frozen=True, kw_only=True)
class TagRatioClusters:
    """CETR-KM, and with the derivative CETR: all clusters but the one at 0; linear time."""

    derivative: bool = False
    name: str = "tag-ratio-clusters"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        if not len(page):
            return labeling
        ratios = compute_tag_ratios(page)
        series = (ratios, compute_derivative(ratios)) if self.derivative else (ratios,)
        points = np.stack([gaussian_smooth(values, SIGMA) for values in series], axis=1)
        start = spread_centers(points, CLUSTERS)
        nearest, _ = k_means(points, start, pinned=int(self.derivative))
        # center 0 starts at the origin and, with no point below it, stays the nearest to it
        return labeling.classify(nearest != 0, self.name)


def compute_tag_ratios(page: Page) -> FloatArray:
    """float[n]: characters of text to a tag, for each block."""
    characters = np.fromiter(map(len, page.texts), np.int64, len(page))
    ratios: FloatArray = characters / np.maximum(count_block_tags(page), 1)
    return ratios


def count_block_tags(page: Page) -> IntArray:
    """int[n]: the start tags before each block, the tags inside, and the end tags after it."""
    runs, blocks = read_token_runs(page), page.blocks
    before_first = sum_by_block(page, runs.tags[:-1]) - runs.tags[blocks.first_leaf]
    tags: IntArray = before_first + runs.starts[blocks.first_leaf] + runs.ends[blocks.end_leaf]
    return tags


def compute_derivative(ratios: FloatArray) -> FloatArray:
    """float[n]: how far each value lies from the mean of the next ALPHA (fewer near the end)."""
    count = len(ratios)
    sums = np.concatenate((np.zeros(1), np.cumsum(ratios)))
    first = np.arange(1, count + 1)
    first[-1:] = max(count - 2, 0)  # the last block looks back at the one before it
    end = np.minimum(np.arange(1, count + 1) + ALPHA, count)
    derivative: FloatArray = np.abs((sums[end] - sums[first]) / (end - first) - ratios)
    return derivative


WENINGER = "Weninger, Hsu, Han 2010"

ROWS: tuple[Extractor, ...] = (
    build_extractor(
        "cetr-tm",
        WENINGER,
        "blocks of much text to few tags, by one threshold; long teasers stay",
        TagRatioThreshold(),
    ),
    build_extractor(
        "cetr-km",
        WENINGER,
        "blocks of much text to few tags, by three clusters; long teasers stay",
        TagRatioClusters(),
    ),
    build_extractor(
        "cetr",
        WENINGER,
        "cetr-km that also looks at the change to the next blocks; pages of any kind",
        TagRatioClusters(derivative=True),
    ),
)
