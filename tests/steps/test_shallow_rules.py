"""The two decision trees of boilerpipe as truth tables: both sides of every threshold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_boilerplate.page.labels import Labeling
from scrapy_boilerplate.steps.extractor import Step
from scrapy_boilerplate.steps.shallow_rules import NumberOfWordsRules
from scrapy_boilerplate.systems.boilerpipe.filters import PROXIMITY_FUSION
from scrapy_boilerplate.systems.common.density_rules import DENSITY_RULES
from scrapy_boilerplate.systems.common.features import take_next, take_previous
from tests.builders import Block, page_of, paragraphs, run, true_at, with_content

boilerpy3 = pytest.importorskip("boilerpy3.filters")

LINKS = (9, 6)
"""A block with a link density above 5/9."""


def content(step: Step, *blocks: Block) -> list[bool]:
    page = page_of(paragraphs(*blocks))
    decided: list[bool] = step(page, Labeling.blank(len(page))).content.tolist()
    return decided


@pytest.mark.parametrize(
    ("before", "block", "after", "kept"),
    [
        pytest.param(4, 17, 1, True, id="17 words"),
        pytest.param(4, 16, 15, False, id="16 words among short ones"),
        pytest.param(4, 16, 16, True, id="16 words before 16"),
        pytest.param(5, 16, 15, True, id="16 words after 5"),
        pytest.param(5, 1, 1, True, id="one word after 5"),
        pytest.param(4, 1, 16, True, id="one word before 16"),
        pytest.param(LINKS, 41, 1, True, id="41 words after links"),
        pytest.param(LINKS, 40, 17, False, id="40 words after links"),
        pytest.param(LINKS, 40, 18, True, id="40 words after links, before 18"),
        pytest.param((9, 5), 16, 1, True, id="five ninths of links before are few"),
        pytest.param((100, 56), 16, 1, False, id="56 percent of links before are many"),
        pytest.param(4, (100, 33), 1, True, id="33 percent of links"),
        pytest.param(4, (100, 34), 50, False, id="34 percent of links"),
        pytest.param(4, (30, 10), 50, False, id="a third of links is above .333333"),
        pytest.param(LINKS, (100, 34), 50, False, id="links after links"),
    ],
)
def test_number_of_words_rules(before: Block, block: Block, after: Block, kept: bool) -> None:
    assert content(NumberOfWordsRules(), before, block, after)[1] is kept


@pytest.mark.parametrize(
    ("before", "block", "after", "kept"),
    [
        pytest.param(4, 9, 10, False, id="density 9 among sparse ones"),
        pytest.param(4, 9, 11, True, id="density 9 before 11"),
        pytest.param(5, 9, 10, True, id="density 9 after 5"),
        pytest.param(4, 10, 1, True, id="density 10 before 1"),
        pytest.param(LINKS, 16, 11, False, id="after links before 11"),
        pytest.param(LINKS, 1, 12, True, id="after links before 12"),
        pytest.param((9, 5), 10, 1, True, id="five ninths of links before are few"),
        pytest.param((16, 9), 10, 1, False, id="nine sixteenths of links before are many"),
        pytest.param(4, (100, 33), 1, True, id="33 percent of links"),
        pytest.param(4, (100, 34), 12, False, id="34 percent of links"),
    ],
)
def test_density_rules(before: Block, block: Block, after: Block, kept: bool) -> None:
    assert content(DENSITY_RULES, before, block, after)[1] is kept


@pytest.mark.parametrize(
    ("step", "blocks", "kept"),
    [
        pytest.param(NumberOfWordsRules(), [17], [True], id="words: one long block"),
        pytest.param(NumberOfWordsRules(), [16], [False], id="words: one short block"),
        pytest.param(NumberOfWordsRules(), [4, 16], [True, False], id="words: 16 rescue 4"),
        pytest.param(NumberOfWordsRules(), [5, 1], [False, True], id="words: nothing after"),
        pytest.param(DENSITY_RULES, [100], [False], id="density: nothing follows dense text"),
        pytest.param(DENSITY_RULES, [10, 1], [True, True], id="density: dense before sparse"),
        pytest.param(DENSITY_RULES, [9], [False], id="density: alone and sparse"),
        pytest.param(NumberOfWordsRules(), [], [], id="words: no block"),
        pytest.param(DENSITY_RULES, [], [], id="density: no block"),
    ],
)
def test_empty_blocks_stand_around_the_page(
    step: Step, blocks: list[Block], kept: list[bool]
) -> None:
    assert content(step, *blocks) == kept


BLOCKS = st.lists(
    st.integers(1, 45).flatmap(lambda words: st.tuples(st.just(words), st.integers(0, words))),
    max_size=8,
)
PEERS = [
    pytest.param(NumberOfWordsRules(), boilerpy3.NumWordsRulesClassifier(), id="words"),
    pytest.param(DENSITY_RULES, boilerpy3.DensityRulesClassifier(), id="density"),
]


@pytest.mark.parametrize(("step", "peer"), PEERS)
@given(blocks=BLOCKS)
def test_same_decisions_as_boilerpy3(step: Step, peer: object, blocks: list[Block]) -> None:
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


def test_neighbours_of_columns() -> None:
    words = page_of(paragraphs(1, 2, 3)).words
    assert take_previous(words).tolist() == [0, 1, 2]
    assert take_next(words).tolist() == [2, 3, 0]
    assert words.tolist() == [1, 2, 3]
