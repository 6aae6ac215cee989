from __future__ import annotations

import pytest

from scrapy_boilerplate.systems.tag_ratios.maximum_subsequence import MaximumSubsequence
from tests.steps.token_pages import content_of, links, paragraph, words


def test_text_between_links_is_content() -> None:
    html = links(5) + paragraph(20, "first") + paragraph(15, "second") + links(5)
    assert content_of(MaximumSubsequence(), html) == [words(20, "first"), words(15, "second")]


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (13, ["first"]),  # </p></div><div><p> costs 13 words
        (14, ["first", "second"]),
    ],
)
def test_a_tag_costs_three_and_a_quarter_words(count: int, expected: list[str]) -> None:
    html = f"<div>{paragraph(30, 'first')}</div><div>{paragraph(count, 'second')}</div>"
    assert [text.split()[0] for text in content_of(MaximumSubsequence(), html)] == expected


def test_the_weight_is_a_parameter() -> None:
    html = paragraph(20, "first") + paragraph(7, "second")
    assert len(content_of(MaximumSubsequence(), html)) == 2
    assert len(content_of(MaximumSubsequence(tag_weight=3.5), html)) == 1


def test_links_in_the_text_break_it() -> None:
    html = paragraph(20, "first") + links(2) + paragraph(30, "second")
    assert content_of(MaximumSubsequence(), html) == [words(30, "second")]
