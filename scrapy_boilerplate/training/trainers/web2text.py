"""Trains `web2text`: two convolutional nets over the collapsed DOM, with torch.

Layers, decay, step size, batches and steps follow Vogels et al. 2018 (sections 3.4 and 4.2).
Both nets see patches of pages: a page is drawn, then a place in it.

Three things differ, against overfitting the 600 pages (docs/provenance.md). Dropout is .3, also
on the features, instead of .2 between the layers. A page is drawn with the square root of its
length as weight, not uniformly. The weights are a running mean over the last steps.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from scrapy_boilerplate import import_optional
from scrapy_boilerplate.page.labels import IntArray
from scrapy_boilerplate.steps.model_store import StoredModel
from scrapy_boilerplate.systems.common.block_model import CLASSES
from scrapy_boilerplate.systems.web2text.features import BLOCK_COLUMNS, EDGE_COLUMNS, build_group
from scrapy_boilerplate.systems.web2text.model import STOP_WORDS, ConvolutionStack, Float32Array
from scrapy_boilerplate.training.alignment import UNKNOWN
from scrapy_boilerplate.training.examples import Progress, find_frequent_words, label_chains
from scrapy_boilerplate.training.gold import Gold

# widths of the layers in blocks; outputs of all but the last, which has 2 or 4
WIDTHS, FILTERS = (1, 1, 3, 3, 3), (50, 50, 50, 10)

DROPOUT, DECAY, STEP_SIZE = 0.3, 1e-4, 1e-3

# decay of the running mean of the weights, over about 500 steps
MEAN_DECAY = 0.998
# patches of a step, blocks of a patch, steps
BATCH, PATCH, STEPS = 128, 9, 5000
# stop words of a model: the most frequent words of the content (the program's English list has
# about as many)
STOP_WORD_COUNT = 150

Data = list[tuple[Float32Array, IntArray]]


def train_web2text(
    pages: Sequence[Gold], seed: int, progress: Progress = iter, *, steps: int = STEPS
) -> StoredModel:
    """Return the two nets; they are reproducible on the same build of torch."""
    import_optional("torch", "training web2text", "train")
    chains, labels = label_chains(pages, progress)
    words = find_frequent_words(chains, STOP_WORD_COUNT)
    group = build_group(frozenset(words))
    pages_data = [
        (group.build_matrix(page).astype(np.float32), classes) for page, classes in progress(chains)
    ]
    blocks = [(rows[:, :BLOCK_COLUMNS], classes) for rows, classes in pages_data]
    edges = [(rows[1:, BLOCK_COLUMNS:], pair_classes(classes)) for rows, classes in pages_data]
    unary = _fit_net(blocks, (BLOCK_COLUMNS, 2), seed, progress(range(steps)))
    pairwise = _fit_net(edges, (EDGE_COLUMNS, 4), seed, progress(range(steps)))
    return StoredModel(
        kind="web2text",
        columns=group.names,
        facts={CLASSES: labels, "seed": seed, "steps": steps, STOP_WORDS: words},
        arrays={**unary.arrays("unary"), **pairwise.arrays("pairwise")},
    )


def pair_classes(classes: IntArray) -> IntArray:
    """Return int[n - 1]: the two classes of each edge as one of four; UNKNOWN if one is unknown."""
    first, then = classes[:-1], classes[1:]
    known = (first != UNKNOWN) & (then != UNKNOWN)
    return np.where(known, 2 * first + then, UNKNOWN)


def _fit_net(data: Data, sizes: tuple[int, int], seed: int, steps: Any) -> ConvolutionStack:
    """Train a net from `sizes[0]` columns to `sizes[1]` classes after all `steps`."""
    torch = import_optional("torch", "training web2text", "train")
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    patches = PatchSampler([page for page in data if (page[1] != UNKNOWN).any()], seed)
    net, mean = _build_net(torch, *sizes), _build_net(torch, *sizes)
    loss = torch.nn.CrossEntropyLoss(ignore_index=UNKNOWN)
    adam = torch.optim.Adam(net.parameters(), lr=STEP_SIZE, weight_decay=DECAY)
    for step in steps:
        rows, classes = patches.draw_batch()
        if (classes != UNKNOWN).any():
            adam.zero_grad()
            logits = net(torch.from_numpy(rows).transpose(1, 2))
            loss(logits, torch.from_numpy(classes)).backward()
            adam.step()
            # the running mean of the weights starts with the first ones
            kept = min(MEAN_DECAY, step / (step + 10))
            with torch.no_grad():
                for old, new in zip(mean.parameters(), net.parameters(), strict=True):
                    old.mul_(kept).add_(new, alpha=1 - kept)
    layers = [layer for layer in mean if hasattr(layer, "weight")]
    return ConvolutionStack(
        tuple(layer.weight.detach().numpy().transpose(2, 1, 0).copy() for layer in layers),
        tuple(layer.bias.detach().numpy().copy() for layer in layers),
    )


def _build_net(torch: Any, inputs: int, outputs: int) -> Any:
    layers: list[Any] = []
    for width, size in zip(WIDTHS, (*FILTERS, outputs), strict=True):
        layers += [torch.nn.ReLU()] if layers else []
        layers += [torch.nn.Dropout(DROPOUT)]
        layers += [torch.nn.Conv1d(inputs, size, width, padding=width // 2)]
        inputs = size
    return torch.nn.Sequential(*layers)


class PatchSampler:
    """Draws batches of patches, each PATCH blocks in a row of a page.

    A page with fewer blocks is padded with rows of 0.
    """

    def __init__(self, data: Data, seed: int) -> None:
        self._data = [_pad_page(rows, classes) for rows, classes in data]
        lengths = np.sqrt([len(rows) for rows, _ in self._data])
        self._shares = lengths / lengths.sum()
        self._draw = np.random.default_rng(seed)

    def draw_batch(self) -> tuple[Float32Array, IntArray]:
        """Return the columns float32[BATCH, PATCH, columns] and the classes int[BATCH, PATCH]."""
        rows, classes = [], []
        for number in self._draw.choice(len(self._data), BATCH, p=self._shares).tolist():
            of_page, known = self._data[number]
            first = int(self._draw.integers(len(of_page) - PATCH + 1))
            rows.append(of_page[first : first + PATCH])
            classes.append(known[first : first + PATCH])
        return np.stack(rows), np.stack(classes)


def _pad_page(rows: Float32Array, classes: IntArray) -> tuple[Float32Array, IntArray]:
    missing = max(PATCH - len(rows), 0)
    return (
        np.pad(rows, ((0, missing), (0, 0))),
        np.pad(classes, (0, missing), constant_values=UNKNOWN),
    )
