"""Read the JSON-LD of pages, with objects of any type at any depth, also if it is invalid.

Invalid JSON is repaired (comments, trailing commas, control characters, entities, several objects
in a row). If that fails, plain string properties are read by a regular expression.
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

# Objects of a page that are kept; the most on a development page is 305.
NODE_LIMIT = 5_000

_decode = json.JSONDecoder(strict=False).raw_decode
_wrapping = re.compile(r"^\s*(?:<!--|/\*\s*<!\[CDATA\[\s*\*/|//\s*<!\[CDATA\[|<!\[CDATA\[)")
_start = re.compile(r"[{\[]")
# Both match what is never closed as well: they stay linear on anything.
_no_value = re.compile(r'"(?:[^"\\]|\\.)*"?|/\*.*?(?:\*/|\Z)|//[^\n]*|,(?=\s*[}\]])', re.DOTALL)
_property = re.compile(r'"(@?\w{2,30})"\s*:\s*"((?:[^"\\]|\\.)*)', re.DOTALL)


def parse_json_ld(scripts: tuple[str, ...]) -> list[Node]:
    """Return every object of the scripts, outer ones before what is in them; never raises."""
    nodes: list[Node] = []
    for script in scripts:
        for value in _parse_script(script):
            nodes += _list_objects(value, NODE_LIMIT - len(nodes))
    return nodes


def read_types(node: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the schema.org types of a node, without their address."""
    types = node.get("@type")
    names = types if isinstance(types, list) else [types]
    return tuple(
        name.rstrip("/").rpartition("/")[2].removeprefix("schema:")
        for name in names
        if isinstance(name, str)
    )


def find_article_body(page: Page) -> str:
    """Return the longest `articleBody` of a page, its lines as paragraphs; "" without one.

    Only for pages that show no text: a quarter of modern pages declare one, and one in four of
    those is cut or wrong.
    """
    bodies = [node.get("articleBody") for node in parse_json_ld(page.declared.json_ld)]
    longest = max((body for body in bodies if isinstance(body, str)), key=len, default="")
    lines = (collapse(line) for line in longest.splitlines())
    return "\n\n".join(line for line in lines if line)


def _parse_script(script: str) -> list[Any]:
    """Return the values of a script: as it is, mended, or its string properties alone."""
    text = _wrapping.sub("", script)
    for mend in (str, _strip_comments, lambda text: _strip_comments(unescape(text))):
        values = _decode_values(mend(text))
        if values:
            return values
    properties = {}
    for name, value in reversed(_property.findall(text)):
        try:
            properties[name] = str(json.loads(f'"{value}"', strict=False))
        except ValueError:
            properties[name] = value
    return [properties] if properties else []


def _decode_values(text: str) -> list[Any]:
    """Return the JSON values that stand one after the other, up to the first broken one."""
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


def _strip_comments(text: str) -> str:
    """Return `text` without comments and trailing commas; strings stay as they are."""
    return _no_value.sub(lambda match: match[0] if match[0][0] == '"' else " ", text)


def _list_objects(value: Any, limit: int) -> list[Node]:
    """Return the objects in `value`, breadth first, at most `limit` of them."""
    nodes: list[Node] = []
    level = [value]
    while level and len(nodes) < limit:
        nodes += [inner for inner in level if type(inner) is dict]
        level = [
            inner
            for outer in level
            for inner in (outer.values() if type(outer) is dict else outer)
            if type(inner) is dict or type(inner) is list
        ]
    return nodes[:limit]
