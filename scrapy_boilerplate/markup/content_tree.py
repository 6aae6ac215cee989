"""Build a new, validly nested tree of the leaves and media of the article."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from lxml import etree

from scrapy_boilerplate.markup.media import EMBEDS, IMAGES, read_medium
from scrapy_boilerplate.markup.outline import (
    IMPLIED_CHILDREN,
    PREFORMATTED,
    TOP,
    ElementForest,
    Outline,
    find_layout_tables,
)
from scrapy_boilerplate.markup.selection import Selection, select_content
from scrapy_boilerplate.markup.urls import clean_url, find_base_url
from scrapy_boilerplate.page.columns import Break, Elements
from scrapy_boilerplate.page.labels import Labeling
from scrapy_boilerplate.page.limits import NO_CLOCK, Clock
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.parsing import find_roots
from scrapy_boilerplate.page.tags import INLINE
from scrapy_boilerplate.page.text import is_blank

WITH_ATTRIBUTES = EMBEDS | IMAGES | frozenset(("a", "td", "th", "ol", "table"))
NUMERIC_ATTRIBUTES = {"td": ("colspan", "rowspan"), "th": ("colspan", "rowspan"), "ol": ("start",)}
# Inline ancestors of an image that are skipped at most to find its paragraph (our choice).
MAX_INLINE = 64
# Elements whose only paragraph is replaced by its content.
UNWRAPPED_TAGS = frozenset(("li", "td", "th", "dt", "dd", "figcaption", "caption"))

_number = re.compile(r"\d{1,3}").fullmatch
_drop_unprintable = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]").sub


def build_content_tree(
    page: Page, labeling: Labeling, root: etree._Element, clock: Clock = NO_CLOCK
) -> etree._Element:
    """Return a `div` with the article of a labelled page.

    `root`, the page's tree, is only read. Linear in the size of the page, whatever its depth.
    Raises OutOfTimeError once `clock` is over.
    """
    builder = _TreeBuilder(page, select_content(page, labeling), root)
    builder.write_content(clock)
    tree = builder.writer.finish()
    # unwrap the only paragraph, which lists may follow
    for element in list(tree.iter(*UNWRAPPED_TAGS)):
        first = next(iter(element), None)
        if first is None or first.tag != "p" or element.text:
            continue
        if all(other.tag in ("ul", "ol") for other in first.itersiblings()):
            element.remove(first)
            element.text = first.text
            for position, child in enumerate(list(first)):
                element.insert(position, child)
    return tree


def _find_nodes(elements: Elements, root: etree._Element) -> dict[int, etree._Element]:
    """Return element index to element of the tree, for `WITH_ATTRIBUTES`; the tree is only read.

    A subtree that was not read is one element in the columns. The result is empty if the tree does
    not fit the columns, since its elements may have been removed.
    """
    nodes: dict[int, etree._Element] = {}
    tags, ends, index = elements.tags, elements.ends, 0
    for tree in find_roots(root):
        walker = etree.iterwalk(tree, events=("start",))
        for _, node in walker:
            tag, name = tags[index] if index < len(tags) else "", node.tag
            local = name.rpartition("}")[2].lower() if isinstance(name, str) else "&"
            if not tag or tag not in (name, local):
                return {}
            if tag in WITH_ATTRIBUTES:
                nodes[index] = node
            if ends[index] == index + 1:
                walker.skip_subtree()
            index += 1
    return nodes if index == len(tags) else {}


class PathStep(NamedTuple):
    """An element of a path in the new tree.

    `key` tells it from others of its tag; `own_line` is whether it ends its line.
    """

    key: object
    tag: str
    attributes: Mapping[str, str] = MappingProxyType({})
    own_line: bool = True


class _TreeBuilder:
    """Writes the selected leaves and media of one page to a tree."""

    def __init__(self, page: Page, selection: Selection, root: etree._Element) -> None:
        self._page, self._selection = page, selection
        self._base = find_base_url(root, page.url)
        self._nodes = _find_nodes(page.elements, root)
        parents = np.array(page.leaves.elements, dtype=np.int64)[selection.leaves]
        leaf_counts = np.bincount(parents, minlength=len(page.elements)).astype(np.int64)
        counts = page.elements.subtree_sums(leaf_counts).tolist()
        self._links: dict[int, str] = {}
        for element, node in self._nodes.items():
            if counts[element] and page.elements.tags[element] == "a":
                url = clean_url(node.get("href"), self._base)
                if url is not None:
                    self._links[element] = url
        anchors = {element for element, tag in enumerate(page.elements.tags) if tag == "a"}
        left_out = find_layout_tables(page.elements, counts) | (anchors - self._links.keys())
        self._outline = Outline(page.elements, left_out, selection.boxes)
        self.writer = TreeWriter()
        self._paragraph = 0
        self._path: list[PathStep] = []
        self._owner = TOP
        self._written_urls: set[str] = set()
        self._structures: dict[int, list[PathStep]] = {TOP: []}
        self._inlines: dict[int, list[PathStep]] = {TOP: []}

    def write_content(self, clock: Clock) -> None:
        """Write leaves and media in document order."""
        media = iter([*self._selection.media, len(self._page.elements) + 1])
        medium = next(media)
        leaves = zip(self._selection.leaves, self._selection.breaks, strict=True)
        for number, (leaf, before) in enumerate(leaves):
            if number % clock.INTERVAL == 0:
                clock.check()
            while medium < self._page.leaves.opened[leaf]:
                self._write_medium(medium)
                medium = next(media)
            self._write_leaf(leaf, before)
        while medium < len(self._page.elements):
            if medium % clock.INTERVAL == 0:
                clock.check()
            self._write_medium(medium)
            medium = next(media)

    def _write_leaf(self, leaf: int, before: Break) -> None:
        leaves, writer = self._page.leaves, self.writer
        element, text = leaves.elements[leaf], leaves.texts[leaf]
        if before == Break.PARAGRAPH:
            self._paragraph += 1
        block = self._outline.block_of[element]
        tag = "p" if block == TOP else self._page.elements.tags[block]
        is_preformatted = tag in PREFORMATTED
        if is_blank(text) and not is_preformatted:
            writer.add_space()
            return
        key = ("p", self._paragraph) if block == TOP else ("block", block)
        above = self._find_structure(element, is_caption=leaf in self._selection.captions)
        self._path = [*above, PathStep(key, "pre" if is_preformatted else tag)]
        if before and writer.is_in(self._path):
            writer.go_to(self._path)
            if is_preformatted:
                writer.add_preformatted("\n")
            else:
                writer.add_empty("br", {})
        self._owner = leaves.owners[leaf]
        if is_preformatted:
            writer.go_to(self._path)
            writer.add_preformatted(text)
        else:
            if text[0].isspace():
                writer.add_space()
            writer.go_to([*self._path, *self._find_inline(element)])
            writer.add_text(text)

    def _find_structure(self, element: int, *, is_caption: bool = False) -> list[PathStep]:
        """Return the path of lists, quotes, tables and figures that an element stands in."""
        structure = self._outline.structure
        parent = self._outline.structure_of[element]
        steps = self._find_steps(self._structures, structure, parent)
        tag = structure.tag(parent)
        if is_caption and tag == "figure":
            return [*steps, PathStep(("caption", parent), "figcaption")]
        fills = IMPLIED_CHILDREN.get(tag, ())
        return [*steps, *(PathStep(("fill", fill, self._paragraph), fill) for fill in fills)]

    def _find_inline(self, element: int) -> list[PathStep]:
        """Return the path of inline elements that an element stands in."""
        inline = self._outline.inline
        return self._find_steps(self._inlines, inline, self._outline.inline_of[element])

    def _find_steps(
        self, known: dict[int, list[PathStep]], forest: ElementForest, node: int
    ) -> list[PathStep]:
        """Return the path down to a node of the new tree; `known` keeps it."""
        below = []
        while node not in known:
            below.append(node)
            node = forest.parents[node]
        steps = known[node]
        for inner in reversed(below):
            steps = known[inner] = [*steps, self._make_step(forest, inner)]
        return steps

    def _make_step(self, forest: ElementForest, node: int) -> PathStep:
        tag, place = forest.tags[node], forest.elements[node]
        if forest is self._outline.inline:
            attributes = {"href": self._links[place]} if tag == "a" else {}
            return PathStep(("inline", node), tag, attributes, own_line=False)
        element, numbers = self._nodes.get(place), {}
        if element is not None and self._page.elements.tags[place] == tag:
            for name in NUMERIC_ATTRIBUTES.get(tag, ()):
                if number := _number((element.get(name) or "").strip()):
                    numbers[name] = number[0]
        return PathStep(("structure", node), tag, numbers)

    def _write_medium(self, element: int) -> None:
        node, elements, writer = self._nodes.get(element), self._page.elements, self.writer
        medium = None if node is None else read_medium(node, self._base)
        if medium is None or medium.url in self._written_urls:
            return
        self._written_urls.add(medium.url)
        owner = element if elements.tags[element] in IMAGES else TOP
        if owner != TOP:
            for _ in range(MAX_INLINE):
                if elements.tags[owner] not in INLINE:
                    break
                owner = elements.parents[owner]
        if medium.is_image and owner == self._owner and writer.is_in(self._path):
            writer.go_to(self._path)
        else:
            self._paragraph += 1
            self._path = self._find_structure(element)
            if not (medium.is_image and self._path and self._path[-1].tag == "figure"):
                self._path.append(PathStep(("p", self._paragraph), "p"))
            self._owner = TOP
            writer.go_to(self._path)
        if medium.is_image:
            writer.add_empty("img", {"src": medium.url, "alt": medium.text})
        else:
            link = PathStep("embed", "a", {"href": medium.url}, own_line=False)
            writer.go_to([*self._path, link])
            writer.add_text(medium.text or medium.url)
            writer.go_to(self._path)


@dataclass
class _OpenElement:
    key: object
    element: etree._Element
    own_line: bool
    last: etree._Element | None = None


class TreeWriter:
    """Writes a tree from left to right, with white space as HTML shows it. Linear time.

    `go_to` opens the elements of a path and closes others. Text is collected and set once for each
    element, since every addition would copy it.
    """

    def __init__(self) -> None:
        self.root = etree.Element("div")
        self._stack = [_OpenElement(None, self.root, own_line=False)]
        self._text: list[str] = []
        self._at_line_start, self._space_pending = True, False

    def is_in(self, path: Sequence[PathStep]) -> bool:
        """Return whether every element of the path is open."""
        return self._count_open(path) == len(path)

    def go_to(self, path: Sequence[PathStep]) -> None:
        """Close what is not on the path, open what is missing."""
        common = self._count_open(path)
        while len(self._stack) - 1 > common:
            self._flush()
            closed = self._stack.pop()
            if closed.own_line:
                closed.element.tail = "\n"
                self._at_line_start, self._space_pending = True, False
        for step in path[common:]:
            if step.own_line:
                self._at_line_start, self._space_pending = True, False
            else:
                self._write_space()
            element = self._add_element(step.tag, step.attributes)
            self._stack.append(_OpenElement(step.key, element, step.own_line))

    def add_space(self) -> None:
        """Add white space before the next text or inline element."""
        self._space_pending = True

    def add_text(self, text: str) -> None:
        """Add text with white space collapsed, and without any at the start of a block."""
        words = _drop_unprintable("", " ".join(text.split()))
        if words:
            if self._space_pending and not self._at_line_start:
                self._text.append(" ")
            self._text.append(words)
            self._at_line_start, self._space_pending = False, text[-1].isspace()

    def add_preformatted(self, text: str) -> None:
        """Add text with its white space."""
        self._text.append(_drop_unprintable("", text.replace("\r\n", "\n").replace("\r", "\n")))

    def add_empty(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Add an element without content, such as `br`."""
        if tag == "br":
            self._at_line_start, self._space_pending = True, False
        else:
            self._write_space()
            self._at_line_start = False
        self._add_element(tag, attributes)

    def finish(self) -> etree._Element:
        """Close all elements; return the root, a `div`."""
        self.go_to(())
        self._flush()
        return self.root

    def _count_open(self, path: Sequence[PathStep]) -> int:
        """Return how many elements of the path are open, from the first on."""
        common = 0
        for step, opened in zip(path, self._stack[1:], strict=False):
            if step.key != opened.key:
                break
            common += 1
        return common

    def _add_element(self, tag: str, attributes: Mapping[str, str]) -> etree._Element:
        self._flush()
        above = self._stack[-1]
        above.last = etree.SubElement(above.element, tag, dict(attributes))
        return above.last

    def _write_space(self) -> None:
        if self._space_pending and not self._at_line_start:
            self._text.append(" ")
        self._space_pending = False

    def _flush(self) -> None:
        if not self._text:
            return
        text, above = "".join(self._text), self._stack[-1]
        self._text.clear()
        if above.last is None:
            above.element.text = (above.element.text or "") + text
        else:
            above.last.tail = (above.last.tail or "") + text
