"""Blocks of a page: what cuts text into them, and the derived columns."""

import tracemalloc

import pytest
from hypothesis import given, settings
from lxml import etree

from scrapy_boilerplate import EXTRACTORS, Page
from tests.builders import block_texts, document, page_of, paragraphs, segmented_page, tree_of
from tests.oracle import check_blocks
from tests.systems.test_block_fusion import HTML

SPLITTING = (
    "p div li td th tr h1 h6 section article header footer aside main nav blockquote pre figure "
    "figcaption dt dd address center fieldset legend details summary menu search hgroup"
).split()
INLINE = (
    "a abbr b bdi cite code del dfn em font i ins kbd label mark q s samp small span strong sub "
    "time tt u var my-element X-Term o:p st1:City unknown button math mrow data amp-fit-text"
).split()
INVISIBLE = "script style svg rt audio canvas iframe meter noscript template annotation".split()


def test_block_level_tags_end_a_block() -> None:
    for tag in SPLITTING:
        html = f"<div>one <{tag}>two</{tag}> three</div>"
        assert block_texts(html) == ["one", "two", "three"], tag


def test_inline_tags_neither_end_a_block_nor_add_a_space() -> None:
    for tag in INLINE:
        assert block_texts(f"<p>one <{tag}>two</{tag}> t<{tag}>hre</{tag}>e</p>") == [
            "one two three"
        ], tag
    for tag in INVISIBLE:
        assert block_texts(f"<p>one <{tag}>hidden</{tag}>two</p>") == ["one two"], tag


def test_text_after_a_void_tag_is_kept() -> None:
    for tag in ("img", "input", "wbr", "link", "meta", "param", "source"):
        assert "".join(block_texts(f"<p>one <{tag}>two</p>")).replace(" ", "") == "onetwo", tag
    assert block_texts("<div><embed src=x><p>one</p><p>two</p></div>") == ["one", "two"]


BLOCKS = {
    "<x-y>one <p>two</p> three</x-y> four": ["one", "two", "three four"],
    "one</br>two</BR>three": ["one", "two", "three"],
    "<span style='display: block'>one</span><b style='DISPLAY:block'>two</b>": ["one", "two"],
    "<h1>one<br>two<span style='display:block'>three</span></h1>": ["one two three"],
    "<div style='white-space: pre-line'>one\ntwo\n\nthree</div>": ["one", "two", "three"],
    "<pre style='white-space: pre-wrap'>one\ntwo</pre>": ["one two"],
    # hidden words of a line
    "one<b hidden> two</b> three<i style='display:none'>four</i>": ["one three"],
    "<p>one <a href=x>two<i class='a sr-only'> new tab</i></a>": ["one two"],
    "<p>one<i class='tw-sr-only x'> two</i>": ["one"],
    "one<i style='position:absolute;clip:rect(0px, 0px, 0px, 0px)'>, two</i>": ["one"],
    "<i hidden>one</i><p><b class=sr-only>two</b><p>three": ["one", "two", "three"],
    # controls at the start or the end of a line
    "<button>one</button> two <button>three</button> <button>four</button>": [
        *("one", "two", "three", "four")
    ],
    "one <button>two</button>, three": ["one two, three"],
    # links to places in the page, raised numbers
    "one<a href='#a'> \u21a9\ufe0e</a> two <a href='#b'>\xb6</a>": ["one two"],
    "<a href='#a'>#</a> one <a href='/tag'>#</a>": ["one #"],
    "one<sup><a href='#n'>1</a></sup><a href='#m'><sup>[2]</sup></a>": ["one[1][2]"],
    "<math><mfrac><mn>1</mn><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow></mfrac></math> "
    "<math><msqrt><mn>9</mn></msqrt></math>": ["1/(a+b) \u221a9"],
    "10<sup>6</sup> 10<sup>\u22123</sup> 19<sup>th</sup> m<sup>2</sup>": [
        "10^6 10^\u22123 19th m2"
    ],
    "one<br><br>two": ["one", "two"],
    "o<b>n<br></b>e": ["on", "e"],
    "one<p></p><p> </p>two": ["one", "two"],
    "one <span> </span> two": ["one two"],
    "o<!-- hidden -->n<?php hidden ?>e": ["one"],
    "<p>one</p><!-- hidden -->two": ["one", "two"],
    "<b><div>one</div>two</b>": ["one", "two"],
    "<ul><li>one<ul><li>two</ul>three</ul>": ["one", "two", "three"],
}


@pytest.mark.parametrize(("inside", "texts"), BLOCKS.items())
def test_blocks(inside: str, texts: list[str]) -> None:
    assert block_texts(f"<body><div>{inside}</div></body>") == texts


# None, a line, a paragraph.
BREAKS = {
    0: ("", "<!-- hidden -->"),
    1: ("<br>", "<i><br></i>"),
    2: ("<br> \n <br>", "<br><!-- hidden --><br>", "<hr>", "<br><hr>", "<hr><br>"),
}


@pytest.mark.parametrize("expected", BREAKS)
def test_break_between_two_texts(expected: int) -> None:
    for between in BREAKS[expected]:
        leaves = page_of(f"<div>one<i>{between}</i><b>two</b></div>").leaves
        assert leaves.breaks == [2, expected], between


def test_block_stands_in_the_nearest_block_level_element() -> None:
    assert page_of("<div><p><b>one</b></p><a href=x>two</a></div>").tags == ["p", "div"]
    assert len(set(page_of("<td>one<br>two</td>").blocks.elements.tolist())) == 1


def test_tail_of_the_given_element_is_outside() -> None:
    body = etree.fromstring("<body>none<div>one</div>two</body>")
    div = body.find("div")
    assert div is not None
    assert block_texts(div) == ["one"]


def text_nodes(body: str) -> Page:
    return segmented_page(f"<html><body>{body}</body></html>", None, EXTRACTORS["web2text"])


TEXT_NODES = {
    "": ([], ""),
    "<p>one <b>two</b> three</p>": (["one", "two", "three"], "one two three"),
    "<p>cut<b>ting</b>.</p>": (["cut", "ting", "."], "cutting."),
    "<p>one<br>two</p>": (["one", "two"], "one\ntwo"),
    "<p>one</p><p>two <i>three</i></p>": (["one", "two", "three"], "one\n\ntwo three"),
    "<p>one<!-- note --> two</p>": (["one", "two"], "one two"),
}


@pytest.mark.parametrize("html", TEXT_NODES)
def test_every_text_node_is_a_block(html: str) -> None:
    page = text_nodes(html)
    assert (page.texts, page.join_blocks(range(len(page)))) == TEXT_NODES[html]


def test_text_nodes_stand_in_their_own_elements() -> None:
    page = text_nodes("<p>one <b>two</b> three</p>")
    assert page.join_blocks([0, 2]) == "one\n\nthree"
    assert [path.rpartition("/")[2] for path in page.xpaths] == ["p[1]", "b[1]", "p[1]"]


@settings(max_examples=50, deadline=None)
@given(HTML)
def test_no_text_is_lost(html: str) -> None:
    root: etree._Element = tree_of(f"<html><body>{html}</body></html>")
    page = segmented_page(root, None, EXTRACTORS["web2text"])
    check_blocks(root, page)
    assert all(page.texts)


def test_link_density() -> None:
    marks = "<p><a href=/x>|</a>|</p>"
    letters = "<p><a href=/x>o</a><a href=/y>n</a><a href=/z>e</a></p>"
    page = page_of(paragraphs(4, (3, 1), (4, 4)) + marks + letters)
    assert page.words.tolist() == [4, 3, 4, 0, 1]
    assert page.link_density.tolist() == [0, 1 / 3, 1, 0, 1]


def test_text_density_is_words_of_a_full_line() -> None:
    assert page_of(paragraphs(1, 16, 17, 40)).text_density.tolist() == [1, 16, 16, 16]


def test_descriptions_and_attribute_sizes() -> None:
    metas = "<meta name=author content=x><meta name=description content=' one  two '>"
    page = page_of(f"{metas}<p class=ab id=c>three</p>")
    assert page.description == "one two"
    assert page.elements.attribute_sizes[-1] == len(' class="ab" id="c"')


def test_longest_leaf_is_the_first_of_equals() -> None:
    page = page_of("<p>one<b>four</b><i>five</i></p><p>x</p>")
    texts = [page.leaves.texts[leaf] for leaf in page.longest_leaves.tolist()]
    assert texts == ["four", "x"]


XPATH_PAGES = {
    "siblings with comments between": "<p>one</p><!-- x --><p>two</p><?pi x?><p>three</p>",
    "nested": "<div><div>one</div><div>two<div>three</div></div></div>",
    "prefixed": "<o:p><p>one</p></o:p><p>two</p><o:p><p>three</p></o:p>",
    "names of XPath functions": "<text><p>one</text><comment><p>two</comment><node><p>three",
    "names of XPath operators": "<div>one</div><and><p>two</and><or><p>three</or><mod><p>four",
    "no Latin letters": "<p>one</p><элемент><p>two</p></элемент><p>three</p>",
}


def texts_by_xpath(root: etree._Element, page: Page) -> list[list[str]]:
    """For each block the elements its XPath finds, as the texts directly in them."""
    texts = []
    for block in range(len(page)):
        elements = root.xpath(page.xpaths[block])
        assert isinstance(elements, list)
        texts.append(["".join(e.xpath("text()")).strip() for e in elements])
    return texts


def test_xpath_finds_exactly_the_element() -> None:
    for kind, body in XPATH_PAGES.items():
        root = tree_of(document(body))
        page = page_of(root)
        assert texts_by_xpath(root, page) == [[text] for text in page.texts], kind


def test_xpath_in_other_trees() -> None:
    source = '<html xmlns="http://www.w3.org/1999/xhtml"><body><p>one</p></body></html>'
    root = etree.fromstring(source)
    assert texts_by_xpath(root, page_of(root)) == [["one"]]
    body = "<body><p>zero</p><div><p>x</p></div><div>one<p>two</p><p>three</p></div></body>"
    div = tree_of(body).findall(".//div")[1]
    assert texts_by_xpath(div, page_of(div)) == [["one"], ["two"], ["three"]]
    assert page_of(f"<body>{'<div>' * 300}<p>one</p>").xpaths == [""], "too deep"


JOINED = {
    # HTML, blocks, text
    "paragraphs": ("<p>1<p>2", [0, 1], "1\n\n2"),
    "lines": ("1<br>2<br>3", [0, 1, 2], "1\n2\n3"),
    "two br are a paragraph": ("1<br><br>2", [0, 1], "1\n\n2"),
    "lines with one left out": ("1<br>2<br>3", [0, 2], "1\n\n3"),
    "a single line": ("1<br>2", [1], "2"),
    "nothing": ("<p>1<p>2", [], ""),
    "code": ("<pre>\n\tif a:\n\t\tb \n</pre>", [0], "if a:\n        b"),
    "preformatted": ("<pre>1 <b>2</b>\n\n\n\n3<br>4</pre>", [0, 1], "1 2\n\n3\n4"),
}


@pytest.mark.parametrize(("body", "blocks", "text"), JOINED.values(), ids=JOINED)
def test_joined(body: str, blocks: list[int], text: str) -> None:
    assert page_of(f"<div>{body}</div>").join_blocks(blocks) == text


HTML5, LEGACY = "<!doctype html>", '<!DOCTYPE html SYSTEM "about:legacy-compat">'
XHTML = (
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" '
    '"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">'
)
JSON_LD = '<script type="application/ld+json">{{"@type": "{}"}}</script>'.format
MICRODATA = '<div itemscope itemtype="https://schema.org/{}"><p itemprop="a">b</div>'.format
KINDS = {
    # head, has Open Graph or JSON-LD, is modern, declares a news article
    "HTML5": (HTML5, (False, True, False)),
    "HTML5 as XSLT writes it": (LEGACY, (False, True, False)),
    "no doctype": ("", (False, False, False)),
    "Open Graph": (f"{XHTML}<meta property=og:type content=article>", (True, True, False)),
    "another meta": (f"{XHTML}<meta name=author content=Ann>", (False, False, False)),
    "a thing in JSON-LD": (XHTML + JSON_LD("BlogPosting"), (True, True, False)),
    "news in JSON-LD": (HTML5 + JSON_LD("NewsArticle"), (True, True, True)),
    "a report in JSON-LD": (HTML5 + JSON_LD("ReportageNewsArticle"), (True, True, True)),
    "an article in microdata": (HTML5 + MICRODATA("Article"), (False, True, False)),
    "news in microdata": (XHTML + MICRODATA("NewsArticle"), (False, False, True)),
}


@pytest.mark.parametrize(("head", "kinds"), KINDS.values(), ids=KINDS)
def test_pages_that_are_modern_and_that_declare_news(
    head: str, kinds: tuple[bool, bool, bool]
) -> None:
    page = page_of(f"{head}<p>one two")
    assert (page.has_open_graph_or_json_ld, page.is_modern, page.declares_news_article) == kinds


def test_xpaths_of_many_deep_chains_take_no_more_memory_than_they_hold() -> None:
    name = "a-name-of-some-length-all-the-same"
    chain = "<section>" + f"<{name}>" * 200 + "<p>one" + f"</{name}>" * 200 + "</section>"
    page = page_of(f"<body>{chain * 40}")
    tracemalloc.start()
    held = sum(map(len, page.xpaths))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert held > 40 * 200 * len(name)
    assert peak < 8 * held
