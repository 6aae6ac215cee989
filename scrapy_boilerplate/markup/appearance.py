"""A page as it looks, with nothing in it that acts: for the inspection page and the annotator.

A new page is written, of listed tags and attributes alone; images, frames and what else would be
loaded become placeholders, links lead nowhere, every leaf stands in a ``b-leaf`` of its own with
its number. nh3 (ammonia), which parses as browsers do, has the last word. The browser then shows it
in a sandboxed frame without scripts, under a content security policy that loads nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from types import MappingProxyType

from lxml import etree

from scrapy_boilerplate.extras import optional
from scrapy_boilerplate.markup.clean import SANITISER
from scrapy_boilerplate.markup.leaves import NO_LEAF, Stop, walk_leaves
from scrapy_boilerplate.markup.styles import safe_declarations, safe_sheet
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.parsing import whole_page
from scrapy_boilerplate.page.tags import INLINE
from scrapy_boilerplate.page.text import collapse, is_blank

LEAF, NUMBER = "b-leaf", "data-leaf"
"""The element around a leaf, and its attribute that holds the leaf's number."""
EMPTY = "b-empty"
"""The element in the place of what would be loaded: an image, a video, a frame."""

VOID = frozenset(("br", "hr"))
SAME = VOID | frozenset(
    (
        "p div span section article aside header footer nav address blockquote pre figure "
        "figcaption h1 h2 h3 h4 h5 h6 ul ol li dl dt dd table caption thead tbody tfoot tr th td "
        "center a b i em strong small big sub sup u s del ins mark q cite abbr code kbd samp var "
        "font tt strike time"
    ).split()
)
"""Tags that stay; another becomes a span or a div, by what it does to the text around it."""
ATTRIBUTES = frozenset(
    (
        "class id dir lang align valign bgcolor color size face width colspan rowspan start type "
        "cellpadding cellspacing border"
    ).split()
)
EMPTIED: Mapping[str, str] = MappingProxyType(
    {
        "img": "image",
        "amp-img": "image",
        "image": "image",
        "svg": "drawing",
        "canvas": "drawing",
        "iframe": "frame",
        "object": "object",
        "embed": "object",
        "applet": "object",
        "video": "video",
        "audio": "audio",
    }
)
"""Tags that become a placeholder, and what it is called."""

MAX_VALUE = 200
"""Characters of an attribute that are kept."""
MAX_STYLE = 2_000
MAX_LEVELS = 200
"""Elements in each other; deeper ones are left out, their text is kept. Browsers stop at 512."""


@dataclass(frozen=True, kw_only=True)
class Appearance:
    """`body`: the page as sanitised HTML; `styles`: what remains of its style sheets; `language`
    and `direction` as declared, "" where unknown."""

    body: str
    styles: str
    language: str = ""
    direction: str = ""


def appearance_of(page: Page, root: etree._Element) -> Appearance:
    """How the page of the tree `root` looks. The tree is only read.

    Raises MissingExtraError without nh3 or tinycss2, ChangedTreeError if the tree was changed.
    """
    nh3 = optional(SANITISER, "the inspection page", "html")
    writer = _Writer(page)
    for stop in walk_leaves(page, root):
        writer.at(stop)
    body = nh3.clean(
        "".join(writer.parts),
        tags={*SAME, LEAF, EMPTY},
        attributes={"*": {*ATTRIBUTES, "style"}, LEAF: {NUMBER}},
        url_schemes=set(),
        link_rel=None,
    )
    direction = (root.get("dir") or "").lower()
    return Appearance(
        body=body,
        styles=safe_sheet(_sheets(root)),
        language=page.language or "",
        direction=direction if direction in ("ltr", "rtl") else "",
    )


def _sheets(root: etree._Element) -> list[str]:
    return [sheet.text or "" for one in whole_page(root) for sheet in one.iter("style")]


@dataclass
class _Writer:
    """Writes the page stop by stop; `_open` holds the end tag of each open element, or ""."""

    page: Page
    parts: list[str] = field(default_factory=list)
    _open: list[str] = field(default_factory=list)

    def at(self, stop: Stop) -> None:
        if stop.kind == "text":
            self._text(stop)
        elif stop.kind == "end":
            self.parts.append(self._open.pop())
        else:
            self._start(stop)

    def _start(self, stop: Stop) -> None:
        tag, node = self.page.elements.tags[stop.index], stop.node
        if node is not None and tag in EMPTIED:
            self.parts.append(_placeholder(EMPTIED[tag], node))
        if node is None or stop.hidden or tag in EMPTIED or tag in ("html", "wbr"):
            self._open.append("")
            return
        if tag in VOID:
            self.parts.append(f"<{tag}>")
            self._open.append("")
            return
        written = tag if tag in SAME else "span" if tag in INLINE else "div"
        if len(self._open) >= MAX_LEVELS:
            self._open.append("")
            return
        self.parts.append(f"<{written}{_attributes(node)}>")
        self._open.append(f"</{written}>")

    def _text(self, stop: Stop) -> None:
        text = escape(stop.text, quote=False)
        if stop.leaf != NO_LEAF and not is_blank(stop.text):
            text = f'<{LEAF} {NUMBER}="{stop.leaf}">{text}</{LEAF}>'
        self.parts.append(text)


def _attributes(node: etree._Element) -> str:
    written = []
    for name, value in node.items():
        if name in ATTRIBUTES and not value.lower().startswith("b-"):
            written.append(f' {name}="{escape(value[:MAX_VALUE])}"')
        elif name == "style":
            style = safe_declarations(value[:MAX_STYLE])
            written.append(f' style="{escape(style)}"' if style else "")
    return "".join(written)


def _placeholder(kind: str, node: etree._Element) -> str:
    told = collapse(node.get("alt") or node.get("title") or "")[:MAX_VALUE]
    size = node.get("width", "").strip(), node.get("height", "").strip()
    if "1" in size or "0" in size:  # counts visitors, or keeps things apart
        return ""
    return f"<{EMPTY}>{kind}{escape(f': {told}' if told else '')}</{EMPTY}>"
