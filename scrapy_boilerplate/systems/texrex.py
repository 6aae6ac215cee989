"""texrex: text divisions, their 37 features, and a small neural net for each language.

Schaefer, Language Resources and Evaluation 51, 2017 (docs/systems/texrex.md). Where the paper is
silent, order and formulas follow rsling/texrex (``trdeboilerplater.pas``, ``trhtmlstripper.pas``).
Deviations: the place of a division is its middle by number too (there its start); letters without
case are letters; "(c)" is a copyright sign; means over windows end with the page (there its ends
are repeated).
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from scrapy_boilerplate.metadata.language import detect_language
from scrapy_boilerplate.page.blocks import find_boundaries, regroup_leaves
from scrapy_boilerplate.page.columns import INVISIBLE
from scrapy_boilerplate.page.labels import FloatArray, IntArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.model_store import (
    MAX_UNITS,
    Arrays,
    ModelError,
    StoredModel,
    check_at_most,
    read_array,
)
from scrapy_boilerplate.systems.common.block_model import BlockModel, Prediction, predict_content
from scrapy_boilerplate.systems.common.columns import (
    VOID_TAGS,
    Columns,
    FeatureGroup,
    find_innermost,
    sum_by_block,
    sum_spans,
    to_column,
)

# Text divisions

# Elements that end a division where they start and where they end (Schaefer 2017, note 9, and
# texrex's source; the note's "l" is `li`).
SECTION_TAGS = frozenset("article section blockquote div p li td h1 h2 h3 h4 h5 h6".split())


def cut_sections(page: Page) -> Page:
    """Return the page cut at start and end tags of SECTION_TAGS; `br` is a space. Linear time."""
    return regroup_leaves(page, np.flatnonzero(find_boundaries(page, SECTION_TAGS)))


# Tags around each leaf

BRACKETS, BRACKETS_AND_SLASH = 2, 3  # characters of a start tag and of an end tag beside its name

START, END, LEAF = range(3)
# START or END and an element, or LEAF and a leaf.
Event = tuple[int, int]


@dataclass(frozen=True, eq=False)
class LeafMarkup:
    """The tags of each leaf, in columns of int[leaves], and the characters of all tags of the page.

    A tag belongs to the leaf before it if no division starts in between, else to the leaf after it.
    A tag that starts a division belongs to its first leaf; tags of empty divisions belong to no
    leaf.

    starts, ends   start and end tags
    anchors        start tags whose name starts with "a"
    characters     of all these tags
    skipped        empty divisions before the one that starts with this leaf
    by_end         1 where an end tag starts the division that starts with this leaf
    """

    page_characters: int
    starts: IntArray
    ends: IntArray
    anchors: IntArray
    characters: IntArray
    skipped: IntArray
    by_end: IntArray


def read_leaf_markup(page: Page) -> LeafMarkup:
    """Return the tags of each leaf without invisible elements, which texrex drops; linear time."""
    tags = page.elements.tags
    end_sizes = [len(tag) + BRACKETS_AND_SLASH for tag in tags]
    start_sizes = [
        len(tag) + BRACKETS + attributes
        for tag, attributes in zip(tags, page.elements.attribute_sizes, strict=True)
    ]
    rows: list[list[int]] = []
    row = [0, 0, 0, 0, -1, 0]  # row of the current division; the page starts outside of divisions
    empty, total = True, 0
    for event, index in _iterate_tags(page):
        if event == LEAF:
            row = row if empty else [0] * 6
            rows.append(row)
            empty = False
            continue
        is_start, tag = event == START, tags[index]
        if tag in SECTION_TAGS:
            row = [0, 0, 0, 0, row[4] + 1 if empty else 0, int(not is_start)]
            empty = True
        size = start_sizes[index] if is_start else end_sizes[index]
        total += size
        row[event] += 1
        row[2] += is_start and tag.startswith("a")
        row[3] += size
    columns = np.array(rows, dtype=np.int64).reshape(-1, 6)
    columns[:, 4] = np.maximum(columns[:, 4], 0)
    return LeafMarkup(total, *columns.T)


def _iterate_tags(page: Page) -> Iterator[Event]:
    """Yield start tags, end tags and leaves in the order of the page."""
    elements, leaves = page.elements, page.leaves
    silent = elements.inside(INVISIBLE).tolist()
    void = [tag in VOID_TAGS for tag in elements.tags]
    opened: list[int] = []
    element = 0

    def close_inside(holder: int) -> Iterator[Event]:
        while opened and opened[-1] != holder:
            closed = opened.pop()
            if not (silent[closed] or void[closed]):
                yield END, closed

    ahead = [*zip(leaves.opened, leaves.elements, strict=True), (len(elements), -1)]
    for leaf, (until, holder) in enumerate(ahead):
        for started in range(element, until):
            yield from close_inside(elements.parents[started])
            if not silent[started]:
                yield START, started
            opened.append(started)
        element = max(element, until)
        yield from close_inside(holder)
        if leaf < len(leaves):
            yield LEAF, leaf


# Features

# Containers in the order of their features.
CONTAINERS: Mapping[str, frozenset[str]] = {
    **{tag: frozenset({tag}) for tag in ("article", "section", "div", "p")},
    "heading": frozenset("h1 h2 h3 h4 h5 h6".split()),
    **{tag: frozenset({tag}) for tag in ("blockquote", "td", "li")},
}

DOCTYPES = {
    "xhtml": re.compile(r"xhtml", re.IGNORECASE),
    "html4": re.compile(r"//dtd\s+html\s+4", re.IGNORECASE),
    "html5": re.compile(r"<!doctype\s+html\s*(?:system\s+\S+\s*)?>", re.IGNORECASE),
}

# Characters, characters, sentences and divisions at which a feature reaches 1.
LONG_TEXT, LONG_SENTENCE, MANY_SENTENCES, MANY_SKIPPED = 1000, 100, 10, 20
# Features that count the matches of a pattern.
COUNTED = {
    "tags_left": re.compile(r"</?[A-Za-z][^<>]*>").findall,
    "addresses": re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+").findall,
    "uris": re.compile(r"(?:https?://|ftp://|www\.)\S+", re.IGNORECASE).findall,
    "hashtags": re.compile(r"(?<!\w)#\w+").findall,
    "years": re.compile(r"\b20[01]\d\b").findall,
}
_sentence_ends = re.compile(r"[.?!](?=\s|$)").findall
_copyright = re.compile("\u00a9|\\(c\\)", re.IGNORECASE).search


# The 37 features of a division, in texrex's order: shares, or numbers limited to 1 (unusual texts
# exceed it). `anchors` are start tags whose name starts with "a" (a slip of texrex).
COLUMNS = (
    *"length share_of_text middle_of_text middle_of_blocks page_text markup".split(),
    *("punctuation", "letters", "numbers", *COUNTED),
    *"anchors upper no_sentence sentence_length sentences copyright ends_sentence".split(),
    *(f"doctype_{name}" for name in DOCTYPES),
    *(f"in_{name}" for name in CONTAINERS),
    *"by_end_tag start_tags skipped markup_3 markup_5".split(),
)


def _compute_division_columns(page: Page) -> Columns:
    markup = read_leaf_markup(page)
    texts = page.texts
    known = page.elements.tagged(frozenset().union(*CONTAINERS.values()))
    inside = find_innermost(page.elements, known)[page.blocks.elements].tolist()
    container = [page.elements.tags[element] if element >= 0 else "" for element in inside]
    length = to_column(map(len, texts))
    return {
        **_compute_text_columns(texts, length, sum_by_block(page, markup.anchors)),
        **_compute_place_columns(page, length, markup),
        **{
            f"doctype_{name}": np.full(len(page), bool(pattern.search(page.doctype)))
            for name, pattern in DOCTYPES.items()
        },
        **{
            f"in_{name}": np.array([tag in tags for tag in container], dtype=np.bool_)
            for name, tags in CONTAINERS.items()
        },
    }


def _compute_text_columns(texts: list[str], length: FloatArray, anchors: IntArray) -> Columns:
    blank = to_column(text.count(" ") for text in texts)
    visible = np.maximum(length - blank, 1)
    upper = to_column(sum(map(str.isupper, text)) for text in texts)
    lower = to_column(sum(map(str.islower, text)) for text in texts)
    ends = to_column(len(_sentence_ends(text)) for text in texts)
    categories = [Counter(map(unicodedata.category, text)) for text in texts]
    letters, numbers, punctuation = (
        to_column(sum(each[name] for name in each if name[0] == initial) for each in categories)
        for initial in "LNP"
    )
    return {
        "length": np.minimum(length / LONG_TEXT, 1),
        "punctuation": punctuation / np.maximum(length, 1),
        "letters": letters / visible,
        "numbers": numbers / visible,
        **{
            name: to_column(len(find(text)) for text in texts) / visible
            for name, find in COUNTED.items()
        },
        "anchors": anchors / visible,
        "upper": upper / np.maximum(upper + lower, 1),
        "no_sentence": ends == 0,
        "sentence_length": np.minimum(length / np.maximum(ends, 1) / LONG_SENTENCE, 1),
        "sentences": np.minimum(np.maximum(ends, 1) / MANY_SENTENCES, 1),
        "copyright": to_column(_copyright(text) is not None for text in texts),
        "ends_sentence": to_column(text.endswith((".", "?", "!")) for text in texts),
    }


def _compute_place_columns(page: Page, length: FloatArray, tags: LeafMarkup) -> Columns:
    whole = max(float(length.sum()), 1.0)
    middle = (np.cumsum(length) - length / 2) / whole
    place = (np.arange(len(page)) + 0.5) / max(len(page), 1)
    starts, ends, characters = (
        sum_by_block(page, column) for column in (tags.starts, tags.ends, tags.characters)
    )
    markup = characters / np.maximum(characters + length, 1)
    first = page.blocks.first_leaf
    return {
        "share_of_text": length / whole,
        "middle_of_text": 2 * np.abs(middle - 0.5),
        "middle_of_blocks": 2 * np.abs(place - 0.5),
        "page_text": np.full(len(page), whole / (whole + tags.page_characters)),
        "markup": markup,
        "by_end_tag": tags.by_end[first],
        "start_tags": starts / np.maximum(starts + ends, 1),
        "skipped": np.minimum(tags.skipped[first] / MANY_SKIPPED, 1),
        "markup_3": _compute_window_mean(markup, 1),
        "markup_5": _compute_window_mean(markup, 2),
    }


def _compute_window_mean(column: FloatArray, radius: int) -> FloatArray:
    place = np.arange(len(column))
    first = np.maximum(place - radius, 0)
    end = np.minimum(place + radius + 1, len(column))
    means: FloatArray = sum_spans(column, first, end) / np.maximum(end - first, 1)
    return means


TEXREX = FeatureGroup(COLUMNS, _compute_division_columns)


# The multi-layer perceptrons, one per language and a pooled one; `training.trainers` fits them

POOLED = "pooled"  # the net for pages of any language
# The fact that lists the nets of a model by language (ISO 639-1, and POOLED).
LANGUAGES = "languages"
# Minimum score of boilerplate (the paper, note 12); texrex's default is .55.
MIN_BOILERPLATE = 0.5
MAX_SUM = 60.0  # sum beyond which a sigmoid is 0 or 1 (keeps exp in range)


@dataclass(frozen=True, eq=False)
class Net:
    """One hidden layer of tanh units (sigmoids on another scale) and a sigmoid at the end.

    It reads the square roots of the columns (most are shares with a long tail), standardized by
    `means` and `scales` (float[columns]). `hidden` is float[columns + 1, units], `output`
    float[units + 1]; the last row of each is the bias.
    """

    means: FloatArray
    scales: FloatArray
    hidden: FloatArray
    output: FloatArray

    def __call__(self, rows: FloatArray) -> FloatArray:
        """float[n]: the score for boilerplate, 0 to 1."""
        inputs = (compute_square_roots(rows) - self.means) / self.scales
        units = np.tanh(inputs @ self.hidden[:-1] + self.hidden[-1])
        sums = units @ self.output[:-1] + self.output[-1]
        scores: FloatArray = 1 / (1 + np.exp(-np.clip(sums, -MAX_SUM, MAX_SUM)))
        return scores

    def arrays(self, language: str) -> Arrays:
        return {f"{name}.{language}": getattr(self, name).astype(np.float32) for name in PARTS}


PARTS = ("means", "scales", "hidden", "output")


def compute_square_roots(rows: FloatArray) -> FloatArray:
    """Return the square roots of |x|, the input of a net."""
    return np.sqrt(np.abs(rows))


def read_nets(model: StoredModel) -> BlockModel:
    """Return the nets of a stored model by language. Raises ModelError if they do not fit."""
    model.check_columns(TEXREX.names)
    names: Any = model.facts.get(LANGUAGES)
    if not isinstance(names, list) or POOLED not in names:
        raise ModelError(f"the model {model.kind!r} has no pooled net: train it again")
    nets = {str(name): _read_net(model, str(name)) for name in names}
    return partial(_label_by_net, nets)


def _label_by_net(nets: Mapping[str, Net], page: Page) -> Prediction:
    language = page.language
    if language is None and len(nets) > 1:
        language = detect_language(" ".join(page.texts))
    boilerplate = nets.get(language or POOLED, nets[POOLED])(TEXREX.build_matrix(page))
    return predict_content(boilerplate < MIN_BOILERPLATE, 1 - boilerplate)


def _read_net(model: StoredModel, language: str) -> Net:
    columns = len(model.columns)
    hidden = read_array(model, f"hidden.{language}", (columns + 1, None)).astype(np.float64)
    check_at_most(model, "numbers a row", hidden.shape[1], MAX_UNITS)
    shapes = {"means": columns, "scales": columns, "output": hidden.shape[1] + 1}
    means, scales, output = (
        read_array(model, f"{name}.{language}", (size,)).astype(np.float64)
        for name, size in shapes.items()
    )
    return Net(means, np.where(scales > 0, scales, 1), hidden, output)
