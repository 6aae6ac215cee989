"""Safe contents of the written markup, read with independent parsers."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Any
from urllib.parse import unquote

import pytest
from lxml import etree
from lxml import html as lxml_html

TAGS = frozenset(
    (
        "p h1 h2 h3 h4 h5 h6 pre br img blockquote ul ol li dl dt dd table thead tbody tfoot tr td "
        "th caption figure figcaption a code kbd samp var sub sup s del ins u mark q cite abbr em "
        "strong"
    ).split()
)
ATTRIBUTES = {
    "a": {"href"},
    "img": {"src", "alt"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"},
    "ol": {"start"},
}
SCHEMES = {"a": ("http", "https", "mailto"), "img": ("http", "https")}
IGNORED_IN_URLS = re.compile("[\x00-\x20\x7f-\xa0\u2028\u2029]+")


def find_elements(html: str) -> Sequence[etree._Element]:
    """The elements of a fragment, without the wrapper that this puts around it."""
    return list(lxml_html.fromstring(f"<div>{html}</div>").iter())[1:]


def check_url(url: str, schemes: tuple[str, ...]) -> None:
    """The scheme is allowed, however a browser or a second look reads the URL."""
    for read in (url, unquote(url)):
        scheme = re.match(r"([a-z][a-z0-9+.-]*):", IGNORED_IN_URLS.sub("", read).lower())
        assert scheme is None or scheme[1] in schemes, url


def check_html(html: str, more_tags: frozenset[str] = frozenset()) -> None:
    """Nothing but allowed tags, attributes and schemes; no comment, no instruction."""
    for element in find_elements(html):
        tag = element.tag
        assert isinstance(tag, str), etree.tostring(element)
        assert tag in TAGS | more_tags, etree.tostring(element)
        assert set(element.attrib) <= ATTRIBUTES.get(tag, set()), etree.tostring(element)
        for name in ("href", "src"):
            if name in element.attrib:
                check_url(element.attrib[name], SCHEMES[tag])


def check_markdown(markdown: str) -> None:
    """Rendered by a parser that lets raw HTML and every URL through, it passes `check_html`."""
    check_html(_renderer().render(markdown), more_tags=frozenset({"hr"}))


def render_markdown(markdown: str) -> str:
    return str(_renderer().render(markdown))


@cache
def _renderer() -> Any:
    package = pytest.importorskip("markdown_it")
    renderer = package.MarkdownIt("commonmark", {"html": True}).enable("table")
    renderer.validateLink = lambda _url: True
    return renderer
