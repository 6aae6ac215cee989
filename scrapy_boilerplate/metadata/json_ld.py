"""Read the JSON-LD of pages: objects of any type at any depth, and the bodies of articles.

Control characters in strings, several objects in a row and CDATA sections are read.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.parsing import parse_html
from scrapy_boilerplate.page.reading import read_tree
from scrapy_boilerplate.page.text import collapse, compose, resolve_references

Node = dict[str, Any]

# Maximum times that a value is unescaped; some sites escape it twice.
MAX_ESCAPES = 3

# Maximum objects of a page (docs/provenance.md).
MAX_NODES = 5_000
# Keywords of JSON-LD for lists and plain values.
CONTAINERS = ("@list", "@set", "@value")

_decode = json.JSONDecoder(strict=False).raw_decode
# Matches the start of a value, not "<![CDATA[".
_start = re.compile(r"[{\[](?!CDATA)(?<!CDATA\[)")

_has_markup = re.compile(r"</?(?:p|br|div|h[1-6])\b", re.IGNORECASE).search


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


def list_values(value: Any) -> list[Any]:
    """Return the values of a property in order, of lists in lists, @list, @set and @value too."""
    values: list[Any] = []
    left = [value]
    while left and len(values) < MAX_NODES:
        inner = left.pop()
        if type(inner) is dict:
            key = next(filter(inner.__contains__, CONTAINERS), None)
            if key is None:
                values.append(inner)
            else:
                left.append(inner[key])
        elif type(inner) is list:
            left += reversed(inner)
        elif inner is not None:
            values.append(inner)
    return values


def unescape_all(text: str) -> str:
    """Return a value without character references, also if the site escaped it several times."""
    for _ in range(MAX_ESCAPES):
        text, escaped = resolve_references(text), text
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
    return name if name.isalpha() else name.rstrip("/").rpartition("/")[2].removeprefix("schema:")


def _decode_values(text: str) -> list[Any]:
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


def find_hidden_body(page: Page) -> str:
    """Return the longest body that JSON-LD declares, or ""; blank lines between paragraphs.

    One declared body in four is cut or wrong (docs/provenance.md).
    """
    bodies = [node.get("articleBody") for node in parse_json_ld(page.declared.json_ld)]
    return read_body(max((body for body in bodies if isinstance(body, str)), key=len, default=""))


def read_body(body: str) -> str:
    """Return the lines of a body as paragraphs, without markup and entities."""
    body = body if _has_markup(body) else unescape_all(body)
    if _has_markup(body):
        body = unescape_all(read_markup(body))
    lines = (collapse(line) for line in body.splitlines())
    return compose("\n\n".join(line for line in lines if line))


def read_markup(text: str) -> str:
    """Return the text of an HTML fragment, with blank lines between paragraphs."""
    shown = AtomicBlocks()(read_tree(parse_html(text)))
    return shown.join_blocks(range(len(shown)))
