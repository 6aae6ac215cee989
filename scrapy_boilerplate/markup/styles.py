"""Styles of a page that nobody trusts: what remains of them can only set type, colour and layout.

tinycss2 parses as browsers do. Rules and declarations that are not on the list below are left out,
whatever they are: nothing remains that loads (`url()`, `@import`, `@font-face`), moves, hides, lies
over other things or runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from scrapy_boilerplate.extras import optional

PARSER = "tinycss2"

MAX_CHARACTERS = 300_000
"""Of all style sheets of a page that are read; beyond it the rest is left out (our choice: tinycss2
reads about a million characters a second)."""
MAX_LENGTH = 3_000
"""Size of a number with a unit at most: nothing is pushed far away."""
MAX_DEPTH = 8
"""Conditional rules in each other."""

PROPERTIES = frozenset(
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
SIDED = ("margin", "padding", "border")
"""Properties whose names go on with a side, a width, a colour."""
NEVER_ZERO = frozenset("font font-size line-height width max-width".split())
FUNCTIONS = frozenset("rgb rgba hsl hsla calc min max clamp minmax repeat".split())
CONDITIONS = frozenset("media supports layer".split())
UNITS = frozenset("px pt pc em rem ex ch cm mm in fr deg".split())
"""Lengths that do not depend on the size of the window, which follows the page here."""
HIDES = frozenset("none contents hidden transparent".split())


def safe_declarations(style: str) -> str:
    """What remains of a ``style`` attribute. Raises MissingExtraError without tinycss2."""
    css = optional(PARSER, "the inspection page", "html")
    found = css.parse_blocks_contents(style[:MAX_CHARACTERS], skip_comments=True)
    return ";".join(_declarations(found))


def safe_sheet(sheets: Iterable[str]) -> str:
    """What remains of style sheets, as one. Raises MissingExtraError without tinycss2."""
    css = optional(PARSER, "the inspection page", "html")
    text = "\n".join(sheets)[:MAX_CHARACTERS]
    rules = css.parse_stylesheet(text, skip_comments=True, skip_whitespace=True)
    return "\n".join(_rules(css, rules, 0))


def _rules(css: Any, rules: Iterable[Any], depth: int) -> Iterator[str]:
    for rule in rules:
        if rule.type not in ("qualified-rule", "at-rule") or rule.content is None:
            continue
        prelude = css.serialize(rule.prelude).strip()
        if not _is_plain(prelude):
            continue
        if rule.type == "qualified-rule":
            found = css.parse_blocks_contents(rule.content, skip_comments=True)
            kept = ";".join(_declarations(found))
            if kept and prelude:
                yield f"{prelude}{{{kept}}}"
        elif rule.lower_at_keyword in CONDITIONS and depth < MAX_DEPTH:
            inner = css.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True)
            kept = "\n".join(_rules(css, inner, depth + 1))
            if kept:
                yield f"@{rule.lower_at_keyword} {prelude}{{{kept}}}"


def _is_plain(text: str) -> bool:
    """No end tag and no comment of HTML can hide in it, nor one of ours be named."""
    return "<" not in text and "b-" not in text.lower() and "\\" not in text


def _declarations(found: Iterable[Any]) -> Iterator[str]:
    for one in found:
        if one.type == "declaration" and _is_known(one.lower_name) and _is_safe(one):
            value = "".join(token.serialize() for token in one.value).strip()
            if value and _is_plain(value):
                yield f"{one.lower_name}:{value}"


def _is_known(name: str) -> bool:
    return name in PROPERTIES or (name.partition("-")[0] in SIDED and "image" not in name)


def _is_safe(declaration: Any) -> bool:
    never_zero = declaration.lower_name in NEVER_ZERO
    return all(_is_safe_token(token, never_zero) for token in declaration.value)


def _is_safe_token(token: Any, never_zero: bool) -> bool:
    if token.type == "function":
        inner = token.arguments
        return token.lower_name in FUNCTIONS and all(_is_safe_token(t, False) for t in inner)
    if token.type in ("number", "percentage", "dimension"):
        known = token.type != "dimension" or token.lower_unit in UNITS
        return known and 0 <= token.value <= MAX_LENGTH and not (never_zero and not token.value)
    if token.type == "ident":
        return token.lower_value not in HIDES
    return token.type in ("whitespace", "literal", "hash", "string")
