"""Trains `mlp`: texrex's nets over its 37 features, one a language and a pooled one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np

from scrapy_boilerplate.page.labels import BoolArray, FloatArray, Label
from scrapy_boilerplate.steps.model_store import StoredModel
from scrapy_boilerplate.systems.texrex.features import TEXREX
from scrapy_boilerplate.systems.texrex.mlp import LANGUAGES, POOLED, Net, roots
from scrapy_boilerplate.systems.texrex.sections import SectionBlocks
from scrapy_boilerplate.training.examples import Examples, Progress, block_examples
from scrapy_boilerplate.training.extras import optional
from scrapy_boilerplate.training.gold import Gold

HIDDEN = 18
"""Units of the hidden layer (texrex: 37-18-1)."""
MIN_PAGES = 50
"""Pages below which a language gets no net of its own (our choice)."""
MOST_BLOCKS = 40_000
"""Blocks that a net learns from at most, drawn by the seed (our choice: a budget of time)."""
MAX_ROUNDS = 500
SURE = 8.0
"""Logarithm of odds of a net that has seen one class alone."""
DECAY = 10.0
"""L2 penalty over the sum of the losses (chosen on two folds of texrex's German vectors)."""


def train(pages: Sequence[Gold], seed: int, progress: Progress = iter) -> StoredModel:
    """A net for each language with enough pages, and one for all pages together.

    The language is the corpus's word, else the page's; content is every label but boilerplate.
    """
    examples = block_examples(pages, SectionBlocks(), TEXREX, progress)
    languages = [gold.labelled.language or gold.page.language for gold in pages]
    found = Counter(language for language in languages if language)
    own = sorted(language for language, count in found.items() if count >= MIN_PAGES)
    nets = {POOLED: fitted_to(examples, seed)}
    for language in own:
        where = np.array([one == language for one in languages])[examples.pages]
        nets[language] = fitted_to(examples.only(where), seed)
    arrays = {name: array for key, net in nets.items() for name, array in net.arrays(key).items()}
    facts = {LANGUAGES: list(nets), "pages": {key: found[key] for key in own}, "seed": seed}
    return StoredModel(kind="mlp", columns=tuple(TEXREX.about), facts=facts, arrays=arrays)


def fitted_to(examples: Examples, seed: int) -> Net:
    """The net of at most MOST_BLOCKS labelled blocks; each weighs the same, as in texrex."""
    chosen = np.arange(len(examples))
    if len(chosen) > MOST_BLOCKS:
        drawn = np.random.default_rng(seed).choice(chosen, MOST_BLOCKS, replace=False)
        chosen = np.sort(drawn)
    used = examples.only(chosen)
    return fitted(used.rows, used.labels == Label.BOILERPLATE, seed)


def fitted(rows: FloatArray, boilerplate: BoolArray, seed: int) -> Net:
    """The net of float[n, columns] `rows`; the same seed gives the same net."""
    read = roots(rows)
    scales = read.std(axis=0)
    scales, means = np.where(scales > 0, scales, 1), read.mean(axis=0)
    if boilerplate.all() or not boilerplate.any():  # nothing to tell apart: always the same answer
        output = np.zeros(HIDDEN + 1)
        output[-1] = SURE if boilerplate.all() else -SURE
        return Net(means, scales, np.zeros((rows.shape[1] + 1, HIDDEN)), output)
    networks = optional("sklearn.neural_network", "training a net")
    net: Any = networks.MLPClassifier(
        (HIDDEN,),
        activation="tanh",
        solver="lbfgs",
        alpha=DECAY,
        max_iter=MAX_ROUNDS,
        random_state=seed,
    )
    one_thread = optional("threadpoolctl", "training a net").threadpool_limits(1)
    with one_thread, catch_warnings():  # threads would add up in another order each time
        simplefilter("ignore")  # not yet converged is what MAX_ROUNDS means
        net.fit((read - means) / scales, boilerplate)
    hidden, end = (np.vstack(both) for both in zip(net.coefs_, net.intercepts_, strict=True))
    return Net(means, scales, hidden, end[:, 0])
