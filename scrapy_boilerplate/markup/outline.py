"""Compute the path of each element in the new tree, which is always validly nested.

A path is structure (lists, quotes, tables, figures), then one text block (paragraph, heading,
preformatted text), then inline elements. HTML parsers do not change such a tree.
"""

from collections.abc import Set
from dataclasses import dataclass, field

from scrapy_boilerplate.page.columns import PREFORMATTED, Elements
from scrapy_boilerplate.page.labels import BoolArray, IntArray

# Parents of most structure; "" is the root.
FLOW_PARENTS = frozenset(("", "blockquote", "li", "dd", "td", "th", "figure"))
TABLE_PARTS = frozenset(("table", "thead", "tbody", "tfoot"))
PARTS_OF_TABLES = TABLE_PARTS | {"caption", "tr", "td", "th"}
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
HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
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


@dataclass(frozen=True)
class ElementForest:
    """Nodes of the new tree: tag, element of the page, and parent node or `TOP` of each."""

    tags: list[str] = field(default_factory=list)
    elements: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)

    def add(self, tag: str, element: int, parent: int) -> int:
        """Add a node; return its index."""
        self.tags.append(tag)
        self.elements.append(element)
        self.parents.append(parent)
        return len(self.tags) - 1


class Outline:
    """The place of each element of the page in the new tree. Linear time.

    It has the elements `needed`, which have all that is around them. Those `left_out` only keep
    their content. `boxes` become figures; `of_credits` are in captions.

    structure_of  its innermost node of `structure`, or `TOP`
    inline_of     its innermost node of `inline`, or `TOP`
    block_of      the heading or preformatted element around it, one of `blocks`, or `TOP`
    """

    def __init__(
        self,
        elements: Elements,
        needed: IntArray,
        left_out: Set[int],
        boxes: Set[int],
        of_credits: Set[int],
    ) -> None:
        self.structure, self.inline = ElementForest(), ElementForest()
        self.blocks: list[int] = []
        self._levels: list[int] = []  # of each node of structure, from 1
        # for each node of inline: INLINE_BITS of the node and its parents
        self._tags_around: list[int] = []
        # the last entry is for TOP
        structures, inlines, blocks = ([TOP] * (len(elements) + 1) for _ in range(3))
        for element in needed.tolist():
            parent, tag = elements.parents[element], elements.tags[element]
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
            if tag in HEADINGS or tag in PREFORMATTED:
                block = element
                self.blocks.append(block)
            structures[element], inlines[element], blocks[element] = structure, inline, block
        self.structure_of, self.inline_of, self.block_of = structures, inlines, blocks

    def _add_structure(self, tag: str, element: int, parent: int) -> int:
        allowed = ALLOWED_PARENTS[tag]
        above = "" if parent == TOP else self.structure.tags[parent]
        if allowed is FLOW_PARENTS and above in IMPLIED_IN_LISTS:  # in a list, outside its entries
            above = IMPLIED_IN_LISTS[above]
            parent = self._add_level(above, element, parent)
        if above not in allowed or (parent != TOP and self._levels[parent] >= MAX_LEVELS):
            return parent
        return self._add_level(tag, element, parent)

    def _add_level(self, tag: str, element: int, parent: int) -> int:
        self._levels.append(1 if parent == TOP else self._levels[parent] + 1)
        return self.structure.add(tag, element, parent)

    def _add_inline(self, tag: str, element: int, parent: int) -> int:
        written = INLINE_TAGS.get(tag, tag)
        around, bit = 0 if parent == TOP else self._tags_around[parent], INLINE_BITS[written]
        if around & bit or around.bit_count() >= MAX_INLINE_LEVELS:  # not within itself
            return parent
        self._tags_around.append(around | bit)
        return self.inline.add(written, element, parent)


def find_layout_tables(elements: Elements, counts: IntArray, needed: BoolArray) -> frozenset[int]:
    """Return the elements of layout tables: the tables and their rows, cells and other parts.

    A layout table holds another table with content, or has no row with two cells of content.
    `counts` are the leaves of content in each element. Only tables that are `needed` are read.
    """
    outermost = (elements.tagged(frozenset({"table"})) & needed).nonzero()[0].tolist()
    around = dict[int, tuple[int, int]]()  # the innermost table and row
    cells: dict[int, int] = {}
    outer_tables, data_tables = set(), set()
    for element in elements.within(outermost).nonzero()[0].tolist() if outermost else ():
        tag = elements.tags[element]
        table, row = around.get(elements.parents[element], (TOP, TOP))
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
        around[element] = table, row
    return frozenset(
        element
        for element, (table, _) in around.items()
        if elements.tags[element] in PARTS_OF_TABLES and table not in data_tables
    )
