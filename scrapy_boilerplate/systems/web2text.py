"""Web2Text: convolutional nets over the collapsed DOM (Vogels, Ganea, Eickhoff, ECIR 2018).

The collapsed DOM lacks the elements without text; an element with a single child becomes one node
with it. Text nodes and nodes with two children or more remain. A node has the tags of all its
elements.

No tree is built. An inner node is represented by its *fork*, an element with at least two children
that are or contain text. Elements between two forks belong to the lower fork, elements between a
fork and a text node to the text node.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.page.columns import NO_ELEMENT, Break
from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray, Label
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.model_store import (
    MAX_LAYERS,
    MAX_UNITS,
    MAX_WIDTH,
    ModelError,
    StoredModel,
    check_at_most,
    read_array,
)
from scrapy_boilerplate.systems.common.block_model import BlockModel, Prediction, label_chain
from scrapy_boilerplate.systems.common.columns import FeatureGroup, match_texts, sum_spans

NO_FORK = -1  # no fork, or a fork above several roots of a page


class CollapsedDom:
    """The collapsed DOM of a page whose blocks are text nodes, with notes on `tags` (at most 63).

    For each block, int[n]: `parents` its fork and `grandparents` the fork above that; `common` the
    fork that it shares with the block before; `distances` the steps from that block up to the
    common fork and down again; `tags` the tags of its node, one bit each in the requested order.
    NO_FORK without a fork, 0 without a block before.

    For each element, and once more for NO_FORK at the end, int[n_elements + 1]: `fork_tags` the
    tags of its node, a bit each; `first_block` and `end_block`, the blocks in it. Linear time.
    """

    def __init__(self, page: Page, tags: Sequence[str]) -> None:
        self.first_block, self.end_block = _find_block_spans(page)
        is_fork, own = _find_forks(page, self.end_block > self.first_block), page.blocks.elements
        above, depths, self.fork_tags = _trace_chains(page, is_fork.tolist(), tags)
        self.parents = np.where(is_fork[own], own, above[own])
        self.grandparents = above[self.parents]
        self.common = _find_common_forks(page, self.end_block.tolist())
        self.distances = depths[self.parents] - 2 * depths[self.common] + 2
        self.distances[1:] += depths[self.parents][:-1]
        self.distances[:1] = 0
        self.tags = np.where(is_fork[own], 0, self.fork_tags[own])


def _find_block_spans(page: Page) -> tuple[IntArray, IntArray]:
    opened = np.array(page.leaves.opened, dtype=np.int64)[page.blocks.first_leaf]
    first = np.searchsorted(opened, np.arange(len(page.elements)), side="right")
    end = first + page.sum_by_element(np.ones(len(page), dtype=np.int64))
    return np.append(first, 0), np.append(end, len(page))


def _find_forks(page: Page, holds_text: BoolArray) -> BoolArray:
    size = len(page.elements) + 1
    parents = np.array([*page.elements.parents, NO_ELEMENT], dtype=np.int64)
    holds_text = holds_text.copy()
    holds_text[-1] = False
    children = np.bincount(parents[holds_text] % size, minlength=size)  # NO_ELEMENT is the last
    children += np.bincount(page.blocks.elements, minlength=size)
    children[-1] = 0
    return children > 1


def _trace_chains(page: Page, is_fork: list[bool], tags: Sequence[str]) -> list[IntArray]:
    """Find the fork above each element, its depth in forks, and the tags up to that fork."""
    bits = {tag: 1 << number for number, tag in enumerate(tags)}
    above, depths, masks = [NO_FORK], [-1], [0]  # NO_FORK is rolled to the end below
    for tag, parent in zip(page.elements.tags, page.elements.parents, strict=True):
        bit = bits.get(tag, 0)
        if is_fork[parent]:
            above.append(parent)
            masks.append(bit)
        else:
            above.append(above[parent + 1])
            masks.append(bit | masks[parent + 1])
        depths.append(depths[above[-1] + 1] + 1)
    return [np.roll(np.array(column, dtype=np.int64), -1) for column in (above, depths, masks)]


def _find_common_forks(page: Page, end_block: list[int]) -> IntArray:
    parents = page.elements.parents
    common = [NO_FORK] * len(page)
    element = NO_ELEMENT
    for block, own in enumerate(page.blocks.elements.tolist()):
        # only through elements that end between the two blocks: linear in total
        while element != NO_ELEMENT and end_block[element] <= block:
            element = parents[element]
        common[block] = element
        element = own
    return np.array(common, dtype=np.int64)


# The 128 features of a block and the 25 of an edge (section 3.3) follow dalab/web2text, which lists
# the tag `ul` twice for the node above a block. Deviations: positions count characters of text, not
# of HTML source; shares are fractions, while the program divides integers; the class path of a
# block consists of the `class` attributes from the root to the block; letters and marks of every
# script count; a link has a URL.

FloatColumns = dict[str, FloatArray]

# Counts of text nodes, and of the nodes above them

PUNCTUATION = ".,?;:!" + "。、，？；：！" + "،؟؛।"
QUESTION_MARKS = "?？؟"

_words = re.compile(r"\w+").findall
_digits = re.compile(r"\d").findall
_marks = re.compile(f"[{PUNCTUATION}]").findall
_after_sentence = re.compile(r"[.?!;]\s+(\w)").findall

# Name to a function that tests a text.
PATTERNS: dict[str, Callable[[str], object]] = {
    "ends_with_punctuation": lambda text: text[-1:] in PUNCTUATION and text,
    "ends_with_question_mark": lambda text: text[-1:] in QUESTION_MARKS and text,
    "contains_copyright": lambda text: "©" in text,
    "contains_email": re.compile(r"\w@[\w.]").search,
    "contains_url": re.compile(r"\b(?:https?|ftp)://[^\s/$.?#]\S*\b").search,
    "contains_year": re.compile(r"\b\d{4}\b").search,
}

# A node matches the first LAST_DECIDES patterns if its last text node does.
LAST_DECIDES = 2

COUNTS = (
    *"characters words word_characters stop_words capitals sentences punctuation digits".split(),
    "link_characters",
)


@dataclass(frozen=True, eq=False)
class TextCounts:
    """Counts of texts or of nodes.

    counts        name to int[m]
    has           name to bool[m]
    starts, ends  float[m]: their positions, in characters of text
    """

    counts: dict[str, IntArray]
    has: dict[str, BoolArray]
    starts: FloatArray
    ends: FloatArray

    @property
    def length(self) -> float:
        """Characters of the page; at least 1."""
        return float(max(self.ends.max(initial=1.0), 1.0))


def _count_text(page: Page, stop_words: Collection[str]) -> TextCounts:
    rows: list[tuple[int, ...]] = []
    for text in page.texts:
        words = _words(text)
        row = (
            max(len(text), 1),
            len(words),
            sum(map(len, words)),
            sum(word.lower() in stop_words for word in words),
            sum(word[0].isupper() for word in words),
            1 + sum(map(str.isupper, _after_sentence(text))),
            len(_marks(text)),
            len(_digits(text)),
        )
        rows.append(row)
    columns = np.array(rows, dtype=np.int64).reshape(len(page), len(COUNTS) - 1).T
    in_link = np.array(page.leaves.in_link, dtype=np.bool_)[page.blocks.first_leaf]
    counts = dict(zip(COUNTS, columns, strict=False))
    counts["link_characters"] = counts["characters"] * in_link
    has = {name: match_texts(page.texts, holds) for name, holds in PATTERNS.items()}
    ends = np.cumsum(counts["characters"]).astype(np.float64)
    return TextCounts(counts, has, ends - counts["characters"], ends)


def sum_over_nodes(of_blocks: TextCounts, first: IntArray, end: IntArray) -> TextCounts:
    """Return the counts of nodes that hold the blocks ``first <= block < end``, int[m] each.

    `end` is above `first`. Counts are sums; the last text decides on the first LAST_DECIDES
    patterns.
    """
    last = end - 1
    has = {
        name: column[last] if number < LAST_DECIDES else sum_spans(column, first, end) > 0
        for number, (name, column) in enumerate(of_blocks.has.items())
    }
    counts = {name: sum_spans(column, first, end) for name, column in of_blocks.counts.items()}
    return TextCounts(counts, has, of_blocks.starts[first], of_blocks.ends[last])


# Columns computed from the counts, most of them standardized; true is 1, false -1

_WORDS = "word_length has_stop_word stop_word_ratio".split()
_DIGITS = "punctuation_ratio has_digit digit_ratio sentence_length".split()
_CAPITALS = "capitals capitals^2 capitals^3".split()

# The 20 features of a node; all but `contains_form` are about its text.
NODE = (
    *("body_percentage", "link_density", *_WORDS, "characters", *_DIGITS),
    *(*PATTERNS, *_CAPITALS, "contains_form"),
)

# The 24 features of the text of a block.
LEAF = (
    *("has_word", "words", *_WORDS, "characters", "has_punctuation", "punctuation", *_DIGITS),
    *("has_sentences", "position", "position^2", *PATTERNS, *_CAPITALS),
)


def _compute_node_columns(nodes: TextCounts, length: float) -> FloatColumns:
    characters = nodes.counts["characters"]
    return {
        **_compute_shared_columns(nodes),
        "body_percentage": (nodes.ends - nodes.starts) / length,
        "link_density": _z(nodes.counts["link_characters"] / characters, 0.5, 0.5),
        "characters": _z(np.clip(np.log(characters), 2.5, 10), 6, 2.14),
    }


def _compute_leaf_columns(leaves: TextCounts, length: float) -> FloatColumns:
    counts = leaves.counts
    words, marks = counts["words"], counts["punctuation"]
    log_words = np.clip(np.log(np.maximum(words, 1)), 0, 3.5)
    position = (leaves.starts + leaves.ends) / 2 / length
    return {
        **_compute_shared_columns(leaves),
        "has_word": _z(_yes_no(words > 0), 0.8255, 0.5643817),
        "words": np.where(words > 0, _z(log_words, 1.5086, 1.205), 0),
        "characters": _z(np.clip(np.log(counts["characters"]), 2.5, 5.5), 3.392, 1.06445),
        "has_punctuation": _yes_no(marks > 0),
        "punctuation": _z(np.clip(marks, 0, 10), 0.06938, 0.4083676),
        "has_sentences": _yes_no(counts["sentences"] > 1),
        "position": _z(position, 0.5198038, 0.2996195),
        "position^2": _z(position**2, 0.3599672, 0.3157282),
    }


def _yes_no(mask: BoolArray) -> FloatArray:
    return np.where(mask, 1.0, -1.0)


def _compute_shared_columns(texts: TextCounts) -> FloatColumns:
    counts = texts.counts
    characters, words, marks = counts["characters"], counts["words"], counts["punctuation"]
    worded, least_one = words > 0, np.maximum(words, 1)
    length = np.clip(counts["word_characters"] / least_one, 3, 15)
    log_marks = np.clip(np.log(np.maximum(marks, 1) / characters), -4, -2.5)
    capitals = counts["capitals"] / least_one
    to_sentence = np.clip(np.log(characters / np.maximum(counts["sentences"], 1)), 2, 5)
    stop_words = counts["stop_words"]
    return {
        "word_length": np.where(worded, _z(length, 4.910001, 1.905709), -1),
        "has_stop_word": _yes_no(stop_words > 0),
        "stop_word_ratio": np.where(worded, _z(stop_words / least_one, 0.374, 0.1529), 0),
        "punctuation_ratio": np.where(marks > 0, _z(log_marks, -3.338525, 0.6058926), 0),
        "has_digit": _z(_yes_no(counts["digits"] > 0), -0.5900983, 0.8073342),
        "digit_ratio": _z(counts["digits"] / characters, 0.2655969, 0.3052819),
        "sentence_length": _z(to_sentence, 3.109, 1.011),
        **{name: _yes_no(mask) for name, mask in texts.has.items()},
        "capitals": np.where(worded, _z(capitals, 0.4475758, 0.4129316), 0),
        "capitals^2": np.where(worded, _z(capitals**2, 0.3708354, 0.4334037), 0),
        "capitals^3": np.where(worded, _z(capitals**3, 0.340843, 0.4404389), 0),
    }


def _z(values: FloatArray | IntArray, mean: float, deviation: float) -> FloatArray:
    return (values.astype(np.float64) - mean) / deviation


# All features of blocks and edges

LEAF_TAGS = tuple(
    "a p td b li span i tr div strong em h3 h2 table h4 small sup h1 blockquote".split()
)
PARENT_TAGS = tuple(
    "td div p tr table body ul span li blockquote b small a ol ul i form dl strong pre".split()
)
TAGS = tuple(dict.fromkeys(LEAF_TAGS + PARENT_TAGS))
FORM_TAG = "input"

COPIES = (1, 10)  # more blocks than this with the same text: two features

DISTANCES = (2, 3, 4)  # steps between two blocks in the collapsed DOM; a fourth feature is for more

BLOCK_COLUMNS, EDGE_COLUMNS = 128, 25


# Name of a feature to its tag.
PARENT_TAG_COLUMNS = {
    f"parent_tag_{tag}{'_again' if tag in PARENT_TAGS[:place] else ''}": tag
    for place, tag in enumerate(PARENT_TAGS)
}

# The 128 features of each block, then the 25 of the edge to the block before. Without a node above,
# or a block before, they are 0.
COLUMNS = (
    *(f"copies_{n}" for n in COPIES),
    *("same_class_path", *LEAF, "has_parent"),
    *(f"parent_{name}" for name in NODE),
    *(*PARENT_TAG_COLUMNS, "has_grandparent"),
    *(f"{node}_{name}" for node in ("grandparent", "page") for name in NODE),
    *(f"tag_{tag}" for tag in LEAF_TAGS),
    *(f"distance_{n}" for n in (*DISTANCES, "more")),
    "block_break",
    *(f"common_{name}" for name in NODE),
)


def build_group(stop_words: Collection[str]) -> FeatureGroup:
    """Return the features of a page in text nodes; `stop_words` are in lower case."""
    return FeatureGroup(COLUMNS, partial(_compute_columns, stop_words))


def _compute_columns(stop_words: Collection[str], page: Page) -> FloatColumns:
    if not len(page):
        return dict.fromkeys(COLUMNS, np.zeros(0))
    dom = CollapsedDom(page, TAGS)
    texts = _count_text(page, stop_words)
    above = _NodesAbove(page, dom, texts)
    columns = _count_copies(page) | _compute_leaf_columns(texts, texts.length)
    columns |= above.columns("parent", dom.parents)
    has_parent, tags = dom.parents != NO_FORK, dom.fork_tags[dom.parents]
    columns |= {
        name: np.where(has_parent, _yes_no(_has_tag(tags, tag)), 0.0)
        for name, tag in PARENT_TAG_COLUMNS.items()
    }
    columns |= above.columns("grandparent", dom.grandparents)
    columns |= above.columns("page", np.full(len(page), NO_FORK), of_page=True)
    columns |= {f"tag_{tag}": _yes_no(_has_tag(dom.tags, tag)) for tag in LEAF_TAGS}
    return columns | _describe_edges(page, dom, above)


class _NodesAbove:
    def __init__(self, page: Page, dom: CollapsedDom, texts: TextCounts) -> None:
        nodes = np.unique(np.concatenate((dom.parents, dom.grandparents, dom.common, [NO_FORK])))
        self._row = np.zeros(len(page.elements) + 1, dtype=np.int64)
        self._row[nodes] = np.arange(len(nodes))
        inputs = page.elements.tagged(frozenset({FORM_TAG})).astype(np.int64)
        has_input = np.append(page.elements.sum_subtrees(inputs) > inputs, bool(inputs.any()))
        counts = sum_over_nodes(texts, dom.first_block[nodes], dom.end_block[nodes])
        self._columns = _compute_node_columns(counts, texts.length)
        self._columns["contains_form"] = _yes_no(has_input[nodes])

    def columns(self, prefix: str, forks: IntArray, of_page: bool = False) -> FloatColumns:
        """Return the columns of the node of each block; 0 without a node, unless `of_page`."""
        rows, has_node = self._row[forks], forks != NO_FORK
        columns = {
            f"{prefix}_{name}": column[rows] if of_page else np.where(has_node, column[rows], 0.0)
            for name, column in self._columns.items()
        }
        return columns | {f"has_{prefix}": has_node.astype(np.float64)}


def _count_copies(page: Page) -> FloatColumns:
    texts = Counter(page.texts)
    copies = np.array([texts[text] for text in page.texts], dtype=np.int64)
    numbers: dict[tuple[int, str], int] = {}
    path_of: list[int] = []  # for each element, a number of the classes from the root to it
    for names, parent in zip(page.elements.classes, page.elements.parents, strict=True):
        key = (path_of[parent] if parent >= 0 else -1, names)
        path_of.append(numbers.setdefault(key, len(numbers)))
    paths = np.array(path_of, dtype=np.int64)[page.blocks.elements]
    share = np.bincount(paths)[paths] / len(page)
    return {f"copies_{n}": _yes_no(copies > n) for n in COPIES} | {"same_class_path": share}


def _has_tag(tags: IntArray, tag: str) -> BoolArray:
    return (tags >> TAGS.index(tag)) & 1 > 0


def _describe_edges(page: Page, dom: CollapsedDom, above: _NodesAbove) -> FloatColumns:
    columns = {f"distance_{n}": _yes_no(dom.distances == n) for n in DISTANCES}
    columns["distance_more"] = _yes_no(dom.distances > DISTANCES[-1])
    breaks = np.array(page.leaves.breaks, dtype=np.int64)[page.blocks.first_leaf]
    columns["block_break"] = (breaks != Break.NONE).astype(np.float64)
    columns |= above.columns("common", dom.common, of_page=True)
    for column in columns.values():
        column[:1] = 0.0
    return columns


# Two convolutional nets and Viterbi: the unary net gives the probability that a block is content,
# the pairwise net that of each pair of labels of a block and the block before it.

Float32Array = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class ConvolutionStack:
    """Layers of 1-D convolutions with a rectifier between them; beyond the ends are rows of 0.

    Each layer has `weights` float32[width, inputs, outputs] and `biases` float32[outputs]; widths
    are odd.
    """

    weights: tuple[Float32Array, ...]
    biases: tuple[Float32Array, ...]

    def __call__(self, rows: Float32Array) -> Float32Array:
        """float32[n, outputs of the last layer]; linear in n."""
        for number, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            rows = np.maximum(rows, 0) if number else rows
            side = len(weight) // 2
            padded = np.pad(rows, ((side, side), (0, 0)))
            windows = [padded[i : i + len(rows)] for i in range(len(weight))]
            rows = np.concatenate(windows, axis=1) @ weight.reshape(-1, weight.shape[2]) + bias
        return rows

    def arrays(self, name: str) -> Mapping[str, NDArray[Any]]:
        """Return the arrays for the store, in half precision; their names start with `name`."""
        parts = {"weight": self.weights, "bias": self.biases}
        return {
            f"{name}_{part}_{number}": array.astype(np.float16)
            for part, arrays in parts.items()
            for number, array in enumerate(arrays)
        }


def read_stack(model: StoredModel, name: str, inputs: int, outputs: int) -> ConvolutionStack:
    """Return a stack of a model, from `inputs` to `outputs` columns. Raises ModelError."""
    layers = sum(key.startswith(f"{name}_weight_") for key in model.arrays)
    check_at_most(model, "layers", layers, MAX_LAYERS)
    weights, biases = [], []
    size = inputs
    for number in range(max(layers, 1)):
        weight = read_array(model, f"{name}_weight_{number}", (None, size, None))
        if len(weight) % 2 == 0:
            raise ModelError(
                f"a layer of the model {model.kind!r} is of even width: train it again"
            )
        size = weight.shape[2]
        check_at_most(model, "rows to a layer", len(weight), MAX_WIDTH)
        check_at_most(model, "numbers a row", size, MAX_UNITS)
        weights.append(weight.astype(np.float32))
        biases.append(read_array(model, f"{name}_bias_{number}", (size,)).astype(np.float32))
    if size != outputs:
        raise ModelError(
            f"the stack {name!r} of the model {model.kind!r} ends in {size} columns, not in "
            f"{outputs}: train it again"
        )
    return ConvolutionStack(tuple(weights), tuple(biases))


PAIR_WEIGHT = 0.1  # lambda of the paper, section 3.5

STOP_WORDS = "stop_words"  # the fact that lists the stop words of a model's training pages

LABELS = np.array([Label.BOILERPLATE, Label.FULL_TEXT], dtype=np.int64)


def read_web2text_nets(model: StoredModel) -> BlockModel:
    """Return the nets of a stored model. Raises ModelError for another model."""
    words = model.facts.get(STOP_WORDS)
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ModelError(f"the model {model.kind!r} does not list its stop words: train it again")
    model.check_columns(COLUMNS)
    unary = read_stack(model, "unary", BLOCK_COLUMNS, 2)
    pairwise = read_stack(model, "pairwise", EDGE_COLUMNS, 4)
    return partial(_label_by_nets, build_group(frozenset(words)), unary, pairwise)


def _label_by_nets(
    group: FeatureGroup, unary: ConvolutionStack, pairwise: ConvolutionStack, page: Page
) -> Prediction:
    numbers = group.build_matrix(page).astype(np.float32)
    of_pairs = np.zeros((len(page), 4))
    of_pairs[1:] = PAIR_WEIGHT * _log_shares(pairwise(numbers[1:, BLOCK_COLUMNS:]))
    of_blocks = _log_shares(unary(numbers[:, :BLOCK_COLUMNS]))
    return label_chain(of_blocks, of_pairs.reshape(-1, 2, 2), LABELS)


def _log_shares(logits: Float32Array) -> FloatArray:
    shifted = logits.astype(np.float64)
    shifted -= shifted.max(axis=1, keepdims=True)
    shares: FloatArray = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return shares
