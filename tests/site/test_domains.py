"""The site of a URL, and its folder."""

import pytest

from scrapy_boilerplate.site.domains import UNKNOWN, Domains, create_folder_name


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("http://www.bbc.co.uk/news", "bbc.co.uk"),
        ("http://someone.blogspot.com/1", "someone.blogspot.com"),
        ("http://GAZETTE.example/a", "gazette.example"),
        ("http://www.gazette.example:8080/a", "gazette.example"),
        ("http://localhost:8000/a", "localhost:8000"),
        ("http://192.0.2.7:8000/a", "192.0.2.7:8000"),
        ("http://[::1]:8000/a", "[::1]:8000"),
        ("http://name@localhost/a", "localhost"),
        ("https://news.example.com.evil.example/", "evil.example"),
        ("https://news.example.com:443@evil.example/", "evil.example"),
        ("https://evil.example//news.example.com/", "evil.example"),
        ("https://evil.example#@news.example.com/", "evil.example"),
        ("https://news.ex\u0430mple.com/", "ex\u0430mple.com"),
        ("https://evil.example\\@evil.net/", "evil.net"),
        ("http://[", UNKNOWN),
        ("http://[news.example.com/", UNKNOWN),
        ("data:text/html,x", "data:text"),
        ("", UNKNOWN),
        (None, UNKNOWN),
    ],
)
def test_site(url: str | None, site: str) -> None:
    assert Domains()(url) == site


@pytest.mark.parametrize(
    ("site", "folder"),
    [
        ("blog.co.uk", "blog.co.uk"),
        ("intranet:80", "intranet%3A80"),
        ("[::1]", "%5B%3A%3A1%5D"),
        ("../..", "%2E%2E%2F%2E%2E"),
    ],
)
def test_folders_of_sites(site: str, folder: str) -> None:
    assert create_folder_name(site) == folder
