"""The boosted trees of `news`: against walking, on disk, and what is refused in which words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.news import trees as news_trees
from scrapy_boilerplate.news.extractor import build_news
from scrapy_boilerplate.news.features.table import COLUMNS
from scrapy_boilerplate.news.model import FAVORS, TREE_WEIGHT, read_parts
from scrapy_boilerplate.news.trees import (
    MAX_LEAVES,
    MAX_TREES,
    BoostedTrees,
    Forest,
    find_lowest_bits,
    pack_trees,
    read_trees,
)
from scrapy_boilerplate.page.labels import Label
from scrapy_boilerplate.steps.model_store import ModelError, StoredModel, load_model, save_model
from tests.news_models import CONVENTIONS, random_net, stored_news

NAMES = ("words", "links", "depth")
ALL = 2**32 - 1


def grow(n_trees: int, leaves: int, seed: int = 0) -> Forest:
    """Trees of so many leaves that lean to the right: split k has leaf k on its left."""
    random = np.random.default_rng(seed)
    shape = (n_trees, max(leaves - 1, 1))
    bits = np.uint32(1) << np.arange(shape[1], dtype=np.uint32)
    return Forest(
        columns=random.integers(0, len(NAMES), shape).astype(np.int32),
        thresholds=random.normal(size=shape).astype(np.float32),
        masks=np.tile(~bits if leaves > 1 else ~np.zeros(1, np.uint32), (n_trees, 1)),
        leaves=random.normal(size=(n_trees, leaves)),
    )


def draw_rows(n: int) -> np.ndarray:
    return np.random.default_rng(1).normal(size=(n, len(NAMES))).astype(np.float32)


def build_trees(n_trees: int = 5, leaves: int = 4) -> BoostedTrees:
    """Trees as `grow` has them; in every second the second convention cannot reach leaf 0."""
    forest = grow(n_trees, leaves)
    conventions = np.full((len(CONVENTIONS), n_trees), ALL, dtype=np.uint32)
    conventions[1, ::2] = ALL - 1
    return BoostedTrees(
        columns=forest.columns.astype(np.int16),
        thresholds=forest.thresholds,
        masks=forest.masks,
        conventions=conventions,
        leaves=forest.leaves.astype(np.float32),
    )


TREES = build_trees()
ROWS = draw_rows(9)


def walk(trees: BoostedTrees, row: np.ndarray, convention: int) -> float:
    """The log odds of a row, by walking from split to split."""
    total = 0.0
    for tree, thresholds in enumerate(trees.thresholds):
        leaf = 0
        for split, threshold in enumerate(thresholds):
            known = split == 0 and convention == 1 and tree % 2 == 0  # it goes right
            if not known and row[trees.columns[tree, split]] <= threshold:
                break
            leaf = split + 1
        total += float(trees.leaves[tree, leaf])
    return total


def logistic(log_odds: float) -> float:
    return float(1 / (1 + np.exp(-log_odds)))


@pytest.mark.parametrize("mix", [(1.0, 0.0), (0.0, 1.0), (0.25, 0.75)])
@pytest.mark.parametrize("n", [0, 1, 9])
def test_against_walking(mix: tuple[float, float], n: int) -> None:
    scores = TREES(ROWS[:n], np.array(mix))
    expected = [
        sum(share * logistic(walk(TREES, row, k)) for k, share in enumerate(mix))
        for row in ROWS[:n]
    ]
    np.testing.assert_allclose(scores, expected, atol=1e-6)


def test_conventions_differ_where_trees_split_on_them() -> None:
    first, second = (TREES(ROWS, np.eye(2)[k]) for k in range(2))
    assert (first != second).any()


def test_a_value_at_the_threshold_stays_on_the_left() -> None:
    trees = build_trees(1, leaves=2)
    column, threshold = trees.columns[0, 0], trees.thresholds[0, 0]
    at, over = np.zeros((2, 1, len(NAMES)), dtype=np.float32)
    at[0, column], over[0, column] = threshold, np.nextafter(threshold, np.float32(9))
    scored = [trees(rows, np.array([1.0, 0.0]))[0] for rows in (at, over)]
    assert scored == pytest.approx([logistic(leaf) for leaf in trees.leaves[0]])


def test_parts_of_a_long_page_say_what_the_whole_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(news_trees, "_load_native", lambda: None)
    forest = grow(5, 4)
    whole = forest(ROWS)
    monkeypatch.setattr(news_trees, "PART_ROWS", 2)
    np.testing.assert_array_equal(forest(ROWS), whole)


def test_lowest_bits() -> None:
    bits = np.array([1, 2, 3, 12, 1 << 24, 1 << 31, ALL], dtype=np.uint32)
    assert find_lowest_bits(bits).tolist() == [0, 1, 0, 2, 24, 31, 0]


# On disk


def stored(**arrays: Any) -> StoredModel:
    return StoredModel(kind="news", columns=NAMES, arrays={**pack_trees(TREES), **arrays})


def test_what_is_saved_comes_back(tmp_path: Path) -> None:
    save_model(tmp_path / "m", stored())
    loaded = read_trees(load_model(tmp_path / "m"), len(CONVENTIONS))
    for name, array in vars(TREES).items():
        if isinstance(array, np.ndarray) and not name.startswith("_"):
            np.testing.assert_array_equal(getattr(loaded, name), array)
            assert getattr(loaded, name).dtype == array.dtype


def many(n_trees: int, leaves: int) -> dict[str, np.ndarray]:
    return dict(pack_trees(build_trees(n_trees, leaves)))


BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    **{
        f"no {name}": ({f"trees_{name}": np.zeros((1, 1))}, f"'trees_{name}' .*train it anew")
        for name in ("thresholds", "masks", "conventions", "leaves")
    },
    "a column that is none": (
        {"trees_columns": np.full_like(TREES.columns, len(NAMES))},
        "no such column: train it anew",
    ),
    "a column before the first": (
        {"trees_columns": np.full_like(TREES.columns, -1)},
        "no such column: train it anew",
    ),
    "columns that are no numbers of columns": (
        {"trees_columns": TREES.columns + 0.5},
        "no such column: train it anew",
    ),
    "masks that are no bits": (
        {"trees_masks": TREES.masks.astype(np.float64)},
        "'trees_masks' .* no set of leaves: train it anew",
    ),
    "a threshold that is none": (
        {"trees_thresholds": np.full_like(TREES.thresholds, np.nan)},
        "'trees_thresholds' .* finite numbers: train it anew",
    ),
    "a tree of which no leaf is left": (
        {"trees_conventions": np.zeros_like(TREES.conventions)},
        "no leaf left: train it anew",
    ),
    "too many trees": (many(MAX_TREES + 1, 2), "has 4,097 trees, 4,096 at most"),
    "too many leaves": (many(1, MAX_LEAVES + 1), "has 32 splits a tree, 31 at most"),
}


@pytest.mark.parametrize(("arrays", "message"), BROKEN.values(), ids=BROKEN.keys())
def test_trees_that_do_not_fit_are_told_in_a_sentence(arrays: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        read_trees(stored(**arrays), len(CONVENTIONS))


# In the model


def model_with_trees(**facts: Any) -> StoredModel:
    """A model of random nets, two of one size and one of another, with one tree of three leaves.

    It finds text in blocks of more than 5 words under the first convention, nowhere under the
    other.
    """
    trees = BoostedTrees(
        columns=np.array([[[*COLUMNS].index("words"), 0]], dtype=np.int16),
        thresholds=np.array([[5.0, 0.0]], dtype=np.float32),
        masks=np.array([[ALL - 2, ALL]], dtype=np.uint32),
        conventions=np.array([[ALL - 1], [ALL - 6]], dtype=np.uint32),
        leaves=np.array([[-30.0, -30.0, 30.0]], dtype=np.float32),
    )
    nets = (random_net(len(COLUMNS)), random_net(len(COLUMNS), members=1, channels=5, layers=3))
    return stored_news(*nets, facts=facts, arrays=pack_trees(trees))


TWO_ROWS = np.zeros((2, len(COLUMNS)), dtype=np.float32)
TWO_ROWS[1, [*COLUMNS].index("words")] = 9.0


def score_rows(model: StoredModel, favor: str = "balanced") -> np.ndarray:
    return read_parts(model).score(TWO_ROWS, favor)


def test_a_model_without_their_weight_has_no_trees() -> None:
    assert read_parts(model_with_trees()).trees is None


def test_a_model_with_a_weight_needs_trees() -> None:
    with pytest.raises(ModelError, match="lacks the array 'trees_columns': train it anew"):
        read_parts(stored_news(facts={TREE_WEIGHT: 0.4}))


def test_members_of_all_nets_count_alike() -> None:
    model = model_with_trees()
    log_odds = np.concatenate([net(TWO_ROWS) for net in read_parts(model).nets])
    assert log_odds.shape[0] == 3
    expected = (1 / (1 + np.exp(-log_odds[..., 0].astype(np.float64)))).mean(axis=0)
    np.testing.assert_allclose(score_rows(model, "precision")[:, Label.FULL_TEXT], expected)


@pytest.mark.parametrize(
    ("weight", "favor", "share"),
    [(1.0, "precision", 1.0), (1.0, "recall", 0.0), (1.0, "balanced", 0.5)],
)
def test_trees_alone(weight: float, favor: str, share: float) -> None:
    scores = score_rows(model_with_trees(**{TREE_WEIGHT: weight}), favor)
    assert scores[:, Label.FULL_TEXT] == pytest.approx([0.0, share], abs=1e-6)
    np.testing.assert_allclose(scores.sum(axis=1), 1)


def test_trees_and_nets_are_blended() -> None:
    nets, both, trees = (
        score_rows(model_with_trees(**{TREE_WEIGHT: weight}))[:, Label.FULL_TEXT]
        for weight in (0.0, 0.4, 1.0)
    )
    np.testing.assert_allclose(both, 0.6 * nets + 0.4 * trees)


@pytest.mark.parametrize("weight", [-0.1, 1.1, "half", None, float("nan")])
def test_a_weight_that_is_no_share_is_refused(weight: object) -> None:
    with pytest.raises(ModelError, match=r"'tree_weight' .* is no share: train it anew"):
        read_parts(model_with_trees(**{TREE_WEIGHT: weight}))


@pytest.mark.parametrize("favor", FAVORS)
def test_a_page_is_read_with_nets_and_trees(favor: str) -> None:
    model = model_with_trees(**{TREE_WEIGHT: 0.4})
    document = extract("<p>one<p>two", extractor=build_news(lambda: model, favor))
    assert 0 <= document.confidence <= 1


@pytest.mark.parametrize("number", [0, -1, 1.5, "two", None])
def test_a_number_of_nets_that_is_none_is_refused(number: object) -> None:
    with pytest.raises(ModelError, match=r"'nets' .* is no number: train it anew"):
        read_parts(stored_news(facts={"nets": number}))


def test_a_model_of_before_has_one_net() -> None:
    model = stored_news()
    facts = {name: fact for name, fact in model.facts.items() if name != "nets"}
    assert len(read_parts(replace(model, facts=facts)).nets) == 1


def test_too_many_nets_are_refused() -> None:
    nets = [random_net(len(COLUMNS), members=1, channels=2, layers=1)] * 9
    with pytest.raises(ModelError, match="has 9 nets, 8 at most: train it anew"):
        read_parts(stored_news(*nets))
