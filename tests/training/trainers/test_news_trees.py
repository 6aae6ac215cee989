"""The boosted trees of `news`: what lightgbm says, our arrays say; few pages train none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from scrapy_boilerplate.cli import main
from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.news.model import TREE_WEIGHT, read_parts
from scrapy_boilerplate.page.labels import Label
from scrapy_boilerplate.steps.model_store import load_model
from scrapy_boilerplate.training.trainers import news_net, news_trees
from scrapy_boilerplate.training.trainers.news_net import NetKind, NetPage
from scrapy_boilerplate.training.trainers.news_trees import convert_trees, train_trees
from tests.training.builders import write_corpus
from tests.training.trainers.pages import PARAGRAPHS, page, records

lightgbm = pytest.importorskip("lightgbm", reason="needs lightgbm")

COLUMNS, CONVENTIONS = 4, 5


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(news_trees, "TREES", 30)
    monkeypatch.setattr(news_trees, "MIN_BLOCKS", 5)
    monkeypatch.setattr(news_trees, "MIN_PAGES", 10)
    monkeypatch.setattr(news_trees, "COLUMN_SHARE", 1.0)


def net_pages(n_pages: int = 40) -> list[NetPage]:
    """Pages whose text is told by the first column, under some conventions by the second."""
    random = np.random.default_rng(5)
    pages = []
    for number in range(n_pages):
        rows = random.normal(size=(30, COLUMNS)).astype(np.float32)
        convention = number % CONVENTIONS
        content = (rows[:, convention % 2] > 0.3).astype(np.float64)
        content[::7] = np.nan
        labels = np.zeros(30, dtype=np.int64)
        pages.append(NetPage(rows, content, labels, 1.0 + number % 2, convention))
    return pages


def test_trees_learn_what_each_convention_calls_text() -> None:
    trees = train_trees(net_pages(), CONVENTIONS, seed=0)
    assert trees is not None
    assert (trees.conventions != trees.conventions[0]).any()
    for page_ in net_pages(10):
        known = ~np.isnan(page_.content)
        scores = trees(page_.rows, np.eye(CONVENTIONS)[page_.convention])
        right = (scores > 0.5) == (page_.content > 0.5)
        assert right[known].mean() > 0.85


@pytest.mark.parametrize("leaves", [5, 24, 32])
@pytest.mark.parametrize("one_hot", [1, 10])
def test_arrays_say_what_lightgbm_says(leaves: int, one_hot: int) -> None:
    """Splits that send one convention to the left, and those that send several."""
    random = np.random.default_rng(leaves)
    rows = random.normal(size=(2_000, COLUMNS)).astype(np.float32)
    conventions = random.integers(0, CONVENTIONS, len(rows))
    wanted = rows[:, 0] + rows[:, 1] * (conventions % 2) - 0.5 * (conventions == 3) > 0
    matrix = np.column_stack((rows, conventions)).astype(np.float32)
    data = lightgbm.Dataset(
        matrix,
        wanted,
        categorical_feature=[COLUMNS],
        params={"verbose": -1, "min_data_per_group": 5},
    )
    parameters = {"objective": "cross_entropy", "num_leaves": leaves, "verbose": -1}
    parameters |= {"num_threads": 1, "max_cat_to_onehot": one_hot, "cat_smooth": 1.0}
    model = lightgbm.train(parameters, data, num_boost_round=25)
    roots = [tree["tree_structure"] for tree in model.dump_model()["tree_info"]]
    trees = convert_trees(roots, COLUMNS, CONVENTIONS)
    assert (trees.conventions != trees.conventions[0]).any()
    for convention in range(CONVENTIONS):
        matrix[:, COLUMNS] = convention
        scores = trees(rows, np.eye(CONVENTIONS)[convention])
        np.testing.assert_allclose(scores, model.predict(matrix, num_threads=1), atol=1e-6)


def test_trees_of_one_leaf() -> None:
    """Nothing to split on: lightgbm gives trees that are a leaf."""
    trees = convert_trees([{"leaf_value": 0.5}, {"leaf_value": -1.5}], COLUMNS, CONVENTIONS)
    scores = trees(np.zeros((3, COLUMNS), dtype=np.float32), np.eye(CONVENTIONS)[0])
    np.testing.assert_allclose(scores, 1 / (1 + np.exp(1.0)))


@pytest.mark.parametrize("threshold", [0.1, -0.1, 1e-300, 3.0, 1 + 2**-30])
def test_thresholds_compare_alike_in_single_precision(threshold: float) -> None:
    root = {
        "split_feature": 0,
        "threshold": threshold,
        "left_child": {"leaf_value": -9.0},
        "right_child": {"leaf_value": 9.0},
    }
    trees = convert_trees([root], COLUMNS, CONVENTIONS)
    near = np.float32(threshold)
    values = [np.nextafter(near, np.float32(-9)), near, np.nextafter(near, np.float32(9))]
    rows = np.zeros((3, COLUMNS), dtype=np.float32)
    rows[:, 0] = values
    over = trees(rows, np.eye(CONVENTIONS)[0]) > 0.5
    assert over.tolist() == [float(value) > threshold for value in values]


def test_the_same_seed_gives_the_same_trees() -> None:
    first, second, other = (train_trees(net_pages(), CONVENTIONS, seed) for seed in (1, 1, 2))
    assert first is not None
    assert second is not None
    assert other is not None
    for name in ("columns", "thresholds", "masks", "conventions", "leaves"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))


def test_few_pages_train_none() -> None:
    assert train_trees(net_pages(9), CONVENTIONS, seed=0) is None


def test_from_the_command_to_an_extractor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = (NetKind(channels=8), NetKind(channels=4, layers=2))
    monkeypatch.setattr(news_net, "KINDS", kinds)
    monkeypatch.setattr(news_net, "EPOCHS", 40)
    corpus = write_corpus(tmp_path / "mine.jsonl", *records())
    command = ["train", "news", "--corpus", str(corpus), "--held-out", "0", "--out"]
    assert main([*command, str(tmp_path / "m")]) == 0
    model = load_model(tmp_path / "m")
    parts = read_parts(model)
    assert model.facts[TREE_WEIGHT] == parts.tree_weight == 0.3
    assert parts.trees is not None
    assert len(parts.nets) == 2
    document = extract(page(), extractor=str(tmp_path / "m"))
    assert document.text.split("\n\n") == PARAGRAPHS
    assert {block.label for block in document.blocks} >= {Label.FULL_TEXT.text}
    # a model that goes on from it has its nets, and no trees
    assert main([*command, str(tmp_path / "n"), "--on-top-of", str(tmp_path / "m")]) == 0
    more = read_parts(load_model(tmp_path / "n"))
    assert more.trees is None
    assert [net.inputs.shape for net in more.nets] == [net.inputs.shape for net in parts.nets]
