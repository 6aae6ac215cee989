"""The gold standard of L3S-GN1: the class of every text node (Kohlschuetter et al. 2010)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from lxml import etree

from scrapy_boilerplate.label import Label
from scrapy_boilerplate.segment.parse import tree_of, whole_page
from scrapy_boilerplate.segment.tags import INVISIBLE

_selection = re.compile(r"(?:^|\s)x-nc-sel([0-5])(?:\s|$)").search


def labelled_texts(annotated_html: str) -> Iterator[tuple[str, Label]]:
    """(text, label) of every visible text node of a page with ``x-nc-selK`` spans, in order.

    The innermost span decides; text outside all spans is boilerplate.
    """
    for root in whole_page(tree_of(annotated_html)):
        yield from _labelled_texts(root)


def _labelled_texts(root: etree._Element) -> Iterator[tuple[str, Label]]:
    labels = [Label.BOILERPLATE]
    walker = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
    for event, element in walker:
        if event == "start":
            match = _selection(element.get("class", ""))
            labels.append(Label(int(match[1])) if match else labels[-1])
            if element.tag in INVISIBLE:
                walker.skip_subtree()
            elif element.text:
                yield element.text, labels[-1]
            continue
        if event == "end":
            labels.pop()
        if element.tail:
            yield element.tail, labels[-1]


def gold_text(annotated_html: str, labels: Collection[Label]) -> str:
    """The text of the nodes with one of `labels`, a space between them."""
    return " ".join(text for text, label in labelled_texts(annotated_html) if label in labels)
