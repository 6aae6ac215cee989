"""Wildcards of patterns of addresses: matches, and their time."""

from __future__ import annotations

import re
from time import thread_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapy_boilerplate.site.address_patterns import AddressPattern, AddressPatterns

LIMIT = 0.3
"""CPU seconds of a match at most; a linear one takes a thousandth."""


@pytest.mark.parametrize(
    ("pattern", "unit", "last"),
    [
        ("example.com/*a*b*c*d", "abc", ""),
        ("example.com/*a*a*a*a*b|", "a", ""),
        ("example.com/*a*a*a*a*b|", "ab", "c"),
        ("example.com/x?q=*a*b*c*d", "abc", ""),
        ("example.com/x#*a*b*c*d", "abc", ""),
    ],
)
def test_an_address_made_for_it_does_not_hold_up_a_pattern(
    pattern: str, unit: str, last: str
) -> None:
    patterns = AddressPatterns([AddressPattern(pattern)])
    address = f"http://{pattern[: pattern.index('*')]}{unit * (8_000 // len(unit))}{last}"
    start = thread_time()
    assert patterns.find(address) is None
    assert thread_time() - start < LIMIT


@given(
    st.text("ab*K.", max_size=8),
    st.text("abBkK\u212a.", max_size=9),
    st.sampled_from(["/", "/?q=", "/#"]),
)
@settings(max_examples=500)
def test_a_wildcard_is_any_text(written: str, text: str, place: str) -> None:
    found = AddressPatterns([AddressPattern(f"example.com{place}{written}|")])
    wanted = re.escape(written).replace(r"\*", ".*")
    if place == "/?q=":  # the end of a parameter needs no mark
        found = AddressPatterns([AddressPattern(f"example.com{place}{written}")])
        if not written:
            return
    matched = re.fullmatch(wanted, text, re.IGNORECASE) is not None
    assert (found.find(f"http://example.com{place}{text}") is not None) is matched


@pytest.mark.parametrize(
    ("pattern", "address"),
    [
        ("münchen.example", "https://xn--mnchen-3ya.example/tor"),
        ("www.münchen.example:8080", "http://www.xn--mnchen-3ya.example:8080/"),
        ("xn--mnchen-3ya.example", "https://münchen.example/"),
        ("news.example/погода/*", "https://news.example/%D0%BF%D0%BE%D0%B3%D0%BE%D0%B4%D0%B0/1"),
        ("news.example/%d0%bf*", "https://news.example/погода"),
        ("news.example/?q=ä", "https://news.example/?q=%C3%A4&page=2"),
        ("news.example/?q=%C3%A4", "https://news.example/?q=ä"),
    ],
)
def test_letters_are_those_of_encoded_addresses(pattern: str, address: str) -> None:
    patterns = AddressPatterns([AddressPattern(pattern)])
    assert patterns.find(address) == pattern
    assert patterns.find("https://other.example/ä") is None
    assert patterns.find(f"https://{'ä' * 99}.example/") is None  # no label is that long
