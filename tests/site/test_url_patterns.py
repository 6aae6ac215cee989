"""Patterns of URLs: what they match, the most specific one, their time."""

from time import thread_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapy_boilerplate.site.rules import RuleError, SiteRules

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
    with pytest.raises(RuleError, match="is not a URL pattern"):
        create_rules(pattern)


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
        rules = create_rules(text)
    except RuleError:
        return
    rules.find("http://example.com")
