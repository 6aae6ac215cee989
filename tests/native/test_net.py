"""The native net against numpy: nets and pages of all sizes, vectors of all widths, wrong sizes."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapy_boilerplate import native
from scrapy_boilerplate.news import model
from scrapy_boilerplate.news import net as module
from scrapy_boilerplate.news.extractor import MODELS
from scrapy_boilerplate.news.model import read_parts
from scrapy_boilerplate.news.net import SequenceNet
from scrapy_boilerplate.page.labels import Label
from scrapy_boilerplate.steps.model_store import load_shipped
from tests.news_models import random_net

if native.net is None:
    pytest.skip(native.obstacles["net"], allow_module_level=True)

WIDTHS = (4, 8, 16)
"""Numbers of a vector."""
MAX_DIFFERENCE = 1e-4
"""Of log odds: sums in another order."""


def run(net: SequenceNet, rows: np.ndarray, widest: int = 16) -> np.ndarray:
    members, depth, size, channels = net.layers.shape
    log_odds = np.full((members, len(rows), net.outputs.shape[2]), np.nan, dtype=np.float32)
    sizes = (
        *(module._round_up(channels), depth, size // channels),
        *(module._round_up(log_odds.shape[2]), module.MAX_FEATURE_SIZE),
    )
    native.net.run_members(rows, net._panels, net.mean, net.scale, log_odds, *sizes, widest)
    return log_odds


@cache
def load_net() -> SequenceNet:
    return read_parts(load_shipped(Path(MODELS) / "news")).net


@pytest.mark.parametrize("widest", WIDTHS)
def test_the_shipped_net(widest: int) -> None:
    net = load_net()
    for n in (0, 1, 2, 3, 5, 6, 7, 9, 11, 12, 13, 64, 250, 1_001):
        rows = np.random.default_rng(n).normal(0, 2, (n, len(net.mean))).astype(np.float32)
        rows = rows * net.scale + net.mean
        difference = np.abs(run(net, rows, widest) - net._run_in_numpy(rows))
        assert difference.max(initial=0) <= MAX_DIFFERENCE, n


SIZES = st.fixed_dictionaries(
    {
        "columns": st.integers(1, 9),
        "members": st.integers(1, 3),
        "channels": st.sampled_from([1, 4, 31, 32, 33, 70]),
        "layers": st.integers(0, 8),
        "width": st.sampled_from([1, 3, 5, 9, 99]),
    }
)


@pytest.mark.parametrize("widest", WIDTHS)
@given(n=st.integers(0, 70), sizes=SIZES)
@settings(max_examples=25, deadline=None)
def test_nets_of_all_sizes(widest: int, n: int, sizes: dict[str, int]) -> None:
    net = random_net(**sizes)
    net = SequenceNet(**{**vars(net), "layers": net.layers / (sizes["width"] * sizes["channels"])})
    rows = np.random.default_rng(n).normal(0, 2, (n, sizes["columns"])).astype(np.float32)
    expected = net._run_in_numpy(rows)
    np.testing.assert_allclose(run(net, rows, widest), expected, rtol=1e-4, atol=MAX_DIFFERENCE)


@pytest.mark.parametrize("order", ["C", "F"])
def test_rows_may_lie_in_any_order(order: Any) -> None:
    net = random_net(7)
    rows = np.random.default_rng(0).normal(0, 2, (40, 7)).astype(np.float32)
    apart = np.zeros((80, 14), dtype=np.float32)
    apart[::2, ::2] = rows
    expected = run(net, rows)
    np.testing.assert_array_equal(run(net, np.array(rows, order=order)), expected)
    np.testing.assert_array_equal(run(net, apart[::2, ::2]), expected)
    np.testing.assert_array_equal(run(net, rows[::-1])[:, :0], expected[:, :0])
    np.testing.assert_array_equal(run(net, rows[::-1]), run(net, rows[::-1].copy()))


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan, 3e38])
def test_numbers_beyond_all_sizes(value: float) -> None:
    net = random_net(3)
    rows = np.zeros((30, 3), dtype=np.float32)
    rows[4, 1] = value
    with np.errstate(over="ignore"):
        expected = net._run_in_numpy(rows)
    np.testing.assert_allclose(run(net, rows), expected, rtol=1e-4, atol=MAX_DIFFERENCE)


def test_the_same_rows_give_the_same_bits() -> None:
    rows = np.random.default_rng(0).normal(0, 2, (97, 7)).astype(np.float32)
    net = random_net(7)
    first = run(net, rows).tobytes()
    assert all(run(net, rows.copy()).tobytes() == first for _ in range(5))


def test_a_long_page_is_read_in_parts() -> None:
    net = random_net(3, layers=3)
    rows = np.random.default_rng(0).normal(0, 2, (512, 3)).astype(np.float32)
    parts = [net(rows, first, first + 64) for first in range(0, len(rows), 64)]
    log_odds = np.concatenate(parts, axis=1)
    np.testing.assert_allclose(log_odds, net(rows), rtol=1e-4, atol=MAX_DIFFERENCE)


WRONG: dict[str, dict[str, Any]] = {
    "channels": {"channels": 16},
    "no channels": {"channels": 0},
    "negative": {"channels": -32},
    "depth": {"depth": 3},
    "negative depth": {"depth": -1},
    "even": {"width": 2},
    "wide": {"width": 101},
    "heads": {"heads": 64},
    "few weights": {"weights": np.zeros(3, dtype=np.float32)},
    "mean": {"mean": np.zeros(6, dtype=np.float32)},
    "scale": {"scale": np.zeros(8, dtype=np.float32)},
    "more rows": {"log_odds": np.zeros((2, 6, 8), dtype=np.float32)},
    "members": {"log_odds": np.zeros((3, 5, 8), dtype=np.float32)},
    "no heads": {"log_odds": np.zeros((2, 5, 0), dtype=np.float32)},
    "more heads": {"log_odds": np.zeros((2, 5, 33), dtype=np.float32)},
}


@pytest.mark.parametrize("name", WRONG)
def test_sizes_that_do_not_fit_are_refused(name: str) -> None:
    net = random_net(7)
    arguments: dict[str, Any] = {
        "rows": np.zeros((5, 7), dtype=np.float32),
        "weights": net._panels,
        "mean": net.mean,
        "scale": net.scale,
        "log_odds": np.zeros((2, 5, 8), dtype=np.float32),
        "channels": 32,
        "depth": 2,
        "width": 3,
        "heads": 32,
        "limit": 5.0,
    }
    native.net.run_members(**arguments)
    with pytest.raises(ValueError, match="do not fit each other"):
        native.net.run_members(**{**arguments, **WRONG[name]})


@given(members=st.integers(1, 3), n=st.integers(0, 5), conventions=st.integers(1, 9))
def test_the_scores_of_labels(members: int, n: int, conventions: int) -> None:
    random = np.random.default_rng(n)
    log_odds = random.normal(0, 9, (members, n + 1, conventions + len(Label))).astype(np.float32)
    mix = random.random(conventions) * (random.random(conventions) < 0.7)
    expected = model._score_in_numpy(log_odds[:, 1:], mix)
    np.testing.assert_allclose(model._score_natively(log_odds[:, 1:], mix), expected, atol=1e-12)


@pytest.mark.parametrize("shape", [(0, 2, 8), (1, 3, 8), (1, 2, 7), (1, 2, 9)])
def test_scores_that_do_not_fit_are_refused(shape: tuple[int, int, int]) -> None:
    log_odds, scores = np.zeros(shape, dtype=np.float32), np.zeros((2, 6))
    with pytest.raises(ValueError, match="do not fit each other"):
        native.net.score_labels(log_odds, np.array([0.5, 0.5]), 2, 1e-9, scores)
