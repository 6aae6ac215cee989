"""Writes a new tree from left to right: what is open, and white space as HTML shows it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lxml import etree

_unprintable = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]").sub


@dataclass(frozen=True)
class Step:
    """An element of a path: `key` tells it from others, `own_line` ends its line when it closes."""

    key: object
    tag: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    own_line: bool = True


@dataclass
class _Open:
    key: object
    element: etree._Element
    own_line: bool
    last: etree._Element | None = None


class TreeWriter:
    """Elements are opened by going to a path; what is not on it is closed. Linear time.

    Text is collected and set once an element: adding to a text time and again would copy it.
    """

    def __init__(self) -> None:
        self.root = etree.Element("div")
        self._stack = [_Open(None, self.root, own_line=False)]
        self._text: list[str] = []
        self._starts, self._gap = True, False

    def is_in(self, path: Sequence[Step]) -> bool:
        """Whether every element of the path is open."""
        return self._common(path) == len(path)

    def go_to(self, path: Sequence[Step]) -> None:
        """Close what is not on the path, open what is missing."""
        common = self._common(path)
        while len(self._stack) - 1 > common:
            self._close()
        for step in path[common:]:
            self._enter(step)

    def space(self) -> None:
        """White space before what comes next; outside the inline elements that open there."""
        self._gap = True

    def words(self, text: str) -> None:
        """Running text: a run of white space is one space, and none starts or ends a block."""
        words = _unprintable("", " ".join(text.split()))
        if words:
            if self._gap and not self._starts:
                self._text.append(" ")
            self._text.append(words)
            self._starts, self._gap = False, text[-1].isspace()

    def preformatted(self, text: str) -> None:
        """Text with its white space."""
        self._text.append(_unprintable("", text.replace("\r\n", "\n").replace("\r", "\n")))

    def empty(self, tag: str, attributes: Mapping[str, str]) -> None:
        """An element without content, such as `br`."""
        if tag == "br":
            self._starts, self._gap = True, False
        else:
            self._fill_gap()
            self._starts = False
        self._add(tag, attributes)

    def finish(self) -> etree._Element:
        """Close everything; the root, a `div`."""
        self.go_to(())
        self._flush()
        return self.root

    def _common(self, path: Sequence[Step]) -> int:
        common = 0
        for step, opened in zip(path, self._stack[1:], strict=False):
            if step.key != opened.key:
                break
            common += 1
        return common

    def _enter(self, step: Step) -> None:
        if step.own_line:
            self._starts, self._gap = True, False
        else:
            self._fill_gap()
        element = self._add(step.tag, step.attributes)
        self._stack.append(_Open(step.key, element, step.own_line))

    def _add(self, tag: str, attributes: Mapping[str, str]) -> etree._Element:
        self._flush()
        above = self._stack[-1]
        above.last = etree.SubElement(above.element, tag, dict(attributes))
        return above.last

    def _close(self) -> None:
        self._flush()
        closed = self._stack.pop()
        if closed.own_line:
            closed.element.tail = "\n"
            self._starts, self._gap = True, False

    def _fill_gap(self) -> None:
        if self._gap and not self._starts:
            self._text.append(" ")
        self._gap = False

    def _flush(self) -> None:
        if not self._text:
            return
        text, above = "".join(self._text), self._stack[-1]
        self._text.clear()
        if above.last is None:
            above.element.text = (above.element.text or "") + text
        else:
            above.last.tail = (above.last.tail or "") + text
