"""One walk over the tree: elements and leaves in columns. The tree is only read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields, replace
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from lxml import etree

from scrapy_boilerplate.native import load_twin
from scrapy_boilerplate.page.columns import (
    ATTRIBUTES,
    ENTITY,
    NO_ELEMENT,
    Attributes,
    Break,
    Elements,
    Leaves,
)
from scrapy_boilerplate.page.declared import (
    JSON_LD_LIMIT,
    MICRODATA_LIMIT,
    NODE_LIMIT,
    SCOPE_LIMIT,
    VALUE_LIMIT,
    Declared,
    choose_language,
    parse_region,
    read_declared,
    read_first_texts,
    read_language_metas,
    tidy_microdata,
)
from scrapy_boilerplate.page.labels import IntArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.parsing import MAX_TITLE, find_roots, walk_nodes
from scrapy_boilerplate.page.tags import INLINE, INVISIBLE, METADATA
from scrapy_boilerplate.page.text import collapse, is_blank

# characters of an attribute beside its name and its value: a space, an equals sign, quotes
QUOTES_AND_SPACE = 4


def read_tree(root: etree._Element, url: str | None = None) -> Page:
    """Return the page of `root`, not yet cut into blocks; linear time, any depth of nesting."""
    read = _find_native_walk()
    reading = None if read is None else read(root)
    if reading is None:
        reading = read_in_python(root)
    roots = find_roots(root)
    tree = root.getroottree()
    elements, leaves = reading.elements, reading.leaves
    # frozen, but of this page alone: copies would cost a short page more than its walk
    elements.__dict__.update(
        reading.element_columns,
        path=str(tree.getpath(root)) if root.getparent() is not None else "",
        namespaced="}" in str(root.tag),
        find_attributes=partial(_find_attributes, roots),
        find_sizes=partial(_find_sizes, roots),
    )
    leaves.__dict__.update(reading.leaf_columns)
    return Page(
        elements=elements,
        leaves=leaves,
        url=url,
        language=choose_language(root, reading.languages),
        title=reading.title if len(reading.title) <= MAX_TITLE else "",
        declared=reading.declared,
        doctype=tree.docinfo.doctype or "",
    )


class TreeColumns(NamedTuple):
    """What one walk reads: columns, and what the page declares, but for the language of its root.

    `title` is of any length; `languages` are values of meta elements, in order. `element_columns`
    and `leaf_columns` are derived columns of `elements` and `leaves` that are there already.
    """

    elements: Elements
    leaves: Leaves
    declared: Declared
    title: str
    languages: list[str]
    element_columns: dict[str, IntArray]
    leaf_columns: dict[str, IntArray]


def read_in_python(root: etree._Element) -> TreeColumns:
    """Read any tree."""
    roots = find_roots(root)
    walk = _Walk(Elements())
    walk.read(roots)
    declared = replace(
        read_declared(roots),
        region=_read_region(root),
        times=tuple(walk.times),
        author_links=tuple(walk.author_links),
    )
    languages = read_language_metas(root)
    return TreeColumns(walk.elements, walk.leaves, declared, _find_title(root), languages, {}, {})


def _read_region(root: etree._Element) -> str:
    return parse_region(root.get("lang") or root.get("xml:lang") or "")


def _find_title(root: etree._Element) -> str:
    """Return the first title outside of images; each ancestor is looked at once."""
    in_image: set[etree._Element] = set()
    for element in root.iter("title", "{*}title"):
        path = []
        for ancestor in element.iterancestors():
            path.append(ancestor)
            if ancestor in in_image or _is_image(str(ancestor.tag)):
                in_image.update(path)
                break
        else:
            return collapse("".join(read_first_texts(element)))
    return ""


def _is_image(tag: str) -> bool:
    return tag == "svg" or (tag.startswith("{") and tag.endswith("}svg"))


# --- the native twin ---

# a page with an example of everything that the walk reads
EXAMPLE = (
    "<!DOCTYPE html><html lang=en-GB><head><title> Ferry\n sails </title><meta name=a content=b>"
    "<meta property=og:locale content=de><link rel=Canonical href=' /x '>"
    "<script type=application/ld+json>{}</script></head><body><svg><title>z</title></svg>"
    "<div class='a b' id=c role=main itemscope itemtype='//x/Y'><p>one <b>two</b><br><br>three"
    "<!-- no --> \u6f22 <a href=/y rel=author itemprop=author>four</a><img src=z></p> \xa0 "
    "<time datetime=2024-05-01>five</time><select><option>six</select></div></html><p>seven"
)


# derived columns that the native walk gives, in its order
OF_ELEMENTS = ("parent_column", "end_column", "depth_column")
OF_LEAVES = ("owner_column", "break_column")


@cache
def _find_native_walk() -> Callable[[etree._Element], TreeColumns | None] | None:
    """Return what reads trees of HTML and gives None for others, or None without native code."""
    module = load_twin("walk", _agrees)
    return None if module is None else build_native_walk(module)


def _agrees(module: Any) -> bool:
    root = etree.HTML(EXAMPLE)
    native, python = build_native_walk(module)(root), read_in_python(root)
    return native is not None and describe_reading(native) == describe_reading(python)


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


def build_native_walk(module: Any) -> Callable[[etree._Element], TreeColumns | None]:
    """Return the walk of the compiled `module`."""
    reader = module.Reader(
        element_type=etree._Element,
        inline=INLINE,
        invisible=INVISIBLE,
        metadata=METADATA,
        breaks=tuple(Break),
        json_ld_limit=JSON_LD_LIMIT,
        value_limit=VALUE_LIMIT,
        microdata_limit=MICRODATA_LIMIT,
        scope_limit=SCOPE_LIMIT,
        node_limit=NODE_LIMIT,
    )

    def read(root: etree._Element) -> TreeColumns | None:
        columns = reader.read(root)
        if columns is None:
            return None
        elements, leaves, times, author_links, metas, links, json_ld, *rest = columns
        microdata, title, languages, of_elements, of_leaves = rest
        declared = Declared(
            metas=metas,
            links=links,
            json_ld=json_ld,
            microdata=tuple(tidy_microdata(microdata)),
            region=_read_region(root),
            times=times,
            author_links=author_links,
        )
        return TreeColumns(
            Elements(*elements),
            Leaves(*leaves),
            declared,
            collapse(title),
            languages,
            _name_columns(OF_ELEMENTS, of_elements),
            _name_columns(OF_LEAVES, of_leaves),
        )

    return read


def _name_columns(names: Iterable[str], columns: Iterable[bytearray]) -> dict[str, IntArray]:
    return {
        name: np.frombuffer(column, dtype=np.int64)
        for name, column in zip(names, columns, strict=True)
    }


_NO_ATTRIBUTES: dict[str, str] = {}


class _Walk:
    """The state of one walk: the current position, and the columns so far.

    Every line of `read` and of the methods it calls runs once per element or text node, a thousand
    times per page. They are written for speed.
    """

    def __init__(self, elements: Elements) -> None:
        self.elements = elements
        self.leaves = Leaves()
        self.times: list[tuple[int, str]] = []
        self.author_links: list[int] = []
        self._rows: list[tuple[str, int, int, str, str, str]] = []
        self._path: list[int] = [NO_ELEMENT]
        self._owners: list[int] = []
        self._links: list[int] = []
        self._break = Break.PARAGRAPH
        self._names: dict[object, str] = {}

    def read(self, roots: Iterable[etree._Element]) -> None:
        """Add every element and text node below `roots`; the tails of `roots` are left out."""
        enter, leave, note = self._enter, self._leave, self._note_text
        for root in roots:
            self._owners.append(len(self._rows))
            self._break = Break.PARAGRAPH
            walker = walk_nodes(root)
            for event, element in walker:
                if event == "start":
                    if enter(element):
                        walker.skip_subtree()
                        continue
                    text = element.text
                else:
                    if event == "end":
                        leave()
                    text = element.tail if element is not root else None
                if text and not (self._break and (text.isspace() or is_blank(text))):
                    note(text)
        # turn the rows of elements into columns: one `append` per element instead of six
        elements = self.elements
        columns: tuple[list[Any], ...] = (
            *(elements.tags, elements.parents, elements.depths),
            *(elements.classes, elements.ids, elements.roles),
        )
        for column, values in zip(columns, zip(*self._rows, strict=True), strict=False):
            column.extend(values)

    def _enter(self, element: etree._Element) -> bool:
        """Add the element; return True if its text is invisible."""
        tag = self._names.get(element.tag) or self._name(element.tag)
        rows, path = self._rows, self._path
        get = element.get if tag is not ENTITY else _NO_ATTRIBUTES.get  # lxml's gives None for ""
        index = len(rows)
        names = get("class", ""), get("id", ""), get("role", "")
        rows.append((tag, path[-1], len(path) - 1, *names))
        self.elements.ends.append(index + 1)
        path.append(index)
        if tag not in INLINE:
            self._break = Break.PARAGRAPH
            if path[-2] != NO_ELEMENT:  # a root is always an owner already
                self._owners.append(index)
        elif tag == "br":
            self._break = Break.PARAGRAPH if self._break else Break.LINE
        elif tag == "a":
            if (address := get("href")) is not None:
                self._links.append(index)
                self.elements.addresses.append((index, address))
                if "author" in get("rel", ""):
                    self.author_links.append(index)
        elif tag == "img":
            self.elements.addresses.append((index, get("src", "")))
        elif tag == "time":
            self.times.append((index, get("datetime", "")))
        return tag in INVISIBLE or (tag == "head" and not _holds_text(element))

    def _name(self, tag: object) -> str:
        """Return the local name in lower case; trees of XHTML have a namespace before it."""
        name = str(tag).rpartition("}")[2].lower() if isinstance(tag, str) else ENTITY
        self._names[tag] = name
        return name

    def _leave(self) -> None:
        index = self._path.pop()
        self.elements.ends[index] = len(self._rows)
        if self._owners[-1] == index:
            self._break = Break.PARAGRAPH
            self._owners.pop()
        elif self._links and self._links[-1] == index:
            self._links.pop()

    def _note_text(self, text: str) -> None:
        """Add a text node; the caller leaves out blank ones that end or start a block."""
        columns = self.leaves
        columns.breaks.append(self._break)
        columns.texts.append(text)
        columns.elements.append(self._path[-1])
        columns.owners.append(self._owners[-1])
        columns.opened.append(len(self._rows))
        columns.in_link.append(bool(self._links))
        self._break = Break.NONE


def _holds_text(head: etree._Element) -> bool:
    """Return whether a head holds text: libxml2 puts the page there if no body is opened."""
    if head.text and not is_blank(head.text):
        return True
    for child in head:
        if child.tag not in METADATA or (child.tail and not is_blank(child.tail)):
            return True
    return False


# --- columns that few methods need ---


def _find_attributes(roots: Sequence[etree._Element], elements: Elements) -> Attributes:
    """Find the attributes of ATTRIBUTES in another walk.

    Reading them in the first walk would cost every page 3 % or more.
    """
    attributes: Attributes = {}
    for index, element in enumerate(_walk_again(roots, elements)):
        names = element.keys()
        if not ATTRIBUTES.isdisjoint(names):
            attributes[index] = {
                name: element.get(name, "") for name in names if name in ATTRIBUTES
            }
    return attributes


def _find_sizes(roots: Sequence[etree._Element], elements: Elements) -> list[int]:
    return [
        sum(len(name) + len(value) + QUOTES_AND_SPACE for name, value in element.items())
        for element in _walk_again(roots, elements)
    ]


def find_elements(
    elements: Elements, root: etree._Element, wanted: Iterable[etree._Element]
) -> list[int]:
    """Return the indices of `wanted` among the elements that were read of `root`, in order."""
    left = set(wanted)
    indices = []
    if left:
        for index, element in enumerate(_walk_again(find_roots(root), elements)):
            if element in left:
                indices.append(index)
                left.discard(element)
                if not left:
                    break
    return indices


def _walk_again(roots: Sequence[etree._Element], elements: Elements) -> Iterator[etree._Element]:
    """Yield the elements that the first walk has added."""
    index = 0
    for root in roots:
        walker = etree.iterwalk(root, events=("start",))
        for _, element in walker:
            yield element
            index += 1
            if elements.ends[index - 1] == index:  # empty, or invisible and skipped
                walker.skip_subtree()
