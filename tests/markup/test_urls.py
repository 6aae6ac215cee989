"""URLs: made absolute, cut to harmless schemes."""

from __future__ import annotations

import pytest

from scrapy_boilerplate.markup.urls import MAX_LENGTH, clean_url, find_widest

BASE = "https://news.example/a/b"


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
        ("/ä", "https://news.example/ä"),
        ("http://u:p@a.example:80/", "http://u:p@a.example:80/"),
        ("http://[::1]:80/x", "http://[::1]:80/x"),
        ("mailto:a@b.example", "mailto:a@b.example"),
        ("/x:y", "https://news.example/x:y"),
        ("/" + "x" * 2_000, "https://news.example/" + "x" * 2_000),
    ],
)
def test_safe(written: str, url: str) -> None:
    assert clean_url(written, BASE) == url


@pytest.mark.parametrize(
    "written",
    [
        *(None, "", " ", "#top", "{{url}}", "[object]", "/" + "x" * MAX_LENGTH),
        *("javascript:x", "java\tscript:x", "data:,x", "tel:1", "ftp://a.example/"),
        *("http://[", "http://", "http:///x", "http://[::1]x/", "http://a\x01.example/"),
    ],
)
def test_unsafe(written: str | None) -> None:
    assert clean_url(written, BASE) is None


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
    assert find_widest(srcset) == url
