from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scrapy_boilerplate.systems.common.tokens import TokenRuns, read_token_runs
from tests.builders import page_of


def runs_of(tags: list[int], words: list[int]) -> TokenRuns:
    return TokenRuns(np.array(tags), np.zeros(len(tags), np.int64), np.array(words, np.int64))


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


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 6)), min_size=1, max_size=12))
def test_best_interval_is_that_of_all_pairs(runs: list[tuple[int, int]]) -> None:
    tags, words = [pair[0] for pair in runs], [pair[1] for pair in runs]

    def value(interval: tuple[int, int]) -> int:
        first, end = interval
        return sum(words[first:end]) - sum(tags[first + 1 : end])

    first, end = runs_of([*tags, 0], words).best_interval(1.0)
    best = max(value(pair) for pair in combinations(range(len(runs) + 1), 2))
    assert value((first, end)) == best
