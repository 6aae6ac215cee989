"""Selectors of site rules: the same nodes as libxml2 finds, in linear time."""

from time import process_time

import pytest
from lxml import etree
from parsel.csstranslator import HTMLTranslator

from scrapy_boilerplate.page.limits import PARSER_DEPTH
from scrapy_boilerplate.page.parsing import parse_html
from scrapy_boilerplate.site.selectors import Selector

PAGE = """<html><body><div class="a b" id=x><p>One <b class=b>two</b><p class=b title="a//b|c">Three
<div><div class=a><p>Four<a href=/x><b>five</b></a></div></div></div>
<article><div class=b><p lang=en>Six<p>Seven</div></article></body></html><div class=a><p>Eight"""

CSS = (
    "p|*|#x|.b|p.b|div div p|div > p|body div > p b|* * b|.a .b|p, b|div p, article p.b|p:not(.b)|"
    "div:is(.a, .b) p|[href]|div p::text|div b::text, p.b::text|a::attr(href)|div [title*='//']"
).split("|")
XPATHS = (
    "//p;//div//p;//div/p;//div//div//div//p;//div[@class]//p[1];//p[last()];//p/b;"
    "//p[@title='a//b|c'] | //div//a/@href;/html/body/div[1]//p;//p/text();./body/div;"
    "//div//p[1]/text() | //a/@href;//p[contains(@class, 'b') and not(@lang)];//@href;"
    "//div//p[position() > 1];//p[@lang='en' or @title];//*[@lang];//article//*//p"
).split(";")


@pytest.mark.parametrize(
    ("written", "path"),
    [*((css, HTMLTranslator().css_to_xpath(css)) for css in CSS), *((x, x) for x in XPATHS)],
)
def test_finds_what_libxml2_finds(written: str, path: str) -> None:
    tree = parse_html(PAGE)
    expected = sorted(map(_describe, etree.XPath(path)(tree)))
    assert sorted(map(_describe, Selector(written).find_values(tree))) == expected
    assert expected


def _describe(node: object) -> str:
    return node.getroottree().getpath(node) if isinstance(node, etree._Element) else str(node)


@pytest.mark.parametrize(
    "written",
    [
        *("h2 ~ p", "h2 + p", "p:first-child", "p:nth-of-type(2)", "div:has(p)", "p:contains(x)"),
        *("//p/..", "../p", "//p[.//a]", "//p[a]", "//p[ancestor::div]", "//div/following::p"),
        *("(//p)[1]", "//p[.='x']", "//p[normalize-space()='x']", "//p[count(//a) > 1]"),
        *("//div//descendant::p", "//p//text()", "//p[text()='x']", "//p[contains(@*, 'x')]"),
    ],
)
def test_slow_selectors_are_refused(written: str) -> None:
    with pytest.raises(ValueError, match="take too long on a large page"):
        Selector(written)


LEVELS = PARSER_DEPTH - 50
PAGES = {
    "nested": ("<div>" * LEVELS + "<p>x</p>" + "</div>" * LEVELS) * 5,
    "deep": "<div>" * LEVELS + "<p>x</p>" * 10_000,
    "rows": "<div>" + "<div class=row><p>a</p><p>x</p></div>" * 15_000,
    "comments": "<div><div><p>" + "x <!-- y -->" * 40_000,
}
# CPU seconds; libxml2 needs over ten for nested and deep pages and for rows
MAX_SECONDS = 5.0


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("written", ["div div p", "//div/*", "//p[position() mod 2 = 1]"])
def test_linear_time(written: str, page: str) -> None:
    tree = parse_html(PAGES[page])
    start = process_time()
    assert list(Selector(written).find_values(tree))
    assert process_time() - start < MAX_SECONDS
