"""Pages of unusual size and depth end, with the right markup. Nothing is timed here."""

import pytest
from lxml import etree

from scrapy_boilerplate import extract
from tests.builders import filler, sentences

pytest.importorskip("html_to_markdown")

LEVELS = 5_000


def nested_tree(tags: list[str]) -> etree._Element:
    """A tree of `LEVELS` elements in each other, with a text and an image at the bottom."""
    root = element = etree.Element("html")
    for level in range(LEVELS):
        element = etree.SubElement(element, tags[level % len(tags)], {"href": "/x"})
    element.text = filler(100)
    etree.SubElement(element, "img", {"src": "/x.jpg"})
    return root


@pytest.mark.parametrize(
    "tags", ["div", "b", "blockquote", "li", "td", "pre", "picture", "ul li", "table tr td"]
)
def test_deep_tree(tags: str) -> None:
    root = nested_tree(tags.split())
    extracted = extract(root, "https://news.example/", "keep-everything")
    assert extracted.html is not None
    assert extracted.markdown is not None
    assert filler(100) in " ".join(extracted.html.split())
    assert filler(100) in " ".join(extracted.markdown.replace(">", " ").split())
    assert extracted.html.count("<") < 20 * 100


@pytest.mark.parametrize(
    ("start", "part", "times"),
    [
        ("<div>", "<span>one </span>", 50_000),
        ("<div>", "one<br>", 20_000),
        ("<div>", "<figure><img src=/x.jpg><figcaption>one</figcaption></figure>", 5_000),
        ("<ol>", "<li>one", 5_000),
        ("<p>one</p><table>", "<tr><td>one<td>two", 5_000),
        ("<p>", "one<img src=a>", 50_000),
        (f"<picture><source srcset='{'x,' * 20_000}'>", "<img>one ", 50_000),
    ],
)
def test_many(start: str, part: str, times: int) -> None:
    html = f"{start}<p>{sentences(50, 'river')}</p>{part * times}<p>{sentences(50, 'hill')}"
    extracted = extract(html, "https://news.example/", "keep-everything")
    assert extracted.html is not None
    assert extracted.markdown is not None
    assert extracted.markdown.count("one") >= times
