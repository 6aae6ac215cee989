"""One walk over the tree: elements and leaves in columns. The tree is only read."""

from __future__ import annotations

from lxml import etree

from scrapy_boilerplate.metadata.language import declared_language
from scrapy_boilerplate.page import NO_ELEMENT, Break, Elements, Leaves, Page
from scrapy_boilerplate.segment.tags import INLINE, INVISIBLE
from scrapy_boilerplate.text import collapse


def read_page(root: etree._Element, url: str | None = None) -> Page:
    """The page below `root`, not yet cut into blocks; linear time, any depth of nesting."""
    walk = _Walk()
    walk.over(root)
    return Page(
        elements=walk.elements,
        leaves=walk.leaves,
        url=url,
        language=declared_language(root),
        title=_title(root),
    )


def _title(root: etree._Element) -> str:
    element = next(root.iter("title", "{*}title"), None)
    return "" if element is None else collapse("".join(element.itertext(with_tail=False)))


class _Walk:
    """The state of one walk: where we are, and the columns so far."""

    def __init__(self) -> None:
        self.elements = Elements()
        self.leaves = Leaves()
        self._path: list[int] = [NO_ELEMENT]
        self._owners: list[int] = [0]
        self._links = 0
        self._break = Break.PARAGRAPH

    def over(self, root: etree._Element) -> None:
        walker = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
        for event, element in walker:
            if event == "start":
                if self._enter(element):
                    walker.skip_subtree()
                continue
            if event == "end":
                self._leave(element)
            if element.tail and element is not root:
                self._text(element.tail)

    def _enter(self, element: etree._Element) -> bool:
        """Note the element; True if its text is invisible."""
        tag = self._note(element)
        if tag not in INLINE:
            self._break = Break.PARAGRAPH
            self._owners.append(self._path[-1])
        elif tag == "br":
            self._break = Break.PARAGRAPH if self._break else Break.LINE
        elif tag == "a" and element.get("href") is not None:
            self._links += 1
        if tag in INVISIBLE:
            return True
        if element.text:
            self._text(element.text)
        return False

    def _note(self, element: etree._Element) -> str:
        columns, parent = self.elements, self._path[-1]
        tag = str(element.tag).rpartition("}")[2].lower()
        self._path.append(len(columns.tags))
        columns.tags.append(tag)
        columns.parents.append(parent)
        columns.depths.append(len(self._path) - 2)
        columns.classes.append(element.get("class", ""))
        columns.ids.append(element.get("id", ""))
        columns.roles.append(element.get("role", ""))
        return tag

    def _leave(self, element: etree._Element) -> None:
        tag = self.elements.tags[self._path.pop()]
        if tag not in INLINE:
            self._break = Break.PARAGRAPH
            self._owners.pop()
        elif tag == "a" and element.get("href") is not None:
            self._links -= 1

    def _text(self, text: str) -> None:
        """A text node; blank ones count only between words of one block."""
        if self._break and text.isspace():
            return
        columns = self.leaves
        columns.breaks.append(self._break)
        columns.texts.append(text)
        columns.elements.append(self._path[-1])
        columns.owners.append(self._owners[-1])
        columns.in_link.append(self._links > 0)
        self._break = Break.NONE
