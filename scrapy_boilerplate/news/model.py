"""The learned step of `news`: a score for every label of every block.

Features (`news.features`), then a small convolutional net over the blocks of the page (`news.net`).
The training corpora disagree about what belongs to an article, so the net has an output for each
convention, and `favor` chooses between them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from scrapy_boilerplate import native
from scrapy_boilerplate.news.features import COLUMNS, WordWeights, compute_features
from scrapy_boilerplate.news.net import Floats, SequenceNet, read_sequence_net
from scrapy_boilerplate.page.labels import FloatArray, IntArray, Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.column_weights import ColumnWeights
from scrapy_boilerplate.steps.extractor import FAVORS, LearnedStep
from scrapy_boilerplate.steps.model_store import ModelError, StoredModel, read_array

# Names of the lists of word weights.
WORD_LISTS = tuple(WordWeights.__dataclass_fields__)
# Models whose parts are cached.
MAX_CACHED_MODELS = 4
# Probability of each other label, so that their sum is above 0.
MIN_PROBABILITY = 1e-9


@dataclass(frozen=True, eq=False)
class NewsParts:
    """The parts of a stored model.

    net     its members are averaged
    words   word weights
    favors  mix of conventions of each favor
    """

    net: SequenceNet
    words: WordWeights
    favors: Mapping[str, FloatArray]

    def score(self, rows: FloatArray | Floats, groups: IntArray, favor: str) -> FloatArray:
        """Return float[n, 6] distributions over the labels for the parts of `BlockFeatures`."""
        return score_labels(self.net(rows, groups), self.favors[favor])


@dataclass(frozen=True, kw_only=True)
class NewsModel(LearnedStep):
    """Scores the blocks and decides nothing."""

    favor: str = "balanced"
    name: str = "news-model"

    def with_favor(self, favor: str) -> NewsModel:
        """Return the step with one of FAVORS."""
        return replace(self, favor=favor)

    @cached_property
    def _parts(self) -> NewsParts:
        return read_parts(self.load_model())

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        """Return a labeling with the scores; all blocks are boilerplate until a step decides."""
        if not len(page):
            return labeling
        features = compute_features(page, self._parts.words)
        scores = self._parts.score(*features, self.favor)
        return labeling.set_predictions(np.zeros(len(page), dtype=np.int64), scores, self.name)

    def weigh_columns(self, page: Page) -> ColumnWeights:
        """Return the columns of the step; the mean of the training blocks is neutral."""
        rows, groups = compute_features(page, self._parts.words)
        return ColumnWeights(
            about=COLUMNS,
            rows=rows.astype(np.float64),
            neutral=self._parts.net.mean.astype(np.float64),
            scores=lambda rows: self._parts.score(rows, groups, self.favor),
        )


def _score_in_numpy(log_odds: Floats, mix: FloatArray) -> FloatArray:
    # outputs on the first axis: numpy is fast along long axes
    outputs, used = log_odds.transpose(2, 0, 1).astype(np.float64, order="C"), np.flatnonzero(mix)
    content = mix[used] @ (1 / (1 + np.exp(-outputs[used]))).mean(axis=1)
    six = outputs[len(mix) :]
    six = np.exp(six - six.max(axis=0))
    scores = (six / six.sum(axis=0)).mean(axis=1) + MIN_PROBABILITY
    scores[Label.FULL_TEXT] = 0.0
    scores *= (1 - content) / scores.sum(axis=0)
    scores[Label.FULL_TEXT] = content
    return np.ascontiguousarray(scores.T)


def _score_natively(log_odds: Floats, mix: FloatArray) -> FloatArray:
    scores = np.empty((log_odds.shape[1], len(Label)))
    native.net.score_labels(log_odds, mix, int(Label.FULL_TEXT), MIN_PROBABILITY, scores)
    return scores


def score_labels(log_odds: Floats, mix: FloatArray) -> FloatArray:
    """Return float[n, 6] distributions of float[members, n, conventions + 6] log odds.

    The first outputs, one for each convention, score full text; `mix` (float[conventions], adds up
    to 1) weighs them. The last six outputs distribute the rest over the other labels.
    """
    return _score(log_odds, mix)


_score = native.choose("net", _score_natively, _score_in_numpy)


@lru_cache(maxsize=MAX_CACHED_MODELS)
def read_parts(model: StoredModel) -> NewsParts:
    """Return the parts of a stored model, which is read once. Raises ModelError."""
    model.check_columns(tuple(COLUMNS))
    conventions = _read_strings(model, "conventions")
    favors = model.facts.get("favors")
    if not isinstance(favors, dict) or set(favors) != set(FAVORS):
        raise ModelError("the model 'news' does not define its favors: train it again")
    words = {}
    for name in WORD_LISTS:
        listed = _read_words(model, f"{name}_words")
        weights = read_array(model, f"{name}_weights", (len(listed),)).astype(np.float64)
        words[name] = dict(zip(listed, weights.tolist(), strict=True))
    return NewsParts(
        net=read_sequence_net(model, len(conventions) + len(Label)),
        words=WordWeights(**words),
        favors={favor: _read_mix(favors[favor], conventions) for favor in FAVORS},
    )


def _read_mix(shares: object, conventions: list[str]) -> FloatArray:
    """Return float[conventions], which adds up to 1."""
    if not isinstance(shares, dict) or not shares or not set(shares) <= set(conventions):
        raise ModelError("the model 'news' names a convention it does not know: train it again")
    mix = [shares.get(name, 0.0) for name in conventions]
    fit = all(isinstance(share, int | float) and 0 <= share < float("inf") for share in mix)
    if not fit or not sum(mix):
        raise ModelError("the model 'news' has wrong shares of conventions: train it again")
    column: FloatArray = np.array(mix, dtype=np.float64) / sum(mix)
    return column


def _read_words(model: StoredModel, name: str) -> list[str]:
    words = model.facts.get(name)
    if not isinstance(words, str):
        raise ModelError(f"the model 'news' lacks the words {name!r}: train it again")
    return words.split()


def _read_strings(model: StoredModel, name: str) -> list[str]:
    strings = model.facts.get(name)
    if not isinstance(strings, list) or not set(map(type, strings)) <= {str}:
        raise ModelError(f"the model 'news' lacks the list {name!r}: train it again")
    return strings
