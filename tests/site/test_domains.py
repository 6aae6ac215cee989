"""The site of an address."""

from __future__ import annotations

import pytest

from scrapy_boilerplate.site.domains import UNKNOWN, Domains


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("http://www.bbc.co.uk/news", "bbc.co.uk"),
        ("http://someone.blogspot.com/1", "someone.blogspot.com"),
        ("http://GAZETTE.example/a", "gazette.example"),
        ("http://www.gazette.example:8080/a", "gazette.example"),
        ("http://courier.example/a", "courier.example"),
        ("http://localhost:8000/a", "localhost:8000"),
        ("http://192.0.2.7:8000/a", "192.0.2.7:8000"),
        ("http://[::1]:8000/a", "[::1]:8000"),
        ("http://name@localhost/a", "localhost"),
        ("http://[", UNKNOWN),
        ("", UNKNOWN),
        (None, UNKNOWN),
    ],
)
def test_site(url: str | None, site: str) -> None:
    assert Domains()(url) == site
