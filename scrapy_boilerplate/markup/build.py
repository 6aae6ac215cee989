"""A new tree of what the article shows: the content's leaves and media, soundly nested."""

from __future__ import annotations

import re

import numpy as np
from lxml import etree

from scrapy_boilerplate.markup.media import Medium, medium_of
from scrapy_boilerplate.markup.nodes import IMAGES, Nodes, nodes_of
from scrapy_boilerplate.markup.outline import (
    FILLING,
    PREFORMATTED,
    TOP,
    Outline,
    layout_tables,
)
from scrapy_boilerplate.markup.selection import Selection, select
from scrapy_boilerplate.markup.urls import base_url, safe_url
from scrapy_boilerplate.markup.writer import Step, TreeWriter
from scrapy_boilerplate.page.columns import Break
from scrapy_boilerplate.page.labels import Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.tags import INLINE
from scrapy_boilerplate.page.text import is_blank

KEPT_NUMBERS = {"td": ("colspan", "rowspan"), "th": ("colspan", "rowspan"), "ol": ("start",)}
_number = re.compile(r"\d{1,3}").fullmatch
MAX_INLINE = 64
"""Inline elements above an image that are looked at to find its paragraph (our choice)."""


def content_tree(page: Page, labeling: Labeling, root: etree._Element) -> etree._Element:
    """A `div` with the article of a labelled page; `root` is the page's tree, which is only read.

    Linear in the size of the page, whatever its depth.
    """
    return _Builder(page, select(page, labeling), root).built()


class _Builder:
    """The state of one pass over the selection."""

    def __init__(self, page: Page, chosen: Selection, root: etree._Element) -> None:
        self._page, self._chosen = page, chosen
        self._base = base_url(root, page.url)
        self._nodes: Nodes = nodes_of(page.elements, root)
        where = np.array(page.leaves.elements, dtype=np.int64)[chosen.leaves]
        held = page.elements.subtree_sums(
            np.bincount(where, minlength=len(page.elements)).astype(np.int64)
        ).tolist()
        self._links = self._links_of(held)
        bad = {
            element
            for element, tag in enumerate(page.elements.tags)
            if tag == "a" and element not in self._links
        }
        left_out = layout_tables(page.elements, held) | bad
        self._outline = Outline(page.elements, left_out, chosen.boxes)
        self._writer = TreeWriter()
        self._paragraph = 0
        self._open: list[Step] = []
        self._owner = TOP
        self._shown: set[str] = set()

    def _links_of(self, held: list[int]) -> dict[int, str]:
        found = {}
        for element, node in self._nodes.items():
            if held[element] and self._page.elements.tags[element] == "a":
                url = safe_url(node.get("href"), self._base)
                if url is not None:
                    found[element] = url
        return found

    def built(self) -> etree._Element:
        """The tree."""
        media = iter([*self._chosen.media, len(self._page.elements) + 1])
        medium = next(media)
        for leaf, before in zip(self._chosen.leaves, self._chosen.breaks, strict=True):
            while medium < self._page.leaves.opened[leaf]:
                self._show(medium)
                medium = next(media)
            self._write(leaf, before)
        while medium < len(self._page.elements):
            self._show(medium)
            medium = next(media)
        tree = self._writer.finish()
        _lay_bare(tree)
        return tree

    def _write(self, leaf: int, before: Break) -> None:
        leaves, outline = self._page.leaves, self._outline
        element, text = leaves.elements[leaf], leaves.texts[leaf]
        if before == Break.PARAGRAPH:
            self._paragraph += 1
        block = outline.block_of[element]
        tag = "p" if block == TOP else self._page.elements.tags[block]
        plain = tag in PREFORMATTED
        if is_blank(text) and not plain:
            self._writer.space()
            return
        key = ("p", self._paragraph) if block == TOP else ("block", block)
        above = self._structure(element, is_caption=leaf in self._chosen.captions)
        self._open = [*above, Step(key, "pre" if plain else tag)]
        if before and self._writer.is_in(self._open):
            self._end_line(plain=plain)
        self._owner = leaves.owners[leaf]
        if plain:
            self._writer.go_to(self._open)
            self._writer.preformatted(text)
        else:
            if text[0].isspace():
                self._writer.space()
            self._writer.go_to([*self._open, *self._inline(element)])
            self._writer.words(text)

    def _end_line(self, *, plain: bool) -> None:
        self._writer.go_to(self._open)
        if plain:
            self._writer.preformatted("\n")
        else:
            self._writer.empty("br", {})

    def _structure(self, element: int, *, is_caption: bool = False) -> list[Step]:
        structure = self._outline.structure
        link = self._outline.structure_of[element]
        steps = [
            Step(
                ("structure", one),
                structure.tags[one],
                self._numbers(structure.tags[one], structure.elements[one]),
            )
            for one in structure.up(link)
        ]
        tag = structure.tag(link)
        if is_caption and tag == "figure":
            return [*steps, Step(("caption", link), "figcaption")]
        filling = FILLING.get(tag, ())
        return [*steps, *(Step(("fill", one, self._paragraph), one) for one in filling)]

    def _numbers(self, tag: str, element: int) -> dict[str, str]:
        node = self._nodes.get(element)
        if node is None or tag not in KEPT_NUMBERS or self._page.elements.tags[element] != tag:
            return {}
        written = {name: (node.get(name) or "").strip() for name in KEPT_NUMBERS[tag]}
        return {name: number for name, number in written.items() if _number(number)}

    def _inline(self, element: int) -> list[Step]:
        inline = self._outline.inline
        return [
            Step(
                ("inline", one),
                inline.tags[one],
                {"href": self._links[inline.elements[one]]} if inline.tags[one] == "a" else {},
                own_line=False,
            )
            for one in inline.up(self._outline.inline_of[element])
        ]

    def _show(self, element: int) -> None:
        node = self._nodes.get(element)
        medium = None if node is None else medium_of(node, self._base)
        if medium is None or medium.url in self._shown:
            return
        self._shown.add(medium.url)
        within = self._page.elements.tags[element] in IMAGES and self._owner_of(element)
        if within == self._owner and self._writer.is_in(self._open):
            self._writer.go_to(self._open)
        else:
            self._paragraph += 1
            self._open = self._structure(element)
            if not (medium.is_image and self._open and self._open[-1].tag == "figure"):
                self._open.append(Step(("p", self._paragraph), "p"))
            self._owner = TOP
            self._writer.go_to(self._open)
        self._put(medium)

    def _put(self, medium: Medium) -> None:
        if medium.is_image:
            self._writer.empty("img", {"src": medium.url, "alt": medium.text})
        else:
            link = Step("embed", "a", {"href": medium.url}, own_line=False)
            self._writer.go_to([*self._open, link])
            self._writer.words(medium.text or medium.url)
            self._writer.go_to(self._open)

    def _owner_of(self, element: int) -> int:
        elements = self._page.elements
        for _ in range(MAX_INLINE):
            if elements.tags[element] not in INLINE:
                break
            element = elements.parents[element]
        return element


BARE = frozenset(("li", "td", "th", "dt", "dd", "figcaption", "caption"))
"""What needs no paragraph around its only text."""


def _lay_bare(tree: etree._Element) -> None:
    """Take the paragraph off the only text of entries and cells, lists after it do not count."""
    for element in list(tree.iter(*BARE)):
        first = next(iter(element), None)
        if first is None or first.tag != "p" or element.text:
            continue
        if all(other.tag in ("ul", "ol") for other in first.itersiblings()):
            element.remove(first)
            element.text = first.text
            for position, child in enumerate(list(first)):
                element.insert(position, child)
