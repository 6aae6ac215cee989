"""The walk over pages with more comments than lxml's own walk bears: the same steps, linear."""

from __future__ import annotations

import random
from collections.abc import Iterator
from time import thread_time
from typing import Any

import pytest
from lxml import etree

from scrapy_boilerplate.page.parsing import parse_html
from scrapy_boilerplate.page.reading import MANY_COMMENTS, NodeWalk, walk_nodes

PIECES = "<p>|</p>|<!-- c -->|text|<?x y?>|<b>|</b>|<br>|<svg><g></g></svg>|</body>".split("|")


def record_steps(walk: Any, skipped: tuple[str, ...]) -> Iterator[tuple[str, etree._Element]]:
    for event, node in walk:
        yield event, node
        if event == "start" and node.tag in skipped:
            walk.skip_subtree()


@pytest.mark.parametrize("skipped", [(), ("svg", "b")])
def test_steps_are_those_of_lxml(skipped: tuple[str, ...]) -> None:
    chance = random.Random(0)  # noqa: S311
    for _ in range(50):
        root = parse_html("".join(chance.choices(PIECES, k=30)))
        for top in (root, root[0]):
            theirs = etree.iterwalk(top, events=("start", "end", "comment", "pi"))
            ours = list(record_steps(NodeWalk(top), skipped))
            assert ours == list(record_steps(theirs, skipped))


def test_entities_are_elements_as_in_lxml() -> None:
    xml = "<!DOCTYPE a [<!ENTITY x 'y'>]><a>b&x;c<!-- d --><e>&x;</e></a>"
    root = etree.fromstring(xml, etree.XMLParser(resolve_entities=False))
    theirs = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
    assert list(NodeWalk(root)) == list(theirs)


def test_it_is_used_where_comments_are_many() -> None:
    assert isinstance(walk_nodes(parse_html("<p>x<!-- y -->" * MANY_COMMENTS)), etree.iterwalk)
    assert isinstance(walk_nodes(parse_html("<p>x<?y?>" * (MANY_COMMENTS + 1))), NodeWalk)


@pytest.mark.parametrize("node", ["<!-- x -->", "<?x y?>"])
def test_time_is_linear(node: str) -> None:
    seconds = []
    for times in (50_000, 200_000):
        root, measured = parse_html(f"<p>x{node * times}"), []
        for _ in range(3):
            begin = thread_time()
            assert sum(1 for _ in walk_nodes(root)) > times
            measured.append(thread_time() - begin)
        seconds.append(min(measured))
    assert seconds[1] < 8 * seconds[0]  # 4; quadratic: 16
