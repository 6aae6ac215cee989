"""One walk over the tree: elements and leaves in columns. The tree is only read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from lxml import etree

from scrapy_boilerplate import native
from scrapy_boilerplate.page.columns import (
    ATTRIBUTES,
    BLOCK_LEVEL,
    ENTITY,
    HIDDEN_TAGS,
    INVISIBLE,
    LEAF_COLUMNS,
    METADATA,
    NO_ELEMENT,
    PREFORMATTED,
    Attributes,
    Break,
    Elements,
    Leaves,
    Names,
)
from scrapy_boilerplate.page.declared import (
    JSON_LD_LIMIT,
    MICRODATA_LIMIT,
    NODE_LIMIT,
    SCOPE_LIMIT,
    VALUE_LIMIT,
    Declared,
    choose_language,
    name_link,
    parse_region,
    read_declared,
    read_first_texts,
    read_language_metas,
    tidy_microdata,
)
from scrapy_boilerplate.page.labels import IntArray
from scrapy_boilerplate.page.lines import (
    HIDDEN_CLASSES,
    Style,
    is_link_mark,
    read_style,
    settle_lines,
    write_raised,
)
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.parsing import MAX_TITLE
from scrapy_boilerplate.page.text import collapse, is_blank

# maximum characters of an attribute `class`, `id` or `role`: of 318,529 in 614 pages of four
# corpora 10 have more. The names of an element also describe the elements inside it.
MAX_NAME = 1_000

# characters of an attribute besides name and value: a space, an equals sign, quotes
QUOTES_AND_SPACE = 4


# maximum characters of a link around paragraphs; more are an article after a link without end tag
MAX_LINKED = 1_000


def read_tree(root: etree._Element, url: str | None = None) -> Page:
    """Return the page of `root`, not yet cut into blocks; linear time, any depth of nesting."""
    roots = find_roots(root)
    reading = (_read_natively and _read_natively(root)) or read_in_python(root)
    tree = root.getroottree()
    elements, leaves = reading.elements, reading.leaves
    # frozen objects are changed here, because copies would cost a short page more than its walk
    elements.__dict__.update(
        reading.element_columns,
        path=str(tree.getpath(root)) if root.getparent() is not None else "",
        namespaced="}" in str(root.tag),
        find_attributes=partial(_find_attributes, roots),
        find_sizes=partial(_find_sizes, roots),
    )
    leaves.__dict__.update(reading.leaf_columns)
    settle_lines(elements, leaves, reading.hidden, reading.hiding)
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
    """The result of one walk: columns and declared values, without the language of the root.

    `title` is of any length; `languages` are values of meta elements, in order. `hidden` are
    elements of HIDDEN_TAGS and inline elements that an attribute hides; every class that hides is
    one of `hiding`. `element_columns` and `leaf_columns` are derived columns of `elements`
    and `leaves` that were computed already.
    """

    elements: Elements
    leaves: Leaves
    declared: Declared
    title: str
    languages: list[str]
    hidden: list[int]
    hiding: Iterable[str]
    element_columns: dict[str, Any]
    leaf_columns: dict[str, IntArray]


def read_in_python(root: etree._Element) -> TreeColumns:
    """Return the columns of any tree, without compiled code."""
    roots = find_roots(root)
    walk = _Walk()
    for each in roots:
        walk.read(each)
    declared = replace(
        read_declared(roots),
        region=parse_region(root.get("lang") or root.get("xml:lang") or ""),
        times=tuple(walk.times),
        rels=tuple(walk.rels),
    )
    languages = read_language_metas(root)
    names = walk.elements.names
    for each in roots:  # the compiled walk names every tag; of those left out, one is asked for
        if next(each.iter("base", "{*}base"), None) is not None and "base" not in names.numbers:
            names.numbers["base"] = len(names.strings)
            names.strings.append("base")
    columns = (walk.elements, walk.leaves, declared, _find_title(root), languages, walk.hidden)
    return TreeColumns(*columns, walk.elements.names.strings, {}, {})


def _find_title(root: etree._Element) -> str:
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


# --- the compiled walk ---

_to_column: partial[IntArray] = partial(np.frombuffer, dtype=np.int64)

# the derived columns of elements that the native walk returns, in its order
ELEMENT_COLUMNS = ("parent_column", "end_column", "depth_column")


def build_native_walk(module: Any) -> Callable[[etree._Element], TreeColumns | None]:
    """Return the walk of the compiled `module`, which returns None for trees other than HTML."""
    reader = module.Reader(
        element_type=etree._Element,
        block_level=BLOCK_LEVEL,
        preformatted=PREFORMATTED,
        invisible=INVISIBLE,
        hidden_tags=HIDDEN_TAGS,
        hidden_classes=HIDDEN_CLASSES,
        metadata=METADATA,
        breaks=tuple(Break),
        json_ld_limit=JSON_LD_LIMIT,
        value_limit=VALUE_LIMIT,
        microdata_limit=MICRODATA_LIMIT,
        scope_limit=SCOPE_LIMIT,
        node_limit=NODE_LIMIT,
        max_name=MAX_NAME,
        max_linked=MAX_LINKED,
        name_link=name_link,
        read_style=read_style,
        is_link_mark=is_link_mark,
        write_raised=write_raised,
    )

    def read(root: etree._Element) -> TreeColumns | None:
        columns = reader.read(root)
        if columns is None:
            return None
        elements, leaves, times, rels, metas, links, json_ld, *rest = columns
        microdata, title, languages, hidden, hiding, of_elements, of_leaves, *names = rest
        strings, numbers, of_names = names
        declared = Declared(
            metas=metas,
            links=links,
            json_ld=json_ld,
            microdata=tuple(tidy_microdata(microdata)),
            region=parse_region(root.get("lang") or root.get("xml:lang") or ""),
            times=times,
            rels=rels,
        )
        return TreeColumns(
            Elements(*elements),
            Leaves(*leaves),
            declared,
            collapse(title),
            languages,
            hidden,
            hiding,
            {
                **dict(zip(ELEMENT_COLUMNS, map(_to_column, of_elements), strict=True)),
                "names": Names(strings, numbers, *map(_to_column, of_names)),
            },
            dict(zip(LEAF_COLUMNS, map(_to_column, of_leaves), strict=True)),
        )

    return read


_read_natively = native.walk and build_native_walk(native.walk)


# --- the walk of Python ---

# inline elements that `_Walk` looks at, beside those with a style or hidden
NOTED = HIDDEN_TAGS | frozenset("a img sup time".split())
NO_BREAK, LINE, PARAGRAPH = Break


class _Walk:
    """The state of one walk: the columns so far, and the open elements.

    `own_lines` are inline elements on lines of their own, `link` has its first leaf in `link_leaf`,
    `raised` and `lined` are the outermost elements of these kinds.
    """

    def __init__(self) -> None:
        self.elements = Elements()
        self.leaves = Leaves()
        self.times: list[tuple[int, str]] = []
        self.rels: list[tuple[int, str]] = []
        self.hidden: list[int] = []
        self.path = [NO_ELEMENT]
        self.own_lines: list[int] = []
        self.link = self.link_leaf = self.raised = self.lined = NO_ELEMENT
        self.is_local = False

    def read(self, root: etree._Element) -> None:  # noqa: C901, PLR0912, PLR0915
        """Add a root and its descendants, a thousand or more, in one loop over local variables."""
        elements, leaves = self.elements, self.leaves
        tags, ends = elements.tags, elements.ends
        names: dict[object, str] = {}
        path, own_lines, owners = self.path, self.own_lines, [len(tags)]
        before = PARAGRAPH
        walker = walk_nodes(root)
        for event, element in walker:
            if event == "start":
                tag = names.get(element.tag) or _read_tag(element.tag, names)
                index = len(tags)
                tags.append(tag)
                elements.parents.append(path[-1])
                ends.append(index + 1)
                elements.depths.append(len(path) - 1)
                path.append(index)
                get = element.get if tag is not ENTITY else _get_nothing
                elements.classes.append(get("class", "")[:MAX_NAME])
                elements.ids.append(get("id", "")[:MAX_NAME])
                elements.roles.append(get("role", "")[:MAX_NAME])
                style = read_style(written) if (written := get("style")) else 0
                if tag in BLOCK_LEVEL:
                    before = PARAGRAPH
                    owners.append(index)
                elif tag == "br":
                    before = PARAGRAPH if before else LINE
                else:
                    if tag in HIDDEN_TAGS:
                        owners.append(index)
                    if (style or tag in NOTED or get("hidden") is not None) and (
                        self._enter_inline(index, tag, style, get)
                    ):
                        before = before or LINE
                if style & Style.LINES and self.lined == NO_ELEMENT and not self._is_preformatted():
                    self.lined = index
                if tag in INVISIBLE or (tag == "head" and not _holds_text(element)):
                    walker.skip_subtree()
                    continue
                text = element.text
            else:
                if event == "end":
                    index = path.pop()
                    ends[index] = len(tags)
                    if owners[-1] == index:
                        before = before if tags[index] in HIDDEN_TAGS else PARAGRAPH
                        owners.pop()
                    elif own_lines and own_lines[-1] == index:
                        before = before or LINE
                        own_lines.pop()
                    if index in (self.link, self.raised, self.lined):
                        self._leave(index)
                text = element.tail if element is not root else None
            if not text:
                continue
            is_plain = self.link == self.raised == self.lined  # NO_ELEMENT, all three
            for number, piece in enumerate((text,) if is_plain else self._split_text(text, before)):
                if number:
                    before = PARAGRAPH if before else LINE
                # blank text nodes at the start or end of a block are left out, but no indents
                is_start = before and (before is PARAGRAPH or tags[owners[-1]] not in PREFORMATTED)
                if piece and not (is_start and (piece.isspace() or is_blank(piece))):
                    leaves.texts.append(piece)
                    leaves.breaks.append(before)
                    leaves.elements.append(path[-1])
                    leaves.owners.append(owners[-1])
                    leaves.opened.append(len(tags))
                    leaves.in_link.append(self.link != NO_ELEMENT)
                    before = NO_BREAK

    def _enter_inline(self, index: int, tag: str, style: int, get: Callable[..., Any]) -> bool:
        """Note an inline element; return whether it is on lines of its own."""
        if tag in HIDDEN_TAGS or style & Style.HIDDEN or get("hidden") is not None:
            self.hidden.append(index)
        if tag == "a":
            if self.link != NO_ELEMENT:  # its end tag is missing: the next link ends it
                self._end_link()
            if (url := get("href")) is not None:
                self.link, self.link_leaf = index, len(self.leaves.texts)
                self.is_local = "#" in url
                self.elements.urls[index] = url
                if "author" in (rel := get("rel", "")) or "tag" in rel:
                    self.rels.append((index, rel))
        elif tag == "sup":
            self.raised = index if self.raised == NO_ELEMENT else self.raised
        elif tag == "img":
            self.elements.urls[index] = get("src", "")
        elif tag == "time":
            self.times.append((index, get("datetime", "")))
        is_own_line = bool(style & Style.BLOCK) and not self._is_preformatted()
        if is_own_line:
            self.own_lines.append(index)
        return is_own_line

    def _leave(self, index: int) -> None:
        if self.link == index:
            if sum(map(len, self.leaves.texts[self.link_leaf :])) > MAX_LINKED:
                self._end_link()
            self.link = NO_ELEMENT
        elif self.raised == index:
            self.raised = NO_ELEMENT
        if self.lined == index:
            self.lined = NO_ELEMENT

    def _end_link(self) -> None:
        """End a link without an end tag at the end of its paragraph."""
        leaves, ends = self.leaves, False
        for leaf in range(self.link_leaf + 1, len(leaves.texts)):
            ends = ends or leaves.breaks[leaf] == Break.PARAGRAPH
            if ends:
                leaves.in_link[leaf] = False
        self.link = NO_ELEMENT

    def _is_preformatted(self) -> bool:
        return any(self.elements.tags[element] in PREFORMATTED for element in self.path[1:])

    def _split_text(self, text: str, before: Break) -> Sequence[str]:
        """Split a text in a link, raised or shown in lines; marks of links are left out."""
        is_note = self.link != NO_ELEMENT and self.is_local
        if is_note and is_link_mark(text):
            return ()
        if self.raised != NO_ELEMENT:
            text = write_raised(text, "" if before else self.leaves.texts[-1], is_note)
        return text.split("\n") if self.lined != NO_ELEMENT else (text,)


def _read_tag(tag: object, names: dict[object, str]) -> str:
    name = names[tag] = str(tag).rpartition("}")[2].lower() if isinstance(tag, str) else ENTITY
    return name


def _get_nothing(_name: str, default: Any = None) -> Any:
    """Replace `get` of an entity, which ignores the default in lxml."""
    return default


def _holds_text(head: etree._Element) -> bool:
    # libxml2 puts the page into the head if no body is opened
    if head.text and not is_blank(head.text):
        return True
    for child in head:
        if child.tag not in METADATA or (child.tail and not is_blank(child.tail)):
            return True
    return False


# --- columns that few callers need ---


def _find_attributes(roots: Sequence[etree._Element], elements: Elements) -> Attributes:
    """Find the attributes of ATTRIBUTES in another walk.

    Reading them in the first walk would cost every page 3 % or more.
    """
    attributes: Attributes = {}
    for index, element in enumerate(walk_again(roots, elements)):
        names = element.keys()
        if not ATTRIBUTES.isdisjoint(names):
            attributes[index] = {
                name: element.get(name, "") for name in names if name in ATTRIBUTES
            }
    return attributes


def _find_sizes(roots: Sequence[etree._Element], elements: Elements) -> list[int]:
    return [
        sum(len(name) + len(value) + QUOTES_AND_SPACE for name, value in element.items())
        for element in walk_again(roots, elements)
    ]


def find_elements(
    elements: Elements, root: etree._Element, wanted: Iterable[etree._Element]
) -> list[int]:
    """Return the indices of `wanted` among the elements that were read of `root`, in order."""
    left = set(wanted)
    indices = []
    if left:
        for index, element in enumerate(walk_again(find_roots(root), elements)):
            if element in left:
                indices.append(index)
                left.discard(element)
                if not left:
                    break
    return indices


def walk_again(roots: Sequence[etree._Element], elements: Elements) -> Iterator[etree._Element]:
    """Yield the elements that the first walk has added."""
    index = 0
    for root in roots:
        walker = etree.iterwalk(root, events=("start",))
        for _, element in walker:
            yield element
            index += 1
            if elements.ends[index - 1] == index:  # empty, or invisible and skipped
                walker.skip_subtree()


# --- nodes ---

# maximum comments and instructions for lxml's own walk: its time is quadratic in adjacent ones
# (100,000 take .5 s, 10,000 take 5 ms)
MAX_LXML_COMMENTS = 10_000


def walk_nodes(root: etree._Element) -> NodeWalk | etree.iterwalk[Any]:
    """Return the walk of lxml over all nodes of `root`, or NodeWalk if it has many comments."""
    comments = root.iter(etree.Comment, etree.PI)
    if next(islice(comments, MAX_LXML_COMMENTS, None), None) is not None:
        return NodeWalk(root)
    return etree.iterwalk(root, events=("start", "end", "comment", "pi"))


_EVENTS: dict[object, str] = {etree.Comment: "comment", etree.PI: "pi"}


class NodeWalk:
    """The walk of ``etree.iterwalk`` over elements, comments and instructions, in linear time."""

    def __init__(self, root: etree._Element) -> None:
        self._root = root
        self._skipped = False

    def skip_subtree(self) -> None:
        """Skip the descendants of the last element, as in lxml."""
        self._skipped = True

    def __iter__(self) -> Iterator[tuple[str, etree._Element]]:
        node: etree._Element | None = self._root
        while node is not None:
            child, event = None, _EVENTS.get(node.tag, "start")
            self._skipped = False
            yield event, node
            if event == "start" and not self._skipped:
                child = next(iter(node), None)
            if child is not None:
                node = child
                continue
            while node is not None:
                if node.tag not in _EVENTS:
                    yield "end", node
                if node is self._root:
                    return
                after = node.getnext()
                if after is not None:
                    node = after
                    break
                node = node.getparent()


def find_roots(root: etree._Element) -> list[etree._Element]:
    """Return `root` and its siblings: libxml2 makes elements after ``</html>`` further roots.

    For an element inside a tree, return only the element.
    """
    if root.getparent() is not None:
        return [root]
    return [root, *root.itersiblings("*")]
