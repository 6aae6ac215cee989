"""From whatever the caller holds to an lxml tree, the one Scrapy's selector would have."""

from __future__ import annotations

from copy import deepcopy
from itertools import islice
from typing import Any

from lxml import etree
from parsel import Selector

from scrapy_boilerplate.page.encoding import decoded, is_encoding
from scrapy_boilerplate.page.text import without_controls


def tree_of(source: Any) -> etree._Element:
    """The root of the lxml tree of `source`; another tree if a title swallowed the page.

    `source` is HTML (str, or bytes in the encoding they declare), an lxml element or tree, a parsel
    selector, or a response that has one (Scrapy's, whose tree is shared, not parsed again).
    Raises TypeError for anything else.
    """
    root = _tree_of(source)
    return root if root.getparent() is not None else _released(root)


def _tree_of(source: Any) -> etree._Element:
    if isinstance(source, bytes | bytearray | memoryview):
        return _parse(decoded(bytes(source)))
    if isinstance(source, str):
        return _parse(source)
    if isinstance(source, etree._ElementTree):
        root = source.getroot()
        return _parse("") if root is None else root
    root = source if isinstance(source, etree._Element) else _held_root(source)
    if isinstance(root, etree._Element) and isinstance(root.tag, str):
        return root
    raise TypeError(
        f"cannot read a page from {type(source).__name__}: "
        "give HTML (str or bytes), an lxml tree, a parsel Selector or an HTML response"
    )


def _held_root(source: Any) -> Any:
    """The root that a selector has, or that of a response, parsed again if it cannot be had."""
    if isinstance(getattr(source, "body", None), bytes) and not _can_decode(source):
        return _parse(decoded(source.body))
    return getattr(getattr(source, "selector", source), "root", source)


def _can_decode(response: Any) -> bool:
    """Whether a response's own selector can be had: Scrapy's raise with ``charset=hex``."""
    declared = getattr(response, "encoding", None)
    return not isinstance(declared, str) or is_encoding(declared)


TITLE_LIMIT = 1_000
"""Characters of a title at most; longer is one that nobody closed, with the page in it (8 of the
621 pages of L3S-GN1)."""

SWALLOWED = "swallowed-by-the-title"


def _released(root: etree._Element) -> etree._Element:
    """`root`, or where a title that nobody closed holds the markup of the page, a tree of that.

    Up to its end tag, or the end of the page, a title is text by the HTML standard. A copy of the
    tree is written with that text as markup and parsed again; `root` stays as it is.
    """
    for number, title in enumerate(root.iter("title")):
        text = title.text or ""
        if len(text) > TITLE_LIMIT and "<" in text:
            return _parse(_with_released(deepcopy(root), number))
    return root


def _with_released(root: etree._Element, number: int) -> str:
    title = next(islice(root.iter("title"), number, None))
    heading, bracket, rest = (title.text or "").partition("<")
    title.text = without_controls(heading)
    title.tail = SWALLOWED + without_controls(title.tail or "")
    html = str(etree.tostring(root, method="html", encoding="unicode"))
    # the title that ended it may be an icon's, whose own end tags the parser has dropped
    return html.replace(SWALLOWED, f"{bracket}{rest}</title></svg>", 1)


def whole_page(root: etree._Element) -> list[etree._Element]:
    """`root` and its siblings: libxml2 makes what stands after ``</html>`` a root of its own.

    An element inside a tree stands for itself alone.
    """
    if root.getparent() is not None:
        return [root]
    return [root, *(one for one in root.itersiblings() if isinstance(one.tag, str))]


def _parse(html: str) -> etree._Element:
    body = html.strip().encode("utf-8", "replace")  # a lone surrogate becomes "?"
    selector = Selector(body=body or b"<html/>", encoding="utf-8", type="html")
    root: etree._Element = selector.root
    return root
