"""Tags that nobody wrote by hand: those that the parser could not bear end the page."""

from __future__ import annotations

from typing import Any

import pytest
from parsel import Selector

from scrapy_boilerplate import extract
from scrapy_boilerplate.page.limits import MAX_ATTRIBUTES, find_oversized_tag
from tests.builders import filler

BEFORE, AFTER = f"<p>{filler(20, 'Before')}</p>", f"<p>{filler(20, 'After')}</p>"
MANY = MAX_ATTRIBUTES + 100


def with_attributes(written: str, n: int = MANY) -> str:
    """A page with a tag of so many attributes; `#` stands for their numbers."""
    attributes = "".join(written.replace("#", str(number)) for number in range(n))
    return f"<body>{BEFORE}<div{attributes}>{AFTER}</div>"


WRITTEN = {
    "bare": " a#",
    "with values": " a#=b",
    "in quotes": ' a#="b c > d"'.replace(">", "&gt;"),
    "on lines of their own": "\na# = 'b'",
    "with slashes between": "/a#",
    "without a space between": ' a#="b"',
}


@pytest.mark.parametrize("written", WRITTEN.values(), ids=WRITTEN)
def test_a_tag_with_too_many_attributes_ends_the_page(written: str) -> None:
    document = extract(with_attributes(written), extractor="keep-everything")
    assert (document.partial, [block.text for block in document.blocks]) == (
        "elements",
        [filler(20, "Before")],
    )
    whole = extract(with_attributes(written, 900), extractor="keep-everything")
    assert (whole.partial, len(whole.blocks)) == (None, 2)


class _Response:
    url, encoding = "http://x.example/", "cp1252"

    def __init__(self, body: bytes) -> None:
        self.body = body

    @property
    def selector(self) -> Selector:
        raise AssertionError("all of the page was parsed")


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(with_attributes(" é#"), id="text"),
        pytest.param(with_attributes(" é#").encode(), id="bytes"),
        pytest.param(bytearray(with_attributes(" é#").encode("cp1252")), id="a bytearray"),
        pytest.param(_Response(with_attributes(" é#").encode("cp1252")), id="a response"),
        pytest.param(with_attributes(" a#").encode("utf-16"), id="two bytes a character"),
    ],
)
def test_whatever_the_page_comes_in(source: Any) -> None:
    document = extract(source, extractor="keep-everything")
    assert document.partial == "elements"
    assert document.blocks[0].text == filler(20, "Before")


HARMLESS = {
    "a picture written into the page": f"<img src='data:image/png;base64,{'aB1/+c' * 40_000}'>",
    "a long script": f"<script>for (i = 0; i<n; i++) {{}} {'x = 1 ; ' * 20_000}</script>",
    "a script with data behind": f"<script>f(a => i <n); {'x = 1 ; ' * 20_000}</script>",
    "several of them": f"<SCRIPT>1 > 2; i <n {'x = 1 ; ' * 20_000}</SCRIPT>" * 3,
    "a style": f"<style>a > b {{}} a <b {'x: 1 ; ' * 20_000}</style>",
    "a tag in a comment": f"<!-- <p> <div {'one two ' * 20_000} -->",
    "a long text": "one two " * 20_000,
    "a long comment": f"<!-- {'one two ' * 20_000} -->",
    "many short tags": "<i a b c>x</i>" * 20_000,
}


@pytest.mark.parametrize("html", HARMLESS.values(), ids=HARMLESS)
def test_what_only_looks_like_it_stays(html: str) -> None:
    document = extract(f"<body>{BEFORE}{html}{AFTER}", extractor="keep-everything")
    assert document.partial is None
    assert document.blocks[-1].text.endswith(filler(20, "After"))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le"])
def test_a_script_in_two_bytes_a_character_is_no_tag(encoding: str) -> None:
    html = f"<body>{BEFORE}{HARMLESS['a script with data behind']}{AFTER}".encode(encoding)
    assert extract(html, extractor="keep-everything").partial is None


def test_a_tag_behind_a_script_is_found() -> None:
    script = HARMLESS["a script with data behind"]
    document = extract(f"{script}{with_attributes(' a#')}", extractor="keep-everything")
    assert (document.partial, len(document.blocks)) == ("elements", 1)


EVADING = {
    "a script in an attribute": "<i title='<script>'>x</i>",
    "a comment in an attribute": "<i title='<!--'>x</i>",
    "an empty comment": "<!-->",
    "a comment with an odd end": "<!-- x --!>",
    "a name that begins like it": "<scripts>x",
}


@pytest.mark.parametrize("before", EVADING.values(), ids=EVADING)
def test_nothing_before_hides_it(before: str) -> None:
    html = f"{before}{with_attributes(' a#')} -->".encode()
    assert find_oversized_tag(html) == html.index(b"<div")


def test_a_script_may_be_endless_itself() -> None:
    assert find_oversized_tag(b"<p><script" + b" a" * MANY + b">1</script>") == 3


@pytest.mark.parametrize("shift", [0, 1, MAX_ATTRIBUTES - 1, MAX_ATTRIBUTES, MAX_ATTRIBUTES + 1])
def test_wherever_it_stands(shift: int) -> None:
    html = b">" + b" " * shift + b"<p" + b" a" * MANY
    assert find_oversized_tag(html) == 1 + shift
    assert find_oversized_tag(html + b">" + b"x" * shift) == 1 + shift
    assert find_oversized_tag(b">" + b" " * shift + b"<p" + b" a" * (MAX_ATTRIBUTES - 1)) is None


def test_short_pages_are_not_looked_at() -> None:
    assert find_oversized_tag(b"") is None
    assert find_oversized_tag(b"<") is None
    assert find_oversized_tag(b"<a" + b" b" * MANY) == 0
