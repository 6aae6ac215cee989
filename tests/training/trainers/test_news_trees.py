"""The boosted trees among the teachers of `news`; few pages train none."""

from __future__ import annotations

import numpy as np
import pytest

from scrapy_boilerplate.training.trainers import news_trees
from scrapy_boilerplate.training.trainers.news_net import NetPage
from scrapy_boilerplate.training.trainers.news_trees import train_trees

pytest.importorskip("lightgbm", reason="needs lightgbm")

COLUMNS, CONVENTIONS = 4, (0, 1, 2)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(news_trees, "TREES", 30)
    monkeypatch.setattr(news_trees, "MIN_BLOCKS", 5)
    monkeypatch.setattr(news_trees, "MIN_PAGES", 10)
    monkeypatch.setattr(news_trees, "COLUMN_SHARE", 1.0)


def net_pages(n_pages: int = 40) -> list[NetPage]:
    """Pages whose text is marked by the first column, under some conventions by the second."""
    random = np.random.default_rng(5)
    pages = []
    for number in range(n_pages):
        rows = random.normal(size=(30, COLUMNS)).astype(np.float32)
        convention = number % len(CONVENTIONS)
        content = (rows[:, convention % 2] > 0.3).astype(np.float64)
        content[::7] = np.nan
        labels = np.zeros(30, dtype=np.int64)
        pages.append(NetPage(rows, content, labels, 1.0 + number % 2, convention))
    return pages


def test_trees_learn_what_each_convention_calls_text() -> None:
    trees = train_trees(net_pages(), CONVENTIONS, seed=0)
    assert trees is not None
    for page in net_pages(10):
        known = ~np.isnan(page.content)
        scores = trees(page.rows)
        assert tuple(scores) == CONVENTIONS
        right = (scores[page.convention] > 0.5) == (page.content > 0.5)
        assert right[known].mean() > 0.85


def test_only_conventions_that_are_asked_for_are_scored() -> None:
    trees = train_trees(net_pages(), (2,), seed=0)
    assert trees is not None
    assert list(trees(np.zeros((3, COLUMNS), dtype=np.float32))) == [2]


def test_the_same_seed_gives_the_same_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(news_trees, "COLUMN_SHARE", 0.5)
    rows = net_pages(1)[0].rows
    trees = [train_trees(net_pages(), (0,), seed) for seed in (1, 1, 7)]
    first, second, other = (forest(rows)[0] for forest in trees if forest is not None)
    np.testing.assert_array_equal(first, second)
    assert (first != other).any()


def test_few_pages_train_none() -> None:
    assert train_trees(net_pages(9), CONVENTIONS, seed=0) is None
