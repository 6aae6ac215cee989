"""The net that learns from several nets of `news`."""

import numpy as np
import pytest

from scrapy_boilerplate import Label
from scrapy_boilerplate.training.trainers import news_net
from scrapy_boilerplate.training.trainers.news_net import (
    Lesson,
    NetKind,
    NetPage,
    build_lesson,
    distil,
)
from tests.news_models import LABELS, random_groups, random_net

pytestmark = pytest.mark.torch("trains nets")

COLUMNS = 3
SHARES = np.array([0.5, 0.5])
N = 40


def net_page(seed: int, gold: float = np.nan) -> NetPage:
    rows = np.random.default_rng(seed).normal(size=(N, COLUMNS)).astype(np.float32)
    return NetPage(rows, random_groups(N), np.full(N, gold), np.full(N, -1), 1.0, 0)


def lesson(page: NetPage) -> Lesson:
    """The first column marks full text by the first convention, the second by the second; the
    third separates comments from boilerplate."""
    content = (page.rows[:, :2] > 0).astype(np.float32)
    labels = np.zeros((N, len(Label)), dtype=np.float32)
    labels[np.arange(N), np.where(page.rows[:, 2] > 0, Label.COMMENTS, Label.BOILERPLATE)] = 1.0
    return Lesson(content, labels)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(news_net, "STUDENT", NetKind(channels=8, layers=1, dropout=0.0))
    monkeypatch.setattr(news_net, "STUDENT_EPOCHS", 150)


def test_the_student_says_what_its_teachers_say() -> None:
    pages = [net_page(seed) for seed in range(40)]
    student = distil(pages, list(map(lesson, pages)), SHARES, seed=0)
    other = net_page(99)
    (log_odds,) = student(other.rows, other.groups)
    assert ((log_odds[:, :2] > 0) == (other.rows[:, :2] > 0)).mean() > 0.9
    comments = log_odds[:, LABELS:].argmax(axis=1) == Label.COMMENTS
    assert (comments == (other.rows[:, 2] > 0)).mean() > 0.9


def test_the_gold_counts_beside_the_teachers() -> None:
    unsure = Lesson(np.full((N, 2), 0.5, np.float32), np.full((N, 6), 1 / 6, np.float32))
    scores = []
    for gold in (0.0, 1.0):
        pages = [net_page(seed, gold) for seed in range(20)]
        student = distil(pages, [unsure] * 20, SHARES, seed=0)
        scores.append(float(student(pages[0].rows, pages[0].groups)[0, :, 0].mean()))
    assert scores[0] < 0 < scores[1]


def test_a_lesson_is_the_mean_of_the_nets() -> None:
    nets = random_net(COLUMNS), random_net(COLUMNS, members=1)
    page = net_page(1)
    log_odds = np.concatenate([net(page.rows, page.groups) for net in nets]).astype(np.float64)
    lesson = build_lesson(page, nets)
    by_nets = (1 / (1 + np.exp(-log_odds[..., :LABELS]))).mean(axis=0)
    np.testing.assert_allclose(lesson.content, by_nets, rtol=1e-6)
    np.testing.assert_allclose(lesson.labels.sum(axis=1), 1, rtol=1e-6)
