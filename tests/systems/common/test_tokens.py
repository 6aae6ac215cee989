from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.page.reading import read_tree
from scrapy_boilerplate.systems.common.tokens import TokenRuns, read_token_runs, select_blocks
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


def test_text_in_a_void_element_of_an_xml_tree_gives_no_negative_count() -> None:
    tree = etree.fromstring("<html><body><br>One</br>two</body></html>")
    runs = read_token_runs(AtomicBlocks()(read_tree(tree)))
    assert runs.ends.min() >= 0
    assert runs.words.tolist() == [1, 1]


def test_sequence_token_by_token_and_back() -> None:
    runs = runs_of([2, 0, 1], [1, 3])
    assert runs.is_word.tolist() == [False, False, True, True, True, True, False]
    among = np.array([True, True, False, True, True, False, True])
    assert runs.words_among(among).tolist() == [0, 2]  # tags that the mask holds do not count


def test_best_interval() -> None:
    for tags, words, weight, expected in [
        ([9, 3, 9], [3, 5], 1.0, (0, 2)),  # of equals the first to start
        ([9, 4, 9], [4, 4], 1.0, (0, 1)),  # and the first to end
        ([9, 3, 9], [30, 9], 3.25, (0, 1)),  # 3 * 3.25 = 9.75
        ([9, 3, 9], [30, 10], 3.25, (0, 2)),
        ([0, 0, 0], [0, 0], 1.0, (0, 0)),
        ([2], [], 1.0, (0, 0)),
    ]:
        assert runs_of(tags, words).best_interval(weight) == expected


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 6)), min_size=1, max_size=12))
def test_best_interval_is_that_of_all_pairs(runs: list[tuple[int, int]]) -> None:
    tags, words = [pair[0] for pair in runs], [pair[1] for pair in runs]

    def value(interval: tuple[int, int]) -> int:
        first, end = interval
        return sum(words[first:end]) - sum(tags[first + 1 : end])

    first, end = runs_of([*tags, 0], words).best_interval(1.0)
    best = max(value(pair) for pair in combinations(range(len(runs) + 1), 2))
    assert value((first, end)) == best


def test_half_the_words_are_enough() -> None:
    for selected, expected in [(0, False), (1, False), (2, True), (3, True), (4, True)]:
        page = page_of("<p>one two three four</p>")
        mask = select_blocks(page, np.array([selected]), np.array([4]))
        assert mask.tolist() == [expected]
