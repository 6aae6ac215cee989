"""Word weights of `news`: logistic regressions over bags of words, fitted crosswise by site."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from scrapy_boilerplate.news.features.facts import Facts
from scrapy_boilerplate.news.features.names import WordWeights, first_words, names_of
from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray, Label
from scrapy_boilerplate.training.alignment import UNKNOWN
from scrapy_boilerplate.training.extras import optional
from scrapy_boilerplate.training.news.targets import NewsExample
from scrapy_boilerplate.training.splits import fold_of

FOLDS = 4
"""Parts in which the training pages are scored by weights that never saw their sites."""
MIN_SITES = 4
"""Sites a word must occur on (our choice)."""
STRENGTH = 0.05
"""Inverse regularisation of the regressions (our choice)."""
ROUNDS = 200
"""Iterations of the solver at most; it needs fewer."""
MIN_WEIGHT = 0.05
"""Log odds below which a word is forgotten: it keeps the model small."""

Bags = list[list[str]]
"""The words of each block."""


def first_word_bags(facts: Facts) -> Bags:
    """The first words of each block."""
    return [sorted(words) for words in first_words(facts.page.texts)]


def name_bags(facts: Facts) -> Bags:
    """The class and id words around each block, as often as they stand there."""
    words, of_element = names_of(facts)
    columns = [of_element[element].tolist() for element in facts.levels]
    return [
        [word for name in names for word in words[name]] for names in zip(*columns, strict=True)
    ]


def fit_words(examples: Sequence[NewsExample]) -> WordWeights:
    """The weights learnt from all examples."""
    return _Fitting(examples).fit(np.ones(len(examples), dtype=np.bool_))


def fit_words_crosswise(examples: Sequence[NewsExample]) -> list[WordWeights]:
    """For each example weights that never saw its site, so that the net can trust the scores."""
    folds = np.array([fold_of(example.site, FOLDS, "words") for example in examples])
    fitting = _Fitting(examples)
    fitted = {fold: fitting.fit(folds != fold) for fold in sorted(set(folds.tolist()))}
    return [fitted[fold] for fold in folds.tolist()]


class _Fitting:
    """The words of all examples, read once; each fit looks at some of the examples."""

    def __init__(self, examples: Sequence[NewsExample]) -> None:
        content = [example.content for example in examples]
        comments = [_is_comment(example) for example in examples]
        self._first = _Words(examples, first_word_bags, content)
        self._names = _Words(examples, name_bags, content)
        self._comments = _Words(examples, name_bags, comments)

    def fit(self, used: BoolArray) -> WordWeights:
        """The weights learnt from the examples `used` (bool[examples])."""
        return WordWeights(
            first=self._first.fit(used),
            names=self._names.fit(used),
            comments=self._comments.fit(used),
        )


def _is_comment(example: NewsExample) -> FloatArray:
    """1 for comments, 0 for other labels, NaN where the corpus does not say."""
    known = np.where(example.labels == UNKNOWN, np.nan, example.labels == Label.COMMENTS)
    return known.astype(np.float64)


class _Words:
    """One bag of words for each block of known target."""

    def __init__(
        self,
        examples: Sequence[NewsExample],
        bags_of: Callable[[Facts], Bags],
        targets: Sequence[FloatArray],
    ) -> None:
        self._examples = examples
        sizes = [len(target) for target in targets]
        every = np.concatenate([np.zeros(0), *targets])
        known = np.flatnonzero(~np.isnan(every))
        self._target = every[known] > 0.5
        self._example: IntArray = np.repeat(np.arange(len(examples)), sizes)[known]
        bags = [bag for example in examples for bag in bags_of(example.facts)]
        self._bags = [bags[block] for block in known.tolist()]

    @cached_property
    def _names(self) -> list[str]:
        return sorted({word for bag in self._bags for word in bag})

    @cached_property
    def _counts(self) -> Any:
        """Sparse [blocks, words]: how often each word stands in the bag of each block."""
        sparse = optional("scipy.sparse", "word weights")
        number = {word: at for at, word in enumerate(self._names)}
        words = np.array([number[word] for bag in self._bags for word in bag], dtype=np.int64)
        ends = np.cumsum([0, *map(len, self._bags)])
        shape = (len(self._bags), len(self._names))
        counts = sparse.csr_matrix((np.ones(len(words)), words, ends), shape=shape)
        counts.sum_duplicates()
        return counts

    def fit(self, used: BoolArray) -> dict[str, float]:
        """The weight of each word, fitted on the examples `used`."""
        blocks = np.flatnonzero(used[self._example])
        target = self._target[blocks]
        if not len(blocks) or target.all() or not target.any():
            return {}
        words = np.flatnonzero(self._on_sites(blocks))
        if not len(words):
            return {}
        linear = optional("sklearn.linear_model", "word weights")
        model = linear.LogisticRegression(C=STRENGTH, solver="liblinear", max_iter=ROUNDS)
        weights = np.array([example.weight for example in self._examples])
        rows = self._counts[blocks][:, words]
        model.fit(rows, target, sample_weight=weights[self._example[blocks]])
        return {
            self._names[word]: round(weight, 2)
            for word, weight in zip(words.tolist(), model.coef_[0].tolist(), strict=True)
            if abs(weight) >= MIN_WEIGHT
        }

    def _on_sites(self, blocks: IntArray) -> BoolArray:
        """bool[words]: on at least MIN_SITES sites of these blocks (on one, if there are fewer)."""
        names = sorted({example.site for example in self._examples})
        number = {site: at for at, site in enumerate(names)}
        sites = np.array([number[example.site] for example in self._examples])[self._example]
        rows = self._counts[blocks].tocoo()
        pairs = np.unique(rows.col.astype(np.int64) * len(names) + sites[blocks][rows.row])
        found = np.bincount(pairs // len(names), minlength=len(self._names))
        enough: BoolArray = found >= min(MIN_SITES, len(np.unique(sites[blocks])))
        return enough & (found > 0)
