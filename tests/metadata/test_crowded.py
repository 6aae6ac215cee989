"""Pages that nest the elements of a field in each other: without time that grows with the square.

Each page took many seconds when the text of each of these elements was read.
"""

import json
from itertools import product
from typing import Any

import pytest

from scrapy_boilerplate import extract
from tests.builders import sentences

DEPTH = 1_000
MANY = "<b>x</b>" * 40_000


def nest(start: str, end: str, inside: str = MANY) -> str:
    return start * DEPTH + inside + end * DEPTH


def write_description() -> str:
    """A declared description of many words, none of them on the page."""
    words = map("".join, product("bdgkmp", "aeiou", "lnr", "xz", "bdgkmp", "aeiou", "lnr", "xz"))
    article = json.dumps({"@type": "NewsArticle", "description": " ".join(words)})
    return f"<script type=application/ld+json>{article}</script>"


TEXT = f"<h1>A ferry returns</h1><p>{sentences(90, 'ferry')}</p>"
CROWDED = {
    # page, field, value
    "breadcrumbs": (
        nest("<div class=breadcrumb>", "</div>")
        + f"<p id=breadcrumbs><a>Home</a> <a>Harbour</a></p>{TEXT}",
        *("section", "Harbour"),
    ),
    "links to the section": (
        nest("<a href=/sea/><div>", "</div></a>") + f"<a href=/sea/>Sea</a>{TEXT}",
        *("section", "Sea"),
    ),
    "lists of tags": (
        TEXT + nest("<div class=tags>", "</div>", f"<a href=/f>Ferry</a>{MANY}"),
        *("tags", ("Ferry",)),
    ),
    "kickers": (
        nest("<span class=kicker>", "</span>", "word after word " * 20_000)
        + f"<p class=kicker>Sea</p>{TEXT}",
        *("kicker", "Sea"),
    ),
    "words of a description": (write_description() + TEXT * 200, "description", None),
    "character references": (
        "<script type=application/ld+json>"
        '{"@type": "LiveBlogPosting", "liveBlogUpdate": {"headline": "A &#%s;"}}</script>'
        % ("9" * 5_000)
        + TEXT,
        *("entries", ({"time": None, "headline": "A \ufffd", "text": "", "author": None},)),
    ),
}


@pytest.mark.parametrize("kind", CROWDED)
def test_crowded_pages(kind: str) -> None:
    page, field, value = CROWDED[kind]
    found: Any = getattr(extract(page, "https://harbour.example/sea/a-ferry-returns"), field)
    assert found == value
