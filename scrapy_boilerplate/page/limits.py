"""Limits on what is read of a page, which protect a crawl from extreme pages."""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import dataclass
from itertools import islice, pairwise
from math import inf
from time import thread_time

from lxml import etree

# names of the budgets; `Document.partial` is the one that the page exceeds
BYTES, ELEMENTS, MILLISECONDS = "bytes", "elements", "milliseconds"

# value of `Document.partial` where the parser has cut the page
DEPTH = "depth"

# ancestors of an element at most, from XML_MAX_HUGE_DEPTH of libxml2: it reads nothing of an HTML
# page after a deeper element
PARSER_DEPTH = 2_047


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The budgets of one page; None is no limit.

    bytes         of the page as downloaded (characters if it is a str)
    elements      of its tree, in document order
    milliseconds  CPU time of the thread that reads it; checked between stages and steps, so one of
                  them can exceed it
    """

    bytes: int | None = None
    elements: int | None = None
    milliseconds: float | None = None


NO_LIMITS = Limits()


class OutOfTimeError(Exception):
    """The CPU time of a page is used up."""


class Clock:
    """CPU time left for one page: a busy machine does not make documents partial.

    It is the time of the current thread. `pause` and `resume` leave out what is between, and allow
    another thread to go on.
    """

    # steps of a loop between two checks: a check takes about as long as one of them
    INTERVAL = 256

    def __init__(self, milliseconds: float | None = None) -> None:
        self._left = inf if milliseconds is None else milliseconds / 1000
        self.resume()

    def pause(self) -> None:
        """Stop."""
        self._left = self._end - thread_time()

    def resume(self) -> None:
        """Go on with what was left at the last pause."""
        self._end = thread_time() + self._left

    @property
    def is_over(self) -> bool:
        """Return whether the time is used up."""
        return thread_time() >= self._end

    def check(self) -> None:
        """Raise OutOfTimeError if the time is used up."""
        if self.is_over:
            raise OutOfTimeError


NO_CLOCK = Clock()


# --- bytes ---

# the first two bits of a continuation byte of UTF-8
CONTINUES = 0x80


def limit_bytes(html: bytes, n_bytes: int | None) -> bytes:
    """Return the first `n_bytes` of a page.

    It never cuts a character of UTF-8 in two: half a character would make the whole page invalid.
    """
    if n_bytes is None or len(html) <= n_bytes:
        return html
    end = n_bytes
    for _ in range(3):
        if end and html[end] & 0xC0 == CONTINUES:
            end -= 1
    return html[:end]


# --- attributes ---
#
# libxml2 compares each attribute of an element with all before it: 25,000 of them take .8 s,
# 50,000 over 4 s, and no budget of time can end the parse in between.

# attributes of an element at which its page ends (our choice: they take .1 s to parse)
MAX_ATTRIBUTES = 10_000

# bytes to a window. An attribute takes at least two bytes, so each such tag fills a window, and the
# window has no ``>``. A tag with a ``>`` in quotes in every window is missed
WINDOW = MAX_ATTRIBUTES

# a comment, or the start of a tag with its name
_opening = re.compile(rb"<!--(?:-?>|.*?(?:--!?>|\Z))|<[A-Za-z][^\s/>]*", re.DOTALL).search
_tag = re.compile(rb"<[A-Za-z]").search
_attribute = re.compile(rb"""[\s/="']*[^\s"'>/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]*))?""").match

# elements that hold no markup: scripts contain comparisons (``i<n``) and can be long
_RAW_ENDS = {
    b"<script": re.compile(rb"</script", re.IGNORECASE).search,
    b"<style": re.compile(rb"</style", re.IGNORECASE).search,
}


def find_oversized_tag(html: bytes) -> int | None:
    """Return the offset of the first tag with more than MAX_ATTRIBUTES in UTF-8, or None.

    Linear time. Tags are searched only on pages with a stretch of bytes that could be such a tag;
    a script with comparisons and data can be one too.
    """
    if not _has_stretch(html):
        return None
    at = 0
    while (opening := _opening(html, at)) is not None:
        at, attributes = opening.end(), 0
        if opening.group().startswith(b"<!--"):
            continue
        while (attribute := _attribute(html, at)) is not None:
            at, attributes = attribute.end(), attributes + 1
            if attributes > MAX_ATTRIBUTES:
                return opening.start()
        raw_end = _RAW_ENDS.get(opening.group().lower())
        if raw_end is not None:
            closing = raw_end(html, at)
            at = len(html) if closing is None else closing.start()
    return None


def _has_stretch(html: bytes) -> bool:
    """Return whether something like a tag is long enough for MAX_ATTRIBUTES before its ``>``."""
    window = 0
    while window <= len(html) - WINDOW:
        if html.find(b">", window, window + WINDOW) >= 0:
            window += WINDOW
            continue
        end = html.find(b">", window + WINDOW)
        end = end if end >= 0 else len(html)
        tag = _tag(html, html.rfind(b">", 0, window) + 1, end)
        if tag is not None and end - tag.start() > 2 * MAX_ATTRIBUTES:
            return True
        window = -(-(end + 1) // WINDOW) * WINDOW
    return False


# --- elements ---

_count_elements = etree.XPath("count(//*)")


def limit_elements(root: etree._Element, n_elements: int | None) -> etree._Element:
    """Return `root`, or a copy with the first `n_elements` if its tree has more.

    The copy is made in C, since lxml creates no elements with some names that the parser accepts.
    It is cut after the last element in document order. An element inside a tree is returned as it
    is. Linear in the size of the tree.
    """
    if n_elements is None or root.getparent() is not None:
        return root
    try:
        count = float(str(_count_elements(root)))
    except etree.XPathError:  # more elements than libxml2 collects, ten million
        count = inf
    if count <= n_elements:
        return root
    n_elements = max(n_elements, 1)
    copy: etree._Element = deepcopy(root.getroottree()).getroot()
    left = n_elements - sum(1 for _ in copy.iter("*"))
    for other in root.itersiblings("*") if left > 0 else ():  # after </html>: another root
        copy.append(deepcopy(other))
        left -= sum(1 for _ in other.iter("*"))
        if left < 0:
            break
    beyond = next(islice(copy.iter("*"), n_elements, None), None)
    if beyond is not None:
        parents = list(beyond.iterancestors())
        del parents[0][parents[0].index(beyond) :]
        for inner, outer in pairwise(parents):
            inner.tail = None
            del outer[outer.index(inner) + 1 :]
    return copy
