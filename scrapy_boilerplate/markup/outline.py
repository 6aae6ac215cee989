"""Compute the path of each element in the new tree, which is always validly nested.

A path in the new tree is always: structure (lists, quotes, tables, figures), then one text block
(paragraph, heading, preformatted text), then inline elements. An HTML parser leaves such a tree as
it is; it would move text that stands in a table outside a cell.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from scrapy_boilerplate.page.columns import Elements

# What may hold structure; "" is the top.
FLOW = frozenset(("", "blockquote", "li", "dd", "td", "th", "figure"))
ROWS = frozenset(("table", "thead", "tbody", "tfoot"))
# The structure that is kept, each with what it may stand in (HTML Standard, content models);
# elsewhere only what it holds is kept.
PLACES = {
    **dict.fromkeys(("blockquote", "ul", "ol", "dl", "table", "figure"), FLOW),
    "li": frozenset(("ul", "ol")),
    **dict.fromkeys(("dt", "dd"), frozenset(("dl",))),
    **dict.fromkeys(("thead", "tbody", "tfoot", "caption"), frozenset(("table",))),
    "tr": ROWS,
    **dict.fromkeys(("td", "th"), frozenset(("tr",))),
    "figcaption": frozenset(("figure",)),
}
# What goes between these and text that stands in them directly.
FILLING = {
    "ul": ("li",),
    "ol": ("li",),
    "dl": ("dd",),
    **dict.fromkeys(ROWS, ("tr", "td")),
    "tr": ("td",),
}
HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
PREFORMATTED = frozenset(("pre", "listing", "xmp"))
_PLAIN = "a code kbd samp var sub sup s del ins u mark q cite abbr em strong".split()
# The inline elements that are kept, under their plain names.
SPELLINGS = {
    **dict(zip(_PLAIN, _PLAIN, strict=True)),
    "b": "strong",
    "i": "em",
    "tt": "code",
    "strike": "s",
}
# Other names of `ul`.
LISTS = frozenset(("menu", "dir"))
_KEPT = frozenset((*PLACES, *SPELLINGS, *LISTS))

# Levels of structure at most; deeper ones are left out, their text is kept. Markdown converters
# recurse, and no article needs more (our choice).
MAX_LEVELS = 24
# The end of a chain.
TOP = -1


@dataclass(frozen=True)
class ElementChains:
    """Elements of one kind of the new tree, each with its parent; a chain leads up to `TOP`."""

    tags: list[str] = field(default_factory=list)
    elements: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    levels: list[int] = field(default_factory=list)

    def add(self, tag: str, element: int, parent: int) -> int:
        """Add a link to the chain of `parent`; return its index."""
        self.tags.append(tag)
        self.elements.append(element)
        self.parents.append(parent)
        self.levels.append(1 + (self.levels[parent] if parent != TOP else 0))
        return len(self.tags) - 1

    def chain(self, link: int) -> list[int]:
        """Return the links from the top down to `link`."""
        links = []
        while link != TOP:
            links.append(link)
            link = self.parents[link]
        return links[::-1]

    def tag(self, link: int) -> str:
        """Return the tag of a link; "" for the top."""
        return "" if link == TOP else self.tags[link]


class Outline:
    """The place of each element of the page in the new tree. Linear time.

    structure_of  link of `structure`, or `TOP`
    inline_of     link of `inline`, or `TOP`
    block_of      the heading or preformatted element that it stands in, or `TOP`
    """

    def __init__(self, elements: Elements, left_out: frozenset[int], boxes: frozenset[int]) -> None:
        self.structure, self.inline = ElementChains(), ElementChains()
        self.structure_of: list[int] = []
        self.inline_of: list[int] = []
        self.block_of: list[int] = []
        for element, (tag, parent) in enumerate(zip(elements.tags, elements.parents, strict=True)):
            structure = inline = block = TOP
            if parent != TOP:
                structure, inline = self.structure_of[parent], self.inline_of[parent]
                block = self.block_of[parent]
            is_box = element in boxes and tag not in PLACES
            if (is_box or tag in _KEPT) and element not in left_out:
                place = "figure" if is_box else "ul" if tag in LISTS else tag
                structure = self._add_structure(place, element, structure)
                inline = self._add_inline(tag, element, inline)
            if tag in HEADINGS or tag in PREFORMATTED:
                block = element
            self.structure_of.append(structure)
            self.inline_of.append(inline)
            self.block_of.append(block)

    def _add_structure(self, tag: str, element: int, parent: int) -> int:
        places = PLACES.get(tag)
        if places is None:
            return parent
        above = self.structure.tag(parent)
        if places is FLOW and above in ("ul", "ol", "dl"):  # a list in a list, outside its entries
            parent = self.structure.add(FILLING[above][0], element, parent)
            above = self.structure.tag(parent)
        deep = parent != TOP and self.structure.levels[parent] >= MAX_LEVELS
        return parent if deep or above not in places else self.structure.add(tag, element, parent)

    def _add_inline(self, tag: str, element: int, parent: int) -> int:
        spelling = SPELLINGS.get(tag)
        if spelling is None:
            return parent
        nested = any(self.inline.tags[link] == spelling for link in self.inline.chain(parent))
        return parent if nested else self.inline.add(spelling, element, parent)


def find_layout_tables(elements: Elements, counts: list[int]) -> frozenset[int]:
    """Return the layout tables, and their parts.

    In a layout table no row has two cells with content, or another table with content is inside.
    `counts`: leaves of content in each element.
    """
    if "table" not in elements.tags:
        return frozenset()
    tables, rows = [TOP], [TOP]  # [e + 1]: the nearest of element e
    cells: dict[int, int] = {}
    outer_tables, data_tables = set(), set()
    for element, (tag, parent) in enumerate(zip(elements.tags, elements.parents, strict=True)):
        table, row = tables[parent + 1], rows[parent + 1]
        if tag == "table":
            if counts[element]:
                data_tables.discard(table)
                outer_tables.add(table)
            table, row = element, TOP
        elif tag == "tr":
            row = element
        elif tag in ("td", "th") and row != TOP and counts[element]:
            cells[row] = cells.get(row, 0) + 1
            if cells[row] == 2 and table not in outer_tables:
                data_tables.add(table)
        tables.append(table)
        rows.append(row)
    parts = ("table", "thead", "tbody", "tfoot", "caption", "tr", "td", "th")
    return frozenset(
        element
        for element, tag in enumerate(elements.tags)
        if tag in parts and tables[element + 1] not in data_tables
    )
