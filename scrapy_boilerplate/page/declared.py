"""What a page declares about itself outside its text: the raw facts, as written, nothing judged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from lxml import etree

from scrapy_boilerplate.page.text import collapse

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class Declared:
    """Plain strings in document order; empty ones are left out.

    metas      (name, content) of `meta`: its `property`, `name`, `itemprop` or `http-equiv`, the
               first that it has, in lower case
    links      (rel, href) of `link`, rel ``canonical`` or ``image_src``
    json_ld    text of each `script` of type ``application/ld+json``, up to a limit
    items      (itemprop, value, itemtype of the scope) of microdata; names in lower case, a type
               without its address; ``author.name`` is the name of an item that is an author
    region     ISO 3166 code that stands with the language of the root ("GB" of en-GB), "" without
    times      (index in `Elements`, `datetime`) of every `time` element, "" without the attribute
    bylines    indices in `Elements` of links with rel ``author``
    """

    metas: Pairs = ()
    links: Pairs = ()
    json_ld: tuple[str, ...] = ()
    items: tuple[tuple[str, str, str], ...] = ()
    region: str = ""
    times: tuple[tuple[int, str], ...] = ()
    bylines: tuple[int, ...] = ()


NOTHING_DECLARED = Declared()


# ---- segment/declare: One look over `meta`, `link`, JSON-LD scripts and microdata; the tree is
# only read.

JSON_LD_LIMIT = 500_000
"""Characters of JSON-LD of a page that are read; a script that goes beyond is left out. The most
that a development page has below that is 60,000."""
VALUE_LIMIT = 2_000
"""Characters of a declared value that are kept."""
ITEMS_LIMIT = 1_000
"""Microdata properties of a page that are read; lists of products have thousands."""
SCOPE_LIMIT = 50
"""Elements above a microdata property in which its scope is looked for."""

_VALUES = ("content", "datetime", "href", "src")
_TAGS = ("meta", "link", "script")
_TAGS_OF_XHTML = ("{*}meta", "{*}link", "{*}script")
_item_properties = etree.XPath("descendant::*/@itemprop/..")
"""Elements with the attribute, in order: a third of the time of ``descendant::*[@itemprop]``."""

JSON_LD = "ld+json"
_RELS = ("canonical", "image_src")


def declared_by(roots: Iterable[etree._Element]) -> Declared:
    """What the trees of `roots` declare."""
    metas: list[tuple[str, str]] = []
    links: list[tuple[str, str]] = []
    items: list[tuple[str, str, str]] = []
    scripts: list[str] = []
    for root in roots:
        for element in root.iter(*(_TAGS_OF_XHTML if "}" in str(root.tag) else _TAGS)):
            name = str(element.tag).rpartition("}")[2]
            if name == "meta":
                metas += _meta(element)
            elif name == "link":
                links += _link(element)
            else:
                scripts += _json_ld(element)
        items += _items(_item_properties(root)[:ITEMS_LIMIT])
    return Declared(
        metas=tuple(metas),
        links=tuple(links),
        json_ld=tuple(_within_limit(scripts)),
        items=tuple(items),
    )


def _json_ld(script: etree._Element) -> tuple[str, ...]:
    kind = script.get("type")
    if not kind or JSON_LD not in kind.lower():
        return ()
    return (script.text,) if script.text else ()


def _within_limit(scripts: Iterable[str]) -> Iterator[str]:
    left = JSON_LD_LIMIT
    for text in scripts:
        if len(text) <= left:
            left -= len(text)
            yield text


def _meta(element: etree._Element) -> Pairs:
    get = element.get
    content = get("content")
    name = get("property") or get("name") or get("itemprop") or get("http-equiv")
    if not name or not content or content.isspace():
        return ()
    return ((name.strip().lower(), content[:VALUE_LIMIT]),)


def _link(element: etree._Element) -> Pairs:
    rel, href = element.get("rel", "").lower(), element.get("href")
    return ((rel, href.strip()[:VALUE_LIMIT]),) if href and rel in _RELS else ()


def _items(elements: Iterable[etree._Element]) -> Iterator[tuple[str, str, str]]:
    for element in elements:
        if element.get("itemscope") is None and (value := _value(element)):
            name = element.get("itemprop", "").lower()
            yield (*_in_scope(element, name, value),)


def _value(element: etree._Element) -> str:
    value = next(filter(None, map(element.get, _VALUES)), None)
    if value is None:
        value = "".join(islice(element.itertext(with_tail=False), SCOPE_LIMIT))
    return collapse(value[:VALUE_LIMIT])


def _in_scope(element: etree._Element, name: str, value: str) -> tuple[str, str, str]:
    """The property with the type of its scope.

    `author.name` of an article, if the scope is itself an `author`: its scope's type then.
    """
    nested = False
    for ancestor in islice(element.iterancestors(), SCOPE_LIMIT):
        if ancestor.get("itemscope") is not None:
            outer = ancestor.get("itemprop")
            if nested or not outer:
                return name, value, _type(ancestor)
            name, nested = f"{outer.lower()}.{name}", True
    return name, value, ""


def _type(element: etree._Element) -> str:
    return (element.get("itemtype") or "").rstrip("/").rpartition("/")[2]
