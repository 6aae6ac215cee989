"""Training of the net of `news` with torch, one thread, the same weights for the same seed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scrapy_boilerplate.news.net import LIMIT, Floats, SequenceNet
from scrapy_boilerplate.page.labels import FloatArray, IntArray, Label
from scrapy_boilerplate.training.alignment import UNKNOWN
from scrapy_boilerplate.training.extras import optional

CHANNELS, LAYERS, WIDTH = 64, 3, 3
"""Size of the net (LEARNING.md, the recipe, 3)."""
MEMBERS = 3
"""Nets that are averaged: +.001 to +.002 over one (docs/news.md)."""
EPOCHS, LEARNING_RATE = 10, 3e-3
MORE_EPOCHS, LOWER_LEARNING_RATE = 5, 1e-3
"""The same for a net that goes on from another one's weights (our choice)."""
BATCH = 16
"""Pages to a step."""
WEIGHT_DECAY = 1e-2
DROPOUT, INPUT_DROPOUT = 0.1, 0.05
LABELS_WEIGHT = 1.0
"""Weight of the six labels beside full text or not."""
FULL_TEXT_WEIGHT = 0.2
"""Weight of the label full text where a corpus tells few others: else it drowns them (our sweep of
2026-11-21, folds by site: headline +.013, supplemental +.008 on L3S-GN1, the text as good)."""
CLASS_WEIGHTS = (0.5, 2.0, 1.0, 1.5, 1.5, 1.0)
"""Weight of each label: about the square root of how rare it is, relative to full text."""
MAX_BLOCKS = 1_500
"""Blocks of a page that are trained on; few news pages have more."""
SMALLEST_SCALE = 1e-3
"""Added to standard deviations: a constant column divides by it."""


@dataclass(frozen=True, eq=False)
class NetPage:
    """A page as the net learns it: rows float[n, columns], content and labels as in NewsExample,
    `convention` its number; `six_labels` if its corpus tells all six apart."""

    rows: FloatArray | Floats
    content: FloatArray
    labels: IntArray
    weight: float
    convention: int
    six_labels: bool = False


Progress = Callable[[Iterable[Any]], Iterable[Any]]


def train_net(
    pages: Sequence[NetPage],
    n_conventions: int,
    seed: int,
    progress: Progress = iter,
    start: SequenceNet | None = None,
) -> SequenceNet:
    """The averaged nets of MEMBERS random starts, or of the members of `start`.

    `start` has one output for full text, which all conventions start from.
    """
    mean, scale = (start.mean, start.scale) if start else _moments(pages)
    inputs = [
        np.clip((page.rows[:MAX_BLOCKS] - mean) / scale, -LIMIT, LIMIT).astype(np.float32)
        for page in pages
    ]
    epochs, rate = (MORE_EPOCHS, LOWER_LEARNING_RATE) if start else (EPOCHS, LEARNING_RATE)
    plan = [
        (member, epoch)
        for member in range(len(start.inputs) if start else MEMBERS)
        for epoch in range(epochs)
    ]
    members: list[_Member] = []
    for member, _ in progress(plan):
        if member == len(members):
            members.append(_Member(pages, inputs, n_conventions, seed * 1000 + member))
            if start:
                members[member].go_on_from(start, member)
            members[member].plan(epochs, rate)
        members[member].epoch()
    arrays = [member.arrays() for member in members]
    stacked = {name: np.stack([one[name] for one in arrays]) for name in arrays[0]}
    return SequenceNet(mean=mean.astype(np.float32), scale=scale.astype(np.float32), **stacked)


def _moments(pages: Sequence[NetPage]) -> tuple[FloatArray, FloatArray]:
    every = np.concatenate([page.rows for page in pages])
    exact = np.float64  # sums of half a million rows are not, in single precision
    return every.mean(axis=0, dtype=exact), every.std(axis=0, dtype=exact) + SMALLEST_SCALE


class _Member:
    """One net on its way: torch modules, optimiser, order of pages."""

    def __init__(
        self,
        pages: Sequence[NetPage],
        inputs: Sequence[np.ndarray],
        n_conventions: int,
        seed: int,
    ) -> None:
        self.torch: Any = optional("torch", "training news")
        self.torch.set_num_threads(1)
        self.torch.manual_seed(seed)
        self.random = np.random.default_rng(seed)
        self.pages, self.inputs = pages, inputs
        self.net = self._net(inputs[0].shape[1], n_conventions)

    def plan(self, epochs: int, rate: float) -> None:
        """Get ready for that many epochs at learning rates up to `rate`."""
        parameters = list(self.net.parameters())
        self.optimiser = self.torch.optim.AdamW(parameters, lr=rate, weight_decay=WEIGHT_DECAY)
        steps = epochs * sum(1 for _ in self._batches())
        self.schedule = self.torch.optim.lr_scheduler.OneCycleLR(
            self.optimiser, rate, total_steps=steps + 1, pct_start=0.2
        )

    def go_on_from(self, start: SequenceNet, member: int) -> None:
        """Take the weights of a member of `start`."""
        layers = start.layers[member].reshape(LAYERS, WIDTH, CHANNELS, CHANNELS)
        outputs, bias = start.outputs[member].T, start.output_bias[member]
        weights = {
            "inputs.weight": start.inputs[member].T,
            "inputs.bias": start.input_bias[member],
            **{f"layers.{k}.weight": layers[k].transpose(2, 1, 0) for k in range(LAYERS)},
            **{f"layers.{k}.bias": start.biases[member][k] for k in range(LAYERS)},
            "content.weight": outputs[:1],
            "content.bias": bias[:1],
            "labels.weight": outputs[1:],
            "labels.bias": bias[1:],
        }
        tensors = {name: self.torch.tensor(np.array(one)) for name, one in weights.items()}
        self.net.load_state_dict({**self.net.state_dict(), **tensors})

    def _net(self, columns: int, n_conventions: int) -> Any:
        nn = self.torch.nn
        net = nn.ModuleDict(
            {
                "inputs": nn.Linear(columns, CHANNELS),
                "layers": nn.ModuleList(
                    nn.Conv1d(CHANNELS, CHANNELS, WIDTH, padding=WIDTH // 2 << k, dilation=1 << k)
                    for k in range(LAYERS)
                ),
                "content": nn.Linear(CHANNELS, 1),
                "conventions": nn.Linear(CHANNELS, n_conventions),
                "labels": nn.Linear(CHANNELS, len(Label)),
            }
        )
        nn.init.zeros_(net["conventions"].weight)
        nn.init.zeros_(net["conventions"].bias)
        return net

    def _forward(self, rows: Any, conventions: Any) -> tuple[Any, Any]:
        """Log odds of full text (pages x blocks) and of the labels (pages x blocks x labels)."""
        functional = self.torch.nn.functional
        rows = functional.dropout(rows, INPUT_DROPOUT)
        hidden = functional.relu(self.net["inputs"](rows)).transpose(1, 2)
        for layer in self.net["layers"]:
            hidden = hidden + functional.relu(layer(functional.dropout(hidden, DROPOUT)))
        hidden = functional.dropout(hidden.transpose(1, 2), DROPOUT)
        own = self.net["conventions"](hidden)
        which = conventions[:, None, None].expand(-1, own.shape[1], 1)
        content = self.net["content"](hidden) + own.gather(2, which)
        return content[..., 0], self.net["labels"](hidden)

    def _batches(self) -> Iterator[list[int]]:
        """Pages of about one length together, in a random order."""
        order = self.random.permutation(len(self.pages)).tolist()
        size = BATCH * 8
        groups = [order[k : k + size] for k in range(0, len(order), size)]
        batches = []
        for group in groups:
            group.sort(key=lambda page: len(self.inputs[page]))
            batches += [group[k : k + BATCH] for k in range(0, len(group), BATCH)]
        self.random.shuffle(batches)
        yield from batches

    def epoch(self) -> None:
        """Learn from every page once."""
        for batch in self._batches():
            loss = self._loss(batch)
            self.optimiser.zero_grad()
            loss.backward()
            self.torch.nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
            self.optimiser.step()
            if self.schedule.last_epoch < self.schedule.total_steps - 1:
                self.schedule.step()

    def _loss(self, batch: list[int]) -> Any:
        """Mean cross-entropy of full text or not, and that of the six labels, where known."""
        torch, functional = self.torch, self.torch.nn.functional
        rows, content, labels, weights = self._padded(batch)
        conventions = torch.tensor([self.pages[page].convention for page in batch])
        said, said_labels = self._forward(torch.from_numpy(rows), conventions)
        known = torch.from_numpy(weights * ~np.isnan(content))
        wanted = torch.from_numpy(np.nan_to_num(content))
        of_content = functional.binary_cross_entropy_with_logits(said, wanted, reduction="none")
        of_labels = functional.cross_entropy(
            said_labels.flatten(0, 1),
            torch.from_numpy(np.maximum(labels, 0)).flatten(),
            weight=torch.tensor(CLASS_WEIGHTS),
            reduction="none",
        )
        few = np.array([not self.pages[page].six_labels for page in batch])[:, np.newaxis]
        weights = np.where(few & (labels == Label.FULL_TEXT), FULL_TEXT_WEIGHT, 1.0) * weights
        told = torch.from_numpy(weights.astype(np.float32) * (labels != UNKNOWN)).flatten()
        loss = (of_content * known).sum() / known.sum().clamp(min=1)
        return loss + LABELS_WEIGHT * (of_labels * told).sum() / told.sum().clamp(min=1)

    def _padded(self, batch: list[int]) -> tuple[np.ndarray, ...]:
        """Rows, content, labels and weights of a batch, pages filled up to the longest."""
        longest = max(len(self.inputs[page]) for page in batch)
        shape = (len(batch), longest)
        rows = np.zeros((*shape, self.inputs[0].shape[1]), dtype=np.float32)
        content = np.full(shape, np.nan, dtype=np.float32)
        labels = np.full(shape, UNKNOWN, dtype=np.int64)
        weights = np.zeros(shape, dtype=np.float32)
        for row, page in enumerate(batch):
            n = len(self.inputs[page])
            rows[row, :n] = self.inputs[page]
            content[row, :n] = self.pages[page].content[:n]
            labels[row, :n] = self.pages[page].labels[:n]
            weights[row, :n] = self.pages[page].weight
        return rows, content, labels, weights

    def arrays(self) -> dict[str, np.ndarray]:
        """The weights as `SequenceNet` has them, one member."""
        net = self.net
        numpy = {name: p.detach().numpy() for name, p in net.named_parameters()}
        layers = [numpy[f"layers.{k}.weight"] for k in range(LAYERS)]
        flat = [w.transpose(2, 1, 0).reshape(WIDTH * CHANNELS, CHANNELS) for w in layers]
        content = numpy["content.weight"] + numpy["conventions.weight"]
        bias = numpy["content.bias"] + numpy["conventions.bias"]
        return {
            "inputs": numpy["inputs.weight"].T,
            "input_bias": numpy["inputs.bias"],
            "layers": np.stack(flat),
            "biases": np.stack([numpy[f"layers.{k}.bias"] for k in range(LAYERS)]),
            "outputs": np.concatenate((content, numpy["labels.weight"])).T,
            "output_bias": np.concatenate((bias, numpy["labels.bias"])),
        }
