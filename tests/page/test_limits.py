"""Budgets of a page: past one, the beginning of it, or what there was time for; never an error."""

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from lxml import etree

from scrapy_boilerplate import EXTRACTORS, Labeling, Limits, Page, extract
from scrapy_boilerplate.page.decoding import find_oversized_tag
from tests.builders import UnparsedResponse, filler, segmented_page, spend_time, tree_of

PARAGRAPH = f"<p>{filler(30)}</p>"
PAGE = f"<html><head><title>Ferry</title></head><body>{PARAGRAPH * 50}</body></html>"


@pytest.mark.parametrize("within", [Limits(), Limits(bytes=len(PAGE), elements=54)])
def test_a_page_within_its_budgets_is_whole(within: Limits) -> None:
    document = extract(PAGE, extractor="container", limits=within)
    assert document == extract(PAGE, extractor="container")
    assert (document.partial, len(document.blocks)) == (None, 50)


@pytest.mark.parametrize(
    ("over", "partial", "n_blocks"),
    [
        (Limits(bytes=len(PAGE) - 1 - len("</body></html>")), "bytes", 50),
        (Limits(bytes=len(PAGE) // 2), "bytes", 25),
        (Limits(elements=53), "elements", 49),
        (Limits(elements=1), "elements", 0),
        (Limits(bytes=len(PAGE) // 2, elements=14), "elements", 10),
        (Limits(milliseconds=0), "milliseconds", 0),
    ],
)
def test_a_page_over_a_budget_is_partial(over: Limits, partial: str, n_blocks: int) -> None:
    document = extract(PAGE, extractor="container", limits=over)
    assert document.partial == partial
    assert document.error is None
    assert abs(len(document.blocks) - n_blocks) <= (1 if partial == "bytes" else 0)
    assert document.headline == ("Ferry" if n_blocks > 1 else None)
    assert set(document.text.split()) <= {*filler(30).split(), "<"} or partial == "bytes"


@pytest.mark.parametrize("n_bytes", [999, 1_000])
def test_bytes_are_cut_between_characters(n_bytes: int) -> None:
    body = ("é" * 100_000).encode()
    for source in (UnparsedResponse(body), body):
        document = extract(source, extractor="keep-everything", limits=Limits(bytes=n_bytes))
        assert (document.url, document.partial) == (getattr(source, "url", None), "bytes")
        assert document.blocks[0].text == "é" * (n_bytes // 2)
    half = extract(b"\x80" * 30, extractor="keep-everything", limits=Limits(bytes=3))
    assert (half.partial, half.blocks) == ("bytes", ())


def test_what_stands_behind_the_end_counts_in_its_order() -> None:
    """libxml2 makes roots of their own of it."""
    page = f"<html><body>{PARAGRAPH}</body></html>{PARAGRAPH * 60}"
    whole = extract(page, extractor="keep-everything")
    document = extract(page, extractor="keep-everything", limits=Limits(elements=50))
    assert (whole.partial, len(whole.blocks)) == (None, 61)
    assert document.partial == "elements"
    assert 45 <= len(document.blocks) <= 49


def test_the_first_elements_are_copied_and_the_tree_stays_as_it_is() -> None:
    html = "<div id=a>one<b>two</b>three<!-- x --></div><p class=c>four<i>five</i>six</p>"
    root = tree_of(html)
    before = etree.tostring(root)
    cut: Any = extract(root, limits=Limits(elements=5)).tree
    assert etree.tostring(root) == before
    assert etree.tostring(cut) == (
        b'<html><body><div id="a">one<b>two</b>three<!-- x --></div>'
        b'<p class="c">four</p></body></html>'
    )
    assert extract(root, limits=Limits(elements=6)).tree is root


def test_a_page_with_names_that_no_new_element_may_have_is_cut() -> None:
    html = f"<fi&#0;gure x&#1;y=1>{PARAGRAPH * 5}</fi&#0;gure><p>late"
    document = extract(html, extractor="container", limits=Limits(elements=5))
    assert (document.partial, len(document.blocks)) == ("elements", 2)


def test_a_deep_tree_is_cut_without_recursion() -> None:
    root = element = etree.Element("html")
    for _ in range(4_000):
        element = etree.SubElement(element, "div")
    cut: Any = extract(root, extractor="keep-everything", limits=Limits(elements=2_000)).tree
    assert sum(1 for _ in cut.iter()) == 2_000


@dataclass(frozen=True)
class Slow:
    """A part of an extractor that takes a tenth of a second of CPU time."""

    part: Callable[..., Any]
    name: str = "slow"

    def __call__(self, *arguments: Any, **_: Any) -> Any:
        spend_time(0.1)
        return self.part(*arguments)


def keep_labels(_page: Page, labeling: Labeling) -> Labeling:
    return labeling


IN_TIME = Limits(milliseconds=90)


def test_time_ends_the_steps_and_keeps_what_they_decided() -> None:
    container = EXTRACTORS["container"]
    slow = replace(container, finish=(Slow(keep_labels), *container.finish))
    document = extract(PAGE, extractor=slow, limits=IN_TIME)
    assert (document.partial, document.headline) == ("milliseconds", None)
    page = segmented_page(PAGE, None, container)
    assert document.text == page.join_blocks(range(50))
    assert document.blocks == ()  # no time is left for them


def test_time_can_end_before_anything_is_decided() -> None:
    container = EXTRACTORS["container"]
    slow = replace(container, segmenter=Slow(container.segmenter))
    document = extract(PAGE, extractor=slow, limits=IN_TIME)
    assert (document.partial, document.confidence) == ("milliseconds", 0.0)
    assert document.html in (None, "")


@pytest.mark.parametrize("levels", [2_044, 2_046, 5_000])
def test_a_page_that_the_parser_gives_up_is_partial(levels: int) -> None:
    """libxml2 2.14 gives up beyond 2,047 elements, older ones never do."""
    page = f"<div>{PARAGRAPH}</div>" + "<div>" * levels + PARAGRAPH + "</div>" * levels + PARAGRAPH
    document = extract(page, extractor="keep-everything")
    partial = "depth" if len(document.blocks) == 1 else None
    assert partial is None or levels > 2_044
    assert (document.partial, len(document.blocks)) == (partial, 1 if partial else 3)
    assert extract(page, extractor="keep-everything", limits=Limits(elements=3)).partial != partial


BEFORE, AFTER = f"<p>{filler(20, 'Before')}</p>", f"<p>{filler(20, 'After')}</p>"
# Attributes of a tag at most.
MAX_ATTRIBUTES = 10_000
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


# Pages without such a tag.
HARMLESS = {
    "a picture written into the page": f"<img src='data:image/png;base64,{'aB1/+c' * 40_000}'>",
    "several scripts": f"<SCRIPT>1 > 2; i <n {'x = 1 ; ' * 20_000}</SCRIPT>" * 3,
    "a tag in a comment": f"<!-- <p> <div {'one two ' * 20_000} -->",
    "a long text": "one two " * 20_000,
    "many short tags": "<i a b c>x</i>" * 20_000,
}


@pytest.mark.parametrize("html", HARMLESS.values(), ids=HARMLESS)
def test_what_only_looks_like_it_stays(html: str) -> None:
    document = extract(f"<body>{BEFORE}{html}{AFTER}", extractor="keep-everything")
    assert document.partial is None
    assert document.blocks[-1].text.endswith(filler(20, "After"))


@pytest.mark.skipif(etree.LIBXML_VERSION < (2, 14), reason="other tokenizers")
def test_a_tag_in_an_unclosed_title_is_found_when_it_is_parsed_again() -> None:
    document = extract(f"<title>Ferry{with_attributes(' a#')}", extractor="keep-everything")
    assert document.partial == "elements"
    assert [block.text for block in document.blocks] == [filler(20, "Before")]


@pytest.mark.parametrize("shift", [0, 1, MAX_ATTRIBUTES - 1, MAX_ATTRIBUTES, MAX_ATTRIBUTES + 1])
def test_wherever_it_stands(shift: int) -> None:
    start = f"<p>one>{' ' * shift}"
    for end in ("", f">{'x' * shift}"):
        assert texts_and_cut(f"{start}<p{' a' * MANY}{end}") == (["one>"], "elements")
    assert texts_and_cut(f"{start}<p{' a' * (MAX_ATTRIBUTES - 1)}>two") == (["one>", "two"], None)
    assert texts_and_cut(f"<a{' b' * MANY}") == ([], "elements")


def texts_and_cut(html: str) -> tuple[list[str], str | None]:
    document = extract(html, extractor="keep-everything")
    return [block.text for block in document.blocks], document.partial


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
    """A quadratic search of 2 MB takes hours."""
    for start in (b"", b"<p ", b"<script><!--", b"</p", b"<title a"):
        find_oversized_tag(start + piece * (2_000_000 // len(piece)))
