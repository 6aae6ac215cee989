"""The article extractor of boilerpipe's last sources, step by step."""

from __future__ import annotations

from scrapy_boilerplate import Labeling, Page
from scrapy_boilerplate.systems.boilerpipe import filters
from scrapy_boilerplate.systems.boilerpipe.filters import (
    END_OF_TEXT,
    MIGHT_BE_CONTENT,
    TITLE,
    list_possible_titles,
)
from scrapy_boilerplate.systems.boilerpipe.head import (
    COMMENT_LINKS,
    FIRST_TITLE_MATCH,
    LARGE_RUNS_OF_LEVEL,
    LIST_AT_END,
    SAME_LEVEL_FUSION,
    TRAILING_HEADLINES,
    KeepLargestRunAndLevel,
    compute_tag_levels,
    list_title_parts,
)
from tests.builders import content_texts, document, filler, page_of, true_at, with_content


def test_tag_level() -> None:
    for html, level in [
        ("<p>a</p>", 3),  # html, body, p
        ("<div><p>a</p></div>", 4),
        ("<p><b><i>a</i></b></p>", 3),
        ('<p><a href="/x">a</a></p>', 4),
        ('<p>a <a href="/x">b</a></p>', 3),
        ("<p><b> </b><small>a</small></p>", 4),
    ]:
        assert compute_tag_levels(page_of(html)).tolist() == [level]


def test_trailing_headlines() -> None:
    page = page_of("<h2>a</h2><p>b</p><h3>c</h3><p>d</p><h1>e</h1>")
    assert true_at(TRAILING_HEADLINES(page, with_content(page, 0, 1, 2, 4)).content) == [0, 1]
    assert true_at(TRAILING_HEADLINES(page, with_content(page, 0, 2)).content) == []
    assert true_at(TRAILING_HEADLINES(page, with_content(page, 1, 2, 3)).content) == [1, 2, 3]


def test_fusion_of_the_same_level_only() -> None:
    page = page_of("<p>a</p><p>b</p><div><p>c</p></div><p>d</p><p>e</p>")
    fused = SAME_LEVEL_FUSION(page, with_content(page, 0, 1, 2, 3))
    assert fused.fused.tolist() == [0, 0, 2, 3, 4]
    assert true_at(fused.content) == [0, 1, 2, 3]


def sections(*blocks: tuple[int, int]) -> Page:
    """A page with a paragraph for each (words, depth of `div` around it)."""
    return page_of("".join("<div>" * d + f"<p>{filler(w)}</p>" + "</div>" * d for w, d in blocks))


def test_largest_run_and_its_level() -> None:
    for blocks, content in [
        (((150, 1), (9, 2), (160, 1), (149, 1), (200, 2)), [4]),
        (((150, 1), (1, 0), (200, 1), (1, 0), (150, 1)), [2]),
        (((150, 1), (1, 0), (150, 1), (200, 1), (150, 1)), [2, 3, 4]),
        (((10, 1),), [0]),
    ]:
        page = sections(*blocks)
        labeling = KeepLargestRunAndLevel()(page, with_content(page, *range(len(page))))
        assert true_at(labeling.content) == content


def test_large_blocks_of_the_level_come_back() -> None:
    page = sections((200, 1), (1, 0), (100, 1), (99, 1), (100, 2))
    largest = KeepLargestRunAndLevel()(page, with_content(page, 0, 1, 2, 3, 4))
    assert true_at(largest.content) == [0]
    assert true_at(LARGE_RUNS_OF_LEVEL(page, largest).content) == [0, 2]


def test_list_at_the_end() -> None:
    for after, content in [
        ("<ul><li>a</li><li>b</li></ul>", [0, 1, 2]),
        ('<ul><li>a</li><li><a href="/">b</a></li><li>c</li></ul>', [0, 1]),
        ("<div><p>a</p></div><ul><li>b</li></ul>", [0]),
    ]:
        page = page_of(f"<p>{filler(200)}</p>{after}")
        largest = KeepLargestRunAndLevel()(page, with_content(page, *range(len(page))))
        assert largest.marked(MIGHT_BE_CONTENT).tolist() == [False] + [True] * (len(page) - 1)
        assert true_at(LIST_AT_END(page, largest).content) == content


def test_parts_of_a_title() -> None:
    for title, part in [
        ("a b c | site", "a b c"),
        ("site.com has many words - a b", "a b"),
        ("news: a b c d - site", "news: a b c d"),
        ("first one of four - and the second part of more", "first one of four"),
        ("site - a b - c", "a b - c"),
    ]:
        assert part in list_title_parts(title)


def test_first_title_only_and_without_its_marks() -> None:
    page = page_of(
        "<title>its here now</title><p>a b</p><h1>It's here: now!</h1><h1>Its here now</h1>"
    )
    assert FIRST_TITLE_MATCH(page, Labeling.blank(3)).marked(TITLE).tolist() == [False, True, False]


def test_a_link_to_comment_ends_the_text() -> None:
    page = page_of('<p><a href="/c">Comment</a></p><p>Comment</p><p><a href="/">comment</a></p>')
    marked = COMMENT_LINKS(page, Labeling.blank(3)).marked(END_OF_TEXT)
    assert marked.tolist() == [True, False, False]


def test_article_head_keeps_title_text_and_list_but_no_trailing_headline() -> None:
    body = (
        "<div><h1>The title</h1>"
        f"<p>{filler(40)}</p><p>{filler(60)}</p><ul><li>{filler(17, 'first')}</li></ul></div>"
        f"<h2>{filler(17, 'more')}</h2>"
    )
    texts = content_texts("boilerpipe-article-head", page_of(document(body, title="The title")))
    assert [text.split()[0] for text in texts] == ["The", "word", "word", "first"]


def test_terminating_blocks() -> None:
    for text, ends in [
        ("Comments", True),
        ("12 Comments", True),
        ("3 users responded in this post", True),
        ("Tell us what you think...", True),
        ("Thanks for your comments - this feedback is now closed", True),
        ("Thanks for your comments - this feedback is now closed again", False),
        ("The comments were many", False),
        ("Comment", False),
        (f"Comments {filler(13)}", True),
        (f"Comments {filler(14)}", False),
    ]:
        page = page_of(f"<p>{text}</p>")
        marked = filters.TERMINATING_BLOCKS(page, Labeling.blank(1))
        assert marked.marked(END_OF_TEXT).tolist() == [ends]
        assert not marked.content.any()


def test_list_possible_titles() -> None:
    for title, expected in [
        ("", set()),
        ("Rain in May", {"rain in may"}),
        ("Rain in May | Daily", {"rain in may | daily", "rain in may"}),
        ("Rain in May - Daily", {"rain in may - daily", "rain in may"}),
        ("Daily: rain in May", {"daily: rain in may", "rain in may"}),
        ("thesite.com | Rain", {"thesite.com | rain", "rain"}),
    ]:
        assert list_possible_titles(title) == expected
