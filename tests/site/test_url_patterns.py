"""Patterns of URLs: what they match, the most specific one, their time; sites of URLs."""

from __future__ import annotations

from time import thread_time
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapy_boilerplate.site.domains import UNKNOWN, Domains, create_folder_name
from scrapy_boilerplate.site.rules import SiteRules
from scrapy_boilerplate.site.url_patterns import UrlPattern

# CPU seconds of a match at most; a linear one takes a thousandth
LIMIT = 0.3


def create_rules(*patterns: str) -> SiteRules:
    return SiteRules.from_mapping({pattern: {} for pattern in patterns})


@pytest.mark.parametrize(
    ("pattern", "matches", "others"),
    [
        ("example.com", "http://example.com https://a.b.example.com:8000/x", "http://notexample.com"),
        ("example.com:8000", "http://www.example.com:8000/", "http://example.com/"),
        ("example.com?id=1", "https://example.com/?id=1", "https://example.com/?id=2"),
        ("example.com/a", "https://example.com/A/x http://www.example.com/ab", "http://example.com/"),
        ("http://example.com/a", "https://example.com/a", "http://news.example.com/a"),
        ("EXAMPLE.com/a/*/b", "http://example.com/a/x/y/b/c", "http://example.com/a/b"),
        ("example.com/a?id=*&y=2", "http://example.com/a?id=1&y=2", "http://example.com/a?y=2"),
        ("münchen.example", "https://xn--mnchen-3ya.example/tor", "https://munchen.example/"),
        ("news.example/погода/*", "https://news.example/%D0%BF%D0%BE%D0%B3%D0%BE%D0%B4%D0%B0/", ""),
        ("127.0.0.1", "http://127.0.0.1:80/", "http://[::1 http://127.0.0.1:x/ 127.0.0.1"),
    ],
)  # fmt: skip
def test_a_pattern_matches(pattern: str, matches: str, others: str) -> None:
    rules = create_rules(pattern)
    assert all(rules.find(url) for url in matches.split())
    assert {rules.find(url) for url in [*others.split(), "", None]} == {None}


@pytest.mark.parametrize(
    "pattern", ["", "/a", "a b.example", "*.example", "a.example/b|", "a.example#b", "[a"]
)
def test_other_patterns_are_errors(pattern: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the caller has the message
        UrlPattern(pattern)


def test_the_most_specific_pattern_counts() -> None:
    written = ["example.com", "example.com/a", "news.example.com", "example.com/a/b"]
    rules = create_rules(*written)
    for url, pattern in {
        "http://example.com/x": "example.com",
        "http://example.com/a/x": "example.com/a",
        "http://example.com/a/b/c": "example.com/a/b",
        "http://live.news.example.com/a": "news.example.com",
        "http://other.example/a": None,
    }.items():
        rule = rules.find(url)
        assert (None if rule is None else rule.pattern) == pattern, url


def test_a_long_url_takes_linear_time() -> None:
    rules = create_rules("example.com/*a*a*a*a*b")
    start = thread_time()
    assert rules.find(f"http://example.com/{'a' * 8_000}") is None
    assert thread_time() - start < LIMIT


@given(st.text(max_size=40))
@settings(max_examples=200, deadline=None)
def test_any_text_is_a_url_or_none(text: str) -> None:
    rules = create_rules("example.com/a")
    rules.find(f"http://example.com/{text}")
    rules.find(text)
    try:
        UrlPattern(text).match(urlsplit("http://example.com"))
    except ValueError:
        return


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
