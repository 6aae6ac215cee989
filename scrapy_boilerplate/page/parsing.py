"""From whatever the caller holds to an lxml tree, the one Scrapy's selector would have."""

from __future__ import annotations

from copy import deepcopy
from itertools import islice
from typing import Any

from lxml import etree
from parsel import Selector

from scrapy_boilerplate.page.encoding import decode_html, is_encoding, is_plain
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
    markup, partial = _read_markup(source, limits.bytes)
    if markup is None:
        root = _find_tree(source)
    else:
        end = find_oversized_tag(markup)
        if end is not None:
            markup, partial = markup[:end], ELEMENTS
        root = _parse(markup)
    if root.getparent() is None:
        root = _release_page(root)
    limited = limit_elements(root, limits.elements)
    return limited, partial if limited is root else ELEMENTS


def _read_markup(source: Any, n_bytes: int | None) -> tuple[bytes | None, str | None]:
    """Return what is to be parsed, in UTF-8, and BYTES if `source` has more than `n_bytes`.

    None stands for what has a tree that may be read: a tree, a selector, or a response within the
    limits.
    """
    if isinstance(source, str):
        return _encode(source[:n_bytes]), BYTES if len(source[:n_bytes]) < len(source) else None
    if isinstance(source, bytes | bytearray | memoryview):
        first = limit_bytes(bytes(source), n_bytes)
        return _encode(decode_html(first)), BYTES if len(first) < len(source) else None
    body = None if isinstance(source, etree._Element) else getattr(source, "body", None)
    if not isinstance(body, bytes):
        return None, None
    first = limit_bytes(body, n_bytes)
    encoding = getattr(source, "encoding", None)
    encoding = encoding if isinstance(encoding, str) else None
    # Scrapy's own selector raises for names that are none of an encoding
    is_readable = len(first) == len(body) and (encoding is None or is_encoding(encoding))
    if is_readable and is_plain(body, encoding) and find_oversized_tag(body) is None:
        return None, None
    markup = _encode(decode_html(first, encoding=encoding))
    if is_readable and find_oversized_tag(markup) is None:
        return None, None
    return markup, BYTES if len(first) < len(body) else None


def _encode(text: str) -> bytes:
    return text.strip().encode("utf-8", "replace").replace(b"\x00", b"")


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
