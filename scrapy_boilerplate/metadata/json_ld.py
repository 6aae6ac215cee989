"""Read the JSON-LD of pages: objects of any type at any depth.

Control characters in strings, several objects in a row and CDATA sections are read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html import unescape
from typing import Any

Node = dict[str, Any]

# Maximum times that a value is unescaped; some sites escape it twice.
MAX_ESCAPES = 3

# Maximum objects of a page (docs/provenance.md).
MAX_NODES = 5_000

_decode = json.JSONDecoder(strict=False).raw_decode
# Matches the start of a value, not "<![CDATA[".
_start = re.compile(r"[{\[](?!CDATA)(?<!CDATA\[)")


def parse_json_ld(scripts: tuple[str, ...]) -> list[Node]:
    """Return every object of the scripts, outer ones before inner ones; never raises."""
    nodes: list[Node] = []
    for script in scripts:
        for value in _decode_values(script):
            nodes += list_objects(value, MAX_NODES - len(nodes))
    return nodes


def list_objects(value: Any, limit: int) -> list[Node]:
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


def unescape_all(text: str) -> str:
    """Return a value without character references, also if the site escaped it several times."""
    for _ in range(MAX_ESCAPES):
        text, escaped = unescape(text), text
        if text == escaped:
            break
    return text


def read_types(node: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the schema.org types of a node, without the URL before them."""
    types = node.get("@type")
    if isinstance(types, str):
        return (_drop_address(types),)
    if not isinstance(types, list):
        return ()
    return tuple([_drop_address(name) for name in types if isinstance(name, str)])


def _drop_address(name: str) -> str:
    return name.rstrip("/").rpartition("/")[2].removeprefix("schema:")


def _decode_values(text: str) -> list[Any]:
    """Return the JSON values in a row, up to the first invalid one."""
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
