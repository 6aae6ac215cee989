"""Training of the net of `news` with torch, in one thread: the same seed gives the same weights."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, cycle, groupby, pairwise
from typing import Any, NamedTuple

import numpy as np

from scrapy_boilerplate import import_optional
from scrapy_boilerplate.native.features import N_GROUP_KINDS, NO_GROUP
from scrapy_boilerplate.news.features import FEATURE_SETS
from scrapy_boilerplate.news.net import ARRAY_NAMES, MAX_FEATURE_SIZE, Floats, SequenceNet
from scrapy_boilerplate.page.labels import FloatArray, IntArray, Label
from scrapy_boilerplate.training.examples import Progress
from scrapy_boilerplate.training.gold import UNKNOWN

# rows that a layer looks at, and queries of the pooling layer (docs/provenance.md)
WIDTH, QUERIES = 3, 4

EPOCHS, LEARNING_RATE = 10, 3e-3

# the same when training starts from the weights of another net
MORE_EPOCHS, LOWER_LEARNING_RATE = 5, 1e-3
# pages of a step, and pages that are sorted by length together, so that few rows are padding
BATCH, SORTED = 16, 512
# weight of the six labels relative to full text
LABELS_WEIGHT = 1.0
# weight of the label full text in corpora with few other labels (docs/provenance.md)
FULL_TEXT_WEIGHT = 0.2
# weight of each label: about the square root of how rare it is, relative to full text
CLASS_WEIGHTS = (0.5, 2.0, 1.0, 1.5, 1.5, 1.0)
# maximum blocks of a training page; few news pages have more
MAX_BLOCKS = 1_500
# the slice of columns of each feature set
FEATURE_SLICES = [
    slice(*ends) for ends in pairwise(accumulate(map(len, FEATURE_SETS.values()), initial=0))
]
# number of values of a byte
BYTE_VALUES = 256
# added to standard deviations, because columns can be constant
MIN_SCALE = 1e-3


@dataclass(frozen=True, kw_only=True)
class NetKind:
    """How one of the averaged nets is built and trained.

    channels, layers          its size
    dropout, input_dropout    shares of hidden numbers and of inputs that are dropped in training
    weight_decay              weight decay of AdamW
    hidden_features           share of the pages on which a feature set is hidden in training
    hidden_pools              share of the pages on which each part of the pooling layer is hidden
    """

    channels: int = 64
    layers: int = 3
    dropout: float = 0.1
    input_dropout: float = 0.05
    weight_decay: float = 1e-2
    hidden_features: float = 0.0
    hidden_pools: float = 0.3


# the averaged nets. Different kinds are better on unseen corpora than different random starts
# (docs/provenance.md). Neighbours of one size are one ensemble
KINDS: tuple[NetKind, ...] = (
    NetKind(hidden_features=0.35),
    NetKind(dropout=0.25, input_dropout=0.15, weight_decay=5e-2),
    NetKind(channels=96, layers=5, hidden_pools=0.0),
)


class BatchGroups(NamedTuple):
    """The groups of the blocks of a batch, as torch tensors.

    kinds   for each kind of groups: the number of each block's group (0 for none) [pages * blocks],
            and the blocks of each group [groups, 1]
    beyond  whether a block is padding [pages, blocks, 1]
    """

    kinds: Sequence[tuple[Any, ...]]
    beyond: Any


@dataclass(frozen=True, eq=False)
class NetPage:
    """A training page as arrays.

    rows, groups   as in BlockFeatures
    content, labels, weight, six_labels   as in NewsExample
    convention  number of its convention
    """

    rows: FloatArray | Floats
    groups: IntArray
    content: FloatArray
    labels: IntArray
    weight: float
    convention: int
    six_labels: bool = False


def train_nets(
    pages: Sequence[NetPage],
    n_conventions: int,
    seed: int,
    progress: Progress = iter,
    start: SequenceNet | None = None,
) -> tuple[SequenceNet, ...]:
    """Train a net of each of KINDS, or continue from the members of `start`, which have one size.

    `start` has one output for full text, from which all conventions start. Its members keep their
    size.
    """
    mean, scale = (start.mean, start.scale) if start else measure_columns(pages)
    inputs = standardise_rows(pages, mean, scale)
    known = split_members(start) if start else []
    kinds = [
        replace(kind, channels=arrays["inputs"].shape[1], layers=len(arrays["layers"]))
        for kind, arrays in zip(cycle(KINDS), known)
    ] or KINDS
    epochs, rate = (MORE_EPOCHS, LOWER_LEARNING_RATE) if start else (EPOCHS, LEARNING_RATE)
    trained: list[NetTrainer] = []
    for member, _ in progress([(k, epoch) for k in range(len(kinds)) for epoch in range(epochs)]):
        if member == len(trained):
            trainer = NetTrainer(pages, inputs, n_conventions, seed * 1000 + member, kinds[member])
            if start:
                trainer.load(known[member])
            trainer.schedule_steps(epochs, rate)
            trained.append(trainer)
        trained[member].train_epoch()
    by_size = groupby(trained, key=lambda member: (member.kind.channels, member.kind.layers))
    return tuple(
        join_members(mean, scale, [member.arrays() for member in members]) for _, members in by_size
    )


def measure_columns(pages: Sequence[NetPage]) -> tuple[FloatArray, FloatArray]:
    """Return mean and standard deviation of each column."""
    rows = np.concatenate([page.rows for page in pages])
    # sums of half a million rows are not exact in single precision
    mean: FloatArray = rows.mean(axis=0, dtype=np.float64)
    return mean, rows.std(axis=0, dtype=np.float64) + MIN_SCALE


def standardise_rows(
    pages: Sequence[NetPage], mean: FloatArray | Floats, scale: FloatArray | Floats
) -> list[Floats]:
    """Return the standardised rows of the first MAX_BLOCKS blocks of each page."""
    return [
        np.clip(
            (page.rows[:MAX_BLOCKS] - mean) / scale, -MAX_FEATURE_SIZE, MAX_FEATURE_SIZE
        ).astype(np.float32)
        for page in pages
    ]


def join_members(
    mean: FloatArray | Floats, scale: FloatArray | Floats, members: Sequence[Mapping[str, Floats]]
) -> SequenceNet:
    """Return an ensemble of nets of one size."""
    return SequenceNet(
        mean=mean.astype(np.float32),
        scale=scale.astype(np.float32),
        **{name: np.stack([arrays[name] for arrays in members]) for name in members[0]},
    )


def pad_pages(columns: Sequence[np.ndarray], fill: float = 0.0) -> np.ndarray:
    """Return float32 or int64[pages, blocks, ...]: the first MAX_BLOCKS of each, then `fill`."""
    longest = min(MAX_BLOCKS, max(map(len, columns)))
    kind = np.float32 if columns[0].dtype.kind == "f" else np.int64
    padded = np.full((len(columns), longest, *columns[0].shape[1:]), fill, dtype=kind)
    for page, column in zip(padded, columns, strict=True):
        page[: len(column)] = column[:MAX_BLOCKS]
    return padded


def split_members(net: SequenceNet) -> list[dict[str, np.ndarray]]:
    """Return the weights of each member."""
    names = [name for name in ARRAY_NAMES if name not in ("mean", "scale")]
    return [
        {name: getattr(net, name)[member] for name in names} for member in range(len(net.inputs))
    ]


class NetTrainer:
    """One net in training: torch modules, optimiser, order of pages."""

    def __init__(
        self,
        pages: Sequence[NetPage],
        inputs: Sequence[np.ndarray],
        n_conventions: int,
        seed: int,
        kind: NetKind,
    ) -> None:
        self.torch: Any = import_optional("torch", "training news", "train")
        self.torch.set_num_threads(1)
        self.torch.manual_seed(seed)
        self.random = np.random.default_rng(seed)
        self.pages, self.inputs, self.kind = pages, inputs, kind
        self.net = self._build_net(inputs[0].shape[1], n_conventions)

    def schedule_steps(self, epochs: int, rate: float) -> None:
        """Prepare the optimiser for so many epochs at learning rates up to `rate`."""
        parameters = list(self.net.parameters())
        self.optimiser = self.torch.optim.AdamW(
            parameters, lr=rate, weight_decay=self.kind.weight_decay
        )
        steps = epochs * sum(1 for _ in self._draw_batches())
        self.schedule = self.torch.optim.lr_scheduler.OneCycleLR(
            self.optimiser, rate, total_steps=steps + 1, pct_start=0.2
        )

    def load(self, start: Mapping[str, np.ndarray]) -> None:
        channels, depth = self.kind.channels, self.kind.layers
        layers = start["layers"].reshape(depth, WIDTH, channels, channels)
        outputs, bias = start["outputs"].T, start["output_bias"]
        weights = {
            "inputs.weight": start["inputs"].T,
            "inputs.bias": start["input_bias"],
            **{f"layers.{k}.weight": layers[k].transpose(2, 1, 0) for k in range(depth)},
            **{f"layers.{k}.bias": start["biases"][k] for k in range(depth)},
            "pools.weight": np.concatenate(list(start["pools"])).T,
            "queries.weight": start["queries"].T,
            "attended.weight": start["attended"].T,
            "attended.bias": start["pool_bias"],
            "content.weight": outputs[:1],
            "content.bias": bias[:1],
            "labels.weight": outputs[1:],
            "labels.bias": bias[1:],
        }
        tensors = {name: self.torch.tensor(np.array(part)) for name, part in weights.items()}
        self.net.load_state_dict({**self.net.state_dict(), **tensors})

    def _build_net(self, columns: int, n_conventions: int) -> Any:
        nn, channels = self.torch.nn, self.kind.channels
        net = nn.ModuleDict(
            {
                "inputs": nn.Linear(columns, channels),
                "layers": nn.ModuleList(
                    nn.Conv1d(channels, channels, WIDTH, padding=WIDTH // 2 << k, dilation=1 << k)
                    for k in range(self.kind.layers)
                ),
                "pools": nn.Linear(N_GROUP_KINDS * channels, channels, bias=False),
                "queries": nn.Linear(channels, QUERIES, bias=False),
                "attended": nn.Linear(QUERIES * channels, channels),
                "content": nn.Linear(channels, 1),
                "conventions": nn.Linear(channels, n_conventions),
                "labels": nn.Linear(channels, len(Label)),
            }
        )
        nn.init.zeros_(net["conventions"].weight)
        nn.init.zeros_(net["conventions"].bias)
        return net

    def forward(self, rows: Any, groups: BatchGroups) -> tuple[Any, Any]:
        """Return log odds: of full text [pages, blocks, conventions], of the six labels."""
        relu = self.torch.nn.functional.relu
        hidden = relu(self.net["inputs"](self._apply_dropout(rows, self.kind.input_dropout)))
        hidden = hidden.transpose(1, 2)
        for layer in self.net["layers"]:
            hidden = hidden + relu(layer(self._apply_dropout(hidden, self.kind.dropout)))
        hidden = hidden.transpose(1, 2)
        pooled = self._pool(self._apply_dropout(hidden, self.kind.dropout), groups)
        hidden = self._apply_dropout(hidden + relu(pooled), self.kind.dropout)
        content = self.net["content"](hidden) + self.net["conventions"](hidden)
        return content, self.net["labels"](hidden)

    def _pool(self, hidden: Any, groups: BatchGroups) -> Any:
        torch, (pages, _, channels) = self.torch, hidden.shape
        rows, parts = hidden.reshape(-1, channels), []
        for numbers, counts in groups.kinds:
            means = torch.zeros(len(counts), channels).index_add(0, numbers, rows) / counts
            means = (means[numbers] * (numbers > 0)[:, None]).reshape(hidden.shape)
            parts.append(self._apply_pool_dropout(means))
        pooled = self.net["pools"](torch.cat(parts, dim=-1))
        scores = self.net["queries"](hidden).masked_fill(groups.beyond, -torch.inf)
        shares = torch.softmax(scores, dim=1).transpose(1, 2)
        of_page = self._apply_pool_dropout((shares @ hidden).reshape(pages, 1, -1))
        return pooled + self.net["attended"](of_page)

    def _apply_pool_dropout(self, part: Any) -> Any:
        kept = self.random.random((len(part), 1, 1)) >= self.kind.hidden_pools
        return part * self.torch.from_numpy(kept)

    def _apply_dropout(self, values: Any, share: float) -> Any:
        limit = round(share * BYTE_VALUES)
        if not limit:
            return values
        # one random byte per value: torch's own dropout took a fifth of the training time
        drawn = np.frombuffer(self.random.bytes(values.numel()), dtype=np.uint8)
        kept = self.torch.from_numpy(drawn >= limit).reshape(values.shape)
        return values * (kept * (BYTE_VALUES / (BYTE_VALUES - limit)))

    def _draw_batches(self) -> Iterator[list[int]]:
        order = self.random.permutation(len(self.pages)).tolist()
        batches = []
        for first in range(0, len(order), SORTED):
            pages = sorted(order[first : first + SORTED], key=lambda page: len(self.inputs[page]))
            batches += [pages[k : k + BATCH] for k in range(0, len(pages), BATCH)]
        self.random.shuffle(batches)
        yield from batches

    def train_epoch(self) -> None:
        for batch in self._draw_batches():
            loss = self._compute_loss(batch)
            self.optimiser.zero_grad()
            loss.backward()
            self.torch.nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
            self.optimiser.step()
            if self.schedule.last_epoch < self.schedule.total_steps - 1:
                self.schedule.step()

    def _compute_loss(self, batch: list[int]) -> Any:
        torch, functional = self.torch, self.torch.nn.functional
        rows, groups, content, labels, weights = self._pad_batch(batch)
        content_odds, label_odds = self.forward(torch.from_numpy(rows), groups)
        of_labels = functional.cross_entropy(
            label_odds.flatten(0, 1),
            torch.from_numpy(np.maximum(labels, 0)).flatten(),
            weight=torch.tensor(CLASS_WEIGHTS),
            reduction="none",
        )
        few = np.array([not self.pages[page].six_labels for page in batch])[:, np.newaxis]
        counted = np.where(few & (labels == Label.FULL_TEXT), FULL_TEXT_WEIGHT, 1.0) * weights
        labelled = torch.from_numpy(counted.astype(np.float32) * (labels != UNKNOWN)).flatten()
        loss = self._compute_gold_loss(batch, content_odds, content, weights)
        return loss + LABELS_WEIGHT * (of_labels * labelled).sum() / labelled.sum().clamp(min=1)

    def _compute_gold_loss(
        self, batch: list[int], content_odds: Any, content: np.ndarray, weights: np.ndarray
    ) -> Any:
        torch = self.torch
        conventions = torch.tensor([self.pages[page].convention for page in batch])
        numbers = conventions[:, None, None].expand(-1, content_odds.shape[1], 1)
        known = torch.from_numpy(weights * ~np.isnan(content))
        of_content = torch.nn.functional.binary_cross_entropy_with_logits(
            content_odds.gather(2, numbers)[..., 0],
            torch.from_numpy(np.nan_to_num(content)),
            reduction="none",
        )
        return (of_content * known).sum() / known.sum().clamp(min=1)

    def _pad_batch(self, batch: list[int]) -> tuple[Any, ...]:
        pages = [self.pages[page] for page in batch]
        rows = pad_pages([self.inputs[page] for page in batch])
        for of_page in rows:
            of_page[:, self._draw_hidden_columns()] = 0.0
        content = pad_pages([page.content for page in pages], np.nan)
        labels = pad_pages([page.labels for page in pages], UNKNOWN)
        weights = pad_pages([np.full(len(page.labels), page.weight) for page in pages])
        return rows, self._number_groups(pages), content, labels, weights

    def _number_groups(self, pages: Sequence[NetPage]) -> BatchGroups:
        """Number the groups of all pages of a batch; 0 is for blocks without a group."""
        padded = pad_pages([page.groups.T for page in pages], NO_GROUP)
        longest = padded.shape[1]
        first = 1 + longest * np.arange(len(pages))[:, np.newaxis]
        kinds = []
        for numbers in np.moveaxis(padded, 2, 0):
            flat = np.where(numbers == NO_GROUP, 0, numbers + first).ravel()
            counts = np.bincount(flat, minlength=1).clip(min=1).astype(np.float32)
            kinds.append(tuple(map(self.torch.from_numpy, (flat, counts[:, np.newaxis]))))
        n_blocks = np.array([min(len(page.rows), MAX_BLOCKS) for page in pages])
        beyond = np.arange(longest) >= n_blocks[:, np.newaxis]
        return BatchGroups(kinds, self.torch.from_numpy(beyond[..., np.newaxis]))

    def _draw_hidden_columns(self) -> slice:
        if self.random.random() >= self.kind.hidden_features:
            return slice(0)
        return FEATURE_SLICES[self.random.integers(len(FEATURE_SLICES))]

    def arrays(self) -> dict[str, np.ndarray]:
        net, channels, depth = self.net, self.kind.channels, self.kind.layers
        numpy = {name: weights.detach().numpy() for name, weights in net.named_parameters()}
        layers = [
            numpy[f"layers.{k}.weight"].transpose(2, 1, 0).reshape(WIDTH * channels, channels)
            for k in range(depth)
        ]
        content = numpy["content.weight"] + numpy["conventions.weight"]
        bias = numpy["content.bias"] + numpy["conventions.bias"]
        return {
            "inputs": numpy["inputs.weight"].T,
            "input_bias": numpy["inputs.bias"],
            "layers": np.stack(layers),
            "biases": np.stack([numpy[f"layers.{k}.bias"] for k in range(depth)]),
            "pools": numpy["pools.weight"].T.reshape(-1, channels, channels),
            "queries": numpy["queries.weight"].T,
            "attended": numpy["attended.weight"].T,
            "pool_bias": numpy["attended.bias"],
            "outputs": np.concatenate((content, numpy["labels.weight"])).T,
            "output_bias": np.concatenate((bias, numpy["labels.bias"])),
        }


# Distils several nets of `news` into one net. The student learns the scores of its teachers for
# every block and gold convention, and the gold labels (Hinton, Vinyals, Dean 2015,
# https://arxiv.org/abs/1503.02531). It takes a third of their time and is as good on unseen
# corpora (docs/provenance.md).

# size and drop-out: 64 channels and three layers lose .001 (docs/provenance.md)
STUDENT = NetKind(channels=96, layers=4, dropout=0.05, input_dropout=0.03, hidden_pools=0.1)
# epochs of training, twice as many as for the teachers
STUDENT_EPOCHS = 20
# share of the teachers in the loss of full text; the gold has the rest
TEACHER_SHARE = 0.7


class Lesson(NamedTuple):
    """The scores of full text float32[n, conventions], and of the labels float32[n, 6]."""

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
    trainer.schedule_steps(STUDENT_EPOCHS, LEARNING_RATE)
    for _ in progress(range(STUDENT_EPOCHS)):
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
