"""Trains the systems of the literature: `c48`, `svm`, `crf`, `mlp`, `ncleaner`, `web2text`."""

import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate import import_optional
from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray, Label
from scrapy_boilerplate.steps.model_store import Arrays, StoredModel
from scrapy_boilerplate.systems import ncleaner, texrex, victor, web2text
from scrapy_boilerplate.systems.common.block_model import CLASSES
from scrapy_boilerplate.systems.shallow.classifiers import LOCAL, DecisionTree, LinearClassifier
from scrapy_boilerplate.training.corpora import CorpusError
from scrapy_boilerplate.training.examples import (
    Examples,
    Progress,
    collect_block_examples,
    find_frequent_words,
    label_chains,
    name_classes,
    select_classes,
)
from scrapy_boilerplate.training.gold import UNKNOWN, Gold, compute_block_labels, has_gold_text

# Decision trees and linear SVMs over shallow features. scikit-learn grows the trees by information
# gain, which is as good as C4.5 here. They are not pruned; as in the paper, the minimum size of the
# leaves keeps them small.

# minimum share of the training words in a leaf (the paper, section 4.3.1 and Table 1)
MIN_LEAF_SHARE = 1000 / 520_483
# C of the SVM (the default of Weka's SMO and of liblinear)
COST = 1.0
# standard deviations at which columns are clipped (quotients have long tails)
MAX_DEVIATIONS = 10.0
# maximum rounds of the solver of the SVM
SVM_ROUNDS = 10_000


def train_shallow(
    pages: Sequence[Gold], seed: int, progress: Progress = iter, *, kind: str, classes: int
) -> StoredModel:
    """Return a model of the kind ``c48`` or ``svm`` for 2, 4 or 6 classes.

    Words weigh, as in the paper. `seed` decides between columns of a tree with the same gain.
    """
    usable, label_sets = select_classes(pages, classes)
    examples = collect_block_examples(usable, AtomicBlocks(), LOCAL, progress)
    codes, facts = examples.classes(label_sets), {CLASSES: name_classes(label_sets), "seed": seed}
    model: DecisionTree | LinearClassifier
    if kind == "c48":
        model = tree = fit_c48(examples.rows, codes, examples.words, len(label_sets), seed)
        facts["leaves"] = tree.leaves
    else:
        model = fit_svm(examples.rows, codes, examples.words, len(label_sets))
    return StoredModel(kind=kind, columns=LOCAL.names, facts=facts, arrays=model.arrays())


def fit_c48(
    rows: FloatArray, classes: IntArray, words: FloatArray, n_classes: int, seed: int = 0
) -> DecisionTree:
    """Grow the tree of blocks with `words` (float[n]). Raises MissingExtraError."""
    trees = import_optional("sklearn.tree", "training a tree", "evaluate")
    classifier = trees.DecisionTreeClassifier(
        criterion="entropy", min_weight_fraction_leaf=MIN_LEAF_SHARE, random_state=seed
    )
    classifier.fit(rows, classes, sample_weight=words)
    tree: Any = classifier.tree_
    nodes = np.arange(tree.node_count)
    shares = np.zeros((len(nodes), n_classes))
    shares[:, classifier.classes_] = tree.value[:, 0]
    return DecisionTree(
        features=np.maximum(tree.feature, 0),
        thresholds=tree.threshold,
        left=np.where(tree.children_left < 0, nodes, tree.children_left),
        right=np.where(tree.children_right < 0, nodes, tree.children_right),
        shares=shares / shares.sum(axis=1, keepdims=True),
        depth=tree.max_depth,
    )


def fit_svm(
    rows: FloatArray, classes: IntArray, words: FloatArray, n_classes: int
) -> LinearClassifier:
    """Fit the SVM to blocks with `words` (float[n]), without randomness in the primal problem."""
    scales = rows.std(axis=0)
    start = LinearClassifier(
        means=rows.mean(axis=0),
        scales=np.where(scales > 0, scales, 1),
        weights=np.zeros((rows.shape[1], 0)),
        biases=np.zeros(0),
        curves=np.zeros((0, 2)),
        limit=MAX_DEVIATIONS,
    )
    scaled, weights = start.scaled(rows), words / words.mean()
    codes = [1] if n_classes == 2 else range(n_classes)
    parts = [_fit_class(scaled, classes == code, weights) for code in codes]
    return replace(
        start,
        weights=np.stack([part[0] for part in parts], axis=1),
        biases=np.array([part[1] for part in parts]),
        curves=np.stack([part[2] for part in parts]),
    )


def _fit_class(
    scaled: FloatArray, is_class: BoolArray, weights: FloatArray
) -> tuple[FloatArray, float, FloatArray]:
    """Return weights, bias and logistic curve of the margin of one class against the rest."""
    if is_class.all() or not is_class.any():  # one class only: a constant margin
        return np.zeros(scaled.shape[1]), 0.0, np.array([0.0, 4.0 if is_class.all() else -4.0])
    svm = import_optional("sklearn.svm", "training an SVM", "evaluate").LinearSVC(
        C=COST, dual=False, max_iter=SVM_ROUNDS
    )
    svm.fit(scaled, is_class, sample_weight=weights)
    margins = svm.decision_function(scaled)[:, np.newaxis]
    curve: Any = import_optional(
        "sklearn.linear_model", "training an SVM", "evaluate"
    ).LogisticRegression()
    curve.fit(margins, is_class, sample_weight=weights)
    odds = np.array([curve.coef_[0, 0], curve.intercept_[0]])
    return svm.coef_[0], float(svm.intercept_[0]), odds


# Trains `crf`: Victor's linear chain over its own features, with CRFsuite (python-crfsuite).

# weight of the sum of squared weights, CRFsuite's c2 (docs/provenance.md)
RIDGE = 20.0
# maximum steps of L-BFGS
ITERATIONS = 60


def train_crf(pages: Sequence[Gold], seed: int, progress: Progress = iter) -> StoredModel:
    """Return the weights, equal for every `seed`; an unknown block has the class before it."""
    suite = import_optional("pycrfsuite", "training crf", "train")
    chains, labels = label_chains(pages, progress)
    trainer = suite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params({"c1": 0.0, "c2": RIDGE, "max_iterations": ITERATIONS})
    names = [
        [f"{entry}:{code}" for code in range(victor.CODES)]
        for entry in range(len(victor.TEMPLATE_COLUMNS))
    ]
    for page, classes in progress(chains):
        if len(page) and (classes != UNKNOWN).any():
            codes = victor.VICTOR.build_matrix(page).astype(np.int64)
            items = [
                [names[entry][code] for entry, code in enumerate(row) if code]
                for row in codes.tolist()
            ]
            trainer.append(items, [str(code) for code in fill_unknown(classes).tolist()])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "crf")
        trainer.train(str(file))
        arrays = _read_weights(suite, file, len(labels))
    return StoredModel(
        kind="crf",
        columns=victor.TEMPLATE_COLUMNS,
        facts={CLASSES: labels, "seed": seed, "iterations": ITERATIONS},
        arrays=arrays,
    )


def fill_unknown(classes: IntArray) -> IntArray:
    """Replace UNKNOWN by the previous class, or at the start by the first known class."""
    known = np.flatnonzero(classes != UNKNOWN)
    place = np.searchsorted(known, np.arange(len(classes)), side="right") - 1
    return classes[known[np.maximum(place, 0)]]


def _read_weights(suite: Any, file: Path, size: int) -> Arrays:
    tagger = suite.Tagger()
    tagger.open(str(file))
    info = tagger.info()
    state = np.zeros((len(victor.TEMPLATE_COLUMNS), victor.CODES, size), dtype=np.float16)
    for (name, label), weight in info.state_features.items():
        entry, _, code = name.partition(":")
        state[int(entry), int(code), int(label)] = weight
    transition = np.zeros((size, size), dtype=np.float16)
    for (first, then), weight in info.transitions.items():
        transition[int(first), int(then)] = weight
    tagger.close()
    return {"state": state, "transition": transition}


# Trains `mlp`: texrex's nets over its 37 features, one per language and a pooled one.

# units of the hidden layer (texrex: 37-18-1)
HIDDEN = 18
# minimum pages of a language with its own net
MIN_PAGES = 50
# maximum training blocks of a net, drawn by the seed (to limit the time)
MAX_BLOCKS = 40_000
# maximum rounds of L-BFGS
MLP_ROUNDS = 500
# log odds of a net trained on a single class
ONE_CLASS_LOG_ODDS = 8.0
# L2 penalty over the sum of the losses, chosen on the German vectors of texrex
MLP_DECAY = 10.0


def train_mlp(pages: Sequence[Gold], seed: int, progress: Progress = iter) -> StoredModel:
    """Return a net for each language with enough pages, and one for all pages together.

    The language comes from the corpus, else from the page. Content is every label except
    boilerplate.
    """
    examples = collect_block_examples(pages, texrex.cut_sections, texrex.TEXREX, progress)
    languages = [gold.labelled.language or gold.page.language for gold in pages]
    counts = Counter(language for language in languages if language)
    own = sorted(language for language, count in counts.items() if count >= MIN_PAGES)
    nets = {texrex.POOLED: _fit_sample(examples, seed)}
    for language in own:
        of_language = np.array([name == language for name in languages])[examples.pages]
        nets[language] = _fit_sample(examples.select(of_language), seed)
    arrays = {name: array for key, net in nets.items() for name, array in net.arrays(key).items()}
    facts = {texrex.LANGUAGES: list(nets), "pages": {key: counts[key] for key in own}, "seed": seed}
    return StoredModel(kind="mlp", columns=texrex.TEXREX.names, facts=facts, arrays=arrays)


def _fit_sample(examples: Examples, seed: int) -> texrex.Net:
    """Fit the net to at most MAX_BLOCKS blocks; each weighs the same, as in texrex."""
    if len(examples) > MAX_BLOCKS:
        drawn = np.random.default_rng(seed).choice(len(examples), MAX_BLOCKS, replace=False)
        examples = examples.select(np.sort(drawn))
    return fit_mlp(examples.rows, examples.labels == Label.BOILERPLATE, seed)


def fit_mlp(rows: FloatArray, boilerplate: BoolArray, seed: int) -> texrex.Net:
    """Fit the net to float[n, columns] `rows`; the same seed gives the same net."""
    read = texrex.compute_square_roots(rows)
    scales = read.std(axis=0)
    scales, means = np.where(scales > 0, scales, 1), read.mean(axis=0)
    if boilerplate.all() or not boilerplate.any():  # one class: a constant net
        output = np.zeros(HIDDEN + 1)
        output[-1] = ONE_CLASS_LOG_ODDS if boilerplate.all() else -ONE_CLASS_LOG_ODDS
        return texrex.Net(means, scales, np.zeros((rows.shape[1] + 1, HIDDEN)), output)
    networks = import_optional("sklearn.neural_network", "training a net", "evaluate")
    net: Any = networks.MLPClassifier(
        (HIDDEN,),
        activation="tanh",
        solver="lbfgs",
        alpha=MLP_DECAY,
        max_iter=MLP_ROUNDS,
        random_state=seed,
    )
    threads = import_optional("threadpoolctl", "training a net", "evaluate")
    # several threads would add up in a different order each time
    with threads.threadpool_limits(1), catch_warnings():
        simplefilter("ignore")  # the net may stop at MLP_ROUNDS before it converges
        net.fit((read - means) / scales, boilerplate)
    hidden, end = (np.vstack(both) for both in zip(net.coefs_, net.intercepts_, strict=True))
    return texrex.Net(means, scales, hidden, end[:, 0])


# Trains `ncleaner`: counts of three characters in a row, in clean and in dirty text.

# size of the alphabet of a model, the most frequent characters: as many as printable ASCII has
LETTERS = 96


def train_ncleaner(pages: Sequence[Gold], seed: int, progress: Progress = iter) -> StoredModel:
    """Return the two models. Training is not random: every `seed` gives the same models."""
    texts: dict[str, list[str]] = {name: [] for name in ncleaner.SIDES}
    for gold in progress(pages):
        if has_gold_text(gold.labelled):
            page = AtomicBlocks()(gold.page)
            for text, label in zip(
                page.texts, compute_block_labels(page, gold.leaf_labels), strict=True
            ):
                if label != UNKNOWN and not ncleaner.is_dirty(text):
                    texts["dirty" if label == Label.BOILERPLATE else "clean"].append(text)
    if not all(texts.values()):
        raise CorpusError(
            "no page to train on: ncleaner needs a gold text, and blocks inside and outside of it"
        )
    characters = Counter(" ")
    for text in texts["clean"] + texts["dirty"]:
        characters.update(text)
    del characters[" "]
    ranked = sorted(characters, key=lambda character: (-characters[character], character))
    alphabet = ncleaner.Alphabet(" " + "".join(sorted(ranked[: LETTERS - 1])))
    arrays: dict[str, NDArray[Any]] = {}
    for name in ncleaner.SIDES:
        counts = ncleaner.count_trigrams(texts[name], alphabet)
        trigrams = np.flatnonzero(counts)
        arrays[f"{name}_trigrams"] = trigrams.astype(np.uint32)
        arrays[f"{name}_counts"] = counts[trigrams].astype(np.uint32)
    return StoredModel(
        kind="ncleaner",
        columns=(),
        facts={"alphabet": alphabet.characters, "seed": seed},
        arrays=arrays,
    )


# Trains `web2text`: two convolutional nets over the collapsed DOM, with torch. Layers, decay,
# step size, batches and steps follow Vogels et al. 2018 (sections 3.4 and 4.2). Both nets see
# patches of pages: a page is drawn, weighted by the square root of its length, then a place in it.

# widths of the layers in blocks; outputs of all but the last, which has 2 or 4
WIDTHS, FILTERS = (1, 1, 3, 3, 3), (50, 50, 50, 10)

DROPOUT, WEIGHT_DECAY, STEP_SIZE = 0.3, 1e-4, 1e-3

# decay of the running mean of the weights, over about 500 steps
MEAN_DECAY = 0.998
# patches of a step, blocks of a patch, steps
PATCHES, PATCH, STEPS = 128, 9, 5000
# stop words of a model: the most frequent words of the content
STOP_WORD_COUNT = 150

LabelledRows = list[tuple[web2text.Float32Array, IntArray]]


def train_web2text(
    pages: Sequence[Gold], seed: int, progress: Progress = iter, *, steps: int = STEPS
) -> StoredModel:
    """Return the two nets; they are reproducible on the same build of torch."""
    import_optional("torch", "training web2text", "train")
    chains, labels = label_chains(pages, progress)
    words = find_frequent_words(chains, STOP_WORD_COUNT)
    group = web2text.build_group(frozenset(words))
    pages_data = [
        (group.build_matrix(page).astype(np.float32), classes) for page, classes in progress(chains)
    ]
    blocks = [(rows[:, : web2text.BLOCK_COLUMNS], classes) for rows, classes in pages_data]
    edges = [
        (rows[1:, web2text.BLOCK_COLUMNS :], pair_classes(classes)) for rows, classes in pages_data
    ]
    unary = _fit_net(blocks, (web2text.BLOCK_COLUMNS, 2), seed, progress(range(steps)))
    pairwise = _fit_net(edges, (web2text.EDGE_COLUMNS, 4), seed, progress(range(steps)))
    return StoredModel(
        kind="web2text",
        columns=group.names,
        facts={CLASSES: labels, "seed": seed, "steps": steps, web2text.STOP_WORDS: words},
        arrays={**unary.arrays("unary"), **pairwise.arrays("pairwise")},
    )


def pair_classes(classes: IntArray) -> IntArray:
    """Return int[n - 1]: the two classes of each edge as one of four; UNKNOWN if one is unknown."""
    first, then = classes[:-1], classes[1:]
    known = (first != UNKNOWN) & (then != UNKNOWN)
    return np.where(known, 2 * first + then, UNKNOWN)


def _fit_net(
    data: LabelledRows, sizes: tuple[int, int], seed: int, steps: Any
) -> web2text.ConvolutionStack:
    torch = import_optional("torch", "training web2text", "train")
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    patches = PatchSampler([page for page in data if (page[1] != UNKNOWN).any()], seed)
    net, mean = _build_net(torch, *sizes), _build_net(torch, *sizes)
    loss = torch.nn.CrossEntropyLoss(ignore_index=UNKNOWN)
    adam = torch.optim.Adam(net.parameters(), lr=STEP_SIZE, weight_decay=WEIGHT_DECAY)
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
    return web2text.ConvolutionStack(
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
    """Draws batches of patches: PATCH blocks in a row of a page, filled up with rows of 0."""

    def __init__(self, data: LabelledRows, seed: int) -> None:
        self._data = [_pad_page(rows, classes) for rows, classes in data]
        lengths = np.sqrt([len(rows) for rows, _ in self._data])
        self._shares = lengths / lengths.sum()
        self._draw = np.random.default_rng(seed)

    def draw_batch(self) -> tuple[web2text.Float32Array, IntArray]:
        rows, classes = [], []
        for number in self._draw.choice(len(self._data), PATCHES, p=self._shares).tolist():
            of_page, known = self._data[number]
            first = int(self._draw.integers(len(of_page) - PATCH + 1))
            rows.append(of_page[first : first + PATCH])
            classes.append(known[first : first + PATCH])
        return np.stack(rows), np.stack(classes)


def _pad_page(
    rows: web2text.Float32Array, classes: IntArray
) -> tuple[web2text.Float32Array, IntArray]:
    missing = max(PATCH - len(rows), 0)
    return (
        np.pad(rows, ((0, missing), (0, 0))),
        np.pad(classes, (0, missing), constant_values=UNKNOWN),
    )
