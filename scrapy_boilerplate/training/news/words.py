"""Word weights of `news`: logistic regressions over bags of words, fitted crosswise by site."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

import numpy as np

from scrapy_boilerplate.features.news.facts import Facts
from scrapy_boilerplate.features.news.names import WordWeights, first_words, names_of
from scrapy_boilerplate.label import FloatArray, Label
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
    return WordWeights(
        first=_fit(examples, first_word_bags, _is_content),
        names=_fit(examples, name_bags, _is_content),
        comments=_fit(examples, name_bags, _is_comment),
    )


def _is_content(example: NewsExample) -> FloatArray:
    return example.content


def _is_comment(example: NewsExample) -> FloatArray:
    """1 for comments, 0 for other labels, NaN where the corpus does not say."""
    known = np.where(example.labels == UNKNOWN, np.nan, example.labels == Label.COMMENTS)
    return known.astype(np.float64)


def fit_words_crosswise(examples: Sequence[NewsExample]) -> list[WordWeights]:
    """For each example weights that never saw its site, so that the net can trust the scores."""
    folds = [fold_of(example.site, FOLDS, "words") for example in examples]
    fitted = {
        fold: fit_words([one for one, of in zip(examples, folds, strict=True) if of != fold])
        for fold in sorted(set(folds))
    }
    return [fitted[fold] for fold in folds]


def _fit(
    examples: Sequence[NewsExample],
    bags_of: Callable[[Facts], Bags],
    target_of: Callable[[NewsExample], FloatArray],
) -> dict[str, float]:
    bags = [bags_of(example.facts) for example in examples]
    vocabulary = _vocabulary(examples, bags)
    if not vocabulary:
        return {}
    targets = np.concatenate([target_of(example) for example in examples])
    known = ~np.isnan(targets)
    every = (bag for page in bags for bag in page)
    rows = [bag for bag, keep in zip(every, known.tolist(), strict=True) if keep]
    weights = np.concatenate([np.full(len(e.content), e.weight) for e in examples])
    found = _regression(rows, vocabulary, targets[known] > 0.5, weights[known])
    return {
        word: round(float(found[number]), 2)
        for word, number in vocabulary.items()
        if abs(found[number]) >= MIN_WEIGHT
    }


def _vocabulary(examples: Sequence[NewsExample], bags: Sequence[Bags]) -> dict[str, int]:
    """The words of at least MIN_SITES sites (of one, if there are fewer), numbered by name."""
    sites: dict[str, set[str]] = defaultdict(set)
    for example, page in zip(examples, bags, strict=True):
        for bag in page:
            for word in bag:
                sites[word].add(example.site)
    least = min(MIN_SITES, len({example.site for example in examples}))
    words = sorted(word for word, found in sites.items() if len(found) >= least)
    return {word: number for number, word in enumerate(words)}


def _regression(
    rows: Bags, vocabulary: dict[str, int], content: np.ndarray, weights: FloatArray
) -> FloatArray:
    """float[words]: the weight of each word; zeros if all blocks are of one class."""
    if content.all() or not content.any():
        return np.zeros(len(vocabulary))
    sparse = optional("scipy.sparse", "word weights")
    linear = optional("sklearn.linear_model", "word weights")
    columns = [[vocabulary[word] for word in bag if word in vocabulary] for bag in rows]
    ends = np.cumsum([0, *map(len, columns)])
    joined = np.array([column for bag in columns for column in bag], dtype=np.int64)
    shape = (len(rows), len(vocabulary))
    matrix = sparse.csr_matrix((np.ones(len(joined)), joined, ends), shape=shape)
    matrix.sum_duplicates()
    model = linear.LogisticRegression(C=STRENGTH, solver="liblinear", max_iter=ROUNDS)
    model.fit(matrix, content, sample_weight=weights)
    found: FloatArray = model.coef_[0]
    return found
