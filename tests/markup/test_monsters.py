"""Pages of unusual size and depth end, with the right markup. Nothing is timed here."""

from __future__ import annotations

import sys

import pytest
from lxml import etree

from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.markup.outline import MAX_LEVELS
from tests.builders import filler, sentences
from tests.markup.safety import find_elements

pytest.importorskip("nh3")

LEVELS = 5_000
PARSED = 1_800
"""Levels that the parser keeps (2,048 with the elements around them)."""
DEEP = "div b a p blockquote ul li table td h2 pre figure dl dd q picture".split()


def nested_tree(tags: list[str]) -> etree._Element:
    """A tree of `LEVELS` elements in each other, with a text and an image at the bottom."""
    root = element = etree.Element("html")
    for level in range(LEVELS):
        element = etree.SubElement(element, tags[level % len(tags)], {"href": "/x"})
    element.text = filler(100)
    etree.SubElement(element, "img", {"src": "/x.jpg"})
    return root


@pytest.mark.parametrize("tags", [*([tag] for tag in DEEP), ["ul", "li"], ["table", "tr", "td"]])
def test_deep_tree(tags: list[str]) -> None:
    root = nested_tree(tags)
    extracted = extract(root, "https://news.example/", "keep-everything")
    assert extracted.html is not None
    assert extracted.markdown is not None
    assert filler(100) in " ".join(extracted.html.split())
    assert filler(100) in " ".join(extracted.markdown.replace(">", " ").split())
    assert extracted.html.count("<") < 20 * MAX_LEVELS


def test_deep_html() -> None:
    html = "<blockquote><ul><li>" * (PARSED // 3) + f"<p>{filler(100)}</p>"
    extracted = extract(html, extractor="keep-everything")
    assert extracted.markdown is not None
    assert filler(100) in extracted.markdown


def test_the_recursion_limit_is_far_away() -> None:
    """Structure and inline elements together are the only levels a converter recurses over."""
    html = "<ul><li>" * (PARSED // 2) + "<b><i><u><code><a href=/x>" + filler(100)
    markup = extract(html, extractor="keep-everything").html
    assert markup is not None
    root = find_elements(markup)[0]
    deepest = max(sum(1 for _ in one.iterancestors()) for one in root.iter())
    assert 10 * deepest < sys.getrecursionlimit()


@pytest.mark.parametrize(
    ("part", "times"),
    [
        ("<p>one <b>two</b> <a href=/x>three</a><br>four</p>", 2_000),
        ("<li>one", 5_000),
        ("<span>one </span>", 50_000),
        ("one<br>", 20_000),
        ("<figure><img src=/x.jpg><figcaption>one</figcaption></figure>", 5_000),
        ("<tr><td>one<td>two", 5_000),
    ],
)
def test_many(part: str, times: int) -> None:
    start = {"<l": "<ol>", "<t": "<p>one</p><table>"}.get(part[:2], "<div>")
    html = f"{start}<p>{sentences(50, 'river')}</p>{part * times}<p>{sentences(50, 'hill')}"
    extracted = extract(html, "https://news.example/", "keep-everything")
    assert extracted.html is not None
    assert extracted.markdown is not None
    assert extracted.markdown.count("one") >= times


def test_long_list_is_counted_to_its_end() -> None:
    markdown = extract("<ol>" + "<li>one" * 20_000, extractor="keep-everything").markdown
    assert markdown is not None
    assert markdown.endswith("\n20000. one")
