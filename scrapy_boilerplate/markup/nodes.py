"""From the columns back to the tree: the elements whose attributes the markup needs."""

from __future__ import annotations

from lxml import etree

from scrapy_boilerplate.page.columns import Elements
from scrapy_boilerplate.page.parsing import whole_page

EMBEDS = frozenset("iframe embed object video audio amp-iframe amp-video amp-audio".split())
"""What shows something of another address."""
IMAGES = frozenset(("img", "amp-img"))
WITH_ATTRIBUTES = EMBEDS | IMAGES | frozenset(("a", "td", "th", "ol", "table"))

Nodes = dict[int, etree._Element]


def nodes_of(elements: Elements, root: etree._Element) -> Nodes:
    """Element index to element, for `WITH_ATTRIBUTES`; the tree is only read.

    The columns know which subtrees were not read: elements that end where they start. Empty if the
    tree is no longer the one that was read (somebody took elements out of it): what an index means
    is not known then.
    """
    found: Nodes = {}
    tags, ends, index = elements.tags, elements.ends, 0
    for one in whole_page(root):
        walker = etree.iterwalk(one, events=("start",))
        for _, element in walker:
            if index >= len(tags) or not _named(element, tags[index]):
                return {}
            if tags[index] in WITH_ATTRIBUTES:
                found[index] = element
            if ends[index] == index + 1:
                walker.skip_subtree()
            index += 1
    return found if index == len(tags) else {}


def _named(element: etree._Element, tag: str) -> bool:
    name = element.tag
    if not isinstance(name, str):
        return tag == "&"
    return name == tag or name.rpartition("}")[2].lower() == tag
