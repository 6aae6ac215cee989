"""Trains `news`: word weights, then several nets, then the stored net, which learns from them.

The word weights are logistic regressions over bags of words, fitted crosswise by site.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from scrapy_boilerplate import import_optional
from scrapy_boilerplate.native.features import (
    FIRST_CHARACTERS,
    LEVELS,
    find_name_words,
    split_first_words,
)
from scrapy_boilerplate.news.features import COLUMNS, WordWeights, compute_features
from scrapy_boilerplate.news.model import WORD_LISTS, NewsParts, read_parts
from scrapy_boilerplate.news.net import SequenceNet, pack_net
from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray, Label
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.model_store import StoredModel
from scrapy_boilerplate.steps.named_containers import MIN_COMMENT_WORDS, Place, find_places
from scrapy_boilerplate.training.corpora import KNOWN_CORPORA, CorpusError, site_fold
from scrapy_boilerplate.training.examples import Progress, label_by_snippets
from scrapy_boilerplate.training.gold import (
    UNKNOWN,
    Gold,
    compute_block_labels,
    compute_block_shares,
)
from scrapy_boilerplate.training.tokens import tokenize
from scrapy_boilerplate.training.trainers.news_net import NetPage, build_lesson, distil, train_nets

# Examples: the full text and the label of each block, as far as the corpus has them. Corpora
# disagree on what belongs to an article; each page keeps the name of its convention.

# page types that are training pages (docs/provenance.md)
ARTICLE_TYPES = frozenset({None, "article"})
# minimum share of the gold tokens on the page; below, page and gold do not belong together
MIN_COVER = 0.7
# minimum share of common tokens among all tokens of a block and the gold title
MIN_TITLE_SIMILARITY = 0.9
# minimum share of a comment's runs of RUN tokens in the gold comments
MIN_COMMENT_SHARE = 0.8
RUN = 3

# minimum link density of boilerplate before or after the whole text
MIN_LINK_DENSITY = 0.5


@dataclass(frozen=True, eq=False)
class NewsExample:
    """A training page.

    content    float[n], the share of each block that is full text; NaN where unknown
    labels     int[n], the label of each block; UNKNOWN if the corpus has no label
    weight     how much the page counts
    convention name of the corpus
    site       registered domain
    six_labels whether its corpus has all six labels
    """

    page: Page
    content: FloatArray
    labels: IntArray
    weight: float
    convention: str
    site: str
    six_labels: bool = False


def build_example(gold: Gold) -> NewsExample | None:
    """Return the example of a page, None if no block is known."""
    labelled = gold.labelled
    page = AtomicBlocks()(gold.page)
    known = KNOWN_CORPORA.get(labelled.dataset)
    weight = known.weight if known else 1.0
    if not len(page) or not weight or labelled.page_type not in ARTICLE_TYPES:
        return None
    content = _label_content(gold, page)
    if content is None or _measure_cover(gold, page, content) < MIN_COVER:
        return None
    return NewsExample(
        page=page,
        content=content,
        labels=_label_blocks(gold, page, content),
        weight=weight,
        convention=labelled.dataset,
        site=labelled.site,
        six_labels=labelled.has_classes,
    )


def add_comment_labels(examples: Sequence[NewsExample]) -> Sequence[NewsExample]:
    """Label comments by the names of their containers, if no corpus labels comments."""
    if any((example.labels == Label.COMMENTS).any() for example in examples):
        return examples
    return [
        replace(example, labels=_label_named_comments(example.page, example.labels))
        for example in examples
    ]


def _label_named_comments(page: Page, labels: IntArray) -> IntArray:
    in_comment = (find_places(page) == int(Place.COMMENT)) & (labels == UNKNOWN)
    return np.where(in_comment & (page.words >= MIN_COMMENT_WORDS), Label.COMMENTS, labels)


def _label_content(gold: Gold, page: Page) -> FloatArray | None:
    labelled = gold.labelled
    if labelled.has_classes:
        labels = compute_block_labels(page, gold.leaf_labels)
    elif gold.text:
        return compute_block_shares(page, gold.leaf_labels)
    elif labelled.text_with or labelled.text_without:
        labels = label_by_snippets(page, labelled)
    else:
        return None
    return np.where(labels == UNKNOWN, np.nan, labels == Label.FULL_TEXT)


def _measure_cover(gold: Gold, page: Page, content: FloatArray) -> float:
    """Return the share of the gold tokens in the content blocks; 1 without a gold text."""
    if gold.labelled.has_classes or not gold.text:
        return 1.0
    remaining = gold.bag.copy()
    for block in np.flatnonzero(np.nan_to_num(content) > 0.5).tolist():
        remaining.subtract(tokenize(page.texts[block]))
    missing = sum(count for count in remaining.values() if count > 0)
    return 1.0 - missing / max(1, gold.bag.total())


def _label_blocks(gold: Gold, page: Page, content: FloatArray) -> IntArray:
    labelled = gold.labelled
    if labelled.has_classes:
        return compute_block_labels(page, gold.leaf_labels)
    full = np.nan_to_num(content) > 0.5
    labels = np.where(full, Label.FULL_TEXT, UNKNOWN).astype(np.int64)
    text = np.flatnonzero(full)
    if len(text):
        outside = np.ones(len(page), dtype=np.bool_)
        outside[text[0] : text[-1] + 1] = False
        links = outside & (content == 0) & (page.link_density >= MIN_LINK_DENSITY)
        labels[links] = Label.BOILERPLATE
    if labelled.title:
        title = _find_title(page, labelled.title)
        labels[title : title + 1] = Label.HEADLINE
    if labelled.comments and labelled.text:
        runs = [_build_token_runs(text) for text in page.texts]
        wanted = _build_token_runs(" ".join(labelled.comments))
        comments = [
            bool(block) and len(block & wanted) >= MIN_COMMENT_SHARE * len(block) for block in runs
        ]
        labels[np.array(comments) & ~full] = Label.COMMENTS
    return labels


def _find_title(page: Page, title: str) -> int:
    """Return the block of the gold title, preferably a heading; len(page) without a match."""
    wanted = set(tokenize(title))
    candidates = []
    for block, text in enumerate(page.texts):
        if wanted and len(text) <= 3 * len(title):
            words = set(tokenize(text))
            if len(words & wanted) >= MIN_TITLE_SIMILARITY * len(words | wanted):
                candidates.append((page.tags[block] not in ("h1", "h2", "h3"), block))
    return min(candidates)[1] if candidates else len(page)


def _build_token_runs(text: str) -> set[tuple[str, ...]]:
    sequence = tokenize(text)
    return set(zip(*(sequence[start:] for start in range(RUN)), strict=False))


# Word weights, conventions and nets

# corpora whose conventions are mixed, with their shares: only body text, and with lists and
# closing lines (our sweep, docs/provenance.md)
BODY_ALONE = {"fundus": 0.4, "article-extraction": 0.4, "waddle": 0.2}
BODY_AND_MORE = {"wcxb": 0.8, "trafilatura": 0.2}

# shares of these conventions in the lessons of the net; others share the rest (docs/provenance.md)
LEARNT_SHARES = {"fundus": 0.4, "wcxb": 0.4, "trafilatura": 0.1}
# number of folds of the training pages; each is scored by word weights of the other sites
FOLDS = 4
MIN_SITES = 4
# inverse regularisation of the regressions of words
STRENGTH = 0.05
# maximum iterations of their solver, which needs fewer
MAX_ROUNDS = 200
# minimum log odds of a stored word, to keep the model small
MIN_WEIGHT = 0.05

Bags = list[list[str]]


@dataclass(frozen=True, eq=False)
class PreparedPages:
    """The training pages of the net, and the word weights of their rows and of the model."""

    pages: Sequence[NetPage]
    words: WordWeights
    conventions: Sequence[str]


def train_news(
    pages: Sequence[Gold], seed: int, progress: Progress = iter, *, start: StoredModel | None = None
) -> StoredModel:
    """Return the model of the pages that have a gold text or snippets.

    With `start`, another model of `news`, training continues from its nets and word weights. Raises
    CorpusError without usable pages, and ModelError if `start` is not a model of `news`.
    """
    before = _merge_conventions(read_parts(start)) if start else None
    prepared = prepare_pages(build_examples(pages, progress), before.words if before else None)
    return train_prepared(prepared, seed, progress, start=before.net if before else None)


def build_examples(pages: Sequence[Gold], progress: Progress = iter) -> list[NewsExample]:
    """Return the examples of the pages with known blocks."""
    examples = [build_example(gold) for gold in progress(pages)]
    return [example for example in examples if example is not None]


def prepare_pages(
    examples: Sequence[NewsExample], words: WordWeights | None = None
) -> PreparedPages:
    """Compute features, and word weights unless given. Raises CorpusError without full text."""
    if not any(np.nanmax(example.content, initial=0.0) > 0 for example in examples):
        raise CorpusError("no page to train on: none has blocks and a gold text that matches them")
    examples = add_comment_labels(examples)
    conventions = sorted({example.convention for example in examples})
    words, crosswise = (words, [words] * len(examples)) if words else fit_words(examples)
    pages = [
        NetPage(
            *compute_features(example.page, weights),
            content=example.content,
            labels=example.labels,
            weight=example.weight,
            convention=conventions.index(example.convention),
            six_labels=example.six_labels,
        )
        for example, weights in zip(examples, crosswise, strict=True)
    ]
    return PreparedPages(pages, words, conventions)


def train_prepared(
    prepared: PreparedPages,
    seed: int,
    progress: Progress = iter,
    *,
    start: SequenceNet | None = None,
) -> StoredModel:
    """Train the model of prepared pages, from the net `start` or else by several nets."""
    pages, conventions = prepared.pages, prepared.conventions
    nets = train_nets(pages, len(conventions), seed, progress, start)
    if start is not None:
        (net,) = nets
    else:
        lessons = [build_lesson(page, nets) for page in progress(pages)]
        net = distil(pages, lessons, share_lessons(conventions), seed, progress)
    weights = {
        f"{name}_weights": np.array(list(getattr(prepared.words, name).values()), dtype=np.float16)
        for name in WORD_LISTS
    }
    facts = {
        "seed": seed,
        "conventions": list(conventions),
        "favors": mix_conventions(conventions),
        **{f"{name}_words": " ".join(getattr(prepared.words, name)) for name in WORD_LISTS},
    }
    arrays = {**pack_net(net), **weights}
    return StoredModel(kind="news", columns=tuple(COLUMNS), facts=facts, arrays=arrays)


def share_lessons(conventions: Sequence[str]) -> FloatArray:
    """Return float[conventions], adds up to 1: the share of each in the lessons of the net."""
    others = [name for name in conventions if name not in LEARNT_SHARES]
    rest = (1 - sum(LEARNT_SHARES.values())) / max(1, len(others))
    weights = np.array([LEARNT_SHARES.get(name, rest) for name in conventions])
    shares: FloatArray = weights / weights.sum()
    return shares


def _merge_conventions(parts: NewsParts) -> NewsParts:
    """Return the parts with one output for full text, the mixture of `balanced`."""
    mix = parts.favors["balanced"]
    shares, n = mix.astype(np.float32), len(mix)

    def merge(heads: np.ndarray) -> np.ndarray:
        return np.concatenate(((heads[..., :n] @ shares)[..., None], heads[..., n:]), axis=-1)

    net = parts.net
    net = replace(net, outputs=merge(net.outputs), output_bias=merge(net.output_bias))
    return replace(parts, net=net, favors={})


def mix_conventions(conventions: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return the shares of the conventions for `balanced`, `precision` and `recall`.

    If one of the two sides has no corpus, all conventions have equal shares.
    """
    precision = _take_known(BODY_ALONE, conventions)
    recall = _take_known(BODY_AND_MORE, conventions)
    if not precision or not recall:
        precision = recall = dict.fromkeys(conventions, 1 / len(conventions))
    balanced = {
        name: (precision.get(name, 0.0) + recall.get(name, 0.0)) / 2
        for name in {**precision, **recall}
    }
    return {"balanced": balanced, "precision": precision, "recall": recall}


def _take_known(shares: Mapping[str, float], conventions: Sequence[str]) -> dict[str, float]:
    known = {name: share for name, share in shares.items() if name in conventions}
    return {name: share / sum(known.values()) for name, share in known.items()}


def build_first_word_bags(page: Page) -> Bags:
    """Return the first words of each block."""
    starts = (text[:FIRST_CHARACTERS].lower() for text in page.texts)
    return [sorted(set(split_first_words(start))) for start in starts]


def build_name_bags(page: Page) -> Bags:
    """Return the words in the classes and ids around each block, with repetitions."""
    elements, bags, known = page.elements, [], dict[str, list[str]]()
    for own in page.blocks.elements.tolist():
        element, bag = own, list[str]()
        for _ in range(LEVELS):
            for name in (elements.classes[element], elements.ids[element]):
                if name not in known:
                    known[name] = [word.lower() for word in find_name_words(name)]
                bag += known[name]
            element = max(elements.parents[element], 0)
        bags.append(bag)
    return bags


def fit_words(examples: Sequence[NewsExample]) -> tuple[WordWeights, list[WordWeights]]:
    """Return weights fitted to all examples, and for each example weights without its site.

    From the latter the net learns how far words can be trusted.
    """
    content = [example.content for example in examples]
    # 1 for comments, 0 for other labels, NaN if the corpus does not label comments
    comments = [
        np.where(each.labels == UNKNOWN, np.nan, each.labels == Label.COMMENTS) for each in examples
    ]
    bags = {
        "first": _WordBags(examples, build_first_word_bags, content),
        "names": _WordBags(examples, build_name_bags, content),
        "comments": _WordBags(examples, build_name_bags, comments),
    }

    def fit(used: BoolArray) -> WordWeights:
        return WordWeights(**{name: of_blocks.fit(used) for name, of_blocks in bags.items()})

    folds = np.array([site_fold(example.site, FOLDS, "words") for example in examples])
    fitted = {fold: fit(folds != fold) for fold in sorted(set(folds.tolist()))}
    whole = fit(np.ones(len(examples), dtype=np.bool_))
    return whole, [fitted[fold] for fold in folds.tolist()]


class _WordBags:
    def __init__(
        self,
        examples: Sequence[NewsExample],
        bags_of: Callable[[Page], Bags],
        targets: Sequence[FloatArray],
    ) -> None:
        self._examples = examples
        sizes = [len(target) for target in targets]
        values = np.concatenate([np.zeros(0), *targets])
        known = np.flatnonzero(~np.isnan(values))
        self._target = values[known] > 0.5
        self._example: IntArray = np.repeat(np.arange(len(examples)), sizes)[known]
        bags = [bag for example in examples for bag in bags_of(example.page)]
        self._bags = [bags[block] for block in known.tolist()]

    @cached_property
    def _counted(self) -> tuple[Any, list[str]]:
        """The counts of words in the bag of each block (sparse [blocks, words]), and the words."""
        text = import_optional("sklearn.feature_extraction.text", "word weights", "evaluate")
        counter = text.CountVectorizer(analyzer=list, dtype=np.float64)
        return counter.fit_transform(self._bags), counter.get_feature_names_out().tolist()

    def fit(self, used: BoolArray) -> dict[str, float]:
        blocks = np.flatnonzero(used[self._example])
        target = self._target[blocks]
        if target.all() or not target.any() or not any(self._bags):
            return {}
        counts, names = self._counted
        rows = counts[blocks]
        words = np.flatnonzero(self._find_common_words(blocks, rows))
        if not len(words):
            return {}
        linear = import_optional("sklearn.linear_model", "word weights", "evaluate")
        model = linear.LogisticRegression(C=STRENGTH, solver="liblinear", max_iter=MAX_ROUNDS)
        weights = np.array([example.weight for example in self._examples])
        model.fit(rows[:, words], target, sample_weight=weights[self._example[blocks]])
        return {
            names[word]: round(weight, 2)
            for word, weight in zip(words.tolist(), model.coef_[0].tolist(), strict=True)
            if abs(weight) >= MIN_WEIGHT
        }

    def _find_common_words(self, blocks: IntArray, counts: Any) -> BoolArray:
        """Return bool[words]: words on MIN_SITES sites of these blocks (or on all, if fewer)."""
        names = sorted({example.site for example in self._examples})
        number = {site: index for index, site in enumerate(names)}
        sites = np.array([number[example.site] for example in self._examples])[self._example]
        rows = counts.tocoo()
        pairs = np.unique(rows.col.astype(np.int64) * len(names) + sites[blocks][rows.row])
        n_sites = np.bincount(pairs // len(names), minlength=counts.shape[1])
        enough: BoolArray = n_sites >= min(MIN_SITES, len(np.unique(sites[blocks])))
        return enough & (n_sites > 0)
