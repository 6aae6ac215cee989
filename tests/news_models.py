"""Small models of `news`, with random weights or known scores, and pages with given scores."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from scrapy_boilerplate import Label, Labeling, Page
from scrapy_boilerplate.native.features import N_GROUP_KINDS, NO_GROUP
from scrapy_boilerplate.news.features import COLUMNS
from scrapy_boilerplate.news.model import WORD_LISTS
from scrapy_boilerplate.news.net import SequenceNet, pack_net
from scrapy_boilerplate.steps.extractor import Step
from scrapy_boilerplate.steps.model_store import Arrays, StoredModel
from tests.builders import true_at

CONVENTIONS = ("fundus", "wcxb")
FAVORED = {
    "balanced": {"fundus": 0.5, "wcxb": 0.5},
    "precision": {"fundus": 1.0},
    "recall": {"wcxb": 1.0},
}


# Outputs of a net: full text by each convention, then the six labels.
N_HEADS = len(CONVENTIONS) + len(Label)
# The first of the outputs for labels.
LABELS = len(CONVENTIONS)


def random_net(
    columns: int,
    *,
    members: int = 2,
    channels: int = 4,
    layers: int = 2,
    width: int = 3,
    queries: int = 2,
) -> SequenceNet:
    random = np.random.default_rng(7)

    def some(*shape: int, size: float = 0.3) -> np.ndarray:
        return random.normal(0, size, shape).astype(np.float32)

    return SequenceNet(
        mean=some(columns),
        scale=np.abs(some(columns)) + 0.5,
        inputs=some(members, columns, channels),
        input_bias=some(members, channels),
        layers=some(members, layers, width * channels, channels),
        biases=some(members, layers, channels),
        pools=some(members, N_GROUP_KINDS, channels, channels, size=0.3 / max(channels, 1)),
        queries=some(members, channels, queries, size=0.3 / max(channels, 1)),
        attended=some(members, queries * channels, channels, size=0.3 / max(channels, 1)),
        pool_bias=some(members, channels),
        outputs=some(members, channels, N_HEADS),
        output_bias=some(members, N_HEADS),
    )


def random_groups(n: int) -> np.ndarray:
    """Return int[N_GROUP_KINDS, n]: random groups, and blocks without one."""
    return np.random.default_rng(n).integers(NO_GROUP, max(n // 3, 1), (N_GROUP_KINDS, n))


def stored_news(
    net: SequenceNet | None = None,
    *,
    facts: Mapping[str, Any] | None = None,
    arrays: Arrays | None = None,
    words: Mapping[str, Mapping[str, float]] | None = None,
) -> StoredModel:
    """A stored model of `news`; random without `net`; other `facts` and `arrays` on top."""
    words = {**{of: {} for of in WORD_LISTS}, **(words or {})}
    return StoredModel(
        kind="news",
        columns=tuple(COLUMNS),
        facts={
            "conventions": list(CONVENTIONS),
            "favors": FAVORED,
            **{f"{of}_words": " ".join(words[of]) for of in WORD_LISTS},
            **(facts or {}),
        },
        arrays={
            **pack_net(net or random_net(len(COLUMNS))),
            **{f"{of}_weights": np.array([*words[of].values()], np.float16) for of in WORD_LISTS},
            **(arrays or {}),
        },
    )


# The columns that the net by hand looks at, one channel each.
SEEN = ("good", "is_title", "comment_names", "in_li", "in_h2")


def model_by_hand() -> StoredModel:
    """A model with known scores.

    Full text are blocks that read like paragraphs (.99), unless an element named ``comment`` is
    around them; that makes comments of them. An `h2` has .27, other blocks .01. The block of the
    title is a headline. An `li` has .99 under the convention `wcxb`, .01 under `fundus`.
    """
    outputs = np.zeros((1, len(SEEN), N_HEADS), np.float32)
    outputs[0, :, CONVENTIONS.index("fundus")] = (10.0, 0.0, -4.0, 0.0, 4.0)
    outputs[0, :, CONVENTIONS.index("wcxb")] = (10.0, 0.0, -4.0, 10.0, 4.0)
    outputs[0, SEEN.index("is_title"), LABELS + Label.HEADLINE] = 8.0
    outputs[0, SEEN.index("comment_names"), LABELS + Label.COMMENTS] = 2.0
    bias = np.zeros((1, N_HEADS), np.float32)
    bias[0, :LABELS] = -5.0
    bias[0, LABELS + Label.BOILERPLATE] = 3.0
    inputs = [[float(column == seen) for seen in SEEN] for column in COLUMNS]
    size = len(SEEN)
    net = SequenceNet(
        mean=np.zeros(len(COLUMNS), np.float32),
        scale=np.ones(len(COLUMNS), np.float32),
        inputs=np.array([inputs], np.float32),
        input_bias=np.zeros((1, size), np.float32),
        layers=np.zeros((1, 1, 3 * size, size), np.float32),
        biases=np.zeros((1, 1, size), np.float32),
        pools=np.zeros((1, N_GROUP_KINDS, size, size), np.float32),
        queries=np.zeros((1, size, 1), np.float32),
        attended=np.zeros((1, size, size), np.float32),
        pool_bias=np.zeros((1, size), np.float32),
        outputs=outputs,
        output_bias=bias,
    )
    return stored_news(net, words={"comments": {"comment": 8.0}})


MODEL = "model"


def scored(page: Page, scores: Sequence[float]) -> Labeling:
    """Nothing decided yet; the blocks have these scores of full text, the rest is boilerplate."""
    rows = np.zeros((len(page), len(Label)))
    rows[:, Label.FULL_TEXT] = scores
    rows[:, Label.BOILERPLATE] = 1 - rows[:, Label.FULL_TEXT]
    return Labeling.blank(len(page)).set_predictions(np.zeros(len(page), np.int64), rows, MODEL)


def kept(page: Page, scores: Sequence[float], *content: int) -> Labeling:
    """As `scored`, and the blocks `content` are full text."""
    return scored(page, scores).relabel(
        np.array(content, np.int64), Label.FULL_TEXT, "test", keep_scores=True
    )


def all_kept(page: Page) -> Labeling:
    return kept(page, [0.9] * len(page), *range(len(page)))


def after(step: Step, page: Page, labeling: Labeling) -> list[int]:
    return true_at(step(page, labeling).content)
