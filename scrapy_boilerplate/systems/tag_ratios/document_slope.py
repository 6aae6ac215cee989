"""Document slope curve (DSC): regions where tags are rarer than on the page as a whole.

Pinto et al. 2002, and ADSC as in Gottron 2007 (docs/systems/document-slope.md). The curve has the
token number as x and the number of tags so far as y; text is where it is flat. The papers were not
available. Lengths of windows and thresholds come from the one public program with window rules:
Python, with functions `FindContentBlock` and `DetermineLowSlopeSections`; its repository was not
noted. Its windows do not overlap, and it raises RUN while a tenth of the tokens stays selected.
"""

from functools import partial

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.extractor import Extractor, build_extractor
from scrapy_boilerplate.systems.common.features import sum_spans, take_previous
from scrapy_boilerplate.systems.common.rules import ContentRule
from scrapy_boilerplate.systems.common.tokens import read_token_runs, select_blocks

SLOPE_SHARE = 0.5  # maximum share of the document's slope in a low window (the public program)
RUN = 3  # windows in a row that start or end a section (the public program)
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


def choose_window_size(tokens: int) -> int:
    """Return the number of tokens of a window on a page."""
    share = (tokens - SMALL_PAGE) / (LARGE_PAGE - SMALL_PAGE)
    return SMALL_WINDOW + int((LARGE_WINDOW - SMALL_WINDOW) * min(max(share, 0.0), 1.0))


def find_low_sections(is_word: BoolArray) -> BoolArray:
    """bool[tokens]: the tokens in sections of low slope."""
    size = choose_window_size(len(is_word))
    starts = np.arange(0, len(is_word) - size + 1, size // 2)
    if len(starts) < RUN:
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
    in_a_row = sliding_window_view(low, RUN).sum(axis=1)
    decided = np.zeros(len(low), dtype=np.int64)
    decided[: len(in_a_row)] = (in_a_row == RUN).astype(np.int64) - (in_a_row == 0)
    latest = np.maximum.accumulate(np.where(decided != 0, np.arange(len(low)), 0))
    inside: BoolArray = decided[latest] == 1
    return inside


ROWS: tuple[Extractor, ...] = (
    build_extractor("dsc", "Pinto et al. 2002",
        "the longest region with few tags for its page; a baseline, loses interrupted articles",
        ContentRule("document-slope", partial(_find_flat_sections, several=False))),
    build_extractor("adsc", "Pinto et al. 2002; Gottron 2007",
        "every region with few tags for its page; not for pages that are mostly text",
        ContentRule("document-slope", partial(_find_flat_sections, several=True))),
)  # fmt: skip
