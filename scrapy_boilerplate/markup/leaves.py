"""Walk over a tree and its columns at once, to find the text node of each leaf."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from lxml import etree

from scrapy_boilerplate.page.columns import INVISIBLE, find_xpaths
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.reading import find_roots, walk_nodes

# A text node that is not a leaf: white space between blocks, hidden words.
NO_LEAF = -1
# What `page.lines` adds to raised numbers and formulas.
MARKS = " ^[]()/\u221a"


class ChangedTreeError(ValueError):
    """The tree was changed after the page was read from it."""


@dataclass(frozen=True, slots=True)
class WalkEvent:
    """The start or end of the element `index`, or a text node in it.

    node    the element at its start, else None
    hidden  whether its text is invisible; no events inside it follow
    text    the text node
    leaf    the number of its first leaf, or NO_LEAF
    end     the number after its last leaf: lines are leaves of their own
    place   position among the text nodes of its element, from 1 as in XPath
    """

    kind: Literal["start", "end", "text"]
    index: int
    node: etree._Element | None = None
    hidden: bool = False
    text: str = ""
    leaf: int = NO_LEAF
    end: int = NO_LEAF
    place: int = 0


def walk_leaves(page: Page, root: etree._Element) -> Iterator[WalkEvent]:
    """Walk over the tree that `page` was read from, in the order of `page.reading`.

    The tree is only read. Linear time, any depth. Raises ChangedTreeError where the tree does not
    fit the page.
    """
    elements, leaves = page.elements, page.leaves
    index = leaf = 0
    path: list[int] = []
    places: list[int] = []
    for tree in find_roots(root):
        walker = walk_nodes(tree)
        for event, node in walker:
            text = node.tail if node is not tree else None
            if event == "start":
                if index >= len(elements):
                    raise ChangedTreeError("the tree has more elements than the page read from it")
                tag, is_empty = elements.tags[index], elements.ends[index] == index + 1
                hidden = tag in INVISIBLE or (tag == "head" and is_empty and len(node) > 0)
                path.append(index)
                places.append(0)
                yield WalkEvent("start", index, node=node, hidden=hidden)
                index += 1
                text = node.text
                if hidden:
                    walker.skip_subtree()
                    continue
            elif event == "end":
                places.pop()
                yield WalkEvent("end", path.pop())
            if text and path:
                places[-1] += 1
                first, leaf = leaf, _skip_leaves(page, leaf, (path[-1], index), text)
                of_text = (first, leaf) if leaf > first else (NO_LEAF, NO_LEAF)
                yield WalkEvent("text", path[-1], None, False, text, *of_text, places[-1])
    if index != len(elements) or leaf != len(leaves):
        raise ChangedTreeError("the tree was changed after the page was read from it")


def _skip_leaves(page: Page, leaf: int, place: tuple[int, int], text: str) -> int:
    """Return the leaf after those of a text node, which can be lines or have marks added."""
    leaves, at = page.leaves, 0
    while leaf < len(leaves) and (leaves.elements[leaf], leaves.opened[leaf]) == place:
        line = leaves.texts[leaf]
        if line != text and (line := line.strip(MARKS)):
            at = text.find(line, at)
        if at < 0 or not line:
            break
        leaf, at = leaf + 1, at + len(line)
    return leaf


def find_leaf_xpaths(page: Page, root: etree._Element) -> list[str]:
    """Return an XPath to the text node of each leaf: ``/html[1]/body[1]/p[2]/text()[1]``.

    "" for a leaf too deep for `find_xpaths`. Raises ChangedTreeError.
    """
    walk = walk_leaves(page, root)
    events = [event for event in walk for _ in range(event.leaf, event.end)]
    parents = find_xpaths(page.elements, (event.index for event in events))
    return [
        f"{path}/text()[{event.place}]" if path else ""
        for path, event in zip(parents, events, strict=True)
    ]
