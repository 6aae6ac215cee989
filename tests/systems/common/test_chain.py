"""Chains of labels against every chain there is."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from scrapy_boilerplate.systems.common.block_model import compute_label_shares, find_best_chain

Chain = tuple[np.ndarray, np.ndarray]


@st.composite
def chains(draw: st.DrawFn) -> Chain:
    blocks, labels = draw(st.integers(1, 6)), draw(st.integers(2, 3))
    scores = st.floats(-9, 9, width=32) | st.integers(-2, 2).map(float)
    return (
        draw(arrays(np.float64, (blocks, labels), elements=scores)),
        draw(arrays(np.float64, (blocks, labels, labels), elements=scores)),
    )


def score(chain: Chain, labels: tuple[int, ...]) -> float:
    unary, pairs = chain
    of_blocks = sum(unary[block, label] for block, label in enumerate(labels))
    of_pairs = (pairs[b, labels[b - 1], labels[b]] for b in range(1, len(labels)))
    return float(of_blocks + sum(of_pairs))


def every_score(chain: Chain) -> dict[tuple[int, ...], float]:
    blocks, labels = chain[0].shape
    return {path: score(chain, path) for path in product(range(labels), repeat=blocks)}


@given(chains())
def test_no_chain_is_better(chain: Chain) -> None:
    chosen = tuple(find_best_chain(*chain).tolist())
    assert score(chain, chosen) == pytest.approx(max(every_score(chain).values()))


@given(chains())
def test_shares_are_those_of_all_chains(chain: Chain) -> None:
    shares = np.zeros(chain[0].shape)
    for labels, of_labels in every_score(chain).items():
        for block, label in enumerate(labels):
            shares[block, label] += np.exp(of_labels)
    shares /= shares.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(compute_label_shares(*chain), shares, atol=1e-9)


def test_scores_of_any_size() -> None:
    for size in [1e3, 1e6]:
        unary = np.array([[0.0, size], [size, 0.0], [0.0, size]] * 50)
        pairs = np.zeros((150, 2, 2))
        assert find_best_chain(unary, pairs).tolist() == [1, 0, 1] * 50
        assert np.isfinite(compute_label_shares(unary, pairs)).all()
