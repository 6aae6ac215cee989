"""Methods that read a page as a sequence of tags and words: BTE, MSS, CCB, DSC and ADSC."""

from __future__ import annotations

import numpy as np
import pytest

from scrapy_boilerplate.systems.tag_ratios.content_code_blurring import blur
from scrapy_boilerplate.systems.tag_ratios.document_slope import (
    choose_window_size,
    find_low_sections,
    fit_slopes,
)
from scrapy_boilerplate.systems.tag_ratios.series import gaussian_smooth
from tests.systems.pages import content_of, links, paragraph, words


@pytest.mark.parametrize(
    ("extractor", "before", "between", "least"),
    [
        ("bte", "", "<div>" * 8, 11),  # </p>, eight <div> and <p>
        ("mss", "<div>", "</div><div>", 14),  # </p></div><div><p>, a tag costs 3.25 words
    ],
)
def test_a_gap_costs_words_for_each_tag(
    extractor: str, before: str, between: str, least: int
) -> None:
    for count, expected in [(least - 1, ["first"]), (least, ["first", "second"])]:
        html = before + paragraph(30, "first") + between + paragraph(count, "second")
        texts = content_of(extractor, links(5) + html + "</div>" * 8 + links(5))
        assert [text.split()[0] for text in texts] == expected


def test_a_block_is_content_by_the_larger_part_of_its_words() -> None:
    markup = "<i>a</i><i>b</i><i>c</i> "  # three words that cost six tags
    kept = content_of("bte", links(3) + f"<p>{markup}{words(3)}</p>")
    assert kept == ["abc word word word"]
    lost = content_of("bte", f"<p>{markup}one</p><p>{words(9)}</p>")
    assert lost == [words(9)]


def test_blurring_keeps_long_text_and_single_words_fade() -> None:
    html = links(20) + "<p>Lonely</p>" + links(20) + paragraph(120) + links(20)
    assert content_of("ccb", html) == [words(120)]


def test_blurring_stops_when_no_entry_changes_enough() -> None:
    vector = np.repeat([0.0, 1.0], 100)
    rounds = [vector, gaussian_smooth(vector, 5.0)]
    while np.abs(rounds[-1] - rounds[-2]).max() >= 0.02:
        rounds.append(gaussian_smooth(rounds[-1], 5.0))
    assert len(rounds) > 3
    np.testing.assert_array_equal(blur(vector), rounds[-1])


def test_the_threshold_of_blurring_is_the_share_of_text() -> None:
    for plain_words, kept in [
        (4, False),  # with the bold one five words to two tags: .71
        (6, True),  # seven to two: .78
    ]:
        html = "<p>" + f"{words(plain_words)} <b>bold</b> " * 40 + "</p>"
        assert bool(content_of("ccb", html)) == kept


def sequence(*runs: int) -> list[bool]:
    """Runs of tags and words by turns, tags first."""
    return [bool(number % 2) for number, length in enumerate(runs) for _ in range(length)]


def test_window_grows_with_the_page() -> None:
    sizes = [choose_window_size(tokens) for tokens in (0, 314, 315, 500, 4999, 5000, 90_000)]
    assert sizes == [8, 8, 9, 10, 49, 50, 50]


def test_sections_of_low_slope() -> None:
    for runs, sections in [
        ((40, 60, 40), [(40, 100)]),  # a plateau between two slopes, windows at multiples of 4
        ((40, 16, 40), [(40, 56)]),  # three windows of 8 in a row are low
        ((40, 12, 40), []),  # two are not enough
        ((40, 40, 4, 40, 40), [(40, 124)]),  # a gap that only two windows see
        ((40, 40, 8, 40, 40), [(40, 80), (88, 128)]),  # three windows see it
        ((60,), []),
        ((0, 60), [(0, 60)]),  # no tags: as flat as the document
        ((), []),
    ]:
        low = find_low_sections(np.array(sequence(*runs), np.bool_))
        edges = np.flatnonzero(np.diff(low.astype(int), prepend=0, append=0)).tolist()
        assert list(zip(edges[::2], edges[1::2], strict=True)) == sections


def test_the_slope_is_that_of_least_squares() -> None:
    tokens = np.array(sequence(7, 5, 3, 20, 4, 11), np.bool_)
    curve = np.cumsum(~tokens).astype(np.float64)
    starts = np.array([0, 4, 13, 30])
    expected = [np.polyfit(np.arange(9), curve[start : start + 9], 1)[0] for start in starts]
    assert fit_slopes(curve, starts, 9) == pytest.approx(np.array(expected))


def test_dsc_keeps_the_longest_section_and_adsc_all() -> None:
    html = links(10) + paragraph(40, "first") + links(10) + paragraph(30, "second") + links(10)
    assert content_of("dsc", html) == [words(40, "first")]
    assert content_of("adsc", html) == [words(40, "first"), words(30, "second")]
