"""The collapsed DOM by hand: which nodes are above a block, and how far its neighbour is."""

from scrapy_boilerplate import Page
from scrapy_boilerplate.systems.web2text import NO_FORK, CollapsedDom
from tests.systems.pages import text_nodes

TAGS = ("body", "div", "p", "ul", "li", "a", "i", "h1")

PAGE = """
<div><h1>Rain</h1><p>It <i>rained</i> all day</p></div>
<ul><li><a href=x>Home</a></li><li>News</li></ul>
"""


def names(page: Page, forks: list[int]) -> list[str]:
    return ["" if fork == NO_FORK else page.elements.tags[fork] for fork in forks]


def tags_of(bits: int) -> set[str]:
    return {tag for number, tag in enumerate(TAGS) if bits >> number & 1}


def test_a_page_by_hand() -> None:
    page = text_nodes(PAGE)
    dom = CollapsedDom(page, TAGS)
    assert page.texts == ["Rain", "It", "rained", "all day", "Home", "News"]
    assert names(page, dom.parents.tolist()) == ["div", "p", "p", "p", "ul", "ul"]
    assert names(page, dom.grandparents.tolist()) == ["body", "div", "div", "div", "body", "body"]
    tags = [tags_of(bits) for bits in dom.tags.tolist()]  # of what holds a block alone
    assert tags == [{"h1"}, set(), {"i"}, set(), {"li", "a"}, {"li"}]
    assert names(page, dom.common.tolist()) == ["", "div", "p", "p", "body", "ul"]
    assert dom.distances.tolist() == [0, 3, 2, 2, 5, 2]


def test_a_node_keeps_the_tags_of_what_it_fills() -> None:
    page = text_nodes("<div><ul><li>a</li><li>b</li></ul></div><p>c</p>")
    dom = CollapsedDom(page, TAGS)
    assert tags_of(int(dom.fork_tags[dom.parents[0]])) == {"div", "ul"}


def test_a_single_block_is_the_whole_tree() -> None:
    for body in ["<p>one</p>", "<div><p>one</p><p> </p><img></div>"]:
        dom = CollapsedDom(text_nodes(body), TAGS)
        assert dom.parents.tolist() == dom.grandparents.tolist() == [NO_FORK]
        assert tags_of(int(dom.tags[0])) >= {"body", "p"}
