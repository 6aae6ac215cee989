"""Build a new, validly nested tree of the leaves and media of the article."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

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
        children = list(element)
        if not children or children[0].tag != "p" or element.text:
            continue
        if all(other.tag in ("ul", "ol") for other in children[1:]):
            first = children[0]
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


@dataclass(eq=False, slots=True)
class PathNode:
    """An element of the new tree, below `parent`; `own_line` is whether it ends its line.

    Equal paths are the same objects: going from one to the next costs what differs between them.
    """

    parent: PathNode | None
    tag: str
    attributes: Mapping[str, str] | None = None
    own_line: bool = True

    def upwards(self) -> Iterator[PathNode]:
        """Yield the element, its parent, and so on up to `ROOT`."""
        node: PathNode | None = self
        while node is not None:
            yield node
            node = node.parent


ROOT = PathNode(None, "div", own_line=False)


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
        self._path: PathNode = ROOT
        self._owner = TOP
        self._written_urls: set[str] = set()
        self._structures: dict[int, PathNode] = {TOP: ROOT}
        self._captions: dict[int, PathNode] = {}
        # of the current paragraph
        self._fills: dict[int, PathNode] = {}
        # of the current text block
        self._block: tuple[PathNode, tuple[str, int]] = ROOT, ("p", 0)
        self._block_node = ROOT
        self._inlines: dict[int, PathNode] = {}

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
            self._start_paragraph()
        block = self._outline.block_of[element]
        tag = "p" if block == TOP else self._page.elements.tags[block]
        is_preformatted = tag in PREFORMATTED
        if is_blank(text) and not is_preformatted:
            writer.add_space()
            return
        key = ("p", self._paragraph) if block == TOP else ("block", block)
        above = self._find_structure(element, is_caption=leaf in self._selection.captions)
        self._path = self._find_block(above, key, "pre" if is_preformatted else tag)
        if before and writer.is_in(self._path):
            writer.go_to(self._path)
            if is_preformatted:
                writer.add_preformatted("\n")
            else:
                writer.add_empty("br")
        self._owner = leaves.owners[leaf]
        if is_preformatted:
            writer.go_to(self._path)
            writer.add_preformatted(text)
        else:
            if text[0].isspace():
                writer.add_space()
            writer.go_to(self._find_inline(element))
            writer.add_text(text)

    def _start_paragraph(self) -> None:
        self._paragraph += 1
        self._fills = {}

    def _find_block(self, above: PathNode, key: tuple[str, int], tag: str) -> PathNode:
        """Return the text block `key` under `above`: the current one if it is that."""
        if self._block != (above, key):
            self._block, self._block_node = (above, key), PathNode(above, tag)
            self._inlines = {TOP: self._block_node}
        return self._block_node

    def _find_structure(self, element: int, *, is_caption: bool = False) -> PathNode:
        """Return the innermost list, quote, table or figure that an element stands in."""
        structure = self._outline.structure
        number = self._outline.structure_of[element]
        node = self._find_node(self._structures, structure, number)
        tag = structure.tag(number)
        if is_caption and tag == "figure":
            if number not in self._captions:
                self._captions[number] = PathNode(node, "figcaption")
            return self._captions[number]
        fills = IMPLIED_CHILDREN.get(tag)
        if fills is None:
            return node
        if number not in self._fills:
            for fill in fills:
                node = PathNode(node, fill)
            self._fills[number] = node
        return self._fills[number]

    def _find_inline(self, element: int) -> PathNode:
        """Return the innermost inline element that an element stands in, or the text block."""
        inline = self._outline.inline
        return self._find_node(self._inlines, inline, self._outline.inline_of[element])

    def _find_node(
        self, known: dict[int, PathNode], forest: ElementForest, number: int
    ) -> PathNode:
        """Return the node `number` of a forest; `known` keeps it."""
        below = []
        while number not in known:
            below.append(number)
            number = forest.parents[number]
        node = known[number]
        for inner in reversed(below):
            node = known[inner] = self._make_node(node, forest, inner)
        return node

    def _make_node(self, parent: PathNode, forest: ElementForest, number: int) -> PathNode:
        tag, place = forest.tags[number], forest.elements[number]
        if forest is self._outline.inline:
            attributes = {"href": self._links[place]} if tag == "a" else None
            return PathNode(parent, tag, attributes, own_line=False)
        if tag not in NUMERIC_ATTRIBUTES:
            return PathNode(parent, tag)
        element, numbers = self._nodes.get(place), {}
        if element is not None and self._page.elements.tags[place] == tag:
            for name in NUMERIC_ATTRIBUTES[tag]:
                if number_text := _number((element.get(name) or "").strip()):
                    numbers[name] = number_text[0]
        return PathNode(parent, tag, numbers)

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
            self._start_paragraph()
            self._path = self._find_structure(element)
            if not (medium.is_image and self._path.tag == "figure"):
                self._path = self._find_block(self._path, ("p", self._paragraph), "p")
            self._owner = TOP
            writer.go_to(self._path)
        if medium.is_image:
            writer.add_empty("img", {"src": medium.url, "alt": medium.text})
        else:
            writer.go_to(PathNode(self._path, "a", {"href": medium.url}, own_line=False))
            writer.add_text(medium.text or medium.url)
            writer.go_to(self._path)


@dataclass(eq=False, slots=True)
class _OpenElement:
    node: PathNode
    element: etree._Element
    last: etree._Element | None = None


class TreeWriter:
    """Writes a tree from left to right, with white space as HTML shows it. Linear time.

    `go_to` opens the elements of a path and closes others. Text is collected and set once for each
    element, since every addition would copy it.
    """

    def __init__(self) -> None:
        self.root = etree.Element("div")
        self._stack = [_OpenElement(ROOT, self.root)]
        self._open = {ROOT}
        self._text: list[str] = []
        self._at_line_start, self._space_pending = True, False

    def is_in(self, node: PathNode) -> bool:
        """Return whether the node is open, and thus every one above it."""
        return node in self._open

    def go_to(self, node: PathNode) -> None:
        """Close what does not lead to the node, open what is missing."""
        missing = []
        for inner in node.upwards():
            if inner in self._open:
                break
            missing.append(inner)
        while self._stack[-1].node is not inner:
            self._flush()
            closed = self._stack.pop()
            self._open.discard(closed.node)
            if closed.node.own_line:
                closed.element.tail = "\n"
                self._at_line_start, self._space_pending = True, False
        for inner in reversed(missing):
            if inner.own_line:
                self._at_line_start, self._space_pending = True, False
            else:
                self._write_space()
            self._stack.append(_OpenElement(inner, self._add_element(inner.tag, inner.attributes)))
            self._open.add(inner)

    def add_space(self) -> None:
        """Add white space before the next text or inline element."""
        self._space_pending = True

    def add_text(self, text: str) -> None:
        """Add text with white space collapsed, and without any at the start of a block."""
        words = " ".join(text.split())
        if not words.isprintable():
            words = _drop_unprintable("", words)
        if words:
            if self._space_pending and not self._at_line_start:
                self._text.append(" ")
            self._text.append(words)
            self._at_line_start, self._space_pending = False, text[-1].isspace()

    def add_preformatted(self, text: str) -> None:
        """Add text with its white space."""
        self._text.append(_drop_unprintable("", text.replace("\r\n", "\n").replace("\r", "\n")))

    def add_empty(self, tag: str, attributes: Mapping[str, str] | None = None) -> None:
        """Add an element without content, such as `br`."""
        if tag == "br":
            self._at_line_start, self._space_pending = True, False
        else:
            self._write_space()
            self._at_line_start = False
        self._add_element(tag, attributes)

    def finish(self) -> etree._Element:
        """Close all elements; return the root, a `div`."""
        self.go_to(ROOT)
        self._flush()
        return self.root

    def _add_element(self, tag: str, attributes: Mapping[str, str] | None) -> etree._Element:
        self._flush()
        above = self._stack[-1]
        above.last = etree.SubElement(above.element, tag, attributes or None)
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
