"""A static, sanitised snapshot of a page, for the inspection page and the annotator.

Only listed tags and attributes remain, no styles: nothing that loads, runs, moves, hides or
overlaps other content. The browser shows the snapshot in a sandboxed frame without scripts.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from types import MappingProxyType

from lxml import etree

from scrapy_boilerplate import import_optional
from scrapy_boilerplate.markup.leaves import NO_LEAF, walk_leaves
from scrapy_boilerplate.page.columns import BLOCK_LEVEL
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import collapse, is_blank

# Element around a leaf, and its attribute with the number of the leaf.
LEAF_TAG, LEAF_ATTRIBUTE = "b-leaf", "data-leaf"
# Element instead of content that would be loaded.
PLACEHOLDER_TAG = "b-empty"

VOID_TAGS = frozenset(("br", "hr"))
# Tags that are kept; others become `span` or `div`.
KEPT_TAGS = VOID_TAGS | frozenset(
    (
        "p div span section article aside header footer nav address blockquote pre figure "
        "figcaption h1 h2 h3 h4 h5 h6 ul ol li dl dt dd table caption thead tbody tfoot tr th td "
        "center a b i em strong small big sub sup u s del ins mark q cite abbr code kbd samp var "
        "font tt strike time"
    ).split()
)
KEPT_ATTRIBUTES = frozenset(
    (
        "dir lang align valign bgcolor color size face width colspan rowspan start type "
        "cellpadding cellspacing border"
    ).split()
)
# Tag of loaded content to the text of its placeholder.
PLACEHOLDERS: Mapping[str, str] = MappingProxyType(
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
# Entities that nh3 writes in quadratic time, what they are read from, and stand-ins for both
# (noncharacters of Unicode).
_SLOW = (("&amp;", "&amp;", "\uffff"), ("&nbsp;", "\xa0", "\ufffe"))
# Maximum characters of the title of a placeholder.
MAX_TITLE = 200
# Maximum nested elements; only the text of deeper elements is kept (browsers stop at 512).
MAX_DEPTH = 200


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """A sanitised copy of a page.

    body       HTML
    language   as declared, "" where unknown
    direction  ``ltr`` or ``rtl`` as declared, "" where unknown
    """

    body: str
    language: str = ""
    direction: str = ""


def build_snapshot(page: Page, root: etree._Element) -> Snapshot:
    """Return the snapshot of a page; its tree `root` is only read.

    Every leaf is in a LEAF_TAG element with its number. Links lead nowhere. nh3 (ammonia), which
    parses as browsers do, sanitises the result.
    Raises MissingExtraError without nh3, ChangedTreeError if the tree was changed.
    """
    nh3 = import_optional("nh3", "the inspection page", "html")
    body = "".join(_write_body(page, root))
    for _, read, stand_in in _SLOW:
        body = body.replace(stand_in, "").replace(read, stand_in)
    body = nh3.clean(
        *(body, KEPT_TAGS | {LEAF_TAG, PLACEHOLDER_TAG}),
        attributes={"*": set(KEPT_ATTRIBUTES), LEAF_TAG: {LEAF_ATTRIBUTE}},
        url_schemes=set(),
        link_rel=None,
    )
    for entity, _, stand_in in _SLOW:
        body = body.replace(stand_in, entity)
    direction = (root.get("dir") or "").lower()
    return Snapshot(
        body=body,
        language=page.language or "",
        direction=direction if direction in ("ltr", "rtl") else "",
    )


def _write_body(page: Page, root: etree._Element) -> Iterator[str]:
    end_tags: list[str] = []  # of each open element, or ""
    for event in walk_leaves(page, root):
        node = event.node
        if event.kind == "end":
            yield end_tags.pop()
        elif event.kind == "text":
            text = escape(event.text, quote=False)
            if event.leaf != NO_LEAF and not is_blank(event.text):
                text = f'<{LEAF_TAG} {LEAF_ATTRIBUTE}="{event.leaf}">{text}</{LEAF_TAG}>'
            yield text
        elif node is not None:
            tag, end_tag = page.elements.tags[event.index], ""
            if tag in PLACEHOLDERS:
                yield _write_placeholder(PLACEHOLDERS[tag], node)
            elif tag in VOID_TAGS and not event.hidden:
                yield f"<{tag}>"
            elif not event.hidden and tag not in ("html", "wbr") and len(end_tags) < MAX_DEPTH:
                written = tag if tag in KEPT_TAGS else "div" if tag in BLOCK_LEVEL else "span"
                yield f"<{written}{_write_attributes(node)}>"
                end_tag = f"</{written}>"
            end_tags.append(end_tag)


def _write_attributes(node: etree._Element) -> str:
    kept = ((name, value) for name, value in node.items() if name in KEPT_ATTRIBUTES)
    return "".join(f' {name}="{escape(value)}"' for name, value in kept)


def _write_placeholder(kind: str, node: etree._Element) -> str:
    title = collapse(node.get("alt") or node.get("title") or "")[:MAX_TITLE]
    size = node.get("width", "").strip(), node.get("height", "").strip()
    if "1" in size or "0" in size:  # a tracking pixel or a spacer
        return ""
    return f"<{PLACEHOLDER_TAG}>{kind}{escape(f': {title}' if title else '')}</{PLACEHOLDER_TAG}>"
