"""JSON-LD as it is found on pages: broken at times, nested at will, of any type anywhere.

A script that is no JSON is mended (comments, trailing commas, control characters, entities, several
objects in a row); of one that cannot be mended the plain string properties are read by pattern.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html import unescape
from typing import Any

from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import collapse

Node = dict[str, Any]

NODE_LIMIT = 5_000
"""Objects of a page's JSON-LD that are looked at; the most on a development
page is 305."""

_decode = json.JSONDecoder(strict=False).raw_decode
_wrapping = re.compile(r"^\s*(?:<!--|/\*\s*<!\[CDATA\[\s*\*/|//\s*<!\[CDATA\[|<!\[CDATA\[)")
_start = re.compile(r"[{\[]")
_no_value = re.compile(r'"(?:[^"\\]|\\.)*"?|/\*.*?(?:\*/|\Z)|//[^\n]*|,(?=\s*[}\]])', re.DOTALL)
_property = re.compile(r'"(@?\w{2,30})"\s*:\s*"((?:[^"\\]|\\.)*)', re.DOTALL)
"""Both match what is never closed as well: they stay linear on anything."""


def nodes_of(scripts: tuple[str, ...]) -> list[Node]:
    """Every object of the scripts, outer ones before what is in them; never raises."""
    found: list[Node] = []
    for script in scripts:
        for value in _values(script):
            found += _objects(value, NODE_LIMIT - len(found))
    return found


def types_of(node: Mapping[str, Any]) -> tuple[str, ...]:
    """The schema.org types of a node, without their address."""
    types = node.get("@type")
    listed = types if isinstance(types, list) else [types]
    return tuple(
        one.rstrip("/").rpartition("/")[2].removeprefix("schema:")
        for one in listed
        if isinstance(one, str)
    )


def _values(script: str) -> list[Any]:
    text = _wrapping.sub("", script)
    for mend in (str, _mend, _mend_entities):
        values = _decoded(mend(text))
        if values:
            return values
    read = {name: _unquoted(value) for name, value in reversed(_property.findall(text))}
    return [read] if read else []


def _decoded(text: str) -> list[Any]:
    """The JSON values that stand one after the other in `text`, up to the first broken one."""
    values: list[Any] = []
    start = _start.search(text)
    while start:
        try:
            value, end = _decode(text, start.start())
        except (ValueError, RecursionError):
            return values
        values.append(value)
        start = _start.search(text, end)
    return values


def _mend(text: str) -> str:
    """`text` without comments and trailing commas; strings stay as they are."""
    return _no_value.sub(lambda match: match[0] if match[0][0] == '"' else " ", text)


def _mend_entities(text: str) -> str:
    return _mend(unescape(text))


def _unquoted(value: str) -> str:
    try:
        return str(json.loads(f'"{value}"', strict=False))
    except ValueError:
        return value


def _objects(value: Any, limit: int) -> list[Node]:
    """The objects in `value`, breadth first, at most `limit` of them."""
    found: list[Node] = []
    level = [value]
    while level and len(found) < limit:
        found += [one for one in level if type(one) is dict]
        level = [
            inner
            for one in level
            for inner in (one.values() if type(one) is dict else one)
            if type(inner) in _HOLDERS
        ]
    return found[:limit]


_HOLDERS = frozenset({dict, list})
"""The types that the decoder gives for what holds other values."""


# ---- metadata/body: The text that a page without any visible text declares.

BODY = "articleBody"


def declared_body(page: Page) -> str:
    """The longest `articleBody` of the page's JSON-LD, lines as paragraphs; "" without one.

    Only for pages that show nothing: a quarter of modern pages have it, and one in four of those is
    cut or wrong (LEARNING.md, what did not help).
    """
    bodies = [node.get(BODY) for node in nodes_of(page.declared.json_ld)]
    longest = max((body for body in bodies if isinstance(body, str)), key=len, default="")
    lines = (collapse(line) for line in longest.splitlines())
    return "\n\n".join(line for line in lines if line)
