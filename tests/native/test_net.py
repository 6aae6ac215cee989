"""The native net against numpy: nets and pages of all sizes, vectors of all widths, wrong sizes."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scrapy_boilerplate import Label, native
from scrapy_boilerplate.news import model
from scrapy_boilerplate.news import net as module
from scrapy_boilerplate.news.net import SequenceNet
from tests.news_models import random_groups, random_net

if native.net is None:
    pytest.skip(native.obstacles["net"], allow_module_level=True)

# Numbers of a vector.
WIDTHS = (4, 8, 16)
# Of log odds: sums in another order.
MAX_DIFFERENCE = 1e-4


def run(net: SequenceNet, rows: np.ndarray, widest: int = 16) -> np.ndarray:
    members, depth, size, channels = net.layers.shape
    queries, heads = net.queries.shape[2], net.outputs.shape[2]
    log_odds = np.full((members, len(rows), heads), np.nan, dtype=np.float32)
    native.net.run(
        *(np.asfortranarray(rows), random_groups(len(rows))),
        *net._pack(native.net.group_size(widest)),
        *(net.mean, net._factor, module.INPUT_STEP, log_odds),
        *(module._round_up(channels), depth, size // channels),
        *(queries, module._round_up(heads), widest),
    )
    return log_odds


def run_in_numpy(net: SequenceNet, rows: np.ndarray) -> np.ndarray:
    return net._run_in_numpy(rows, random_groups(len(rows)))


SIZES = st.fixed_dictionaries(
    {
        "columns": st.integers(1, 9),
        "members": st.integers(1, 3),
        "channels": st.sampled_from([1, 4, 31, 32, 33, 70]),
        "layers": st.integers(0, 8),
        "width": st.sampled_from([1, 3, 5, 9, 99]),
        "queries": st.integers(1, 5),
    }
)


@pytest.mark.parametrize("widest", WIDTHS)
@given(n=st.integers(0, 70), sizes=SIZES)
@example(
    n=1_001,
    sizes={"columns": 9, "members": 2, "channels": 96, "layers": 5, "width": 5, "queries": 4},
)
@settings(max_examples=25, deadline=None)
def test_nets_of_all_sizes(widest: int, n: int, sizes: dict[str, int]) -> None:
    net = random_net(**sizes)
    net = SequenceNet(**{**vars(net), "layers": net.layers / (sizes["width"] * sizes["channels"])})
    rows = np.random.default_rng(n).normal(0, 2, (n, sizes["columns"])).astype(np.float32)
    expected = run_in_numpy(net, rows)
    np.testing.assert_allclose(run(net, rows, widest), expected, rtol=1e-4, atol=MAX_DIFFERENCE)


def test_rows_may_lie_in_any_order() -> None:
    net, groups = random_net(7), random_groups(40)
    rows = np.random.default_rng(0).normal(0, 2, (40, 7)).astype(np.float32)
    apart = np.zeros((80, 14), dtype=np.float32)
    apart[::2, ::2] = rows
    expected = net(rows, groups)
    for same in (np.asfortranarray(rows), apart[::2, ::2], rows[::-1].copy()[::-1]):
        np.testing.assert_array_equal(net(same, groups), expected)


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan, 3e38])
def test_numbers_beyond_all_sizes(value: float) -> None:
    net = random_net(3)
    rows = np.zeros((30, 3), dtype=np.float32)
    rows[4, 1] = value
    with np.errstate(over="ignore"):
        expected = run_in_numpy(net, rows)
    np.testing.assert_allclose(run(net, rows), expected, rtol=1e-4, atol=MAX_DIFFERENCE)


WRONG_SIZES: dict[str, dict[str, Any]] = {
    "channels": {"channels": 16},
    "no channels": {"channels": 0},
    "more channels": {"channels": 64},
    "rows": {"rows": np.zeros((6, 7), dtype=np.float32, order="F")},
    "columns": {"rows": np.zeros((5, 6), dtype=np.float32, order="F")},
    "members": {"log_odds": np.zeros((3, 5, 8), dtype=np.float32)},
    "depth": {"depth": 3},
    "negative depth": {"depth": -1},
    "even": {"width": 2},
    "wide": {"width": 101},
    "few weights": {"weights": np.zeros(3, dtype=np.uint8)},
    "few floats": {"floats": np.zeros(3, dtype=np.float32)},
    "mean": {"mean": np.zeros(6, dtype=np.float32)},
    "factor": {"factor": np.zeros(8, dtype=np.float32)},
    "few groups": {"groups": np.zeros((3, 5), dtype=np.int64)},
    "rows of groups": {"groups": np.zeros((4, 6), dtype=np.int64)},
    "a group of no block": {"groups": np.full((4, 5), 5)},
    "queries": {"queries": 33},
    "negative queries": {"queries": -1},
    "heads": {"heads": 64},
    "no heads": {"log_odds": np.zeros((2, 5, 0), dtype=np.float32)},
    "more heads": {"log_odds": np.zeros((2, 5, 33), dtype=np.float32)},
}


@pytest.mark.parametrize("name", WRONG_SIZES)
def test_sizes_that_do_not_fit_are_refused(name: str) -> None:
    net = random_net(7)
    weights, floats = net._pack(native.net.group_size())
    arguments: dict[str, Any] = {
        "rows": np.zeros((5, 7), dtype=np.float32, order="F"),
        "groups": np.zeros((4, 5), dtype=np.int64),
        "weights": weights,
        "floats": floats,
        "mean": net.mean,
        "factor": net._factor,
        "step": 0.001,
        "log_odds": np.zeros((2, 5, 8), dtype=np.float32),
        "channels": 32,
        "depth": 2,
        "width": 3,
        "queries": 2,
        "heads": 32,
    }
    native.net.run(**arguments)
    with pytest.raises(ValueError, match=r"do not fit each other|no block has"):
        native.net.run(**{**arguments, **WRONG_SIZES[name]})


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
