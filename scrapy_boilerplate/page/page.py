"""A web page: its columns, and the columns that are computed from them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from scrapy_boilerplate.native.text import read_blocks
from scrapy_boilerplate.page.columns import (
    NO_BLOCKS,
    PREFORMATTED,
    Blocks,
    Break,
    Elements,
    Leaves,
    find_xpaths,
)
from scrapy_boilerplate.page.declared import NOTHING_DECLARED, Declared
from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray
from scrapy_boilerplate.page.text import collapse, keep_lines, wrap_lines

S = TypeVar("S", bound="Remembering")
T = TypeVar("T")

# names of the meta tags that describe a page
DESCRIPTIONS = frozenset({"description", "og:description", "twitter:description"})

# the type of schema.org, and the end of the names of its subtypes
NEWS_ARTICLE = "NewsArticle"

_is_html5 = re.compile(
    r"<!doctype\s+html\s*(?:system\s+[\"']about:legacy-compat[\"']\s*)?>", re.IGNORECASE
).match


class Remembering:
    """Keeps the values that functions compute of an object.

    The properties of the object's own class are kept by `cached_property`.
    """

    @cached_property
    def _remembered(self) -> dict[Callable[[Any], Any], Any]:
        return {}

    def remember(self: S, compute: Callable[[S], T]) -> T:
        """Return ``compute(self)``; the function is called once for each object."""
        remembered = self._remembered
        if compute not in remembered:
            remembered[compute] = compute(self)
        value: T = remembered[compute]
        return value


@dataclass(frozen=True, eq=False)
class Page(Remembering):
    """The columns of one web page. Derived columns are computed once, on first use.

    `url` and `language` (ISO 639-1 as declared) are None where unknown; `title` and `doctype` (as
    lxml writes it) are "".
    """

    elements: Elements
    leaves: Leaves
    blocks: Blocks = NO_BLOCKS
    url: str | None = None
    language: str | None = None
    title: str = ""
    declared: Declared = NOTHING_DECLARED
    doctype: str = ""

    def __len__(self) -> int:
        return len(self.blocks)

    @cached_property
    def description(self) -> str:
        """The first description in the meta tags (`DESCRIPTIONS`); "" without one."""
        for name, content in self.declared.metas:
            if name in DESCRIPTIONS:
                return collapse(content)
        return ""

    @cached_property
    def has_open_graph_or_json_ld(self) -> bool:
        """Whether the page has metadata of Open Graph or JSON-LD."""
        metas = self.declared.metas
        return bool(self.declared.json_ld) or any(name.startswith("og:") for name, _ in metas)

    @cached_property
    def is_modern(self) -> bool:
        """Whether the page has Open Graph or JSON-LD, or the doctype of HTML5."""
        return self.has_open_graph_or_json_ld or _is_html5(self.doctype) is not None

    @cached_property
    def declares_news_article(self) -> bool:
        """Whether JSON-LD or microdata contain a news article, of this page or another."""
        types = (item_type for _, _, item_type in self.declared.microdata)
        return any(NEWS_ARTICLE in text for text in (*self.declared.json_ld, *types))

    def with_blocks(self, blocks: Blocks) -> Page:
        """Return a page with the same leaves in other blocks, without derived columns."""
        # `dataclasses.replace` takes three times as long
        rest = (self.url, self.language, self.title, self.declared, self.doctype)
        return Page(self.elements, self.leaves, blocks, *rest)

    @cached_property
    def texts(self) -> list[str]:
        """The text of each block, with white space collapsed and a space for each break inside."""
        return self._read[0]

    @cached_property
    def words(self) -> IntArray:
        """int[n]: number of words of each block."""
        return self._read[1]

    @cached_property
    def link_words(self) -> IntArray:
        """int[n]: number of words of each block that a hyperlink encloses."""
        return self._read[2]

    @cached_property
    def link_density(self) -> FloatArray:
        """float[n]: share of the words of each block that are in links; 0 without words."""
        density: FloatArray = self.link_words / np.maximum(self.words, 1)
        return density

    @cached_property
    def full_line_words(self) -> IntArray:
        """int[n]: words on full lines of each block, wrapped at 80 characters."""
        return self._wrapped[:, 0]

    @cached_property
    def full_lines(self) -> IntArray:
        """int[n]: full lines of each block, wrapped at 80 characters; at least 1."""
        return self._wrapped[:, 1]

    @cached_property
    def text_density(self) -> FloatArray:
        """float[n]: words per full line (Kohlschuetter et al. 2010, section 3.4)."""
        density: FloatArray = self.full_line_words / self.full_lines
        return density

    @cached_property
    def tags(self) -> list[str]:
        """The tag of the containing element of each block."""
        return list(map(self.elements.tags.__getitem__, self.blocks.elements.tolist()))

    @cached_property
    def longest_leaves(self) -> IntArray:
        """int[n]: the longest leaf of each block, the first if several are equally long."""
        return self._read[3]

    @cached_property
    def leaf_blocks(self) -> IntArray:
        """int[n_leaves]: the block of each leaf."""
        return np.repeat(np.arange(len(self)), self.blocks.end_leaf - self.blocks.first_leaf)

    @cached_property
    def inner_elements(self) -> IntArray:
        """int[n]: the element of the longest leaf of each block."""
        elements: IntArray = self.leaves.element_column[self.longest_leaves]
        return elements

    @cached_property
    def xpaths(self) -> list[str]:
        """An absolute XPath of the element of each block; "" where it is nested too deep."""
        return find_xpaths(self.elements, self.blocks.elements.tolist())

    def join_blocks(self, blocks: Sequence[int]) -> str:
        """Return the text of `blocks` (in order).

        Parts of one line are joined. Lines of one paragraph, and of preformatted text, are
        separated by a line break, paragraphs by a blank line.
        """
        leaves, breaks, texts = self.leaves.texts, self.leaves.breaks, self.texts
        chosen = np.asarray(blocks, dtype=np.int64)
        firsts = self.blocks.first_leaf[chosen].tolist()
        ends = self.blocks.end_leaf[chosen].tolist()
        parts: list[str] = []
        before = -1
        # once: access to a member of an enum is slow
        line, paragraph, is_preformatted = Break.LINE, Break.PARAGRAPH, self._is_preformatted
        for block, first, end in zip(blocks, firsts, ends, strict=True):
            kind = breaks[first]
            if parts and (block != before + 1 or kind == paragraph):
                parts.append("\n\n")
            elif parts and kind == line:
                parts.append("\n")
            elif parts and (leaves[first][:1].isspace() or leaves[first - 1][-1:].isspace()):
                parts.append(" ")
            has_breaks = end - first > 1 and any(breaks[first + 1 : end])
            if is_preformatted and is_preformatted[block] and not has_breaks:
                parts.append(keep_lines("".join(leaves[first:end])))
            else:
                parts.append(self._join_lines(first, end) if has_breaks else texts[block])
            before = block
        return "".join(parts)

    def _join_lines(self, first: int, end: int) -> str:
        leaves, breaks = self.leaves.texts, self.leaves.breaks
        starts = [leaf for leaf in range(first, end) if leaf == first or breaks[leaf]]
        parts: list[str] = []
        for start, stop in zip(starts, [*starts[1:], end], strict=True):
            text = collapse("".join(leaves[start:stop]))
            between = "\n" if breaks[start] == Break.LINE else "\n\n"
            if text:
                parts.append(f"{between}{text}" if parts else text)
        return "".join(parts)

    @cached_property
    def _is_preformatted(self) -> list[bool]:
        """Whether each block is preformatted; empty for a page without such elements."""
        in_tags: list[bool] = []
        if self.elements.has_any(PREFORMATTED):
            in_tags = self.in_tags(PREFORMATTED).tolist()
        return in_tags

    def leaves_in(self, element: int) -> range:
        """Return the leaves inside an element; logarithmic time."""
        return self.leaves.find_inside(element, self.elements.ends[element])

    def in_tags(self, tags: frozenset[str]) -> BoolArray:
        """Return bool[n]: blocks inside an element with one of `tags`, at any depth."""
        within: BoolArray = self.elements.inside(tags)[self.blocks.elements]
        return within

    def sum_by_element(self, column: IntArray) -> IntArray:
        """Return int[n_elements]: the sum of a block column over the blocks in each element."""
        of_elements = np.bincount(self.blocks.elements, column, len(self.elements))
        return self.elements.sum_subtrees(of_elements.astype(np.int64))

    @cached_property
    def _wrapped(self) -> IntArray:
        return np.array(list(map(wrap_lines, self.texts)), dtype=np.int64).reshape(-1, 2)

    @cached_property
    def _read(self) -> tuple[list[str], IntArray, IntArray, IntArray]:
        leaves, blocks = self.leaves, self.blocks
        texts, *columns = read_blocks(
            *(leaves.texts, leaves.breaks, leaves.in_link),
            *(blocks.first_leaf.tobytes(), blocks.end_leaf.tobytes()),
        )
        words, link_words, longest = (np.frombuffer(column, np.int64) for column in columns)
        return texts, words, link_words, longest
