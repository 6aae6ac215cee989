"""A static, sanitised snapshot of a page and its styles, for the inspection page and the annotator.

Only listed tags, attributes and CSS declarations remain: nothing that loads, runs, moves, hides or
overlaps other content. The browser shows the snapshot in a sandboxed frame without scripts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from types import MappingProxyType
from typing import Any

from lxml import etree

from scrapy_boilerplate import import_optional
from scrapy_boilerplate.markup.clean_html import SANITISER
from scrapy_boilerplate.markup.leaves import NO_LEAF, walk_leaves
from scrapy_boilerplate.page.columns import INLINE
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.reading import find_roots
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
        "class id dir lang align valign bgcolor color size face width colspan rowspan start type "
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
# Maximum characters of an attribute and of a ``style``.
MAX_VALUE, MAX_STYLE = 200, 2_000
# Maximum nested elements; only the text of deeper elements is kept (browsers stop at 512).
MAX_DEPTH = 200


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """A sanitised copy of a page.

    body       HTML
    styles     style sheets
    language   as declared, "" where unknown
    direction  ``ltr`` or ``rtl`` as declared, "" where unknown
    """

    body: str
    styles: str
    language: str = ""
    direction: str = ""


def build_snapshot(page: Page, root: etree._Element) -> Snapshot:
    """Return the snapshot of a page; its tree `root` is only read.

    Every leaf is in a LEAF_TAG element with its number. Links lead nowhere. nh3 (ammonia), which
    parses as browsers do, sanitises the result.
    Raises MissingExtraError without nh3 or tinycss2, ChangedTreeError if the tree was changed.
    """
    nh3 = import_optional(SANITISER, "the inspection page", "html")
    body = nh3.clean(
        "".join(_write_body(page, root)),
        tags={*KEPT_TAGS, LEAF_TAG, PLACEHOLDER_TAG},
        attributes={"*": {*KEPT_ATTRIBUTES, "style"}, LEAF_TAG: {LEAF_ATTRIBUTE}},
        url_schemes=set(),
        link_rel=None,
    )
    sheets = [sheet.text or "" for tree in find_roots(root) for sheet in tree.iter("style")]
    direction = (root.get("dir") or "").lower()
    return Snapshot(
        body=body,
        styles=clean_style_sheets(sheets),
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
                written = tag if tag in KEPT_TAGS else "span" if tag in INLINE else "div"
                yield f"<{written}{_write_attributes(node)}>"
                end_tag = f"</{written}>"
            end_tags.append(end_tag)


def _write_attributes(node: etree._Element) -> str:
    written = []
    for name, value in node.items():
        if name in KEPT_ATTRIBUTES and not value.lower().startswith("b-"):
            written.append(f' {name}="{escape(value[:MAX_VALUE])}"')
        elif name == "style":
            style = clean_style(value[:MAX_STYLE])
            written.append(f' style="{escape(style)}"' if style else "")
    return "".join(written)


def _write_placeholder(kind: str, node: etree._Element) -> str:
    title = collapse(node.get("alt") or node.get("title") or "")[:MAX_VALUE]
    size = node.get("width", "").strip(), node.get("height", "").strip()
    if "1" in size or "0" in size:  # a tracking pixel or a spacer
        return ""
    return f"<{PLACEHOLDER_TAG}>{kind}{escape(f': {title}' if title else '')}</{PLACEHOLDER_TAG}>"


# --- styles ---

CSS_PARSER = "tinycss2"
KEPT_PROPERTIES = frozenset(
    (
        "color background background-color font font-family font-size font-style font-weight "
        "font-variant line-height letter-spacing word-spacing text-align text-transform "
        "text-decoration text-decoration-line text-decoration-color white-space word-break "
        "overflow-wrap hyphens vertical-align list-style list-style-type list-style-position "
        "width max-width min-width float clear display flex flex-basis flex-direction flex-flow "
        "flex-grow flex-shrink flex-wrap grid-template-columns grid-column gap row-gap column-gap "
        "align-items align-content align-self justify-content justify-items justify-self "
        "box-sizing table-layout border-collapse border-spacing columns column-count column-width "
        "direction unicode-bidi"
    ).split()
)
# First parts of the names of properties for a side, a width or a colour.
PROPERTY_GROUPS = ("margin", "padding", "border")
# In percent they reserve the height of an image, which is not loaded.
VERTICAL_PROPERTIES = frozenset(
    "margin margin-top margin-bottom padding padding-top padding-bottom".split()
)
NONZERO_PROPERTIES = frozenset("font font-size line-height width max-width".split())
KEPT_FUNCTIONS = frozenset("rgb rgba hsl hsla calc min max clamp minmax repeat".split())
CONDITIONAL_RULES = frozenset("media supports layer".split())
# Without units of the window size, since the frame takes the size of the page.
KEPT_UNITS = frozenset("px pt pc em rem ex ch cm mm in fr deg".split())
HIDING_KEYWORDS = frozenset("none contents hidden transparent".split())
# Maximum characters of all style sheets of a page (tinycss2 reads about a million a
# second).
MAX_CSS = 300_000
# Largest number with or without a unit, so that nothing is far off the page.
MAX_NUMBER = 3_000
# Maximum nested conditional rules.
MAX_RULE_DEPTH = 8


def clean_style(style: str) -> str:
    """Return the safe part of a ``style`` attribute. Raises MissingExtraError without tinycss2."""
    css = import_optional(CSS_PARSER, "the inspection page", "html")
    declarations = css.parse_blocks_contents(style[:MAX_CSS], skip_comments=True)
    return _clean_declarations(declarations)


def clean_style_sheets(sheets: Iterable[str]) -> str:
    """Return the safe part of style sheets, joined. Raises MissingExtraError without tinycss2."""
    css = import_optional(CSS_PARSER, "the inspection page", "html")
    text = "\n".join(sheets)[:MAX_CSS]
    rules = css.parse_stylesheet(text, skip_comments=True, skip_whitespace=True)
    return "\n".join(_clean_rules(css, rules, 0))


def _clean_rules(css: Any, rules: Iterable[Any], depth: int) -> Iterator[str]:
    for rule in rules:
        if rule.type not in ("qualified-rule", "at-rule") or rule.content is None:
            continue
        prelude = css.serialize(rule.prelude).strip()
        if not _is_plain(prelude):
            continue
        if rule.type == "qualified-rule":
            declarations = css.parse_blocks_contents(rule.content, skip_comments=True)
            kept = _clean_declarations(declarations)
            if kept and prelude:
                yield f"{prelude}{{{kept}}}"
        elif rule.lower_at_keyword in CONDITIONAL_RULES and depth < MAX_RULE_DEPTH:
            inner = css.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True)
            kept = "\n".join(_clean_rules(css, inner, depth + 1))
            if kept:
                yield f"@{rule.lower_at_keyword} {prelude}{{{kept}}}"


def _is_plain(text: str) -> bool:
    """Return whether CSS has no HTML markup, no escape, and no name of LEAF_TAG elements."""
    return "<" not in text and "b-" not in text.lower() and "\\" not in text


def _clean_declarations(declarations: Iterable[Any]) -> str:
    kept = []
    for declaration in declarations:
        if declaration.type != "declaration":
            continue
        name = declaration.lower_name
        is_grouped = name.partition("-")[0] in PROPERTY_GROUPS and "image" not in name
        if name not in KEPT_PROPERTIES and not is_grouped:
            continue
        if all(_is_safe(token, name in NONZERO_PROPERTIES) for token in declaration.value):
            value = "".join(token.serialize() for token in declaration.value).strip()
            reserves_height = "%" in value and name in VERTICAL_PROPERTIES
            if value and _is_plain(value) and not reserves_height:
                kept.append(f"{name}:{value}")
    return ";".join(kept)


def _is_safe(token: Any, never_zero: bool) -> bool:
    if token.type == "function":
        is_known = token.lower_name in KEPT_FUNCTIONS
        return is_known and all(_is_safe(inner, False) for inner in token.arguments)
    if token.type in ("number", "percentage", "dimension"):
        is_known = token.type != "dimension" or token.lower_unit in KEPT_UNITS
        return is_known and 0 <= token.value <= MAX_NUMBER and not (never_zero and not token.value)
    if token.type == "ident":
        return token.lower_value not in HIDING_KEYWORDS
    return token.type in ("whitespace", "literal", "hash", "string")
