"""Registered domains, offline."""

from __future__ import annotations

import socket

import pytest

from scrapy_boilerplate.training import sites
from scrapy_boilerplate.training.sites import site_of


@pytest.mark.parametrize(
    ("url", "html", "site"),
    [
        ("http://www.bbc.co.uk/news", "", "bbc.co.uk"),
        ("http://someone.blogspot.com/1", "", "blogspot.com"),
        ("http://localhost:8000/a", "", "localhost"),
        ("http://192.0.2.7/a", "", "192.0.2.7"),
        ("http://[::1]:80/a", "", "[::1]"),
        ("http://gazette.example/a", "", "gazette.example"),
        ("http://www.courier.example:80/a", "", "courier.example"),
        ("http://co.uk/a", "", None),
        (None, '<link rel="canonical" href="https://m.orf.at/1">', "orf.at"),
        (None, "<meta property='og:url' content='http://a.example.com/'>", "example.com"),
        (None, '<link href="http://a.example.com/x" rel=canonical>', "example.com"),
        (None, '<link rel="canonical" href="/relative">', None),
        (None, '<link rel="canonical" href="http://fakehost/x">', None),
        (None, '<link rel="stylesheet" href="http://a.example.com/x">', None),
        (None, "", None),
    ],
)
def test_site(url: str | None, html: str, site: str | None) -> None:
    assert site_of(url, html) == site


def test_nothing_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the network was touched")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    sites._extractor.cache_clear()
    assert site_of("http://a.example.com.au") == "example.com.au"
