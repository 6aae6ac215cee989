"""Tell tables of data from those of layout."""

from scrapy_boilerplate.native.writing import TABLE_PARTS
from scrapy_boilerplate.page.columns import NO_ELEMENT, Elements
from scrapy_boilerplate.page.labels import BoolArray, IntArray

PARTS_OF_TABLES = TABLE_PARTS | {"caption", "tr", "td", "th"}


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
        table, row = around.get(elements.parents[element], (NO_ELEMENT, NO_ELEMENT))
        if tag == "table":
            if counts[element]:
                data_tables.discard(table)
                outer_tables.add(table)
            table, row = element, NO_ELEMENT
        elif tag == "tr":
            row = element
        elif tag in ("td", "th") and row != NO_ELEMENT and counts[element]:
            cells[row] = cells.get(row, 0) + 1
            if cells[row] == 2 and table not in outer_tables:
                data_tables.add(table)
        around[element] = table, row
    return frozenset(
        element
        for element, (table, _) in around.items()
        if elements.tags[element] in PARTS_OF_TABLES and table not in data_tables
    )
