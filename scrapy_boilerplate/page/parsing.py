"""Parse HTML, trees, selectors and responses to the lxml tree of Scrapy's selector."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from itertools import islice
from typing import Any

from lxml import etree

from scrapy_boilerplate.page.encoding import (
    encode_for_parser,
    is_encoding,
    is_plain,
    transcode_html,
)
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

# characters of a title at most; a longer one has no end tag and holds the page (8 of the 621 pages
# of L3S-GN1)
MAX_TITLE = 1_000

EMPTY_PAGE = b"<html/>"


def parse_html(source: Any, limits: Limits = NO_LIMITS) -> etree._Element:
    """Return the root of the tree that `parse_within` reads from `source`."""
    return parse_within(source, limits)[0]


def parse_within(source: Any, limits: Limits) -> tuple[etree._Element, str | None]:
    """Return the root of the part of `source` within `limits`, and the exceeded budget or None.

    `source` is HTML (str, or bytes in the encoding they declare), an lxml element or tree, a parsel
    selector, or a response with a selector. The tree of a Scrapy response is shared; it is not
    built if the page exceeds the limits. A page ends before a tag with more than MAX_ATTRIBUTES.
    Where an unclosed title holds the page, its markup is parsed again.
    Raises TypeError for anything else.
    """
    markup, partial = _read_markup(source, limits.bytes)
    if markup is None:
        root = _find_tree(source)
    else:
        root, is_whole = _parse(markup)
        partial = partial if is_whole else ELEMENTS
    if root.getparent() is None and (markup := _write_title_text(root)) is not None:
        root, is_whole = _parse(markup)
        partial = partial if is_whole else ELEMENTS
    limited = limit_elements(root, limits.elements)
    return limited, partial if limited is root else ELEMENTS


def _read_markup(source: Any, n_bytes: int | None) -> tuple[bytes | None, str | None]:
    """Return the markup to parse, in UTF-8, and BYTES if `source` has more than `n_bytes`.

    The markup is None if `source` has a tree to read: a tree, a selector, or a response within the
    limits.
    """
    if isinstance(source, str):
        characters = source[:n_bytes]
        partial = BYTES if len(characters) < len(source) else None
        return encode_for_parser(characters), partial
    if isinstance(source, bytes | bytearray | memoryview):
        within_limit = limit_bytes(bytes(source), n_bytes)
        partial = BYTES if len(within_limit) < len(source) else None
        return transcode_html(within_limit), partial
    body = None if isinstance(source, etree._Element) else getattr(source, "body", None)
    if not isinstance(body, bytes):
        return None, None
    within_limit = limit_bytes(body, n_bytes)
    partial = BYTES if len(within_limit) < len(body) else None
    encoding = getattr(source, "encoding", None)
    encoding = encoding if isinstance(encoding, str) else None
    # Scrapy's own selector raises for names that are no encoding
    selector_can_read = partial is None and (encoding is None or is_encoding(encoding))
    if selector_can_read and is_plain(body, encoding) and find_oversized_tag(body) is None:
        return None, None
    # decoded to look for oversized tags; thrown away if there are none
    markup = transcode_html(within_limit, encoding=encoding)
    if selector_can_read and find_oversized_tag(markup) is None:
        return None, None
    return markup, partial


def _find_tree(source: Any) -> etree._Element:
    """Return the root that a tree, a selector or a response has. Raises TypeError without one."""
    if isinstance(source, etree._ElementTree):
        source = _parse(b"")[0] if source.getroot() is None else source.getroot()
    root = source
    if not isinstance(source, etree._Element):
        root = getattr(getattr(source, "selector", source), "root", source)
    if isinstance(root, etree._Element) and isinstance(root.tag, str):
        return root
    raise TypeError(
        f"cannot read a page from {type(source).__name__}: "
        "give HTML (str or bytes), an lxml tree, a parsel Selector or an HTML response"
    )


# stands for the text of the title in the serialized copy
PLACEHOLDER = "text-of-the-unclosed-title"


def _write_title_text(root: etree._Element) -> bytes | None:
    """Return the markup of a page that an unclosed title holds, to parse it again; else None.

    By the HTML standard a title is text up to its end tag, or to the end of the page. A copy of the
    tree is serialized with that text as markup; `root` is not changed.
    """
    for number, title in enumerate(root.iter("title")):
        text = title.text or ""
        if len(text) > MAX_TITLE and "<" in text:
            copy = deepcopy(root)
            title = next(islice(copy.iter("title"), number, None))  # noqa: PLW2901 - its copy
            heading, bracket, rest = text.partition("<")
            title.text = drop_controls(heading)
            title.tail = PLACEHOLDER + drop_controls(title.tail or "")
            html = str(etree.tostring(copy, method="html", encoding="unicode"))
            # the end tag may be that of an icon's title; the parser drops the icon's other end tags
            html = html.replace(PLACEHOLDER, f"{bracket}{rest}</title></svg>", 1)
            return html.strip().encode("utf-8", "replace")
    return None


def _parse(html: bytes) -> tuple[etree._Element, bool]:
    """Return the tree that parsel makes of UTF-8 bytes, and whether it holds all of them.

    It ends before an oversized tag. Its elements are lxml's plain ones: those of `lxml.html` cost
    Python calls, and parsel reads the log of errors of every page.
    """
    end = find_oversized_tag(html)
    parser = etree.HTMLParser(recover=True, encoding="utf-8", huge_tree=True)
    root: etree._Element | None = etree.fromstring(html[:end].strip() or EMPTY_PAGE, parser)
    return etree.fromstring(EMPTY_PAGE, parser) if root is None else root, end is None


# comments and instructions up to which lxml's own walk is used: its time grows with the square of
# those that stand beside each other (100,000 take .5 s, 10,000 take 5 ms)
MANY_COMMENTS = 10_000


def walk_nodes(root: etree._Element) -> NodeWalk | etree.iterwalk[Any]:
    """Return the walk of lxml over all nodes of `root`, or NodeWalk if it has MANY_COMMENTS."""
    comments = root.iter(etree.Comment, etree.PI)
    if next(islice(comments, MANY_COMMENTS, None), None) is not None:
        return NodeWalk(root)
    return etree.iterwalk(root, events=("start", "end", "comment", "pi"))


_EVENTS: dict[object, str] = {etree.Comment: "comment", etree.PI: "pi"}


class NodeWalk:
    """The walk of ``etree.iterwalk`` over elements, comments and instructions, in linear time."""

    def __init__(self, root: etree._Element) -> None:
        self._root = root
        self._skipped = False

    def skip_subtree(self) -> None:
        """Leave out what is below the last element, as in lxml."""
        self._skipped = True

    def __iter__(self) -> Iterator[tuple[str, etree._Element]]:
        node: etree._Element | None = self._root
        while node is not None:
            child, event = None, _EVENTS.get(node.tag, "start")
            self._skipped = False
            yield event, node
            if event == "start" and not self._skipped:
                child = next(iter(node), None)
            if child is not None:
                node = child
                continue
            while node is not None:
                if node.tag not in _EVENTS:
                    yield "end", node
                if node is self._root:
                    return
                after = node.getnext()
                if after is not None:
                    node = after
                    break
                node = node.getparent()


def find_roots(root: etree._Element) -> list[etree._Element]:
    """Return `root` and its siblings: libxml2 makes elements after ``</html>`` further roots.

    For an element inside a tree, return only the element.
    """
    if root.getparent() is not None:
        return [root]
    return [root, *root.itersiblings("*")]
