"""The net of `news`: parts of a page, files, messages for broken ones, and its one thread."""

import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from scrapy_boilerplate.native.features import NO_GROUP
from scrapy_boilerplate.news import net
from scrapy_boilerplate.news.net import (
    MAX_FEATURE_SIZE,
    SequenceNet,
    _round_rows,
    pack_net,
    read_sequence_net,
    use_one_blas_thread,
)
from scrapy_boilerplate.steps.model_store import ModelError, StoredModel, load_model, save_model
from tests.news_models import N_HEADS, random_groups, random_net

COLUMNS = ("words", "links", "depth")
NET = random_net(len(COLUMNS))


def stored(net: SequenceNet = NET, **arrays: np.ndarray) -> StoredModel:
    return StoredModel(kind="news", columns=COLUMNS, arrays={**pack_net(net), **arrays})


def test_what_is_saved_comes_back_in_half_precision(tmp_path: Path) -> None:
    save_model(tmp_path / "m", stored())
    loaded = read_sequence_net(load_model(tmp_path / "m"), N_HEADS)
    for name in SequenceNet.__dataclass_fields__:
        before, after = getattr(NET, name), getattr(loaded, name)
        assert after.dtype == np.float32
        if name in ("mean", "scale"):
            np.testing.assert_array_equal(before, after)
        else:
            np.testing.assert_array_equal(before.astype(np.float16), after.astype(np.float16))
            assert np.abs(before - after).max() < 1e-3
    rows = np.random.default_rng(1).normal(0, 2, (30, len(COLUMNS)))
    groups = random_groups(30)
    assert np.abs(loaded(rows, groups) - NET(rows, groups)).max() < 0.05


@pytest.mark.parametrize("name", SequenceNet.__dataclass_fields__)
def test_arrays_that_do_not_fit_are_named(name: str) -> None:
    array = pack_net(NET)[name]
    infinite, no_number = array.copy(), array.copy()
    infinite.flat[0], no_number.flat[0] = np.inf, np.nan
    for broken in (infinite, -infinite, no_number, np.full(array.shape, "x")):
        with pytest.raises(ModelError, match=rf"'{name}' .* finite numbers: train it again"):
            read_sequence_net(stored(NET, **{name: broken}), N_HEADS)
    for other in (array[0], array[np.newaxis], array[..., :-1]):
        with pytest.raises(ModelError, match="train it again"):
            read_sequence_net(stored(NET, **{name: other}), N_HEADS)
    arrays = {key: array for key, array in pack_net(NET).items() if key != name}
    model = StoredModel(kind="news", columns=COLUMNS, arrays=arrays)
    with pytest.raises(ModelError, match=f"lacks the array '{name}': train it again"):
        read_sequence_net(model, N_HEADS)


SIZES: dict[str, tuple[dict[str, int], str]] = {
    "an even width": ({"width": 2}, "have an even width"),
    "no members": ({"members": 0}, "train it again"),
    "no channels": ({"channels": 0}, "train it again"),
    "too many queries": ({"queries": 33}, "has 33 queries, 32 at most: train it again"),
    "too many layers": ({"layers": 17}, "has 17 layers, 16 at most: train it again"),
    "too wide layers": ({"width": 101}, "has 101 rows to a layer, 99 at most: train it again"),
}


@pytest.mark.parametrize(("size", "message"), SIZES.values(), ids=SIZES)
def test_nets_of_other_sizes_are_refused(size: dict[str, int], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        read_sequence_net(stored(random_net(len(COLUMNS), **size)), N_HEADS)


def test_the_deepest_net_needs_little_memory_for_a_short_page() -> None:
    """Its last layer looks at every 32,768th neighbour; no page has so many blocks."""
    net = random_net(len(COLUMNS), members=1, layers=16, width=99)
    rows = np.random.default_rng(0).normal(size=(3, len(COLUMNS)))
    groups = random_groups(3)
    net(rows, groups)  # compiled code orders its weights at first use
    tracemalloc.start()
    log_odds = net(rows, groups)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000
    assert np.isfinite(log_odds).all()


@pytest.mark.parametrize("scale", [0.0, -1.0])
def test_a_scale_that_divides_by_nothing_is_refused(scale: float) -> None:
    scales = NET.scale.copy()
    scales[1] = scale
    with pytest.raises(ModelError, match=r"'scale' .* train it again"):
        read_sequence_net(stored(replace(NET, scale=scales)), N_HEADS)


def run_with_floats(net: SequenceNet, rows: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """The log odds of the first member, with the weights as they are."""
    standard = np.clip((rows - net.mean) / net.scale, -MAX_FEATURE_SIZE, MAX_FEATURE_SIZE)
    hidden = np.maximum(standard @ net.inputs[0] + net.input_bias[0], 0)
    n, channels = hidden.shape
    for k, (layer, bias) in enumerate(zip(net.layers[0], net.biases[0], strict=True)):
        beyond = np.zeros((2**k, channels))
        padded = np.concatenate([beyond, hidden, beyond])
        windows = [padded[first : first + n] for first in (0, 2**k, 2 ** (k + 1))]
        hidden = hidden + np.maximum(np.concatenate(windows, axis=1) @ layer + bias, 0)
    shares = np.exp(hidden @ net.queries[0])
    attended = (shares / shares.sum(axis=0)).T @ hidden
    pooled = attended.ravel() @ net.attended[0] + np.tile(net.pool_bias[0], (n, 1))
    for numbers, pool in zip(groups, net.pools[0], strict=True):
        for number in set(numbers[numbers != NO_GROUP].tolist()):
            pooled[numbers == number] += hidden[numbers == number].mean(axis=0) @ pool
    log_odds: np.ndarray = (hidden + np.maximum(pooled, 0)) @ net.outputs[0] + net.output_bias[0]
    return log_odds


@pytest.mark.parametrize("n", [1, 2, 30, 400])
def test_whole_numbers_change_the_log_odds_little(n: int) -> None:
    net = random_net(9, members=1, channels=32, layers=4)
    net = replace(net, layers=net.layers / np.float32(8))
    rows, groups = np.random.default_rng(n).normal(0, 2, (n, 9)), random_groups(n)
    expected = run_with_floats(net, rows, groups)
    assert np.abs(net(rows, groups)[0] - expected).max() < 0.02 * np.abs(expected).max()


@pytest.mark.parametrize("scale", [0.0, 1e-30, 1e30])
def test_hidden_rows_of_any_size(scale: float) -> None:
    net = random_net(len(COLUMNS), layers=0)
    size = np.float32(scale)
    net = replace(net, inputs=net.inputs * size, input_bias=net.input_bias * size)
    rows, groups = np.random.default_rng(0).normal(0, 2, (9, len(COLUMNS))), random_groups(9)
    assert np.isfinite(net(rows, groups)).all()


def test_the_pooling_layer() -> None:
    """Two groups and a block without one; the query weighs the blocks 1 to 3 by their channel."""
    arrays = {
        "mean": np.zeros(1),
        "scale": np.ones(1),
        "inputs": np.ones((1, 1, 1)),
        "input_bias": np.zeros((1, 1)),
        "pools": np.array([[[[2.0]], [[10.0]], [[0.0]], [[0.0]]]]),
        "queries": np.full((1, 1, 1), np.log(2)),
        "attended": np.ones((1, 1, 1)),
        "pool_bias": np.full((1, 1), -20.0),
        "outputs": np.ones((1, 1, 1)),
        "output_bias": np.zeros((1, 1)),
    }
    random = random_net(1, members=1, channels=1, layers=0, queries=1)
    floats = {name: array.astype(np.float32) for name, array in arrays.items()}
    hidden = np.array([1.0, 3.0, 0.0])
    groups = np.array([[0, 0, 1], [0, NO_GROUP, 1], [NO_GROUP] * 3, [NO_GROUP] * 3])
    of_page = (2 * 1 + 8 * 3 + 1 * 0) / (2 + 8 + 1)
    pooled = np.array([2 * 2 + 10 * 1, 2 * 2, 0]) + of_page - 20
    log_odds = replace(random, **floats)(hidden[:, np.newaxis], groups)
    np.testing.assert_allclose(log_odds[0, :, 0], hidden + np.maximum(pooled, 0), atol=0.01)


def count_threads() -> set[int]:
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


@pytest.fixture
def three_threads() -> object:
    with threadpool_limits(3, user_api="blas"):
        if count_threads() != {3}:
            pytest.skip("needs a BLAS whose threads can be set")
        yield


@pytest.mark.usefixtures("three_threads")
def test_threads_that_overlap_leave_the_number_as_it_was() -> None:
    inside = Barrier(2, timeout=60)

    def enter(_: int) -> None:
        with use_one_blas_thread():
            inside.wait()

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(enter, range(2)))
    assert count_threads() == {3}


@pytest.mark.usefixtures("three_threads")
def test_the_net_uses_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    counts: list[set[int]] = []

    def count_and_round(rows: np.ndarray) -> Any:
        counts.append(count_threads())
        return _round_rows(rows)

    monkeypatch.setattr(net, "_round_rows", count_and_round)
    random_net(3, layers=2)._run_in_numpy(np.zeros((9, 3)), random_groups(9))
    assert set(map(frozenset, counts)) == {frozenset({1})}
    assert count_threads() == {3}
