"""Victor: a conditional random field over text nodes (Spousta, Marek, Pecina, WAC4 2008).

Every column is a code, an integer from 0: the number of a bin, a share in steps, or a flag.
Columns, bins and template follow the released program (``cleaneval.conf``, ``cleaneval.tpl``), as
do tokens and classes (``Victor/Features/Counts/Generic.pm``, ``Characters.pm``,
``CLEANEVAL/Lists.pm``, ``Regexp.pm``). A *token* is a run of letters, digits and underscores, or of
other visible characters.

Deviations: `container.img` (the `alt` text of images) and `container.u` are left out. The released
template has no line for `bullet`; here it takes it from the same blocks as other columns of text.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.model_store import StoredModel, read_array
from scrapy_boilerplate.systems.common.block_model import (
    BlockModel,
    Prediction,
    label_chain,
    read_class_labels,
)
from scrapy_boilerplate.systems.common.columns import (
    FeatureGroup,
    cumulate,
    find_innermost,
    shift_column,
    sum_around,
)

# Counts of the text of a block

# The lowest number of each bin.
BINS = {
    "sentences": (1, 2, 4, 8, 16),
    "alpha": (1, 2, 4, 8, 16, 32, 64, 128),
    "num": (1, 2, 4, 8, 16),
    "mixed": (1, 2, 4, 8, 16),
    "other": (1, 2, 4, 8, 16),
    "word_length": (1, 2, 4, 6, 8, 10),
    "word_run": (1, 2, 3, 4, 6, 8, 12, 16, 32, 64),
    "twins": (1, 2, 3, 4),
    "split": (1, 2),
    "page_words": (1, 32, 64, 128, 256, 512, 1024, 2048),
    "page_sentences": (1, 8, 16, 32, 64, 128, 256, 512),
    "page_blocks": (1, 8, 16, 32, 64, 128, 256, 512),
}

# Shares are steps from 0 to this number; shares of BOXES have fewer.
SCALE, BOX_SCALE = 10, 4
# Tokens of letters, of the digits 0 to 9, of both, and of anything else but punctuation.
KINDS = ("alpha", "num", "mixed", "other")

CHARACTERS = ("alpha", "num", "punct", "white", "other")

_DAY = r"\b(?:mon|tue|wed|thu|fri|sat|sun)\s+"
_DAY_MONTH = r"\d\d?.\s?\d\d?"
# Name to patterns; the feature is the number of the first that is found, 0 for none.
PATTERNS = {
    "url": (r"\bhttp://", r"\bwww\.[a-z0-9]", r"[a-z0-9]\.(?:com|net|org)\b"),
    "date": tuple(
        rf"{day}{_DAY_MONTH}{year}\b"
        for year in (r".\s?[12]\d\d\d", r".\s?\d\d", "")
        for day in (_DAY, r"\b")
    ),
    "time": (r"\b\d\d?:\d\d\s+(?:am|pm)\b", r"\b\d\d?:\d\d\b"),
}

Search = Callable[[str], object]

_PATTERNS: Mapping[str, list[Search]] = {
    name: [re.compile(pattern, re.IGNORECASE).search for pattern in patterns]
    for name, patterns in PATTERNS.items()
}
_has_digit = re.compile(r"\d").search
# A text without a match, as most texts, cannot match any of PATTERNS.
_NEEDS: Mapping[str, Search] = {
    "url": re.compile(r"[.:]").search,
    "date": _has_digit,
    "time": _has_digit,
}
_tokens = re.compile(r"\w+|[^\w\s]+").findall
_bullet = re.compile(r"\s*(?:([0-9]+)|([a-z]+)|([A-Z]+))(\.|\)|/| -)").match
_BULLET_MARKS = (".", ")", "/", " -")
_only_punctuation = re.compile(r"[,:;.?!]+").fullmatch


def find_bin(name: str, number: int) -> int:
    """Return the index of the bin of BINS that contains `number`, 0 below the first."""
    return bisect_right(BINS[name], number)


def to_steps(part: int, whole: int, scale: int = SCALE) -> int:
    """Return a share as a step from 0 to `scale`; 0 if `whole` is 0."""
    return min(scale, part * (scale + 1) // whole) if whole else 0


def code_tokens(text: str) -> tuple[list[int], int, int]:
    """Return the codes of the tokens of a text, its number of words, and of sentences.

    A sentence ends with a token in . ? or !; the last one is finished if no word follows.
    """
    counts = dict.fromkeys(KINDS, 0)
    n_sentences = n_tokens = n_letters = n_runs = 0
    is_started = False
    last_word, last_stop = -1, -1
    for place, token in enumerate(_tokens(text)):
        if token[-1] in ".?!":
            n_sentences, last_stop = n_sentences + 1, place
        kind = _kind(token)
        if kind is None:
            continue
        n_tokens += 1
        counts[kind] += 1
        if kind == "alpha":
            n_letters += len(token)
            n_runs += last_word < 0 or last_word != place - 1
            is_started = token[0].isupper() if last_word < 0 else is_started
            last_word = place
    codes = [
        find_bin("sentences", n_sentences),
        *(find_bin(kind, counts[kind]) for kind in KINDS),
        *(to_steps(counts[kind], n_tokens) for kind in KINDS),
        int(not is_started),
        int(not 0 <= last_word <= last_stop),
        find_bin("word_length", _round_mean(n_letters, counts["alpha"])),
        find_bin("word_run", _round_mean(n_tokens, n_runs)),
    ]
    return codes, counts["alpha"], n_sentences


def code_characters(text: str) -> list[int]:
    """Return the share of each of CHARACTERS, in steps."""
    alpha = sum(map(str.isalpha, text))
    num, punct = (sum(map(text.count, marks)) for marks in ("0123456789", ",:;.?!"))
    white = sum(map(str.isspace, text))
    counts = (alpha, num, punct, white, len(text) - alpha - num - punct - white)
    return [to_steps(count, len(text)) for count in counts]


def code_patterns(text: str) -> list[int]:
    """Return the number of the first of each of PATTERNS that is found in a text."""
    return [
        next((number for number, search in enumerate(searches, start=1) if search(text)), 0)
        if _NEEDS[name](text)
        else 0
        for name, searches in _PATTERNS.items()
    ]


def code_bullet(text: str) -> int:
    """Return the code of the list marker at the start of a text, by its kind and mark, or 0."""
    match = _bullet(text)
    if not match:
        return 0
    kind = next(number for number in range(3) if match[number + 1])
    return 1 + kind * len(_BULLET_MARKS) + _BULLET_MARKS.index(match[4])


def _kind(token: str) -> str | None:
    if token.isalpha():
        return "alpha"
    if token.isascii() and token.isdigit():
        return "num"
    if token.isalnum():
        return "mixed"
    return None if _only_punctuation(token) else "other"


def _round_mean(part: int, whole: int) -> int:
    return (2 * part + whole) // (2 * whole) if whole else 0


# Columns of a block in its page

_BOLD, _ITALIC = "b strong", "i em"
_HEADERS, _LISTS = "h1 h2 h3 h4 h5 h6", "dd dir dl dt menu li ol ul"
_FORMS = "button input isindex label"
# Elements that may contain a block, directly or not.
CONTAINERS = {
    "bold": frozenset(_BOLD.split()),
    "italic": frozenset(_ITALIC.split()),
    "headers": frozenset(_HEADERS.split()),
    "lists": frozenset(_LISTS.split()),
    "forms": frozenset(_FORMS.split()),
    "p": frozenset({"p"}),
    "a": frozenset({"a"}),
}

# Start and end tags that may be between a block and the one before it.
SPLITS = {
    "inline": frozenset(
        f"{_BOLD} {_ITALIC} a abbr acronym bdo big br cite code font img ins kbd noscript samp "
        "small span sub sup tt u var".split()
    ),
    "block": frozenset(
        f"{_HEADERS} {_LISTS} {_FORMS} address blockquote caption center dfn div layer hr legend "
        "noframes p pre q td th title marquee".split()
    ),
    "p": frozenset({"p"}),
    "br": frozenset({"br"}),
    "hr": frozenset({"hr"}),
}

VOID = frozenset({"br", "hr", "img", "input"})  # tags without an end tag

BOXES = ("td", "div")

# Columns of the text of a block.
COUNTS = (
    "sentences",
    *KINDS,
    *(f"{kind}_share" for kind in KINDS),
    "sentence_not_started",
    "sentence_not_finished",
    "word_length",
    "word_run",
    *(f"{kind}_characters" for kind in CHARACTERS),
    *PATTERNS,
    "bullet",
)

PAGE = ("page_words", "page_sentences", "page_blocks", *(f"max_{box}_words" for box in BOXES))

_words = re.compile(r"\w+").findall

COLUMNS = (
    *COUNTS,
    *(f"in_{name}" for name in CONTAINERS),
    *(f"split_{name}" for name in SPLITS),
    *("split_both", "twins", "first_twin"),
    *(f"{box}_words" for box in BOXES),
    *PAGE,
    "position",
)

_OFFSETS = {
    **dict.fromkeys(("sentence_not_started", "sentence_not_finished", "split_both"), range(-2, 4)),
    **dict.fromkeys((f"split_{name}" for name in SPLITS), range(-2, 4)),
    **dict.fromkeys((*PAGE, "position", "first_twin"), range(1)),
}
# The columns that the CRF reads for a block: (name, offset of the block of the value).
TEMPLATE: tuple[tuple[str, int], ...] = tuple(
    (name, offset) for name in COLUMNS for offset in _OFFSETS.get(name, range(-3, 4))
)

MAX_CODE = 12  # the highest code of any column (`bullet`: three kinds of number, four marks)


def compute_codes(page: Page) -> dict[str, IntArray]:
    """Return int[n] for each name of COLUMNS, for a page in text nodes; linear time."""
    tokens = [code_tokens(text) for text in page.texts]
    rows = [
        [*codes, *code_characters(text), *code_patterns(text), code_bullet(text)]
        for (codes, _, _), text in zip(tokens, page.texts, strict=True)
    ]
    matrix = np.array(rows, dtype=np.int64).reshape(-1, len(COUNTS))
    columns = dict(zip(COUNTS, matrix.T, strict=True))
    columns |= {f"in_{n}": page.in_tags(t).astype(np.int64) for n, t in CONTAINERS.items()}
    columns |= _count_splits(page)
    columns["twins"], columns["first_twin"] = _count_twins(page.texts)
    words = np.array([n_words for _, n_words, _ in tokens], dtype=np.int64)
    columns |= _count_boxes(page, words, columns["in_a"] == 1)
    numbers = {
        "page_words": int(words.sum()),
        "page_sentences": sum(n_sentences for _, _, n_sentences in tokens),
        "page_blocks": len(page),
    }
    for name, number in numbers.items():
        columns[name] = np.full(len(page), find_bin(name, number))
    columns["position"] = np.array(
        [to_steps(block, len(page)) for block in range(len(page))], dtype=np.int64
    )
    return columns


def _count_splits(page: Page) -> dict[str, IntArray]:
    """Count the tags of each class between a block and the previous block (or the page's start)."""
    opened = np.array(page.leaves.opened, dtype=np.int64)[page.blocks.first_leaf]
    void = page.elements.tagged(VOID)
    columns = {}
    for name, tags in SPLITS.items():
        in_class = page.elements.tagged(tags).astype(np.int64)
        starts = np.diff(cumulate(in_class)[opened], prepend=0)
        around = sum_around(page.elements, in_class)
        closed = np.diff(around[page.blocks.elements], prepend=0)
        ends = starts - closed - np.diff(cumulate(in_class * void)[opened], prepend=0)
        codes = np.searchsorted(np.array(BINS["split"]), starts + np.maximum(ends, 0), side="right")
        columns[f"split_{name}"] = codes.astype(np.int64)
    levels = len(BINS["split"]) + 1
    columns["split_both"] = columns["split_inline"] * levels + columns["split_block"]
    return columns


def _count_twins(texts: list[str]) -> tuple[IntArray, IntArray]:
    keys = ["-".join(_words(text)) for text in texts]
    counts = Counter(keys)
    twins = np.array([find_bin("twins", counts[key]) for key in keys], dtype=np.int64)
    first = np.zeros(len(keys), dtype=np.int64)
    first[list({key: block for block, key in reversed(list(enumerate(keys)))}.values())] = 1
    return twins, first


def _count_boxes(page: Page, words: IntArray, in_link: BoolArray) -> dict[str, IntArray]:
    """Words outside links in the same innermost `td` or `div`; other blocks count together."""
    columns = {}
    total = int(words.sum())
    for box in BOXES:
        innermost = find_innermost(page.elements, page.elements.tagged(frozenset({box})))
        elements = innermost[page.blocks.elements] + 1
        sums = np.bincount(elements, np.where(in_link, 0, words), len(page.elements) + 1)
        shares = [to_steps(int(sums[number]), total, BOX_SCALE) for number in elements.tolist()]
        columns[f"{box}_words"] = np.array(shares, dtype=np.int64)
        columns[f"max_{box}_words"] = np.full(len(page), max(shares, default=0))
    return columns


# A linear-chain CRF over coded columns (docs/systems/victor.md)

OUTSIDE = MAX_CODE + 1  # the code before the first block and after the last
CODES = MAX_CODE + 2

# The entries of the template, ``bullet``, ``bullet@-1``, ...
TEMPLATE_COLUMNS = tuple(f"{name}@{offset:+d}" if offset else name for name, offset in TEMPLATE)


def _code_template(page: Page) -> dict[str, IntArray]:
    columns = compute_codes(page)
    coded = {}
    for entry, (name, offset) in zip(TEMPLATE_COLUMNS, TEMPLATE, strict=True):
        # codes are shifted by one, so that 0 means blocks beyond the ends
        codes = shift_column(columns[name] + 1, offset) - 1
        coded[entry] = np.where(codes < 0, OUTSIDE, codes)
    return coded


VICTOR = FeatureGroup(TEMPLATE_COLUMNS, _code_template)


def read_chain(model: StoredModel) -> BlockModel:
    """Return the CRF of a stored model. Raises ModelError for another model.

    Blocks get the label of their class in the best chain. The arrays are `state` float[template,
    CODES, L] and `transition` float[L, L] of the classes; two classes may have one label.
    """
    model.check_columns(TEMPLATE_COLUMNS)
    labels = read_class_labels(model)
    size = len(labels)
    state = read_array(model, "state", (len(TEMPLATE), CODES, size)).astype(np.float64)
    transition = read_array(model, "transition", (size, size)).astype(np.float64)
    return partial(_label_by_chain, state.reshape(-1, size), transition, labels)


def _label_by_chain(
    state: FloatArray, transition: FloatArray, labels: IntArray, page: Page
) -> Prediction:
    rows = VICTOR.build_matrix(page)
    entries = rows.astype(np.int64) + np.arange(rows.shape[1]) * CODES
    pairs = np.repeat(transition[None], len(rows), axis=0)
    return label_chain(state[entries].sum(axis=1), pairs, labels)
