"""The decision trees of boilerpipe: both sides of every threshold, and the package boilerpy3."""

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scrapy_boilerplate import Labeling
from tests.builders import Block, page_of, paragraphs, run, step_of, true_at, with_content

DENSITY_RULES = step_of("density", "density-rules")
CANOLA_RULES = step_of("boilerpipe-canola", "canola-rules")
WORD_RULES = step_of("num-words", "number-of-words-rules")
PROXIMITY_FUSION = step_of("boilerpipe-article", "block-proximity-fusion")

boilerpy3 = pytest.importorskip("boilerpy3.filters")


def content(step: Any, *blocks: Block) -> list[bool]:
    page = page_of(paragraphs(*blocks))
    decided: list[bool] = step(page, Labeling.blank(len(page))).content.tolist()
    return decided


WORDS = st.sampled_from((1, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 17, 19, 20)) | st.integers(1, 45)
BLOCKS = st.lists(
    WORDS | WORDS.flatmap(lambda words: st.tuples(st.just(words), st.integers(0, words))),
    max_size=8,
)
PEERS = [
    pytest.param(WORD_RULES, boilerpy3.NumWordsRulesClassifier(), id="words"),
    pytest.param(DENSITY_RULES, boilerpy3.DensityRulesClassifier(), id="density"),
    pytest.param(CANOLA_RULES, boilerpy3.CanolaFilter(), id="canola"),
]


@pytest.mark.parametrize(("step", "peer"), PEERS)
@settings(max_examples=200)
@given(blocks=BLOCKS)
@example(blocks=[1, 20])
@example(blocks=[(9, 6), 41, 1])
@example(blocks=[(9, 6), 40, 17])
@example(blocks=[(9, 6), 40, 18])
@example(blocks=[4, 9, 11])
@example(blocks=[4, (100, 33), 50, (100, 34), 50])
@example(blocks=[(9, 5), 16, (100, 56), 16, 1])
def test_same_decisions_as_boilerpy3(step: Any, peer: object, blocks: list[Block]) -> None:
    document = pytest.importorskip("boilerpy3.document")
    page = page_of(paragraphs(*blocks))
    columns = zip(page.words, page.link_words, page.full_line_words, page.full_lines, strict=True)
    theirs = document.TextDocument(
        [document.TextBlock("", set(), *map(int, row), i) for i, row in enumerate(columns)]
    )
    peer.process(theirs)  # type: ignore[attr-defined]
    assert content(step, *blocks) == [block.is_content for block in theirs.text_blocks]


def test_density_rules_read_fused_blocks() -> None:
    """A line of nine words is too sparse, but not together with one of ten."""
    page = page_of(paragraphs(9, 10, 1))
    fused = run(page, with_content(page, 0, 1), PROXIMITY_FUSION)
    assert true_at(DENSITY_RULES(page, fused).content) == [0, 1, 2]
    assert true_at(DENSITY_RULES(page, Labeling.blank(3)).content) == [1, 2]
