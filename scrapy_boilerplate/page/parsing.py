"""Parse HTML, trees, selectors and responses to the lxml tree of Scrapy's selector."""

from copy import deepcopy
from itertools import islice, pairwise
from math import inf
from typing import Any

from lxml import etree

from scrapy_boilerplate.page.decoding import Markup, decode_source, limit_markup
from scrapy_boilerplate.page.limits import ELEMENTS, NO_LIMITS, Limits
from scrapy_boilerplate.page.text import drop_controls

# maximum characters of a title; a longer one has no end tag and contains the page (8 of 621 pages
# of L3S-GN1)
MAX_TITLE = 1_000

EMPTY_PAGE = b"<html/>"


def parse_html(source: Any, limits: Limits = NO_LIMITS) -> etree._Element:
    """Return the root of the part of `source` within `limits`.

    `source` is HTML (str, or bytes in the encoding they declare), an lxml element or tree, a parsel
    selector, or a response with a selector. The time in `limits` is ignored. Raises TypeError for
    any other source.
    """
    return parse_markup(decode_source(source, limits), source, limits)[0]


def parse_markup(markup: Markup, source: Any, limits: Limits) -> tuple[etree._Element, str | None]:
    """Return the root of the tree of decoded markup, and the exceeded budget or None.

    The tree of a Scrapy response is shared; it is not built if the page exceeds the limits. The
    markup inside an unclosed title is parsed again. Raises TypeError if `source` has no tree.
    """
    root = _find_tree(source) if markup.html is None else parse_utf_8(markup.html)
    exceeded = markup.exceeded
    if root.getparent() is None and (swallowed := _write_title_text(root)) is not None:
        inner = limit_markup(swallowed)
        root, exceeded = parse_utf_8(inner.html or b""), inner.exceeded or exceeded
    limited = cut_elements(root, limits.elements)
    return limited, exceeded if limited is root else ELEMENTS


def _find_tree(source: Any) -> etree._Element:
    if isinstance(source, etree._ElementTree):
        source = parse_utf_8(b"") if source.getroot() is None else source.getroot()
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
    """Write the markup of a page inside an unclosed title, which is text by the HTML standard.

    A copy of the tree is serialized with that text as markup.
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


def parse_utf_8(html: bytes) -> etree._Element:
    """Parse bytes in UTF-8 to the tree that parsel makes.

    Its elements are plain elements of lxml: `lxml.html` costs Python calls, and parsel reads the
    log of errors of every page.
    """
    parser = etree.HTMLParser(recover=True, encoding="utf-8", huge_tree=True)
    root: etree._Element | None = etree.fromstring(html.strip() or EMPTY_PAGE, parser)
    return etree.fromstring(EMPTY_PAGE, parser) if root is None else root


# --- elements ---

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
