"""Distils several nets of `news` into one net.

The student learns the scores of its teachers for every block and gold convention, and the gold
labels (Hinton, Vinyals, Dean 2015, https://arxiv.org/abs/1503.02531). It takes a third of their
time and is as good on unseen corpora (docs/provenance.md).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scrapy_boilerplate.news.net import Floats, SequenceNet
from scrapy_boilerplate.page.labels import FloatArray, Label
from scrapy_boilerplate.training.examples import Progress
from scrapy_boilerplate.training.trainers.news_net import (
    LABELS_WEIGHT,
    LEARNING_RATE,
    NetKind,
    NetPage,
    NetTrainer,
    join_members,
    measure_columns,
    pad_pages,
    standardise_rows,
)

# size and drop-out: 64 channels and three layers lose .001 (docs/provenance.md)
STUDENT = NetKind(channels=96, layers=4, dropout=0.05, input_dropout=0.03, hidden_pools=0.1)
# epochs of training, twice as many as for the teachers
EPOCHS = 20
# share of the teachers in the loss of full text; the gold has the rest
TEACHER_SHARE = 0.7


@dataclass(frozen=True, eq=False)
class Lesson:
    """The scores of the teachers for the blocks of a page.

    content   float32[n, conventions], the scores of full text
    labels    float32[n, 6], the distribution over the labels
    """

    content: Floats
    labels: Floats


def build_lesson(page: NetPage, nets: Sequence[SequenceNet]) -> Lesson:
    """Return the mean of the nets."""
    log_odds = np.concatenate([net(page.rows, page.groups) for net in nets]).astype(np.float64)
    n_conventions = log_odds.shape[-1] - len(Label)
    content = (1 / (1 + np.exp(-log_odds[..., :n_conventions]))).mean(axis=0)
    six = np.exp(log_odds[..., n_conventions:])
    labels = (six / six.sum(axis=-1, keepdims=True)).mean(axis=0)
    return Lesson(content.astype(np.float32), labels.astype(np.float32))


def distil(
    pages: Sequence[NetPage],
    lessons: Sequence[Lesson],
    shares: FloatArray,
    seed: int,
    progress: Progress = iter,
) -> SequenceNet:
    """Return the student of the lessons.

    `shares` (float[conventions], adds up to 1) are the shares of the conventions in its lessons.
    """
    mean, scale = measure_columns(pages)
    trainer = StudentTrainer(pages, standardise_rows(pages, mean, scale), lessons, shares, seed)
    trainer.schedule_steps(EPOCHS, LEARNING_RATE)
    for _ in progress(range(EPOCHS)):
        trainer.train_epoch()
    return join_members(mean, scale, [trainer.arrays()])


class StudentTrainer(NetTrainer):
    """A net that learns from lessons and from the gold labels."""

    def __init__(
        self,
        pages: Sequence[NetPage],
        inputs: Sequence[Floats],
        lessons: Sequence[Lesson],
        shares: FloatArray,
        seed: int,
    ) -> None:
        super().__init__(pages, inputs, len(shares), seed, STUDENT)
        self.lessons = lessons
        self.shares = self.torch.tensor(shares.astype(np.float32))

    def _compute_loss(self, batch: list[int]) -> Any:
        torch, functional = self.torch, self.torch.nn.functional
        rows, groups, content, _, weights = self._pad_batch(batch)
        content_odds, label_odds = self.forward(torch.from_numpy(rows), groups)
        lessons = [self.lessons[page] for page in batch]
        taught = torch.from_numpy(pad_pages([lesson.content for lesson in lessons]))
        taught_labels = torch.from_numpy(pad_pages([lesson.labels for lesson in lessons]))
        of_content = functional.binary_cross_entropy_with_logits(
            content_odds, taught, reduction="none"
        )
        of_labels = -(taught_labels * functional.log_softmax(label_odds, dim=-1)).sum(dim=-1)
        of_lessons = TEACHER_SHARE * (of_content @ self.shares) + LABELS_WEIGHT * of_labels
        counted = torch.from_numpy(weights)
        gold = self._compute_gold_loss(batch, content_odds, content, weights)
        return (of_lessons * counted).sum() / counted.sum() + (1 - TEACHER_SHARE) * gold
