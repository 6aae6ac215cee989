"""Decode and parse HTML, trees, selectors and responses to the lxml tree of Scrapy's selector."""

from __future__ import annotations

import codecs
import re
from copy import deepcopy
from functools import lru_cache
from itertools import islice, pairwise
from math import inf
from typing import Any, NamedTuple

from lxml import etree
from w3lib.encoding import (
    html_body_declared_encoding,
    html_to_unicode,
    http_content_type_encoding,
    resolve_encoding,
)

from scrapy_boilerplate.page.limits import (
    BYTES,
    ELEMENTS,
    NO_LIMITS,
    Limits,
    find_oversized_tag,
)
from scrapy_boilerplate.page.text import drop_controls

# maximum characters of a title; a longer one has no end tag and contains the page (8 of 621 pages
# of L3S-GN1)
MAX_TITLE = 1_000

EMPTY_PAGE = b"<html/>"


def parse_html(source: Any, limits: Limits = NO_LIMITS) -> etree._Element:
    """Return the root of the tree that `parse_source` reads from `source`."""
    return parse_source(source, limits)[0]


def parse_source(source: Any, limits: Limits) -> tuple[etree._Element, str | None]:
    """Return the root of the part of `source` within `limits`, and the exceeded budget or None.

    `source` is HTML (str, or bytes in the encoding they declare), an lxml element or tree, a parsel
    selector, or a response with a selector. The tree of a Scrapy response is shared; it is not
    built if the page exceeds the limits. A page ends before a tag with more than MAX_ATTRIBUTES.
    The markup inside an unclosed title is parsed again. The time in `limits` is ignored.
    Raises TypeError for any other source.
    """
    # 1. Decode
    markup = _write_breaks(decode_source(source, limits.bytes))
    # 2. Limit
    end = find_oversized_tag(markup.html)
    # 3. Parse
    if markup.is_source_parsed and end is None:
        root = _find_tree(source)
    else:
        root = _parse(markup.html[:end], markup.encoding)
    if root.getparent() is None and (swallowed := _write_title_text(root)) is not None:
        rest_end = find_oversized_tag(swallowed)
        root, end = _parse(swallowed[:rest_end]), rest_end if end is None else end
    # 4. Cut
    limited = cut_elements(root, limits.elements)
    if limited is not root or end is not None:
        return limited, ELEMENTS
    return root, BYTES if markup.is_cut else None


class Markup(NamedTuple):
    """The markup of a source, in UTF-8 without NUL bytes, or in `encoding`.

    It is only a part of the source if `is_cut`, and empty if the source is a tree. If
    `is_source_parsed`, the source has the tree of this markup.
    """

    html: bytes
    encoding: str | None = None
    is_cut: bool = False
    is_source_parsed: bool = False


def decode_source(source: Any, n_bytes: int | None) -> Markup:
    """Return the first `n_bytes` of the markup of a source."""
    if isinstance(source, str):
        characters = source[:n_bytes]
        return Markup(encode_for_parser(characters), is_cut=len(characters) < len(source))
    if isinstance(source, bytes | bytearray | memoryview):
        start = cut_bytes(bytes(source), n_bytes)
        return Markup(transcode_html(start), is_cut=len(start) < len(source))
    body = None if isinstance(source, etree._Element) else getattr(source, "body", None)
    if not isinstance(body, bytes):
        return Markup(b"", is_source_parsed=True)
    start = cut_bytes(body, n_bytes)
    is_cut = len(start) < len(body)
    encoding = getattr(source, "encoding", None)
    encoding = encoding if isinstance(encoding, str) else None
    # Scrapy's own selector raises for an unknown encoding
    has_selector = not is_cut and (encoding is None or is_encoding(encoding))
    if has_selector and is_plain(body, encoding):  # its tags can be found without decoding it
        return Markup(body, encoding, is_source_parsed=True)
    html = transcode_html(start, encoding=encoding)
    return Markup(html, is_cut=is_cut, is_source_parsed=has_selector)


# the beginnings of an end tag of `br`, and the whole tag
_BREAK_ENDS = (b"</br", b"</BR", b"</Br")
_replace_breaks = re.compile(rb"</br(?=[\s/>])[^<>]*>", re.IGNORECASE).sub


def _write_breaks(markup: Markup) -> Markup:
    """Return the markup with ``<br>`` for ``</br>``, which libxml2 drops.

    The HTML Standard ("The rules for parsing tokens in HTML content") reads it as a start tag.
    """
    html = markup.html
    if not any(end in html for end in _BREAK_ENDS):
        return markup
    html = _replace_breaks(b"<br>", html)
    return markup._replace(html=html, is_source_parsed=False)


def _find_tree(source: Any) -> etree._Element:
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


# replaces the text of the title in the serialized copy
PLACEHOLDER = "text-of-the-unclosed-title"


def _write_title_text(root: etree._Element) -> bytes | None:
    """Return the markup of a page inside an unclosed title, to parse it again; else None.

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
            # the title may be inside an icon, whose other end tags the parser drops
            html = html.replace(PLACEHOLDER, f"{bracket}{rest}</title></svg>", 1)
            return html.strip().encode("utf-8", "replace")
    return None


def _parse(html: bytes, encoding: str | None = None) -> etree._Element:
    """Parse bytes in UTF-8 or `encoding` to the tree that parsel makes.

    Its elements are plain elements of lxml: `lxml.html` costs Python calls, and parsel reads the
    log of errors of every page.
    """
    html = html if encoding is None else transcode_html(html, encoding=encoding)
    parser = etree.HTMLParser(recover=True, encoding="utf-8", huge_tree=True)
    root: etree._Element | None = etree.fromstring(html.strip() or EMPTY_PAGE, parser)
    return etree.fromstring(EMPTY_PAGE, parser) if root is None else root


# --- limits ---

# the first two bits of a continuation byte of UTF-8
CONTINUES = 0x80


def cut_bytes(html: bytes, n_bytes: int | None) -> bytes:
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


_count_elements = etree.XPath("count(//*)")


def cut_elements(root: etree._Element, n_elements: int | None) -> etree._Element:
    """Return `root`, or a copy with the first `n_elements` if its tree has more elements.

    The copy is made in C, because lxml cannot create elements with some names that the parser
    accepts. It is cut after the last element in document order. An element inside a tree is
    returned unchanged. Linear in the size of the tree.
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


# --- encodings ---

# Python's text codecs that no page uses and no browser supports: two fail on every page, and the
# time of punycode is quadratic in the length
UNUSED_CODECS = frozenset(
    ("idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "utf-7")
)

# encoding names that are cached
CACHED_NAMES = 256


@lru_cache(maxsize=CACHED_NAMES)
def is_encoding(name: str) -> bool:
    """Return whether `name` is a text encoding; codecs such as hex, rot13 and zlib are not."""
    resolved = resolve_encoding(name)
    if resolved is None or codecs.lookup(resolved).name in UNUSED_CODECS:
        return False
    try:
        b"a".decode(resolved, "replace")
    except LookupError:  # not a text encoding
        return False
    return True


MARKUP = "<>/!?-=\"' \t\n\f\r"


@lru_cache(maxsize=CACHED_NAMES)
def _has_ascii_markup(name: str) -> bool:
    codec = codecs.lookup(str(resolve_encoding(name)))
    if codec.name.startswith(("iso2022", "hz")):  # any byte is, after an escape sequence
        return False
    if MARKUP.encode(codec.name, "replace") != MARKUP.encode():
        return False
    return all(
        bytes((lead, ord(mark))).decode(codec.name, "replace").endswith(mark)
        for lead in range(0x80, 0x100)
        for mark in MARKUP
    )


def is_plain(html: bytes, encoding: str | None) -> bool:
    """Return whether markup is encoded as in ASCII: not in UTF-16, and without NUL bytes."""
    return encoding is not None and _has_ascii_markup(encoding) and b"\x00" not in html


def declares_encoding(content_type: str | None) -> bool:
    """Return whether a header names an encoding that can be used."""
    declared = http_content_type_encoding(content_type)
    return declared is not None and is_encoding(declared)


# white space of ASCII, as `str.strip` drops it
ASCII_SPACES = b"\t\n\v\f\r\x1c\x1d\x1e\x1f "


def encode_for_parser(html: str) -> bytes:
    """Return markup in UTF-8, without white space around it and without NUL characters."""
    return html.strip().encode("utf-8", "replace").replace(b"\x00", b"")


def transcode_html(html: bytes, *, encoding: str | None = None) -> bytes:
    """Decode bytes, and return the result of `encode_for_parser`.

    Bytes that are valid UTF-8 stay as they are: to encode them again takes a tenth of the parse.
    """
    declared = _find_encoding(html, None, encoding)
    trimmed = html.strip(ASCII_SPACES)
    # without a byte order mark or white space of Unicode at the ends
    has_plain_ends = trimmed[:1].isascii() and trimmed[-1:].isascii()
    if declared == "utf-8" and has_plain_ends and is_utf_8(trimmed):
        return trimmed.replace(b"\x00", b"")
    return encode_for_parser(html_to_unicode(f"charset={declared}", html)[1])


# bytes that are validated at once; they fit in the cache of a processor. Decoding the whole page at
# once takes four times as long
PORTION = 1 << 16


def is_utf_8(html: bytes) -> bool:
    """Return whether all bytes are valid UTF-8."""
    view, at = memoryview(html), 0
    try:
        while at < len(html):
            portion = view[at : at + PORTION]
            at += codecs.utf_8_decode(portion, "strict", at + PORTION >= len(html))[1]
    except UnicodeDecodeError:
        return False
    return True


def decode_html(
    html: bytes, content_type: str | None = None, *, encoding: str | None = None
) -> str:
    """Return the text of bytes, decoded as browsers do.

    The byte order mark comes first, then `encoding` or the header, then the encoding that the bytes
    declare. Without any of them the text is UTF-8 if that is valid, else cp1252. Names that are no
    text encoding are ignored.
    """
    declared = _find_encoding(html, content_type, encoding)
    return html_to_unicode(f"charset={declared}", html)[1]


def _find_encoding(html: bytes, content_type: str | None, encoding: str | None) -> str:
    declared = http_content_type_encoding(content_type)
    if encoding is not None:
        declared = resolve_encoding(encoding)
    if declared is None or not is_encoding(declared):
        declared = html_body_declared_encoding(html)
    if declared is None or not is_encoding(declared):
        declared = "utf-8" if is_utf_8(html) else "cp1252"
    return declared
