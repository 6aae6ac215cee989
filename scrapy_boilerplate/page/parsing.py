"""Parse HTML, trees, selectors and responses to the lxml tree of Scrapy's selector."""

from __future__ import annotations

import re
from copy import deepcopy
from functools import cache
from itertools import islice, pairwise
from math import inf
from typing import Any

from lxml import etree

from scrapy_boilerplate.page.encoding import (
    encode_for_parser,
    is_encoding,
    is_plain,
    limit_bytes,
    transcode_html,
)
from scrapy_boilerplate.page.limits import BYTES, ELEMENTS, NO_LIMITS, Limits
from scrapy_boilerplate.page.text import drop_controls

# characters of a title at most; a longer one has no end tag and holds the page (8 of the 621 pages
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
    markup, is_cut = _read_markup(source, limits.bytes)
    root, is_whole = (_find_tree(source), True) if markup is None else _parse(markup)
    if root.getparent() is None and (markup := _write_title_text(root)) is not None:
        root, is_rest_whole = _parse(markup)
        is_whole = is_whole and is_rest_whole
    limited = limit_elements(root, limits.elements)
    if limited is not root or not is_whole:
        return limited, ELEMENTS
    return root, BYTES if is_cut else None


def _read_markup(source: Any, n_bytes: int | None) -> tuple[bytes | None, bool]:
    """Return the first `n_bytes` of the markup in UTF-8, and whether `source` has more.

    The markup is None if `source` has a tree: an lxml tree, a selector, or a response within the
    limits.
    """
    if isinstance(source, str):
        characters = source[:n_bytes]
        return encode_for_parser(characters), len(characters) < len(source)
    if isinstance(source, bytes | bytearray | memoryview):
        start = limit_bytes(bytes(source), n_bytes)
        return transcode_html(start), len(start) < len(source)
    body = None if isinstance(source, etree._Element) else getattr(source, "body", None)
    if not isinstance(body, bytes):
        return None, False
    start = limit_bytes(body, n_bytes)
    is_cut = len(start) < len(body)
    encoding = getattr(source, "encoding", None)
    encoding = encoding if isinstance(encoding, str) else None
    # Scrapy's own selector raises for an unknown encoding
    has_selector = not is_cut and (encoding is None or is_encoding(encoding))
    if has_selector and is_plain(body, encoding) and find_oversized_tag(body) is None:
        return None, False
    # the decoded page only serves to find oversized tags where the selector can read it
    markup = transcode_html(start, encoding=encoding)
    if has_selector and find_oversized_tag(markup) is None:
        return None, False
    return markup, is_cut


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


# replaces the text of the title in the serialized copy
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
            # the title may be inside an icon, whose other end tags the parser drops
            html = html.replace(PLACEHOLDER, f"{bracket}{rest}</title></svg>", 1)
            return html.strip().encode("utf-8", "replace")
    return None


def _parse(html: bytes) -> tuple[etree._Element, bool]:
    """Return the tree that parsel makes of UTF-8 bytes, and whether it holds all of them.

    It ends before an oversized tag. Its elements are plain elements of lxml: `lxml.html` costs
    Python calls, and parsel reads the log of errors of every page.
    """
    end = find_oversized_tag(html)
    parser = etree.HTMLParser(recover=True, encoding="utf-8", huge_tree=True)
    root: etree._Element | None = etree.fromstring(html[:end].strip() or EMPTY_PAGE, parser)
    return etree.fromstring(EMPTY_PAGE, parser) if root is None else root, end is None


# --- attributes ---
#
# libxml2 compares each attribute of an element with all before it: 25,000 of them take .8 s,
# 50,000 over 4 s, and no budget of time can end the parse in between.

# attributes of an element at which its page ends; they take .1 s to parse
MAX_ATTRIBUTES = 10_000

# pieces of markup to a match: a match remembers where each of them ends
PIECES = 1_000

# elements whose content is text up to their end tag; the content of a title is checked when it is
# parsed again
_RAW = rb"title|textarea|style|xmp|iframe|noembed|noframes"

_SPACE, _NAME_ENDS = rb"[\t\n\f\r ]", rb"(?=[\t\n\f\r />])"

# No two alternatives of these patterns match the same text, so they are linear.
_ATTRIBUTE = (
    rb"[\t\n\f\r /]*[^\t\n\f\r />][^\t\n\f\r />=]*(?=[\t\n\f\r />=])"
    rb"(?:S*=S*(?:\"[^\"]*\"|'[^']*'|[^\t\n\f\r >\"'][^\t\n\f\r >]*(?=[\t\n\f\r >])|(?=>))|(?!S*=))"
).replace(b"S", _SPACE)


@cache
def _compile_markup(n_attributes: int) -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
    """Return patterns of markup without a tag of more attributes, and of the start of such a tag.

    They read tags, comments, scripts and raw text as the tokenizer of the HTML standard and of
    libxml2 2.14 does.
    """
    end, name = _NAME_ENDS, rb"[a-z][^\t\n\f\r />]*" + _NAME_ENDS
    attributes = rb"(?:%b){0,%d}" % (_ATTRIBUTE, n_attributes)
    tag, open_tag = attributes + rb"[\t\n\f\r /]*>", attributes + rb"(?:[\t\n\f\r /]*[\t\n\f\r ])?>"
    # a script in a comment in a script: the end tag is its own
    inner = rb"<script%b(?:[^<-]+|-(?!->)|<(?!/script%b))*(?:</script%b|(?=-->)|\Z)" % ((end,) * 3)
    escaped = rb"(?:[^<-]+|-(?!->)|<(?!/?script%b)|%b)*(?:-->|(?=</script%b)|\Z)"
    script = rb"(?:[^<]+|<(?!!--|/script%b)|<!--(?:-?>|%b))*" % (end, escaped % (end, inner, end))
    pieces = (
        rb"[^<]+|<(?![a-z!?/])|</(?=\Z)",
        rb"<(?!(?:script|plaintext|%b)%b)%b%b" % (_RAW, end, name, tag),
        rb"</%b(?:%b)*[\t\n\f\r /]*>" % (name, _ATTRIBUTE),
        rb"<!--(?:-?>|(?:[^-]+|-(?!-!?>))*(?:--!?>|\Z))",
        rb"<(?:!(?!--)|\?|/[^a-z>])[^>]*>?|</>",
        # libxml2 closes these at "/>", unlike browsers
        rb"<(?:script|plaintext|%b)%b%b[\t\n\f\r /]*/>" % (_RAW, end, attributes),
        rb"<script%b%b%b" % (end, open_tag, script),
        rb"<(%b)%b%b(?:[^<]+|<(?!/\1%b))*" % (_RAW, end, open_tag, end),
        rb"<plaintext%b%b.*" % (end, open_tag),
    )
    skipped = rb"(?:%b){1,%d}" % (b"|".join(pieces), PIECES)
    oversized = rb"<%b(?:%b){%d}" % (name, _ATTRIBUTE, n_attributes + 1)
    return re.compile(skipped, re.IGNORECASE | re.DOTALL), re.compile(oversized, re.IGNORECASE)


def find_oversized_tag(html: bytes, n_attributes: int = MAX_ATTRIBUTES) -> int | None:
    """Return the offset of the first tag with more than `n_attributes` in UTF-8, or None.

    Linear time. Most pages are cleared by `_is_cleared`, in a hundredth of the time of the parser;
    the tokenizer takes half of it.
    """
    if _is_cleared(html, n_attributes):
        return None
    skip, oversized = _compile_markup(n_attributes)
    at = 0
    while (skipped := skip.match(html, at)) is not None:
        at = skipped.end()
    return None if oversized.match(html, at) is None else at


# ">" that are checked until one ends a tag, and characters before a quotation mark in which an
# equals sign is searched
TRIES, MAX_SPACES = 200, 20

SPACES = b"\t\n\f\r "
SEPARATORS = SPACES + b"/"

_find_start_tag = re.compile(rb"<[A-Za-z]").search


def _is_cleared(html: bytes, n_attributes: int) -> bool:
    """Return whether no tag can have more than `n_attributes`; False where that is not plain.

    An attribute takes two bytes, so such a tag is a stretch of markup, twice as long, in which no
    ">" ends a tag. The page is crossed in steps of that length, from one sure end of a tag to the
    last one within reach. Beyond a longer stretch its next sure end is searched, and its attributes
    are counted.
    """
    reach, at = 2 * n_attributes, 0
    while len(html) - at > reach:
        step = at + reach
        end = html.rfind(b">", at, step)
        for _ in range(TRIES):
            if end < 0 or _ends_tag(html, at, end):
                break
            end = html.rfind(b">", at, end)
        else:
            return False
        if end < 0:
            end = html.find(b">", step)
            for _ in range(TRIES):
                if end < 0 or _ends_tag(html, at, end):
                    break
                end = html.find(b">", end + 1)
            else:
                return False
            end = end if end >= 0 else len(html)
            if _count_attributes(html[at:end]) > n_attributes:
                return False
        at = end + 1
    return True


def _ends_tag(html: bytes, start: int, end: int) -> bool:
    """Return whether a tag that is open after `start` ends at the ">" at `end`, or before.

    It only goes on if the ">" is inside a quoted value: then there is an equals sign before the
    last quotation mark of a kind, with or without spaces between.
    """
    for quote in (b'"', b"'"):
        at = html.rfind(quote, start, end)
        if at > start:
            before = html[max(start, at - MAX_SPACES) : at].rstrip(SPACES)
            if not before or before.endswith(b"="):
                return False
    return True


def _count_attributes(markup: bytes) -> int:
    """Return how many attributes a tag in `markup` has at most.

    Each follows a separator, or the quoted value of another attribute, which has an equals sign and
    a separator or a quotation mark.
    """
    tag = _find_start_tag(markup)
    if tag is None:
        return 0
    rest = markup[tag.start() :]
    separators = len(rest) - len(rest.translate(None, SEPARATORS))
    return separators + rest.count(b'="') + rest.count(b"='")


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
