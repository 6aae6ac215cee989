from scrapy_boilerplate.systems.common.columns import read_token_runs
from tests.builders import page_of


def test_tags_between_words() -> None:
    for body, starts, ends, words in [
        ("<p>One two <b>three</b></p>", [3, 1, 0], [0, 0, 4], [2, 1]),
        ("<p>One<br>two</p>", [3, 1, 0], [0, 0, 3], [1, 1]),  # a br has no end tag
        ("<p>One<script>a b c</script>two", [3, 1, 0], [0, 1, 3], [1, 1]),
        ("<p>One<!-- a comment -->two", [3, 0, 0], [0, 0, 3], [1, 1]),
        ("<p>One<p>two", [3, 1, 0], [0, 1, 3], [1, 1]),  # the end tag that is left out counts
        ("<div><hr><img src=a><p>One</p></div>", [6, 0], [0, 4], [1]),
        ("<p>One</p><div></div>", [3, 1], [0, 4], [1]),
        ("", [2], [2], []),
    ]:
        runs = read_token_runs(page_of(f"<html><body>{body}</body></html>"))
        assert (runs.starts.tolist(), runs.ends.tolist()) == (starts, ends)
        assert runs.words.tolist() == words
