"""Tags with so many attributes that they take the parser seconds end the page."""

from __future__ import annotations

import random
from time import thread_time

import pytest
from lxml import etree

from scrapy_boilerplate import extract
from scrapy_boilerplate.page.limits import MAX_ATTRIBUTES, _is_cleared, find_oversized_tag
from tests.builders import UnparsedResponse, filler

BEFORE, AFTER = f"<p>{filler(20, 'Before')}</p>", f"<p>{filler(20, 'After')}</p>"
MANY = MAX_ATTRIBUTES + 100


def with_attributes(written: str, n: int = MANY) -> str:
    """A page with a tag of so many attributes; `#` is replaced by their numbers."""
    attributes = "".join(written.replace("#", str(number)) for number in range(n))
    return f"<body>{BEFORE}<div{attributes}>{AFTER}</div>"


WRITTEN = {
    "bare": " a#",
    "in quotes": ' a#="b c > d"'.replace(">", "&gt;"),
    "on lines of their own": "\na# = 'b'",
    "with an end of a tag in quotes": " a#='>'",
    "with tags in quotes": ' a#="</div><p>"',
}


@pytest.mark.parametrize("written", WRITTEN.values(), ids=WRITTEN)
def test_a_tag_with_too_many_attributes_ends_the_page(written: str) -> None:
    html = with_attributes(written)
    for source in (html, bytearray(html.encode())):
        document = extract(source, extractor="keep-everything")
        assert document.partial == "elements"
        assert [block.text for block in document.blocks] == [filler(20, "Before")]
    whole = extract(with_attributes(written, 900), extractor="keep-everything")
    assert (whole.partial, len(whole.blocks)) == (None, 2)


HIDDEN = with_attributes(" a#").replace("<div", "@<div").encode()
ENCODED = {
    "one byte a character": (with_attributes(" é#").encode("cp1252"), "cp1252"),
    "two": (with_attributes(" a#").encode("utf-16"), "utf-16"),
    "four": (with_attributes(" a#").encode("utf-32"), "utf-32"),
    "EBCDIC": (with_attributes(" a#").encode("cp500"), "cp500"),
    "escapes": (HIDDEN.replace(b"@", b"\x1b$B<!--\x1b(B"), "iso-2022-jp"),  # "<!--" is a word
    "a half of a letter": (HIDDEN.replace(b"@", b"\xd9<!--"), "johab"),
}


@pytest.mark.parametrize(("body", "encoding"), ENCODED.values(), ids=ENCODED)
def test_in_every_encoding(body: bytes, encoding: str) -> None:
    document = extract(UnparsedResponse(body, encoding), extractor="keep-everything")
    assert document.partial == "elements"
    assert document.blocks[0].text.startswith(filler(20, "Before"))


# pages without such a tag, and whether that is plain without the tokenizer
HARMLESS = {
    "a picture written into the page": (
        f"<img src='data:image/png;base64,{'aB1/+c' * 40_000}'>",
        False,
    ),
    "several scripts": (f"<SCRIPT>1 > 2; i <n {'x = 1 ; ' * 20_000}</SCRIPT>" * 3, False),
    "a tag in a comment": (f"<!-- <p> <div {'one two ' * 20_000} -->", False),
    "a long text": ("one two " * 20_000, True),
    "many short tags": ("<i a b c>x</i>" * 20_000, True),
}


@pytest.mark.parametrize(("html", "is_cleared"), HARMLESS.values(), ids=HARMLESS)
def test_what_only_looks_like_it_stays(html: str, is_cleared: bool) -> None:
    page = f"<body>{BEFORE}{html}{AFTER}"
    assert _is_cleared(page.encode(), MAX_ATTRIBUTES) is is_cleared
    document = extract(page, extractor="keep-everything")
    assert document.partial is None
    assert document.blocks[-1].text.endswith(filler(20, "After"))


@pytest.mark.skipif(etree.LIBXML_VERSION < (2, 14), reason="other tokenizers")
def test_a_tag_in_an_unclosed_title_is_found_when_it_is_parsed_again() -> None:
    html = f"<title>Ferry{with_attributes(' a#')}"
    assert find_oversized_tag(html.encode()) is None
    document = extract(html, extractor="keep-everything")
    assert document.partial == "elements"
    assert [block.text for block in document.blocks] == [filler(20, "Before")]


@pytest.mark.parametrize("shift", [0, 1, MAX_ATTRIBUTES - 1, MAX_ATTRIBUTES, MAX_ATTRIBUTES + 1])
def test_wherever_it_stands(shift: int) -> None:
    html = b">" + b" " * shift + b"<p" + b" a" * MANY
    assert find_oversized_tag(html) == 1 + shift
    assert find_oversized_tag(html + b">" + b"x" * shift) == 1 + shift
    assert find_oversized_tag(b">" + b" " * shift + b"<p" + b" a" * (MAX_ATTRIBUTES - 1)) is None
    assert find_oversized_tag(b"") is None
    assert find_oversized_tag(b"<a" + b" b" * MANY) == 0


MARKUP = [
    *("<p", "<i", "<!--", "-->", "--!>", "<!", "<?", ">", "<script>", "</script>", "<script"),
    *("</script", "<title>", "</title>", "<style>", "</style >", "<textarea>", "</textarea>"),
    *("<xmp>", "</xmp>", "<iframe>", "</iframe>", "<noscript>", "</noscript>", "<plaintext>"),
    *("</p", "</", "'", '"', "=", "='", '="', "/", "/>", " ", "\n", "\f", "\v", "x", "-"),
    *("<svg>", "</svg>", "<![CDATA[", "]]>", "<!DOCTYPE", "<noembed>", "</noembed>", "<math>"),
]


@pytest.mark.skipif(etree.LIBXML_VERSION < (2, 14), reason="other tokenizers")
def test_no_tag_that_the_parser_reads_is_missed() -> None:
    """Attributes of one name count as one to the parser: the guard may end a page too early."""
    chance = random.Random(0)  # noqa: S311
    for _ in range(6_000):
        pieces = chance.choices(MARKUP, k=chance.randrange(1, 14))
        named = (
            f"{piece} q{n}" if chance.random() < 0.3 else piece for n, piece in enumerate(pieces)
        )
        html = f"{''.join(named)}<p z1 z2 z3 z4>end</p>{chance.choice(['', '-->', BEFORE])}"
        root = etree.fromstring(html.encode(), etree.HTMLParser(encoding="utf-8", huge_tree=True))
        tags = [] if root is None else list(root.iter(etree.Element))
        if any(len(node.attrib) > 3 for node in tags):
            assert find_oversized_tag(html.encode(), 3) is not None, html


SLOW = {
    "tags": b"<a ",
    "equals signs": b" =",
    "quotes": b" a='",
    "comments": b"<!-- ",
    "scripts": b"<script>",
    "scripts in comments": b"<script><!--<script>",
    "slashes": b"</",
}


@pytest.mark.parametrize("piece", SLOW.values(), ids=SLOW)
def test_the_search_is_linear(piece: bytes) -> None:
    def measure(html: bytes) -> float:
        times = []
        for _ in range(3):
            begin = thread_time()
            find_oversized_tag(html)
            times.append(thread_time() - begin)
        return min(times)

    for start in (b"", b"<p ", b"<script><!--", b"</p", b"<title a"):
        short, long = (measure(start + piece * (size // len(piece))) for size in (10**5, 4 * 10**5))
        assert long < 8 * max(short, 0.01), start  # 4; quadratic: 16
