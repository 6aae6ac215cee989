"""The beginning of pages that are over a budget."""

from __future__ import annotations

from copy import deepcopy
from itertools import islice, pairwise
from typing import Any

from lxml import etree

from scrapy_boilerplate.page.attributes import endless_tag
from scrapy_boilerplate.page.encoding import decoded
from scrapy_boilerplate.page.page import Page

CONTINUES = 0x80
"""The first two bits of a byte that continues a character of UTF-8."""

PARSER_DEPTH = 2_047
"""Elements above one, at most: libxml2 reads nothing of an HTML page after an element that stands
deeper (XML_MAX_HUGE_DEPTH)."""

_count_elements = etree.XPath("count(//*)")


def beginning(source: Any, n_bytes: int | None) -> Any:
    """`source`, or its first `n_bytes` where it is longer: of HTML as bytes or text, or of a
    response, whose own tree is not built then. A tree is given back as it is.
    """
    if n_bytes is None:
        return source
    if isinstance(source, str):
        return source[:n_bytes] if len(source) > n_bytes else source
    body = _body(source)
    if body is None or len(body) <= n_bytes:
        return source
    return _cut(source, body[: _end_of_character(body, n_bytes)])


def before_endless_tag(source: Any) -> Any:
    """`source`, or what stands before a tag with more attributes than the parser can bear; of the
    same kinds as `beginning` gives."""
    body = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else _body(source)
    at = None if body is None else endless_tag(body)
    return source if body is None or at is None else _cut(source, body[:at])


def _body(source: Any) -> bytes | None:
    """The bytes of a page, or of a response; None of a tree."""
    if isinstance(source, bytes | bytearray | memoryview):
        return bytes(source)
    body = None if isinstance(source, etree._Element) else getattr(source, "body", None)
    return body if isinstance(body, bytes) else None


def _cut(source: Any, body: bytes) -> bytes | str:
    """The first bytes of `source` in its kind; those of a response as text."""
    if isinstance(source, str):
        return body.decode("utf-8", "surrogatepass")
    response = hasattr(source, "encoding")
    return decoded(body, f"charset={source.encoding}") if response else body


def cut_by_parser(page: Page) -> bool:
    """Whether the page nests so deep that the parser has left out the rest of it: nothing follows
    the element that stands too deep."""
    return page.elements.depths[-1:] == [PARSER_DEPTH]


def _end_of_character(body: bytes, end: int) -> int:
    """Half a character at the end would make all of the page invalid UTF-8."""
    for _ in range(3):
        if end and body[end] & 0xC0 == CONTINUES:
            end -= 1
    return end


def first_elements(root: etree._Element, n_elements: int | None) -> etree._Element:
    """`root`, or where its tree has more elements, a copy of the first ones in document order.

    An element inside a tree is given back as it is. Linear in the size of the tree.
    """
    if n_elements is None or root.getparent() is not None or not _has_more(root, n_elements):
        return root
    return _copy(root, max(n_elements, 1))


def _has_more(root: etree._Element, n_elements: int) -> bool:
    try:
        counted = _count_elements(root)
    except etree.XPathError:  # more than libxml2 collects: ten million
        return True
    return float(str(counted)) > n_elements


def _copy(root: etree._Element, n_elements: int) -> etree._Element:
    """A copy in C, which knows names that no new element may have, cut behind the last element."""
    copy: etree._Element = deepcopy(root.getroottree()).getroot()
    left = n_elements - sum(1 for _ in copy.iter("*"))
    for other in root.itersiblings("*") if left > 0 else ():  # behind </html>: a root of its own
        copy.append(deepcopy(other))
        left -= sum(1 for _ in other.iter("*"))
        if left < 0:
            break
    beyond = next(islice(copy.iter("*"), n_elements, None), None)
    if beyond is None:
        return copy
    parents = list(beyond.iterancestors())
    del parents[0][parents[0].index(beyond) :]
    for inner, outer in pairwise(parents):
        inner.tail = None
        del outer[outer.index(inner) + 1 :]
    return copy
