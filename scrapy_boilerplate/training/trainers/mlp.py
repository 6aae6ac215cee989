"""Trains `mlp`: texrex's nets over its 37 features, one per language and a pooled one."""

from collections import Counter
from collections.abc import Sequence
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np

from scrapy_boilerplate import import_optional
from scrapy_boilerplate.page.labels import BoolArray, FloatArray, Label
from scrapy_boilerplate.steps.model_store import StoredModel
from scrapy_boilerplate.systems.texrex.features import TEXREX, cut_sections
from scrapy_boilerplate.systems.texrex.mlp import LANGUAGES, POOLED, Net, compute_square_roots
from scrapy_boilerplate.training.examples import Examples, Progress, collect_block_examples
from scrapy_boilerplate.training.gold import Gold

# units of the hidden layer (texrex: 37-18-1)
HIDDEN = 18
# minimum pages of a language with its own net
MIN_PAGES = 50
# maximum training blocks of a net, drawn by the seed (to limit the time)
MAX_BLOCKS = 40_000
# maximum rounds of L-BFGS
MAX_ROUNDS = 500
# log odds of a net trained on a single class
ONE_CLASS_LOG_ODDS = 8.0
# L2 penalty over the sum of the losses, chosen on the German vectors of texrex
DECAY = 10.0


def train_mlp(pages: Sequence[Gold], seed: int, progress: Progress = iter) -> StoredModel:
    """Return a net for each language with enough pages, and one for all pages together.

    The language comes from the corpus, else from the page. Content is every label except
    boilerplate.
    """
    examples = collect_block_examples(pages, cut_sections, TEXREX, progress)
    languages = [gold.labelled.language or gold.page.language for gold in pages]
    counts = Counter(language for language in languages if language)
    own = sorted(language for language, count in counts.items() if count >= MIN_PAGES)
    nets = {POOLED: _fit_sample(examples, seed)}
    for language in own:
        of_language = np.array([name == language for name in languages])[examples.pages]
        nets[language] = _fit_sample(examples.select(of_language), seed)
    arrays = {name: array for key, net in nets.items() for name, array in net.arrays(key).items()}
    facts = {LANGUAGES: list(nets), "pages": {key: counts[key] for key in own}, "seed": seed}
    return StoredModel(kind="mlp", columns=TEXREX.names, facts=facts, arrays=arrays)


def _fit_sample(examples: Examples, seed: int) -> Net:
    """Fit the net to at most MAX_BLOCKS blocks; each weighs the same, as in texrex."""
    if len(examples) > MAX_BLOCKS:
        drawn = np.random.default_rng(seed).choice(len(examples), MAX_BLOCKS, replace=False)
        examples = examples.select(np.sort(drawn))
    return fit_mlp(examples.rows, examples.labels == Label.BOILERPLATE, seed)


def fit_mlp(rows: FloatArray, boilerplate: BoolArray, seed: int) -> Net:
    """Fit the net to float[n, columns] `rows`; the same seed gives the same net."""
    read = compute_square_roots(rows)
    scales = read.std(axis=0)
    scales, means = np.where(scales > 0, scales, 1), read.mean(axis=0)
    if boilerplate.all() or not boilerplate.any():  # one class: a constant net
        output = np.zeros(HIDDEN + 1)
        output[-1] = ONE_CLASS_LOG_ODDS if boilerplate.all() else -ONE_CLASS_LOG_ODDS
        return Net(means, scales, np.zeros((rows.shape[1] + 1, HIDDEN)), output)
    networks = import_optional("sklearn.neural_network", "training a net", "evaluate")
    net: Any = networks.MLPClassifier(
        (HIDDEN,),
        activation="tanh",
        solver="lbfgs",
        alpha=DECAY,
        max_iter=MAX_ROUNDS,
        random_state=seed,
    )
    threads = import_optional("threadpoolctl", "training a net", "evaluate")
    # several threads would add up in a different order each time
    with threads.threadpool_limits(1), catch_warnings():
        simplefilter("ignore")  # the net may stop at MAX_ROUNDS before it converges
        net.fit((read - means) / scales, boilerplate)
    hidden, end = (np.vstack(both) for both in zip(net.coefs_, net.intercepts_, strict=True))
    return Net(means, scales, hidden, end[:, 0])
