"""Segmenters of larger blocks: block fusion by hand, jusText's paragraphs, what both promise."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_boilerplate import EXTRACTORS, Page
from tests.builders import page_of

Segmenter = Callable[[Page], Page]
PLAIN: Any = EXTRACTORS["block-fusion"].segmenter
SMOOTHED: Any = EXTRACTORS["block-fusion-smoothed"].segmenter
BY_RULES: Any = EXTRACTORS["block-fusion-rulebased"].segmenter
SMOOTHED_BY_RULES = replace(BY_RULES, smoothed=True)
cut_paragraphs = EXTRACTORS["justext"].segmenter


def walked(body: str) -> Page:
    return page_of(f"<html><body>{body}</body></html>")


def sizes(segmenter: Segmenter, *words: int, between: str = "") -> list[int]:
    """How many of the paragraphs of so many words each block holds."""
    html = between.join(f"<p>{'word ' * count}</p>" for count in words)
    page = segmenter(walked(html))
    return [text.count("word") for text in page.texts]


def test_fusion_by_hand() -> None:
    for words, blocks in [
        ((10, 7), [17]),  # slope .3
        ((10, 6), [10, 6]),  # .4
        ((16, 10), [26]),  # .375
        ((10, 7, 6), [23]),  # 8.5 against 6: .29
        ((6, 10, 7), [23]),  # only in the second pass
        ((2, 3, 5, 8, 13), [5, 13, 13]),  # 2.5 against 6.5 against 13
        ((), []),
    ]:
        assert sizes(PLAIN, *words) == blocks


def test_smoothing_fuses_a_low_between_two_of_a_kind() -> None:
    assert sizes(PLAIN, 10, 2, 10) == [10, 2, 10]
    assert sizes(SMOOTHED, 10, 2, 10) == [22]
    assert sizes(SMOOTHED, 10, 2, 9) == [10, 2, 9]
    assert sizes(SMOOTHED, 2, 10, 2) == [2, 10, 2]
    assert sizes(SMOOTHED, 10, 2, 10, 2, 10) == [22, 2, 10]  # 7.3 after a fusion


def test_gaps_keep_blocks_apart() -> None:
    for between, blocks in [
        ("<hr>", 3),
        ("<h2></h2>", 3),
        ("<table></table>", 3),
        ("<div></div>", 1),
    ]:
        assert len(sizes(BY_RULES, 9, 9, 9, between=between)) == blocks
        assert sizes(PLAIN, 9, 9, 9, between=between) == [27]
    assert sizes(SMOOTHED_BY_RULES, 10, 2, 10, between="<hr>") == [10, 2, 10]


def test_a_fused_block_stands_in_the_nearest_common_ancestor() -> None:
    for html, xpaths in [
        ("<div><p>a</p><p>b</p></div>", ["/html[1]/body[1]/div[1]"]),
        ("<div><p>a</p></div><div><p>b</p></div>", ["/html[1]/body[1]"]),
        ("<p>a</p><p>word word word</p>", ["/html[1]/body[1]/p[1]", "/html[1]/body[1]/p[2]"]),
    ]:
        page = PLAIN(walked(html))
        assert page.xpaths == xpaths


def test_paragraphs() -> None:
    for html, texts in [
        ("a<div>b</div>c", ["a", "b", "c"]),
        ("<p>a<br>b</p>", ["a b"]),
        ("<p>a<br><br>b</p>", ["a", "b"]),
        ("<p>a<br> <!-- x --> <br>b</p>", ["a", "b"]),
        ("<p>a<br><script>x</script><br>b</p>", ["a", "b"]),
        ("<p>a<br><b></b><br>b</p>", ["a b"]),
        ("<section>a</section><section>b</section>", ["a b"]),
        ("<div><form><p>a</p></form>b</div>", ["a", "b"]),
        ("<p>a<button>b</button>c</p>", ["a", "b", "c"]),
        ("<ul><li>a<li>b</ul>", ["a", "b"]),
        ("<div><span>a</span> <em>b</em></div>", ["a b"]),
    ]:
        assert cut_paragraphs(walked(html)).texts == texts


HTML = st.recursive(
    st.sampled_from(["a ", "word word word ", "<br>", "<hr>", "<img>", "<script>x</script>", " "]),
    lambda inner: st.tuples(
        st.sampled_from(["p", "div", "b", "a href=x", "li", "h2", "section", "button"]),
        st.lists(inner, max_size=4),
    ).map(lambda node: f"<{node[0]}>{''.join(node[1])}</{node[0].split()[0]}>"),
    max_leaves=20,
)


@pytest.mark.parametrize(
    "segmenter", [SMOOTHED_BY_RULES, cut_paragraphs], ids=["fusion", "paragraphs"]
)
@given(html=HTML)
def test_every_leaf_is_in_one_block_and_in_its_element(segmenter: Segmenter, html: str) -> None:
    before = walked(html)
    page = segmenter(before)
    blocks, leaves = page.blocks, before.leaves
    covered = [
        leaf
        for first, end in zip(blocks.first_leaf, blocks.end_leaf, strict=True)
        for leaf in range(first, end)
    ]
    assert covered == list(range(len(leaves)))
    assert [text.strip() for text in page.leaves.texts] == [t.strip() for t in leaves.texts]
    assert page.leaves.elements == leaves.elements
    for block, element in enumerate(blocks.elements.tolist()):
        for leaf in range(blocks.first_leaf[block], blocks.end_leaf[block]):
            assert element <= leaves.elements[leaf] < page.elements.ends[element]
    assert page.words.sum() == before.words.sum()
