"""boilerpipe's filters, one by one, on pages as small as they can be."""

from __future__ import annotations

import pytest

from scrapy_boilerplate.page.labels import Labeling
from scrapy_boilerplate.systems.boilerpipe import filters
from scrapy_boilerplate.systems.boilerpipe.filters import (
    END_OF_TEXT,
    MIGHT_BE_CONTENT,
    TITLE,
    list_possible_titles,
)
from tests.builders import document, filler, page_of, paragraphs, run, true_at, with_content


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        pytest.param("Comments", True, id="comments"),
        pytest.param("Comments (12)", True, id="comments and more"),
        pytest.param("12 Comments", True, id="number of comments"),
        pytest.param("3 users responded in this post", True, id="number of users"),
        pytest.param("© Reuters 2010", True, id="agency"),
        pytest.param("Please rate this", True, id="rating"),
        pytest.param("Post a comment", True, id="form"),
        pytest.param("Tell us what you think...", True, id="phrase inside"),
        pytest.param("Click to add your comment", True, id="add your comment"),
        pytest.param("Now have your say", True, id="have your say"),
        pytest.param("Thanks for your comments - this feedback is now closed", True, id="closed"),
        pytest.param("Thanks for your comments - this feedback is now closed again", False),
        pytest.param("The comments were many", False, id="comments inside"),
        pytest.param("Twelve comments", False, id="number as a word"),
        pytest.param("Comment", False, id="singular"),
        pytest.param(f"Comments {filler(13)}", True, id="14 words"),
        pytest.param(f"Comments {filler(14)}", False, id="15 words"),
    ],
)
def test_terminating_blocks(text: str, ends: bool) -> None:
    page = page_of(f"<p>{text}</p>")
    marked = filters.TERMINATING_BLOCKS(page, Labeling.blank(1))
    assert marked.marked(END_OF_TEXT).tolist() == [ends]
    assert not marked.content.any()


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        pytest.param("", set(), id="none"),
        pytest.param("Rain in May", {"rain in may"}, id="whole"),
        pytest.param("Rain in May | Daily", {"rain in may | daily", "rain in may"}, id="bar"),
        pytest.param("Rain in May - Daily", {"rain in may - daily", "rain in may"}, id="dash"),
        pytest.param("Daily: rain in May", {"daily: rain in may", "rain in may"}, id="colon"),
        pytest.param("thesite.com | Rain", {"thesite.com | rain", "rain"}, id=".com"),
    ],
)
def test_list_possible_titles(title: str, expected: set[str]) -> None:
    assert list_possible_titles(title) == expected


@pytest.mark.parametrize(
    ("text", "matches"),
    [
        pytest.param("Rain in May", True, id="part of the title"),
        pytest.param("RAIN IN MAY", True, id="another case"),
        pytest.param("Rain in May | Daily", True, id="the title"),
        pytest.param("Rain in June", False, id="another text"),
        pytest.param("Rain in May, they say", False, id="the title and more"),
        pytest.param("Daily", False, id="the short part"),
    ],
)
def test_title_match(text: str, matches: bool) -> None:
    page = page_of(document(f"<h1>{text}</h1>", title="Rain in May | Daily"))
    assert filters.TITLE_MATCH(page, Labeling.blank(1)).marked(TITLE).tolist() == [matches]


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        pytest.param(60, [0], id="60 words before the mark"),
        pytest.param(59, [0, 1, 2], id="59 words before the mark"),
    ],
)
def test_ignore_blocks_after_content(words: int, kept: list[int]) -> None:
    page = page_of(f"<p>{filler(words)}</p><p>Comments</p><p>{filler(70)}</p>")
    labeling = run(page, with_content(page, 0, 1, 2), filters.TERMINATING_BLOCKS)
    assert true_at(filters.IGNORE_AFTER_CONTENT(page, labeling).content) == kept


def test_ignore_blocks_after_content_counts_dense_content_only() -> None:
    sparse = "".join(f"<p>{filler(8)}</p>" for _ in range(8))
    page = page_of(f"{sparse}<p>Comments</p><p>{filler(9)}</p>")
    labeling = run(page, with_content(page, *range(10)), filters.TERMINATING_BLOCKS)
    assert len(true_at(filters.IGNORE_AFTER_CONTENT(page, labeling).content)) == 10


def test_ignore_blocks_before_title() -> None:
    body = f"<p>{filler(30)}</p><h1>Rain in May</h1><p>{filler(50)}</p><p>Rain in May</p>"
    page = page_of(document(body, title="Rain in May"))
    labeling = run(page, with_content(page, 0, 2), filters.TITLE_MATCH)
    assert true_at(filters.IGNORE_BEFORE_TITLE(page, labeling).content) == [2]


def test_title_below_the_text_hides_nothing() -> None:
    page = page_of(document(f"<p>{filler(50)}</p><p>Rain in May</p>", title="Rain in May"))
    labeling = run(page, with_content(page, 0), filters.TITLE_MATCH)
    assert true_at(filters.IGNORE_BEFORE_TITLE(page, labeling).content) == [0]


@pytest.mark.parametrize(
    ("words", "runs"),
    [
        pytest.param([3, 3], [0, 0], id="equal"),
        pytest.param([3, 4], [0, 1], id="unequal"),
        pytest.param([3, 3, 3, 4, 3], [0, 0, 0, 3, 4], id="three, then two"),
        pytest.param([16, 32], [0, 0], id="density, not length"),
        pytest.param([3], [0], id="one block"),
        pytest.param([], [], id="no block"),
    ],
)
def test_equal_density_fusion(words: list[int], runs: list[int]) -> None:
    page = page_of(paragraphs(*words))
    assert filters.EQUAL_DENSITY_FUSION(page, Labeling.blank(len(page))).fused.tolist() == runs


@pytest.mark.parametrize(
    ("n_blocks", "content", "runs", "kept"),
    [
        pytest.param(2, [0, 1], [0, 0], [0, 1], id="content and content"),
        pytest.param(2, [1], [0, 0], [0, 1], id="boilerplate before content joins it"),
        pytest.param(2, [0], [0, 1], [0], id="boilerplate after content does not"),
        pytest.param(3, [2], [0, 1, 1], [1, 2], id="only the neighbour joins"),
        pytest.param(4, [1, 2, 3], [0, 0, 0, 0], [0, 1, 2, 3], id="a chain"),
        pytest.param(3, [], [0, 1, 2], [], id="no content"),
    ],
)
def test_block_proximity_fusion(
    n_blocks: int, content: list[int], runs: list[int], kept: list[int]
) -> None:
    page = page_of(paragraphs(*[5] * n_blocks))
    fused = filters.PROXIMITY_FUSION(page, with_content(page, *content))
    assert fused.fused.tolist() == runs
    assert true_at(fused.content) == kept


@pytest.mark.parametrize(
    ("content", "runs"),
    [
        pytest.param([0, 1], [0, 0, -1], id="neighbours"),
        pytest.param([0, 2], [0, -1, 0], id="one deleted block between"),
        pytest.param([1, 2], [-1, 1, 1], id="the first deleted"),
    ],
)
def test_fusion_of_content_over_deleted_blocks(content: list[int], runs: list[int]) -> None:
    page = page_of(paragraphs(5, 5, 5))
    labeling = run(page, with_content(page, *content), filters.DROP_BOILERPLATE)
    assert filters.CONTENT_FUSION(page, labeling).fused.tolist() == runs


def test_distance_of_fusion_counts_deleted_blocks() -> None:
    page = page_of(paragraphs(5, 5, 5, 5))
    labeling = run(page, with_content(page, 0, 3), filters.DROP_BOILERPLATE)
    assert filters.CONTENT_FUSION(page, labeling).fused.tolist() == [0, -1, -1, 3]


def test_drop_boilerplate_changes_no_label() -> None:
    page = page_of(paragraphs(5, 5))
    dropped = filters.DROP_BOILERPLATE(page, with_content(page, 1))
    assert dropped.fused.tolist() == [-1, 1]
    assert true_at(dropped.content) == [1]


@pytest.mark.parametrize(
    ("words", "content", "kept"),
    [
        pytest.param([5, 9, 7], [0, 1, 2], [1], id="the longest"),
        pytest.param([9, 9], [0, 1], [0], id="the first of equals"),
        pytest.param([5, 90], [0], [0], id="boilerplate does not count"),
        pytest.param([5, 9], [], [], id="no content"),
    ],
)
def test_keep_largest_run(words: list[int], content: list[int], kept: list[int]) -> None:
    page = page_of(paragraphs(*words))
    assert true_at(filters.KeepLargestRun()(page, with_content(page, *content)).content) == kept


def test_keep_largest_run_weighs_fused_runs_and_marks_the_rest() -> None:
    page = page_of(paragraphs(9, 1, 1, 6, 6))
    labeling = run(page, with_content(page, 0, 3, 4), filters.DROP_BOILERPLATE)
    labeling = run(page, labeling, filters.CONTENT_FUSION, filters.KeepLargestRun())
    assert true_at(labeling.content) == [3, 4]
    assert true_at(labeling.marked(MIGHT_BE_CONTENT)) == [0]


@pytest.mark.parametrize(
    ("order", "kept"),
    [
        pytest.param("title lead text", [0, 1, 2], id="lead between title and text"),
        pytest.param("lead title text", [1, 2], id="lead above the title"),
        pytest.param("text title lead", [0], id="title below the text"),
        pytest.param("lead text", [1], id="no title"),
    ],
)
def test_expand_title_to_content(order: str, kept: list[int]) -> None:
    parts = {"title": "Rain in May", "lead": filler(20), "text": filler(50)}
    body = "".join(f"<p>{parts[part]}</p>" for part in order.split())
    page = page_of(document(body, title="Rain in May"))
    content = with_content(page, *range(len(page)))
    labeling = run(
        page, content, filters.TITLE_MATCH, filters.KeepLargestRun(), filters.EXPAND_TITLE
    )
    assert true_at(labeling.content) == kept
