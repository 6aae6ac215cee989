"""URLs: made absolute, cut to harmless schemes."""

from html import escape

import pytest

from scrapy_boilerplate import extract

pytest.importorskip("html_to_markdown")

BASE = "https://news.example/a/b"


def write_html(element: str) -> str:
    """The clean HTML of a paragraph with this element."""
    html = extract(f"<p>word {element}</p>", BASE, "keep-everything").html
    assert html is not None
    return html


def link(written: str) -> str:
    return f"<a href='{escape(written)}'>x</a>"


@pytest.mark.parametrize(
    ("written", "url"),
    [
        ("x", "https://news.example/a/x"),
        ("/x?y#z", "https://news.example/x?y#z"),
        ("//a.example", "https://a.example"),
        ("HTTP://a.example/", "HTTP://a.example/"),
        (" http://a.example/x \n", "http://a.example/x"),
        ("/a\nb", "https://news.example/ab"),
        ('/a b"<c>', "https://news.example/a%20b%22%3Cc%3E"),
        ("/ä", "https://news.example/%C3%A4"),
        ("http://u:p@a.example:80/", "http://u:p@a.example:80/"),
        ("http://[::1]:80/x", "http://[::1]:80/x"),
        ("mailto:a@b.example", "mailto:a@b.example"),
        ("/x:y", "https://news.example/x:y"),
        ("/" + "x" * 2_000, "https://news.example/" + "x" * 2_000),
    ],
)
def test_safe(written: str, url: str) -> None:
    assert write_html(link(written)) == f'<p>word <a href="{url}">x</a></p>'


@pytest.mark.parametrize(
    "written",
    [
        *(None, "", " ", "#top", "{{url}}", "[object]", "/" + "x" * 2_083),
        *("javascript:x", "java\tscript:x", "data:,x", "tel:1", "ftp://a.example/"),
        *("http://[", "http://", "http:///x", "http://[::1]x/", "http://a\x01.example/"),
    ],
)
def test_unsafe(written: str | None) -> None:
    assert write_html("<a>x</a>" if written is None else link(written)) == "<p>word x</p>"


@pytest.mark.parametrize(
    ("srcset", "url"),
    [
        (None, None),
        ("", None),
        ("a 1x, b 2x", "b"),
        ("a 640w, b 320w", "a"),
        ("a 1.5x,\n b 1x", "a"),
        ("a,b 2w, c 1w", "a,b"),
        ("a nonsense, b 1w", "b"),
    ],
)
def test_widest(srcset: str | None, url: str | None) -> None:
    named = "" if srcset is None else f"srcset='{srcset}'"
    image = "" if url is None else f' <img src="https://news.example/a/{url}" alt="">'
    assert write_html(f"<img {named}>") == f"<p>word{image}</p>"
