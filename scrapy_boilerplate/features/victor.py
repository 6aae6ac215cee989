"""Victor's features (Spousta, Marek, Pecina, Victor: the Web-Page Cleaning Tool, WAC4 2008).

Every column is a code, a whole number from 0 up: the number of a bin, a share in steps, a yes.
List, bins and template follow the released program (``cleaneval.conf``, ``cleaneval.tpl``), but
for three things. Left out are `container.img`, which tells the `alt` text of images, no text node
here, and `container.u`. And `bullet` is looked at in the blocks around, as other columns of the
text are: the released template has no line for it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from scrapy_boilerplate.columns import NO_ELEMENT
from scrapy_boilerplate.features.victor_counts import (
    BINS,
    CHARACTERS,
    GROUP_SCALE,
    KINDS,
    PATTERNS,
    SCALE,
    TokenCounts,
    binned,
    bullet_code,
    character_codes,
    pattern_codes,
    scaled,
)
from scrapy_boilerplate.label import BoolArray, IntArray
from scrapy_boilerplate.page import Page

_BOLD, _ITALIC = "b strong", "i em"
_HEADERS, _LISTS = "h1 h2 h3 h4 h5 h6", "dd dir dl dt menu li ol ul"
_FORMS = "button input isindex label"
CONTAINERS = {
    name: frozenset(tags.split())
    for name, tags in {
        "bold": _BOLD,
        "italic": _ITALIC,
        "headers": _HEADERS,
        "lists": _LISTS,
        "forms": _FORMS,
        "p": "p",
        "a": "a",
    }.items()
}
"""Elements that a block may stand in, directly or not."""

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
"""Tags that may stand between a block and the one before it, start or end tags."""

VOID = frozenset({"br", "hr", "img", "input"})
"""Tags without an end tag."""

GROUPS = ("td", "div")

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
"""Columns of the text alone."""

PAGE = ("page_words", "page_sentences", "page_blocks", *(f"max_{group}_words" for group in GROUPS))

_words = re.compile(r"\w+").findall

_share = f"in steps from 0 to {SCALE}"
ABOUT: Mapping[str, str] = MappingProxyType(
    {
        "sentences": "tokens that end in . ? or !, binned",
        **{kind: f"tokens of the kind {kind}, binned" for kind in KINDS},
        **{f"{kind}_share": f"share of the tokens of the kind {kind}, {_share}" for kind in KINDS},
        "sentence_not_started": "1 if the first word has no capital, or there is none",
        "sentence_not_finished": "1 if no sentence ends after the last word, or there is none",
        "word_length": "mean letters of a word, rounded, binned",
        "word_run": "tokens to an unbroken run of words, rounded, binned",
        **{f"{kind}_characters": f"share of {kind} characters, {_share}" for kind in CHARACTERS},
        **{name: f"number of the first pattern of {name} found, 0 for none" for name in PATTERNS},
        "bullet": "kind of number and mark that the text starts with, 0 for none",
        **{f"in_{name}": f"1 in an element of the class {name}" for name in CONTAINERS},
        **{f"split_{n}": f"tags of the class {n} before it, from the block before" for n in SPLITS},
        "split_both": "split_inline and split_block together, as one code",
        "twins": "blocks with the same words, this one included, up to 4",
        "first_twin": "1 for the first of them",
        **{
            f"{group}_words": f"share of the page's words that stand in the same innermost {group} "
            f"and in no link, in steps from 0 to {GROUP_SCALE}"
            for group in GROUPS
        },
        "page_words": "words of the page, binned",
        "page_sentences": "sentences of the page, binned",
        "page_blocks": "blocks of the page, binned",
        **{f"max_{group}_words": f"largest {group}_words of the page" for group in GROUPS},
        "position": f"number of the block in the page, {_share}",
    }
)

ANY, DISTANCE, HERE = (-3, -2, -1, 0, 1, 2, 3), (-2, -1, 0, 1, 2, 3), (0,)

_DISTANCES = frozenset(
    ("sentence_not_started", "sentence_not_finished", "split_both", *(f"split_{n}" for n in SPLITS))
)
_HERE = frozenset((*PAGE, "position", "first_twin"))
TEMPLATE: tuple[tuple[str, int], ...] = tuple(
    (name, offset)
    for name in ABOUT
    for offset in (DISTANCE if name in _DISTANCES else HERE if name in _HERE else ANY)
)
"""Which columns of which blocks tell about a block: (name, offset to it)."""

MAX_CODE = 12
"""The highest code of any column (`bullet`: three kinds of number, four marks)."""


@dataclass(frozen=True)
class VictorFeatures:
    """The columns of ABOUT for a page in text nodes; linear time in text and elements."""

    @property
    def about(self) -> Mapping[str, str]:
        """Names and meanings."""
        return ABOUT

    def __call__(self, page: Page) -> dict[str, IntArray]:
        """int[n] for each name."""
        tokens = [TokenCounts(text) for text in page.texts]
        rows = [
            [*counts.codes(), *character_codes(text), *pattern_codes(text), bullet_code(text)]
            for counts, text in zip(tokens, page.texts, strict=True)
        ]
        columns = dict(zip(COUNTS, _transposed(rows, len(COUNTS)), strict=True))
        columns |= {f"in_{n}": page.in_tags(t).astype(np.int64) for n, t in CONTAINERS.items()}
        columns |= _splits(page)
        columns["twins"], columns["first_twin"] = _twins(page.texts)
        words = np.array([counts.counts["alpha"] for counts in tokens], dtype=np.int64)
        columns |= _groups(page, words, columns["in_a"] == 1)
        numbers = {
            "page_words": int(words.sum()),
            "page_sentences": sum(counts.sentences for counts in tokens),
            "page_blocks": len(page),
        }
        for name, number in numbers.items():
            columns[name] = np.full(len(page), binned(name, number))
        columns["position"] = np.array(
            [scaled(block, len(page)) for block in range(len(page))], dtype=np.int64
        )
        return columns


def _transposed(rows: list[list[int]], width: int) -> IntArray:
    return np.array(rows, dtype=np.int64).reshape(-1, width).T


def _splits(page: Page) -> dict[str, IntArray]:
    """The tags of each class between a block and the one before it (or the start of the page)."""
    opened = np.array(page.leaves.opened, dtype=np.int64)[page.blocks.first_leaf]
    columns = {}
    for name, tags in SPLITS.items():
        one = np.array([tag in tags for tag in page.elements.tags], dtype=np.int64)
        void = one * np.array([tag in VOID for tag in page.elements.tags], dtype=np.int64)
        starts = np.diff(_sums(one)[opened], prepend=0)
        around = _ancestors(page, one)[page.blocks.elements]
        ends = starts - np.diff(around, prepend=0) - np.diff(_sums(void)[opened], prepend=0)
        found = np.searchsorted(np.array(BINS["split"]), starts + np.maximum(ends, 0), side="right")
        columns[f"split_{name}"] = found.astype(np.int64)
    levels = len(BINS["split"]) + 1
    columns["split_both"] = columns["split_inline"] * levels + columns["split_block"]
    return columns


def _ancestors(page: Page, one: IntArray) -> IntArray:
    """int[n_elements]: the sum of an element column over the element and all above it."""
    sums: list[int] = []
    for own, parent in zip(one.tolist(), page.elements.parents, strict=True):
        sums.append(own + (sums[parent] if parent != NO_ELEMENT else 0))
    return np.array(sums, dtype=np.int64)


def _twins(texts: list[str]) -> tuple[IntArray, IntArray]:
    keys = ["-".join(_words(text)) for text in texts]
    counts = Counter(keys)
    twins = np.array([binned("twins", counts[key]) for key in keys], dtype=np.int64)
    first = np.zeros(len(keys), dtype=np.int64)
    first[list({key: block for block, key in reversed(list(enumerate(keys)))}.values())] = 1
    return twins, first


def _groups(page: Page, words: IntArray, in_link: BoolArray) -> dict[str, IntArray]:
    """Words in the same innermost `td` or `div`, in no link; blocks in none are one group."""
    columns = {}
    total = int(words.sum())
    for group in GROUPS:
        innermost = _innermost(page, group)[page.blocks.elements] + 1
        sums = np.bincount(innermost, np.where(in_link, 0, words), len(page.elements) + 1)
        shares = [scaled(int(sums[one]), total, GROUP_SCALE) for one in innermost.tolist()]
        columns[f"{group}_words"] = np.array(shares, dtype=np.int64)
        columns[f"max_{group}_words"] = np.full(len(page), max(shares, default=0))
    return columns


def _innermost(page: Page, group: str) -> IntArray:
    """int[n_elements]: the nearest element around with the tag `group`, or itself; NO_ELEMENT."""
    found: list[int] = []
    for element, (tag, parent) in enumerate(
        zip(page.elements.tags, page.elements.parents, strict=True)
    ):
        above = found[parent] if parent != NO_ELEMENT else NO_ELEMENT
        found.append(element if tag == group else above)
    return np.array(found, dtype=np.int64)


def _sums(column: IntArray) -> IntArray:
    sums: IntArray = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(column)))
    return sums
