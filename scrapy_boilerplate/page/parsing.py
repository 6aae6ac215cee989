"""From whatever the caller holds to an lxml tree, the one Scrapy's selector would have."""

from __future__ import annotations

from copy import deepcopy
from itertools import islice
from typing import Any

from lxml import etree
from parsel import Selector

from scrapy_boilerplate.page.encoding import decode_html, is_encoding
from scrapy_boilerplate.page.limits import (
    BYTES,
    ELEMENTS,
    NO_LIMITS,
    Limits,
    find_oversized_tag,
    limit_bytes,
    limit_elements,
)
from scrapy_boilerplate.page.text import drop_controls

# characters of a title at most; longer is one that nobody closed, with the page in it (8 of the 621
# pages of L3S-GN1)
TITLE_LIMIT = 1_000


def parse_html(source: Any, limits: Limits = NO_LIMITS) -> etree._Element:
    """Return the root of what `parse_within` reads of `source`."""
    return parse_within(source, limits)[0]


def parse_within(source: Any, limits: Limits) -> tuple[etree._Element, str | None]:
    """Return the root of what may be read of `source`, and the budget that it exceeds, or None.

    `source` is HTML (str, or bytes in the encoding they declare), an lxml element or tree, a parsel
    selector, or a response that has one (Scrapy's, whose tree is shared, and not built where only a
    part of the page may be read). A page with a tag of more attributes than the parser can bear
    ends before it. A page that a title has swallowed gets another tree.
    Raises TypeError for anything else.
    """
    text, partial = _read_text(source, limits.bytes)
    root = None
    if text is not None:
        html = text.strip().encode("utf-8", "replace").replace(b"\x00", b"")
        end = find_oversized_tag(html)
        if end is not None:
            html, partial = html[:end], ELEMENTS
        encoding = getattr(source, "encoding", None)
        if (
            partial is not None
            or isinstance(source, str | bytes | bytearray | memoryview)
            or (isinstance(encoding, str) and not is_encoding(encoding))  # Scrapy's selector raises
        ):
            root = _parse(html)
    if root is None:
        root = _find_tree(source)
    if root.getparent() is None:
        root = _release_page(root)
    limited = limit_elements(root, limits.elements)
    return limited, partial if limited is root else ELEMENTS


def _read_text(source: Any, n_bytes: int | None) -> tuple[str | None, str | None]:
    """Return the text of markup or of a response within `n_bytes`, and BYTES if there is more.

    The text of a tree or a selector is None. That of a response within the limits is only checked
    for them: its selector has a tree already.
    """
    if isinstance(source, str):
        text = source[:n_bytes]
        return text, BYTES if len(text) < len(source) else None
    body, encoding = None, None
    if isinstance(source, bytes | bytearray | memoryview):
        body = bytes(source)
    elif not isinstance(source, etree._Element):
        body, encoding = getattr(source, "body", None), getattr(source, "encoding", None)
    if not isinstance(body, bytes):
        return None, None
    first = limit_bytes(body, n_bytes)
    encoding = encoding if isinstance(encoding, str) else None
    return decode_html(first, encoding=encoding), BYTES if len(first) < len(body) else None


def _find_tree(source: Any) -> etree._Element:
    """Return the root that a tree, a selector or a response has. Raises TypeError without one."""
    if isinstance(source, etree._ElementTree):
        source = _parse(b"") if source.getroot() is None else source.getroot()
    root = source
    if not isinstance(source, etree._Element):
        root = getattr(getattr(source, "selector", source), "root", source)
    if isinstance(root, etree._Element) and isinstance(root.tag, str):
        return root
    raise TypeError(
        f"cannot read a page from {type(source).__name__}: "
        "give HTML (str or bytes), an lxml tree, a parsel Selector or an HTML response"
    )


SWALLOWED = "swallowed-by-the-title"


def _release_page(root: etree._Element) -> etree._Element:
    """Return `root`, or where a title that nobody closed holds the page's markup, a tree of that.

    Up to its end tag, or the end of the page, a title is text by the HTML standard. A copy of the
    tree is written with that text as markup and parsed again; `root` stays as it is.
    """
    for number, title in enumerate(root.iter("title")):
        text = title.text or ""
        if len(text) > TITLE_LIMIT and "<" in text:
            copy = deepcopy(root)
            title = next(islice(copy.iter("title"), number, None))  # noqa: PLW2901 - its copy
            heading, bracket, rest = text.partition("<")
            title.text = drop_controls(heading)
            title.tail = SWALLOWED + drop_controls(title.tail or "")
            html = str(etree.tostring(copy, method="html", encoding="unicode"))
            # the title that ended it may be an icon's, whose own end tags the parser has dropped
            html = html.replace(SWALLOWED, f"{bracket}{rest}</title></svg>", 1)
            return _parse(html.strip().encode("utf-8", "replace"))
    return root


def _parse(html: bytes) -> etree._Element:
    """Parse UTF-8. Selectors of an encoding of their own, or of text, encode it once more."""
    selector = Selector(body=html or b"<html/>", encoding="utf-8", type="html")
    root: etree._Element = selector.root
    return root


def find_roots(root: etree._Element) -> list[etree._Element]:
    """Return `root` and its siblings: libxml2 makes what follows ``</html>`` a root of its own.

    An element inside a tree stands for itself alone.
    """
    if root.getparent() is not None:
        return [root]
    return [root, *root.itersiblings("*")]
