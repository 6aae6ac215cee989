"""The article extractor of boilerpipe's last sources, step by step."""

from scrapy_boilerplate import Labeling, Page
from tests.builders import content_texts, document, filler, page_of, step_of, true_at, with_content

HEAD = "boilerpipe-article-head"
SAME_LEVEL_FUSION = step_of(HEAD, "same-level-fusion")
LARGEST = step_of(HEAD, "keep-largest-run-and-level")


def test_tag_level() -> None:
    """The level of html, body and p is 3; a block fuses with the next one of its level."""
    for html, level in [
        ("<p>a</p>", 3),
        ("<div><p>a</p></div>", 4),
        ("<p><b><i>a</i></b></p>", 3),
        ('<p><a href="/x">a</a></p>', 4),
        ('<p>a <a href="/x">b</a></p>', 3),
        ("<p><b> </b><small>a</small></p>", 4),
    ]:
        for other, of_other in (("<p>b</p>", 3), ("<div><p>b</p></div>", 4)):
            page = page_of(html + other)
            fused = SAME_LEVEL_FUSION(page, with_content(page, 0, 1)).fused
            assert (fused.tolist() == [0, 0]) is (level == of_other), (html, other)


def test_trailing_headlines() -> None:
    page = page_of("<h2>a</h2><p>b</p><h3>c</h3><p>d</p><h1>e</h1>")
    for before, after in (([0, 1, 2, 4], [0, 1]), ([0, 2], []), ([1, 2, 3], [1, 2, 3])):
        step = step_of(HEAD, "trailing-headlines")
        assert true_at(step(page, with_content(page, *before)).content) == after


def mark(step: str, page: Page, name: str) -> list[bool]:
    """The blocks that the step marks; it classifies none."""
    labeling = step_of(HEAD, step)(page, Labeling.blank(len(page)))
    assert not labeling.content.any()
    marked: list[bool] = labeling.marked(name).tolist()
    return marked


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
        labeling = LARGEST(page, with_content(page, *range(len(page))))
        assert true_at(labeling.content) == content


def test_large_blocks_of_the_level_come_back() -> None:
    page = sections((200, 1), (1, 0), (100, 1), (99, 1), (100, 2))
    largest = LARGEST(page, with_content(page, 0, 1, 2, 3, 4))
    assert true_at(largest.content) == [0]
    assert true_at(step_of(HEAD, "large-blocks-of-level")(page, largest).content) == [0, 2]


def test_list_at_the_end() -> None:
    for after, content in [
        ("<ul><li>a</li><li>b</li></ul>", [0, 1, 2]),
        ('<ul><li>a</li><li><a href="/">b</a></li><li>c</li></ul>', [0, 1]),
        ("<div><p>a</p></div><ul><li>b</li></ul>", [0]),
    ]:
        page = page_of(f"<p>{filler(200)}</p>{after}")
        largest = LARGEST(page, with_content(page, *range(len(page))))
        assert largest.marked("might be content").tolist() == [False] + [True] * (len(page) - 1)
        assert true_at(step_of(HEAD, "list-at-end")(page, largest).content) == content


def test_parts_of_a_title() -> None:
    for title, part in [
        ("a b c | site", "a b c"),
        ("site.com has many words - a b", "a b"),
        ("news: a b c d - site", "news: a b c d"),
        ("first one of four - and the second part of more", "first one of four"),
        ("site - a b - c", "a b - c"),
        ("a b - one two three four - of five more words here", "one two three four"),
    ]:
        page = page_of(document(f"<p>{part}</p>", title=title))
        assert mark("first-title-match", page, "title") == [True]


def test_first_title_only_and_without_its_marks() -> None:
    page = page_of(
        "<title>its here now</title><p>a b</p><h1>It's here: now!</h1><h1>Its here now</h1>"
    )
    assert mark("first-title-match", page, "title") == [False, True, False]


def test_a_link_to_comment_ends_the_text() -> None:
    page = page_of('<p><a href="/c">Comment</a></p><p>Comment</p><p><a href="/">comment</a></p>')
    assert mark("comment-links", page, "end of text") == [True, False, False]


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
        assert mark("terminating-blocks", page_of(f"<p>{text}</p>"), "end of text") == [ends]


def test_blocks_that_match_the_title() -> None:
    """The whole title or its longest part; a name of a site is none."""
    for title, text, matches in [
        ("", "Rain", False),
        ("Rain in May", "RAIN in May", True),
        ("Rain in May | Daily", "Rain in May | Daily", True),
        ("Rain in May | Daily", "Rain in May", True),
        ("Rain in May | Daily", "Daily", False),
        ("Rain in May - Daily", "Rain in May", True),
        ("Daily: rain in May", "Rain in May", True),
        ("Daily: rain in May", "Daily", False),
        ("thesite.com | Rain", "Rain", True),
        ("thesite.com | Rain", "thesite.com", False),
    ]:
        page = page_of(document(f"<p>{text}</p>", title=title))
        step = step_of("boilerpipe-article", "title-match")
        assert step(page, Labeling.blank(1)).marked("title").tolist() == [matches], (title, text)
