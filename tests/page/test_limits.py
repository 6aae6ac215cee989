"""Budgets of a page: past one, the beginning of it, or what there was time for; never an error."""

from __future__ import annotations

import pytest
from lxml import etree

from scrapy_boilerplate import Limits, extract
from scrapy_boilerplate.extraction import SiteExtraction
from scrapy_boilerplate.extractors import EXTRACTORS
from scrapy_boilerplate.page import limits
from scrapy_boilerplate.page.limits import limit_elements
from scrapy_boilerplate.page.parsing import parse_html
from scrapy_boilerplate.site.registry import SiteRegistry
from tests.builders import UnparsedResponse, filler, segmented_page

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
    root = parse_html(
        "<div id=a>one<b>two</b>three<!-- x --></div><p class=c>four<i>five</i>six</p>"
    )
    before = etree.tostring(root)
    cut = limit_elements(root, 5)
    assert cut is not root
    assert etree.tostring(root) == before
    assert etree.tostring(cut) == (
        b'<html><body><div id="a">one<b>two</b>three<!-- x --></div>'
        b'<p class="c">four</p></body></html>'
    )
    assert limit_elements(root, 6) is root


def test_a_page_with_names_that_no_new_element_may_have_is_cut() -> None:
    html = f"<fi&#0;gure x&#1;y=1>{PARAGRAPH * 5}</fi&#0;gure><p>late"
    document = extract(html, extractor="container", limits=Limits(elements=5))
    assert (document.partial, len(document.blocks)) == ("elements", 2)


def test_paths_of_a_partial_page_find_their_elements_in_the_whole_one() -> None:
    root = parse_html(PAGE)
    document = extract(root, extractor="container", limits=Limits(elements=20))
    for block in document.blocks:
        [element] = root.xpath(block.xpath)
        assert element.text == block.text


def test_a_deep_tree_is_cut_without_recursion() -> None:
    root = element = etree.Element("html")
    for _ in range(20_000):
        element = etree.SubElement(element, "div")
    cut = limit_elements(root, 10_000)
    assert sum(1 for _ in cut.iter()) == 10_000


@pytest.fixture
def ticks(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that shows the given seconds, one a look, and the last for ever."""
    shown: list[float] = [0.0]

    def look() -> float:
        return shown.pop(0) if shown[1:] else shown[0]

    monkeypatch.setattr(limits, "thread_time", look)
    return shown


def test_time_ends_the_steps_and_keeps_what_they_decided(ticks: list[float]) -> None:
    extractor = EXTRACTORS["container"]
    n_steps = len([*extractor.steps, *extractor.finish])
    ticks[:] = [0.0] * (3 + n_steps - 1) + [2.0]
    document = extract(PAGE, extractor=extractor, limits=Limits(milliseconds=1_000))
    assert (document.partial, document.headline, document.extractor) == (
        "milliseconds",
        None,
        "container",
    )
    page = segmented_page(PAGE, None, extractor)
    assert document.text == page.joined(range(50))
    assert document.blocks == ()  # no time is left for them


@pytest.mark.parametrize("look", [1, 3])
def test_time_can_end_before_anything_is_decided(look: int, ticks: list[float]) -> None:
    ticks[:] = [0.0] * look + [2.0]
    document = extract(PAGE, extractor="container", limits=Limits(milliseconds=1_000))
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
    assert (
        SiteExtraction(SiteRegistry()).extract(page, "http://x.example/", "num-words").partial
        == partial
    )
