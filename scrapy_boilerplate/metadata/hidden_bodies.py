"""Find the body of an article that a page contains for its scripts but does not show.

The last resort for pages with almost no visible text. JSON-LD declares the body as `articleBody`,
and one in four is cut or wrong (docs/provenance.md). Pages that a script renders have it as JSON
in a `script`, as Next.js does in ``__NEXT_DATA__``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from lxml import etree

from scrapy_boilerplate.metadata.json_ld import list_objects, parse_json_ld, unescape_all
from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.parsing import parse_html
from scrapy_boilerplate.page.reading import read_tree
from scrapy_boilerplate.page.text import collapse, compose, has_words

JSON_LD, SCRIPT_DATA = "json-ld", "script data"
"""The evidence of a text from JSON-LD, and of a text from the data of a script."""
BODY_NAMES = frozenset(
    "articlebody article_body body bodyhtml body_html content contenthtml content_html html".split()
)
"""Names of bodies in the data of scripts, in lower case."""
MIN_BODY_WORDS = 100
"""A shorter string in the data of a script is a notice or a teaser."""
MAX_SCRIPT_CHARACTERS = 1_000_000
"""Maximum characters of all scripts of a page."""
MAX_OBJECTS = 20_000
"""Maximum JSON objects of a script."""

_has_markup = re.compile(r"</?(?:p|br|div|h[1-6])\b", re.IGNORECASE).search


class HiddenBody(NamedTuple):
    """Text of a body, blank lines between paragraphs, and its evidence: JSON_LD or SCRIPT_DATA."""

    text: str
    evidence: str


def find_hidden_body(page: Page, tree: etree._Element | None) -> HiddenBody:
    """Return the longest body that JSON-LD declares, else the longest in the data of a script."""
    declared = (node.get("articleBody") for node in parse_json_ld(page.declared.json_ld))
    if text := _read_longest(declared):
        return HiddenBody(text, JSON_LD)
    text = "" if tree is None else _read_longest(_list_bodies(tree))
    return HiddenBody(text if has_words(text, MIN_BODY_WORDS) else "", SCRIPT_DATA)


def _read_longest(bodies: Iterable[object]) -> str:
    """Return the text of the longest string."""
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


def _list_bodies(tree: etree._Element) -> Iterator[object]:
    """Yield the values under BODY_NAMES in every `script` of type ``application/json``."""
    left = MAX_SCRIPT_CHARACTERS
    for script in tree.iter("script"):
        data = script.text or ""
        if script.get("type", "").strip().lower() != "application/json" or len(data) > left:
            continue
        left -= len(data)
        try:
            value = json.loads(data, strict=False)
        except (ValueError, RecursionError):  # a script may hold anything
            continue
        for node in list_objects(value, MAX_OBJECTS):
            for name, body in node.items():
                if name.lower() in BODY_NAMES:
                    yield body
