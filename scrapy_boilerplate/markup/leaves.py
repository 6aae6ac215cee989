"""From the columns back to the text nodes of the tree: which leaf stands where."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from lxml import etree

from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.parsing import whole_page
from scrapy_boilerplate.page.tags import INVISIBLE
from scrapy_boilerplate.page.xpaths import xpaths

NO_LEAF = -1
"""A text node that is no leaf: white space between blocks."""


class ChangedTreeError(ValueError):
    """The tree is no longer the one the page was read from."""


@dataclass(frozen=True, slots=True)
class Stop:
    """A stop of the walk: the start or end of the element `index`, or a text node inside it.

    `node` is the element at its start, else None; `hidden` whether its text is invisible (there
    are no stops in it). `text` is the text node, `leaf` its number or NO_LEAF, `place` the how
    manieth text node of its element it is, from 1 as in XPath.
    """

    kind: Literal["start", "end", "text"]
    index: int
    node: etree._Element | None = None
    hidden: bool = False
    text: str = ""
    leaf: int = NO_LEAF
    place: int = 0


def walk_leaves(page: Page, root: etree._Element) -> Iterator[Stop]:
    """The stops of a walk over the tree that `page` was read from, in order; it is only read.

    Linear time, any depth. Raises ChangedTreeError where the tree does not fit the page.
    """
    walk = _LeafWalk(page)
    for one in whole_page(root):
        yield from walk.over(one)
    if walk.index != len(page.elements) or walk.leaf != len(page.leaves):
        raise ChangedTreeError("the tree was changed after the page was read from it")


class _LeafWalk:
    """Where the walk is. It stops at the nodes that `page.reading` has noted, in the same order."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.index = 0
        self.leaf = 0
        self._path: list[int] = []
        self._places: list[int] = []

    def over(self, root: etree._Element) -> Iterator[Stop]:
        walker = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
        for event, element in walker:
            if event == "start":
                stop = self._start(element)
                yield stop
                if stop.hidden:
                    walker.skip_subtree()
                    continue
                text = element.text
            else:
                if event == "end":
                    self._places.pop()
                    yield Stop("end", self._path.pop())
                text = element.tail if element is not root else None
            if text and self._path:
                yield self._text(text)

    def _start(self, element: etree._Element) -> Stop:
        elements, index = self.page.elements, self.index
        if index >= len(elements):
            raise ChangedTreeError("the tree has more elements than the page read from it")
        tag = elements.tags[index]
        self.index += 1
        self._path.append(index)
        self._places.append(0)
        passed = elements.ends[index] == index + 1
        hidden = tag in INVISIBLE or (tag == "head" and passed and len(element) > 0)
        return Stop("start", index, node=element, hidden=hidden)

    def _text(self, text: str) -> Stop:
        """White space that was passed over stands between two leaves of other elements or texts, so
        that the next leaf tells whether this is it."""
        self._places[-1] += 1
        index, place = self._path[-1], self._places[-1]
        leaves, leaf = self.page.leaves, self.leaf
        fits = leaf < len(leaves) and leaves.elements[leaf] == index and leaves.texts[leaf] == text
        if not fits:
            return Stop("text", index, text=text, place=place)
        self.leaf += 1
        return Stop("text", index, text=text, leaf=leaf, place=place)


def leaf_paths(page: Page, root: etree._Element) -> list[str]:
    """An XPath to the text node of each leaf, such as ``/html[1]/body[1]/p[2]/text()[1]``.

    "" for one nested too deep (`xpaths`). Raises ChangedTreeError.
    """
    stops = [stop for stop in walk_leaves(page, root) if stop.leaf != NO_LEAF]
    above = xpaths(page.elements, (stop.index for stop in stops))
    return [
        f"{path}/text()[{stop.place}]" if path else ""
        for path, stop in zip(above, stops, strict=True)
    ]
