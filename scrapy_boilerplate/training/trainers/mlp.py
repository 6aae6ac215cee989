"""Trains `mlp`: texrex's nets over its 37 features, one a language and a pooled one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from scrapy_boilerplate.features.texrex import TEXREX
from scrapy_boilerplate.label import BoolArray, FloatArray, Label
from scrapy_boilerplate.models.mlp import LANGUAGES, POOLED, Net
from scrapy_boilerplate.models.store import StoredModel
from scrapy_boilerplate.segment.sections import SectionBlocks
from scrapy_boilerplate.training.examples import Examples, Progress, block_examples
from scrapy_boilerplate.training.extras import optional
from scrapy_boilerplate.training.gold import Gold, has_gold_text

HIDDEN = 18
"""Units of the hidden layer (texrex: 37-18-1)."""
MIN_PAGES = 50
"""Pages below which a language gets no net of its own (our choice)."""
MAX_ROUNDS = 200
BATCH = 64
DECAY = 1e-3
"""L2 penalty on the weights."""


def train(pages: Sequence[Gold], seed: int, progress: Progress = iter) -> StoredModel:
    """A net for each language with enough pages, and one for all pages together.

    The language is the corpus's word, else the page's; content is every label but boilerplate.
    """
    usable = [gold for gold in pages if has_gold_text(gold.labelled)]
    examples = block_examples(usable, SectionBlocks(), TEXREX, progress)
    languages = [gold.labelled.language or gold.page.language for gold in usable]
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
    """The net of labelled blocks; every block weighs the same, as in texrex."""
    return fitted(examples.rows, examples.labels == Label.BOILERPLATE, seed)


def fitted(rows: FloatArray, boilerplate: BoolArray, seed: int) -> Net:
    """The net of float[n, columns] `rows`; the same seed gives the same net."""
    scales = rows.std(axis=0)
    scales, means = np.where(scales > 0, scales, 1), rows.mean(axis=0)
    networks = optional("sklearn.neural_network", "training a net")
    net: Any = networks.MLPClassifier(
        (HIDDEN,),
        activation="logistic",
        alpha=DECAY,
        batch_size=min(BATCH, len(rows)),
        learning_rate_init=5e-3,
        max_iter=MAX_ROUNDS,
        random_state=seed,
    )
    if boilerplate.all() or not boilerplate.any():  # nothing to tell apart: always the same answer
        bias = 8.0 if boilerplate.all() else -8.0
        hidden = np.zeros((rows.shape[1] + 1, HIDDEN))
        return Net(means, scales, hidden, np.append(np.zeros(HIDDEN), bias))
    net.fit((rows - means) / scales, boilerplate)
    hidden, output = (
        np.vstack((weights, biases))
        for weights, biases in zip(net.coefs_, net.intercepts_, strict=True)
    )
    return Net(means, scales, hidden, output[:, 0])
