from __future__ import annotations

from math import e, log
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from lxml.html import builder

from scrapy_boilerplate.systems.tag_ratios.text_density import ElementCounts, choose_elements
from tests.builders import page_of
from tests.systems.pages import content_of, links, paragraph, words


def test_simple_density_leaves_links_out() -> None:
    page = page_of(
        "<html><head><title>No text</title></head><body><div><p>ten chars!<script>x</script></p>"
        "<p>five5 <a>link</a> ten<b> chars!</b></p></div><ul><li><a>one</a></li></ul></body></html>"
    )
    density = ElementCounts(page).simple_density[[4, 6, 7]].tolist()  # of p, p and its a
    assert density == [10, 14 / 2, 0]


@pytest.mark.parametrize("extractor", ["cetd", "text-density"])
def test_article_among_links(extractor: str) -> None:
    article = "<div>" + paragraph(60, "a") + paragraph(40, "b") + "<h2>Heading</h2></div>"
    kept = content_of(extractor, links(10) + article + links(20))
    assert kept == [words(60, "a"), words(40, "b"), "Heading"]


def test_links_of_a_second_root_stay_in_it() -> None:
    """libxml2 makes elements after ``</html>`` another root."""
    elements = ElementCounts(page_of("<meta></html><a>n</a><p>m</p>"))
    assert elements.elements.tags == ["html", "head", "html", "body", "a", "p"]
    assert list(elements.link_tag_counts) == [0, 0, 1, 1, 0, 0]


# The definition once more, word by word and recursive, for trees at random.

LINKS = ("a", "button")


def characters(node: Any, *, in_links: bool) -> int:
    if in_links and node.tag in LINKS:
        return characters(node, in_links=False)
    own = 0 if in_links else len(node.text or "") + sum(len(c.tail or "") for c in node)
    return own + sum(characters(child, in_links=in_links) for child in node)


def tag_count(node: Any) -> int:
    return sum(tag_count(child) + 1 for child in node)


def link_tag_count(node: Any) -> int:
    if node.tag in LINKS:
        return tag_count(node)
    total = 0
    for child in node:
        links_inside = link_tag_count(child)
        only = characters(child, in_links=False) == inherited_link_characters(child)
        full = links_inside == tag_count(child) != 0
        total += links_inside + (child.tag in LINKS or (full and only))
    return total


def inherited_link_characters(node: Any) -> int:
    linked = any(above.tag in LINKS for above in node.iterancestors())
    return characters(node, in_links=not linked)


def naive_density(node: Any, ratio: float) -> float:
    text, linked = characters(node, in_links=False), inherited_link_characters(node)
    if not text:
        return 0.0
    tags, links_inside = max(tag_count(node), 1), max(link_tag_count(node), 1)
    plain, linked = max(text - linked, 1), max(linked, 1)
    inner = log(text * linked / plain + ratio * text + e)
    return text / tags * log(text * tags / (linked * links_inside)) / log(inner)


def naive_sum(node: Any, ratio: float) -> float:
    if not len(node):
        return naive_density(node, ratio)
    runs = [len(text) for text in (node.text, *(child.tail for child in node)) if text]
    total = sum(run * log(run) / log(log(ratio * run + e)) for run in runs)
    return total + sum(naive_density(child, ratio) for child in node)


def naive_marks(body: Any) -> dict[Any, int]:
    linked = max(characters(body, in_links=True), 1)
    ratio = linked / max(characters(body, in_links=False), 1)
    densities = {node: round(naive_density(node, ratio), 6) for node in body.iter()}
    sums = {node: round(naive_sum(node, ratio), 6) for node in body.iter()}
    marks = dict.fromkeys(body.iter(), 0)

    def keep(top: Any) -> None:
        target = max(top.iter(), key=sums.__getitem__)
        if marks[target] != 1:
            marks.update(dict.fromkeys(target.iter(), 1))
            marks.update({above: 2 for above in target.iterancestors() if above in marks})

    keep(body)
    target = next(node for node in body.iter() if marks[node] == 1)
    way = [target, *(above for above in target.iterancestors() if above in marks)]
    threshold = min(densities[node] for node in way)

    def descend(node: Any) -> None:
        if marks[node] != 1 and densities[node] >= threshold:
            keep(node)
            for child in node:
                descend(child)

    descend(body)
    return marks


TEXTS = st.one_of(st.none(), st.integers(1, 40).map(lambda length: "x" * length))


def element(tag: str, text: str | None, parts: list[tuple[Any, str | None]]) -> Any:
    node = etree.Element(tag)
    node.text = text
    for child, tail in parts:
        child.tail = tail
        node.append(child)
    return node


TAGS = st.sampled_from(("div", "p", "b", "a"))
TREES = st.recursive(
    st.builds(element, TAGS, TEXTS, st.just([])),
    lambda trees: st.builds(
        element, TAGS, TEXTS, st.lists(st.tuples(trees, TEXTS), min_size=1, max_size=4)
    ),
    max_leaves=12,
)


@given(TREES)
def test_marks_are_those_of_the_definition(tree: Any) -> None:
    root = builder.HTML(builder.BODY(tree))
    page = page_of(root)
    body = root[0]
    counts = ElementCounts(page)
    bare = counts.bare.astype(np.float64)
    ratio = counts.link_ratio
    weights = np.array([n * log(n) / log(log(ratio * n + e)) if n else 0.0 for n in bare])
    kept = choose_elements(counts, counts.composite_density, weights)
    marks = naive_marks(body)
    assert kept[1:].tolist() == [marks[node] > 0 for node in body.iter()]
