"""Pages of each class name, tag and attribute in the tables of the package (`benchmarks.growth`).

The names are read from the tables: a new row has its pages without a change here.
"""

import re
from collections.abc import Callable, Collection, Iterator
from functools import partial
from importlib import import_module
from itertools import chain, cycle, islice
from pkgutil import iter_modules
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from lxml.html.defs import tags as html_tags

from scrapy_boilerplate.page.columns import ATTRIBUTES
from scrapy_boilerplate.steps import class_names
from scrapy_boilerplate.steps.named_containers import NON_ARTICLE_KINDS

PACKAGES = ("page", "steps", "metadata", "news", "markup")
START = f"<h1>A title</h1><p>{' '.join(f'word{number}' for number in range(60))}.</p>"
# the elements inside; # is a number
FILLERS = {
    "words": "<b>x #</b> ",
    "marks": "<i>.</i>",
    "links": "<a href=/sport/#>x</a> ",
    "one text": "word # ",
}
# levels: libxml2 drops the rest of a page below 2,048
MAX_DEPTH, WIDE_DEPTH = 2_000, 300
# texts of a regular expression
MAX_TEXTS = 400
# attributes with which tags are read
TAG_ATTRIBUTES = {"a": "href=/sport/", "img": "src=/i/#.jpg", "time": "datetime=2024-05-01"}
ATTRIBUTE_VALUES: dict[str, Collection[str]] = {
    **dict.fromkeys(ATTRIBUTES, ("true",)),
    "itemprop": ("author", "name", "headline", "articlesection", "datepublished"),
    "rel": ("author", "next", "tag"),
    "role": sorted(chain.from_iterable(kind.roles for kind in NON_ARTICLE_KINDS)),
    "style": ("display:none", "visibility:hidden"),
}


def list_starts() -> dict[str, list[str]]:
    """Return start tags by the table of their class names, by their tag and by their attribute."""
    starts = {}
    for table, value in vars(class_names).items():
        pattern = getattr(value, "regex", getattr(value, "__self__", None))
        if isinstance(pattern, re.Pattern):
            words = expand_pattern(pattern)
            starts[table] = [f"<div class='{word}' id='{word}'>" for word in words]
        elif isinstance(value, frozenset):
            starts[table] = [f"<div class='{word}' id='{word}'>" for word in sorted(value)]
    for tag in sorted(html_tags.intersection(_list_table_words())):
        starts[f"<{tag}>"] = [f"<{tag} {TAG_ATTRIBUTES.get(tag, '')}>"]
    for name, values in ATTRIBUTE_VALUES.items():
        starts[f"@{name}"] = [f"<div {name}='{value}'>" for value in values]
    return {table: tags for table, tags in starts.items() if tags}


def _list_table_words() -> Iterator[str]:
    """Yield the words of the constants of PACKAGES."""
    for package in map(import_module, (f"scrapy_boilerplate.{name}" for name in PACKAGES)):
        for module in iter_modules(package.__path__, f"{package.__name__}."):
            for name, value in vars(import_module(module.name)).items():
                if name.isupper() and isinstance(value, frozenset | tuple | dict):
                    yield from (word for word in value if isinstance(word, str))


def expand_pattern(pattern: re.Pattern[str]) -> list[str]:
    """Return texts that a regular expression finds, one for each of its alternatives."""
    texts = _expand(parser.parse(pattern.pattern, pattern.flags))
    return [text for text in dict.fromkeys(texts) if pattern.search(text)]


def _expand(parts: Any) -> list[str]:
    texts = [""]
    for code, value in parts:
        more = [""]
        if (kind := str(code)) == "LITERAL":
            more = [chr(value)]
        elif kind == "BRANCH":
            more = [text for branch in value[1] for text in _expand(branch)]
        elif kind == "SUBPATTERN":
            more = _expand(value[-1])
        elif kind in ("MAX_REPEAT", "MIN_REPEAT"):
            more = [text * value[0] for text in _expand(value[2])] if value[0] else [""]
        elif kind == "IN":
            more = [_choose_character(*value[0])]
        texts = [text + end for text in texts for end in more][:MAX_TEXTS]
    return texts


def _choose_character(kind: object, value: Any) -> str:
    if str(kind) == "RANGE":
        return chr(value[0])
    return chr(value) if str(kind) == "LITERAL" else "1"


def build_flat(starts: list[str], filler: str, characters: int) -> Iterator[str]:
    for start in _take(starts, characters, len(filler)):
        yield f"{start}{filler}</{_read_tag(start)}>"


def build_nested(starts: list[str], filler: str, characters: int) -> Iterator[str]:
    """Yield the elements nested in at most half of the page, around elements side by side."""
    outer = list(islice(_take(starts, characters // 2, 0), MAX_DEPTH))
    yield from outer
    yield from _repeat(filler, characters - sum(map(len, outer)))


def build_nested_wide(starts: list[str], filler: str, characters: int) -> Iterator[str]:
    """Yield the elements nested, with as many elements on each level."""
    for start in islice(cycle(starts), WIDE_DEPTH):
        yield start
        yield from _repeat(filler, characters // WIDE_DEPTH - len(start))


def _take(starts: list[str], characters: int, more: int) -> Iterator[str]:
    for start in cycle(starts):
        characters -= len(start) + more
        if characters < 0:
            return
        yield start


def _repeat(filler: str, characters: int) -> Iterator[str]:
    return (filler for _ in range(characters // len(filler)))


def _read_tag(start: str) -> str:
    return start.strip("<>").split()[0]


LAYOUTS = {"flat": build_flat, "nested": build_nested, "nested x wide": build_nested_wide}
Layout = Callable[[list[str], str, int], Iterator[str]]


def list_pages() -> dict[str, Callable[[int], str]]:
    """Return name -> function that builds the page of a size."""
    return {
        f"{table}, {name}, {filler}": partial(build_page_of, starts, layout, FILLERS[filler])
        for table, starts in list_starts().items()
        for name, layout in LAYOUTS.items()
        for filler in FILLERS
    }


def build_page_of(starts: list[str], layout: Layout, filler: str, characters: int) -> str:
    """Return a page of about that size, with a number for each # in it."""
    parts = layout(starts, filler, characters - len(START))
    numbered = (part.replace("#", str(number)) for number, part in enumerate(parts))
    return f"<html><title>Growth</title><body>{START}{''.join(numbered)}"
