"""The derived columns of a page."""

from __future__ import annotations

import tracemalloc

import pytest
from lxml import etree

from scrapy_boilerplate.page.columns import find_xpaths
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.parsing import parse_html
from tests.builders import document, page_of, paragraphs


@pytest.mark.parametrize(
    ("html", "words", "density"),
    [
        (paragraphs(4), 4, 0.0),
        (paragraphs((3, 1)), 3, 1 / 3),
        (paragraphs((4, 4)), 4, 1.0),
        ("<p><a href=/x>|</a>|</p>", 0, 0.0),
        ("<p><a href=/x>o</a><a href=/y>n</a><a href=/z>e</a></p>", 1, 1.0),
    ],
)
def test_link_density(html: str, words: int, density: float) -> None:
    page = page_of(html)
    assert (page.words.tolist(), page.link_density.tolist()) == ([words], [density])


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
    "prefixed": "<o:p>one</o:p><p>two</p><o:p>three</o:p>",
    "names of XPath functions": "<text>one</text><comment>two</comment><node>three</node>",
    "names of XPath operators": "<div>one</div><and>two</and><or>three</or><mod>four</mod>",
    "no Latin letters": "<p>one</p><элемент>two</элемент><p>three</p>",
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
        root = parse_html(document(body))
        page = page_of(root)
        assert texts_by_xpath(root, page) == [[text] for text in page.texts], kind


def test_xpath_in_other_trees() -> None:
    source = '<html xmlns="http://www.w3.org/1999/xhtml"><body><p>one</p></body></html>'
    root = etree.fromstring(source)
    assert texts_by_xpath(root, page_of(root)) == [["one"]]
    body = "<body><p>zero</p><div><p>x</p></div><div>one<p>two</p><p>three</p></div></body>"
    div = parse_html(body).findall(".//div")[1]
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
    assert page_of(f"<div>{body}</div>").joined(blocks) == text


HTML5, LEGACY = "<!doctype html>", '<!DOCTYPE html SYSTEM "about:legacy-compat">'
XHTML = (
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" '
    '"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">'
)
JSON_LD = '<script type="application/ld+json">{{"@type": "{}"}}</script>'.format
MICRODATA = '<div itemscope itemtype="https://schema.org/{}"><p itemprop="a">b</div>'.format
KINDS = {
    # head, is declared, is modern, names news
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
    assert (page.is_declared, page.is_modern, page.names_news) == kinds


def test_page_without_text_has_empty_columns() -> None:
    page = page_of("")
    columns = (page.words, page.link_words, page.link_density, page.text_density)
    assert [len(column) for column in (*columns, page.texts, page.tags)] == [0] * 6
    assert page.in_tags(frozenset({"p"})).tolist() == []
    assert page.joined([]) == ""


def test_xpaths_of_many_deep_chains_take_no_more_memory_than_they_hold() -> None:
    name = "a-name-of-some-length-all-the-same"
    chain = "<section>" + f"<{name}>" * 200 + "<p>one" + f"</{name}>" * 200 + "</section>"
    page = page_of(f"<body>{chain * 40}")
    held = sum(map(len, page.xpaths))
    tracemalloc.start()
    find_xpaths(page.elements, page.blocks.elements.tolist())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert held > 40 * 200 * len(name)
    assert peak < 8 * held
