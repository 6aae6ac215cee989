# cython: language_level=3, infer_types=True, annotation_typing=False
"""Write the new tree of an article, which is always validly nested, as HTML.

A path is structure (lists, quotes, tables, figures), then one text block (paragraph, heading,
preformatted text), then inline elements. HTML parsers do not change such a tree.

Cython compiles this file with the C types of `writing.pxd`. Without a compiler Python runs it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Set

try:
    import cython
except ImportError:  # Cython is needed to build, not to run
    from scrapy_boilerplate.native import uncompiled as cython

COMPILED = cython.compiled

# Parents of most structure; "" is the root.
FLOW_PARENTS = frozenset(("", "blockquote", "li", "dd", "td", "th", "figure"))
TABLE_PARTS = frozenset(("table", "thead", "tbody", "tfoot"))
# Structural tags that are kept, to their parents (HTML Standard, content models). Elements with
# another parent are unwrapped.
ALLOWED_PARENTS = {
    **dict.fromkeys(("blockquote", "ul", "ol", "dl", "table", "figure"), FLOW_PARENTS),
    "li": frozenset(("ul", "ol")),
    **dict.fromkeys(("dt", "dd"), frozenset(("dl",))),
    **dict.fromkeys(("thead", "tbody", "tfoot", "caption"), frozenset(("table",))),
    "tr": TABLE_PARTS,
    **dict.fromkeys(("td", "th"), frozenset(("tr",))),
    "figcaption": frozenset(("figure",)),
}
# Tag to the elements between it and text directly inside it.
IMPLIED_CHILDREN = {
    "ul": ("li",),
    "ol": ("li",),
    "dl": ("dd",),
    **dict.fromkeys(TABLE_PARTS, ("tr", "td")),
    "tr": ("td",),
}
IMPLIED_IN_LISTS = {tag: IMPLIED_CHILDREN[tag][0] for tag in ("ul", "ol", "dl")}
_INLINE = "a code kbd samp var sub sup s del ins u mark q cite abbr em strong".split()
# Inline tags that are kept, to the tags that are written.
INLINE_TAGS = {
    **dict(zip(_INLINE, _INLINE, strict=True)),
    "b": "strong",
    "i": "em",
    "tt": "code",
    "strike": "s",
}
# Obsolete and rare lists, to the tags that are written.
LIST_TAGS = {"menu": "ul", "dir": "ul"}
# The tag around the credit of a picture, in its caption. `content_tree.drop_marks` removes it.
CREDIT = "b-credit"
INLINE_BITS = {tag: 1 << number for number, tag in enumerate((*_INLINE, CREDIT))}

# Maximum levels of structure; only the text of deeper levels is kept (Markdown converters
# recurse).
MAX_LEVELS = 24
# Maximum levels of inline elements, which a line break closes and opens again; 1,000 pages have at
# most 3.
MAX_INLINE_LEVELS = 5
# Stands for no parent, or no element.
TOP = -1


class Outline:
    """The place of each element of the page in the new tree. Linear time.

    It has the elements `needed`, which have all that is around them. Those `left_out` only keep
    their content. `boxes` become figures; `of_credits` are in captions. `of_page` are the tags and
    parents of all elements, and the tags of text blocks.

    structure_of  its innermost node of `structure`, or `TOP`
    inline_of     its innermost node of `inline`, or `TOP`
    block_of      the heading or preformatted element around it, one of `blocks`, or `TOP`
    """

    def __init__(
        self,
        of_page: tuple[list[str], list[int], Set[str]],
        needed: list[int],
        left_out: Set[int],
        boxes: Set[int],
        of_credits: Set[int],
    ) -> None:
        # nodes: tag, element of the page, and parent node or TOP
        self.structure: list[tuple[str, int, int]] = []
        self.inline: list[tuple[str, int, int]] = []
        self.blocks: list[int] = []
        self.levels: list[int] = []  # of each node of structure, from 1
        # for each node of inline: INLINE_BITS of the node and its parents
        self.tags_around: list[int] = []
        # the last entry is for TOP
        tags, parents, block_tags = of_page
        size = len(parents) + 1
        structures, inlines, blocks = [TOP] * size, [TOP] * size, [TOP] * size
        for element in needed:
            parent, tag = parents[element], tags[element]
            structure, inline, block = structures[parent], inlines[parent], blocks[parent]
            tag = LIST_TAGS.get(tag, tag)
            if element not in left_out:
                if tag in ALLOWED_PARENTS:
                    structure = self._add_structure(tag, element, structure)
                elif element in boxes:
                    structure = self._add_structure("figure", element, structure)
                if element in of_credits:
                    inline = self._add_inline(CREDIT, element, inline)
                if tag in INLINE_TAGS:
                    inline = self._add_inline(tag, element, inline)
            if tag in block_tags:
                block = element
                self.blocks.append(block)
            structures[element], inlines[element], blocks[element] = structure, inline, block
        self.structure_of, self.inline_of, self.block_of = structures, inlines, blocks

    def _add_structure(self, tag: str, element: int, parent: int) -> int:
        allowed = ALLOWED_PARENTS[tag]
        above = "" if parent == TOP else self.structure[parent][0]
        if allowed is FLOW_PARENTS and above in IMPLIED_IN_LISTS:  # in a list, outside its entries
            above = IMPLIED_IN_LISTS[above]
            parent = self._add_level(above, element, parent)
        if above not in allowed or (parent != TOP and self.levels[parent] >= MAX_LEVELS):
            return parent
        return self._add_level(tag, element, parent)

    def _add_level(self, tag: str, element: int, parent: int) -> int:
        self.levels.append(1 if parent == TOP else self.levels[parent] + 1)
        self.structure.append((tag, element, parent))
        return len(self.structure) - 1

    def _add_inline(self, tag: str, element: int, parent: int) -> int:
        written = INLINE_TAGS.get(tag, tag)
        around, bit = 0 if parent == TOP else self.tags_around[parent], INLINE_BITS[written]
        if around & bit or around.bit_count() >= MAX_INLINE_LEVELS:
            return parent
        self.tags_around.append(around | bit)
        self.inline.append((written, element, parent))
        return len(self.inline) - 1


_drop_unprintable = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\ud800-\udfff\ufffe\uffff]").sub


def escape(text: str) -> str:
    """Return a text with the marks of HTML and no-break spaces as entities."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace("\xa0", "&nbsp;")


class PathNode:
    """An element of the new tree, below `parent`.

    Equal paths share their objects, so that only the differing part of two paths is compared.

    start, end  its tags
    own_line    whether it ends its line
    is_open     whether it is being written
    """

    def __init__(
        self, parent: PathNode | None, tag: str, start: str | None, own_line: bool
    ) -> None:
        self.parent, self.tag, self.start = parent, tag, start or f"<{tag}>"
        self.end = f"</{tag}>\n" if own_line else f"</{tag}>"
        self.own_line, self.is_open = own_line, False


class TreeWriter:
    """Writes leaves of a page to their places in the new tree, in document order. Linear time.

    White space is as HTML shows it; `space_pending` is whether it comes before the next text or
    inline element. `go_to` opens the elements of a path and closes others.

    tags           of the elements of the page
    starts         element or heading to its start tag, where that has attributes
    block_tags     element of each text block of the outline to the tag that is written
    read_language  returns the language of preformatted text, given its block and its element
    path           the last text block or figure
    """

    def __init__(
        self,
        outline: Outline,
        tags: list[str],
        starts: dict[int, str],
        block_tags: dict[int, str],
        read_language: Callable[[int, int], str],
    ) -> None:
        self.outline, self.tags, self.starts = outline, tags, starts
        self.block_tags, self.read_language = block_tags, read_language
        self.path = self.top = PathNode(None, "div", None, False)
        self.top.is_open = True
        self.stack, self.parts = [self.top], list[str]()
        self.at_line_start, self.space_pending = True, False
        self.paragraph = 0
        self.note: str | None = None
        # the nodes of structure from the top to the last one that was new
        self.structures: dict[int, PathNode] = {TOP: self.top}
        self.captions: dict[int, PathNode] = {}
        # the last one that HTML implies around rows of a table
        self.table_body = self.top
        # of the current paragraph
        self.fills: dict[int, PathNode] = {}
        # the current text block: its parent, its key and itself
        self.above, self.key, self.block = self.top, 0, self.top
        self.inlines: dict[int, PathNode] = {TOP: self.top}
        self.code: PathNode | None = None

    def add_leaf(
        self,
        text: str,
        element: int,
        is_line: bool,
        is_caption: bool,
        is_blank: bool,
    ) -> bool:
        """Write a leaf, after a break if `is_line`; return whether it has a text block."""
        block, key, tag = self.outline.block_of[element], ~self.paragraph, "p"
        note, self.note = self.note, None
        if block != TOP:
            key, tag = block, self.block_tags[block]
        if is_blank and tag != "pre":
            self.space_pending = True
            return False
        above, path = self.find_structure(element, is_caption), self.block
        if above is not self.above or key != self.key:
            path = self._start_block(above, key, tag, note if tag == "p" else None)
        self.path = path
        is_line = is_line and path.is_open
        if tag == "pre":
            self.go_to(self._find_code(path, block, element))
            self.add_preformatted(f"\n{text}" if is_line else text)
            return True
        if is_line:
            self.go_to(path)
            self.add_break()
        if text[0].isspace():
            self.space_pending = True
        inline, node = self.outline.inline_of[element], path
        if inline != TOP:
            node = self._find_path(self.inlines, self.outline.inline, inline, True)
            if node.tag == "sup" and text[0] == "^":  # an exponent is marked in the text only
                text = text[1:]
        self.go_to(node)
        self.add_text(text)
        return True

    def start_paragraph(self, note: str | None = None) -> None:
        """End the current paragraph. `note` is the start tag of the next one, if it is a note."""
        self.paragraph += 1
        self.fills, self.note = {}, note

    def open_paragraph(self, element: int, is_image: bool) -> None:
        """Open a paragraph at the place of an element; images do without in a figure."""
        self.start_paragraph()
        self.path = self.find_structure(element, False)
        if not (is_image and self.path.tag == "figure"):
            self.path = self._start_block(self.path, ~self.paragraph, "p", None)
        self.go_to(self.path)

    def add_link(self, start: str, text: str) -> None:
        """Add a link to the current path, given its start tag."""
        self.go_to(PathNode(self.path, "a", start, False))
        self.add_text(text)
        self.go_to(self.path)

    def finish(self) -> str:
        """Close all elements; return the HTML."""
        self.go_to(self.top)
        return "".join(self.parts)

    def _find_code(self, path: PathNode, block: int, element: int) -> PathNode:
        if self.code is None:
            language = self.read_language(block, element)
            start = f'<code class="language-{language}">'
            self.code = PathNode(path, "code", start, False) if language else path
        return self.code

    def _start_block(self, above: PathNode, key: int, tag: str, start: str | None) -> PathNode:
        self.above, self.key, self.block = above, key, PathNode(above, tag, start, True)
        self.code, self.inlines = None, {TOP: self.block}
        return self.block

    def find_structure(self, element: int, is_caption: bool) -> PathNode:
        """Find the innermost node of structure around an element, or around text directly in it."""
        number = self.outline.structure_of[element]
        if number == TOP:
            return self.top
        node = self.structures.get(number)
        if node is None:
            node = self._find_path(self.structures, self.outline.structure, number, False)
        if is_caption and node.tag == "figure":
            if number not in self.captions:
                self.captions = {number: PathNode(node, "figcaption", None, True)}
            return self.captions[number]
        fills = IMPLIED_CHILDREN.get(node.tag)
        if fills is None:
            return node
        if number not in self.fills:
            for fill in fills:
                node = self._add_structure(node, fill, None)
            self.fills[number] = node
        return self.fills[number]

    def _add_structure(self, parent: PathNode, tag: str, start: str | None) -> PathNode:
        if tag == "tr" and parent.tag == "table":
            body = self.table_body
            if body.parent is not parent or not body.is_open:
                body = self.table_body = PathNode(parent, "tbody", None, False)
            parent = body
        return PathNode(parent, tag, start, True)

    def _find_path(
        self,
        known: dict[int, PathNode],
        forest: list[tuple[str, int, int]],
        number: int,
        is_inline: bool,
    ) -> PathNode:
        below: list[int] = []
        while number not in known:
            below.append(number)
            number = forest[number][2]
        # leaves come in document order: none of the later ones is inside the later nodes
        while next(reversed(known)) != number:
            known.popitem()
        node = known[number]
        while below:
            inner = below.pop()
            tag, place, _ = forest[inner]
            start = self.starts.get(place) if self.tags[place] == tag else None
            if is_inline:
                node = PathNode(node, tag, start, False)
            else:
                node = self._add_structure(node, tag, start)
            known[inner] = node
        return node

    def go_to(self, node: PathNode) -> None:
        """Close the elements that do not lead to the node, and open the missing ones."""
        missing: list[PathNode] = []
        while not node.is_open:
            missing.append(node)
            node = self.top if node.parent is None else node.parent
        while (last := self.stack[len(self.stack) - 1]) is not node:
            self.stack.pop()
            last.is_open = False
            if last.own_line:
                self.at_line_start, self.space_pending = True, False
            self.parts.append(last.end)
        while missing:
            inner = missing.pop()
            if inner.own_line:
                self.at_line_start, self.space_pending = True, False
            else:
                self._write_space()
            self.parts.append(inner.start)
            inner.is_open = True
            self.stack.append(inner)

    def add_text(self, text: str) -> None:
        """Add text with white space collapsed, and without any at the start of a block."""
        if text.isprintable() and "  " not in text:  # as most texts: the only white space is " "
            words = text.strip()
        else:
            words = _drop_unprintable("", " ".join(text.split()))
        if words:
            if self.space_pending and not self.at_line_start:
                self.parts.append(" ")
            has_marks = "&" in words or "<" in words or ">" in words
            self.parts.append(escape(words) if has_marks else words)
            self.at_line_start, self.space_pending = False, text[len(text) - 1].isspace()

    def add_preformatted(self, text: str) -> None:
        """Add text with its white space."""
        text = _drop_unprintable("", text.replace("\r\n", "\n").replace("\r", "\n"))
        # a parser drops a line break after the tag
        is_first = self.parts[len(self.parts) - 1] == "<pre>"
        self.parts.append(escape(text.lstrip("\n") if is_first else text))

    def add_break(self) -> None:
        """Add a ``br``."""
        self.at_line_start, self.space_pending = True, False
        self.parts.append("<br>")

    def add_image(self, tag: str) -> None:
        """Add an image, given its tag."""
        self._write_space()
        self.at_line_start = False
        self.parts.append(tag)

    def _write_space(self) -> None:
        if self.space_pending and not self.at_line_start:
            self.parts.append(" ")
        self.space_pending = False
