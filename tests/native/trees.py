"""Trees of all kinds, and the comparison of the native walk with the walk in Python."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import fields
from random import Random
from typing import Any

import lxml.html
import pytest
from lxml import etree

from scrapy_boilerplate import native
from scrapy_boilerplate.page.reading import (
    OF_ELEMENTS,
    OF_LEAVES,
    TreeColumns,
    build_native_walk,
    read_in_python,
)

if native.walk is None:
    pytest.skip(native.obstacles["walk"], allow_module_level=True)
read = build_native_walk(native.walk)

XHTML, OTHER = "http://www.w3.org/1999/xhtml", "urn:other"


# an example of everything that the walk reads
EXAMPLE = (
    "<!DOCTYPE html><html lang=en-GB><head><title> Ferry\n sails </title><meta name=a content=b>"
    "<meta property=og:locale content=de><link rel=Canonical href=' /x '>"
    "<script type=application/ld+json>{}</script></head><body><svg><title>z</title></svg>"
    "<div class='a b' id=c role=main itemscope itemtype='//x/Y'><p>one <b>two</b><br><br>three"
    "<!-- no --> \u6f22 <a href=/y rel=author itemprop=author>four</a><img src=z></p> \xa0 "
    "<time datetime=2024-05-01>five</time><select><option>six</select></div></html><p>seven"
)


def describe_reading(reading: TreeColumns) -> tuple[Any, ...]:
    """Return what can be compared: each derived column that is there as in Python."""
    elements, leaves = reading[:2]
    columns = (
        [
            reading.element_columns.get(name, getattr(elements, name)).tolist()
            for name in OF_ELEMENTS
        ],
        [reading.leaf_columns.get(name, getattr(leaves, name)).tolist() for name in OF_LEAVES],
    )
    facts = (*(getattr(part, field.name) for part in reading[:3] for field in fields(part)),)
    return (*facts, reading.title, reading.languages, *columns)


def check_tree(root: etree._Element) -> bool:
    """Compare both walks; return whether the native one reads the tree."""
    compiled = read(root)
    if compiled is None:
        return False
    try:
        python = read_in_python(root)
    except UnicodeDecodeError:  # of a value that only Python's walk decodes
        return True
    assert describe_reading(compiled) == describe_reading(python)
    assert list(map(type, compiled.leaves.breaks)) == list(map(type, python.leaves.breaks))
    names, elements = compiled.element_columns["names"], compiled.elements
    assert list(names.numbers.items()) == [(name, n) for n, name in enumerate(names.strings)]
    for column, of_elements in zip(names[2:], (elements.tags, elements.classes), strict=False):
        assert [names.strings[number] for number in column] == of_elements
    assert list(map(type, compiled.leaves.in_link)) == list(map(type, python.leaves.in_link))
    return True


def check_parts(root: etree._Element, random: Random, n: int = 3) -> None:
    """Check some of the elements of a tree as roots, and a tree without one of them."""
    elements = [element for element in root.iter() if isinstance(element.tag, str)]
    for element in random.sample(elements, min(n, len(elements))):
        check_tree(element)
    element = random.choice(elements)
    if (parent := element.getparent()) is not None:
        parent.remove(element)
        check_tree(element)
        check_tree(root)


# --- trees made by lxml's own functions ---

TAGS = (
    *("html", "head", "body", "title", "meta", "link", "script", "svg", "div", "p", "a", "b"),
    *("br", "img", "time", "span", "select", "HEAD", "P", "x}y", "ü", "base", "noscript"),
    *(f"{{{XHTML}}}meta", f"{{{XHTML}}}a", f"{{{OTHER}}}title", f"{{{OTHER}}}head", "{}p"),
)
NAMES = (
    *("class", "id", "role", "href", "rel", "src", "datetime", "content", "property", "name"),
    *("http-equiv", "type", "itemprop", "itemtype", "itemscope", "lang", "style", "CLASS"),
    *(f"{{{OTHER}}}class", f"{{{OTHER}}}itemprop", "{http://www.w3.org/XML/1998/namespace}lang"),
)
VALUES = (
    *("", " ", "a", "author", "nofollow Author", "canonical", " Image_Src", "IMAGE_SRC", "\xa0"),
    *("application/LD+JSON", "og:locale", "Content-Language", "language", "LANGUAGE", "de-AT"),
    *("https://schema.org/NewsArticle/", "/x?y#z", "漢字", "x" * 3_000, "\U0001f600", "K", "ſ"),
)
TEXTS = (
    *("", " ", "\n\t", "one", " two ", "\xa0", "\u200b", "\xad\u2060", "\ufeff \u3000", "漢字"),
    *("\U0001f600", "\x7f", "\x85", "\u2028", "x" * 400, "]]>", "{}"),
)


def build_tree(random: Random, root: etree._Element, n: int) -> etree._Element:
    """Add `n` nodes of all kinds at random places."""
    elements = [root]
    for _ in range(n):
        parent = random.choice(elements[-6:] if random.random() < 0.7 else elements)
        kind = random.randrange(20)
        if kind == 0:
            node: Any = etree.Comment(random.choice(TEXTS).replace("-", ""))
        elif kind == 1:
            node = etree.ProcessingInstruction("x", "y")
        elif kind == 2 and random.random() < 0.1:
            node = etree.Entity("nbsp")
        elif kind == 3 and random.random() < 0.3:
            node = etree.fromstring("<a><b class='x'>y<![CDATA[z]]></b>t</a>")[0]
        else:
            try:
                node = root.makeelement(random.choice(TAGS))
            except ValueError:  # names that lxml refuses
                continue
            elements.append(node)
            for _ in range(random.randrange(4)):
                node.set(random.choice(NAMES), random.choice(VALUES))
            if random.random() < 0.7:
                text = random.choice(TEXTS)
                node.text = _write_text(text, random) if "\x7f" not in text else text
        if random.random() < 0.6:
            node.tail = random.choice(TEXTS)
        place = random.randint(0, len(parent))
        parent.insert(place, node)
    return root


def _write_text(text: str, random: Random) -> Any:
    return etree.CDATA(text) if text and "]]>" not in text and random.random() < 0.1 else text


def build_roots() -> Iterator[etree._Element]:
    """Yield trees of HTML to be filled, of one and of several roots, whole and inside of others."""
    yield etree.HTML("<html><head></head><body><p>x</p></body></html>")
    yield etree.HTML("<p>one</p></html><p>two<div>three")
    yield etree.HTML("<!-- a --><!DOCTYPE html><?x y?><p>b</p><!-- c -->")
    yield lxml.html.fragment_fromstring("<div>one<b>two</b></div>")
    yield lxml.html.Element("html")
    yield lxml.html.Element("title")
    yield deepcopy(etree.HTML("<body><div><a href=x>y</a></div>"))[0][0]
    yield etree.HTML("<svg><g><title>x</title></g></svg><p>y")[0]
