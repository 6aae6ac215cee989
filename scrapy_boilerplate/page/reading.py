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

# characters of an attribute `class`, `id` or `role` that are read (our choice: of 318,529 in 614
# pages of four corpora 10 have more). Each element is told by the names of those around it, too.
MAX_NAME = 1_000

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
    for names in (elements.classes, elements.ids, elements.roles):
        if max(map(len, set(names)), default=0) > MAX_NAME:
            names[:] = [name[:MAX_NAME] for name in names]
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
    walk = _Walk()
    walk.read(roots)
    declared = replace(
        read_declared(roots),
        region=parse_region(root.get("lang") or root.get("xml:lang") or ""),
        times=tuple(walk.times),
        author_links=tuple(walk.author_links),
    )
    languages = read_language_metas(root)
    return TreeColumns(walk.elements, walk.leaves, declared, _find_title(root), languages, {}, {})


def _find_title(root: etree._Element) -> str:
    """Return the first title outside of images; each ancestor is looked at once."""
    in_image: set[etree._Element] = set()
    for element in root.iter("title", "{*}title"):
        path = []
        for ancestor in element.iterancestors():
            path.append(ancestor)
            tag = str(ancestor.tag)
            is_image = tag == "svg" or (tag.startswith("{") and tag.endswith("}svg"))
            if is_image or ancestor in in_image:
                in_image.update(path)
                break
        else:
            return collapse("".join(read_first_texts(element)))
    return ""


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
            region=parse_region(root.get("lang") or root.get("xml:lang") or ""),
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


class _Walk:
    """The state of one walk: the columns so far, and what an element is in."""

    def __init__(self) -> None:
        self.elements = Elements()
        self.leaves = Leaves()
        self.times: list[tuple[int, str]] = []
        self.author_links: list[int] = []

    def read(self, roots: Iterable[etree._Element]) -> None:
        """Add every element and text node below `roots`; the tails of `roots` are left out."""
        for root in roots:
            self._read_root(root)

    def _read_root(self, root: etree._Element) -> None:  # noqa: C901, PLR0912, PLR0915
        """Add a root and what is in it.

        One long loop over local variables: what runs for every element or text node, a thousand
        times per page, in functions of its own takes a third longer.
        """
        elements, leaves = self.elements, self.leaves
        tags, ends = elements.tags, elements.ends
        names: dict[object, str] = {}
        path, owners, links = [NO_ELEMENT], [len(tags)], list[int]()
        line, paragraph, no_break = Break.LINE, Break.PARAGRAPH, Break.NONE
        before = paragraph
        walker = walk_nodes(root)
        for event, element in walker:
            if event == "start":
                tag = names.get(element.tag) or _name(element.tag, names)
                index, parent = len(tags), path[-1]
                tags.append(tag)
                elements.parents.append(parent)
                ends.append(index + 1)
                elements.depths.append(len(path) - 1)
                path.append(index)
                get = element.get if tag is not ENTITY else _get_nothing
                elements.classes.append(get("class", ""))
                elements.ids.append(get("id", ""))
                elements.roles.append(get("role", ""))
                if tag not in INLINE:
                    before = paragraph
                    if parent != NO_ELEMENT:  # a root is always an owner already
                        owners.append(index)
                elif tag == "br":
                    before = paragraph if before else line
                elif tag == "a":
                    if (address := get("href")) is not None:
                        links.append(index)
                        elements.addresses.append((index, address))
                        if "author" in get("rel", ""):
                            self.author_links.append(index)
                elif tag == "img":
                    elements.addresses.append((index, get("src", "")))
                elif tag == "time":
                    self.times.append((index, get("datetime", "")))
                if tag in INVISIBLE or (tag == "head" and not _holds_text(element)):
                    walker.skip_subtree()
                    continue
                text = element.text
            else:
                if event == "end":
                    index = path.pop()
                    ends[index] = len(tags)
                    if owners[-1] == index:
                        before = paragraph
                        owners.pop()
                    elif links and links[-1] == index:
                        links.pop()
                text = element.tail if element is not root else None
            # blank ones that end or start a block are left out
            if text and not (before and (text.isspace() or is_blank(text))):
                leaves.texts.append(text)
                leaves.breaks.append(before)
                leaves.elements.append(path[-1])
                leaves.owners.append(owners[-1])
                leaves.opened.append(len(tags))
                leaves.in_link.append(bool(links))
                before = no_break


def _name(tag: object, names: dict[object, str]) -> str:
    """Return the local name in lower case; trees of XHTML have a namespace before it."""
    name = names[tag] = str(tag).rpartition("}")[2].lower() if isinstance(tag, str) else ENTITY
    return name


def _get_nothing(_name: str, default: Any = None) -> Any:
    """Take the place of `get` of an entity, which in lxml gives None whatever the default."""
    return default


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
