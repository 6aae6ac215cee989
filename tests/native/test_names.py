"""The searches over names and the kinds of blocks, against slower functions."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scrapy_boilerplate.native.names import NO_KIND, WordSearch, combine_bits, find_kinds
from scrapy_boilerplate.page.columns import Elements, Leaves
from scrapy_boilerplate.page.labels import BoolArray, Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.class_names import list_prefixes, match_state
from scrapy_boilerplate.steps.named_containers import (
    CONSENT,
    DIALOGS,
    NON_ARTICLE_KINDS,
    OTHER_LABEL_KINDS,
    ContainerFinder,
    LabelsByContainer,
)
from tests.builders import page_of

LETTERS = st.text("abcAB-_", min_size=1, max_size=5)
WORDS = st.lists(st.text("abc-_", min_size=1, max_size=4), max_size=8)
NAMES = st.lists(st.one_of(LETTERS, st.text(max_size=8)), max_size=12)


@given(WORDS, NAMES)
@example(["ab", "b"], ["a", "AB", "\ud800", "", "\x00b"])
def test_names_that_hold_a_word(words: list[str], names: list[str]) -> None:
    expected = [
        name for name in names if not name.isascii() or any(word in name.lower() for word in words)
    ]
    assert list(filter(WordSearch(words).holds_word, names)) == expected


@pytest.mark.parametrize("word", ["A", "é", "a b", "1", "a\n"])
def test_other_words_are_refused(word: str) -> None:
    with pytest.raises(ValueError, match="not found"):
        WordSearch([word])


@given(NAMES, st.dictionaries(LETTERS, st.integers(0, 3)), st.integers(0, 3))
def test_bits_of_names(names: list[str], bits: dict[str, int], column: int) -> None:
    names += ["ab", *bits, *names]
    columns = [[""] * len(names) for _ in range(4)]
    columns[column] = names
    tables: list[dict[str, int]] = [{}, {}, {}]
    tables[max(column - 1, 0)] = bits
    expected = [(place, bits[name]) for place, name in enumerate(names) if bits.get(name)]
    assert combine_bits((columns[0], columns[1], columns[2], columns[3]), *tables) == expected


KINDS = (*NON_ARTICLE_KINDS, CONSENT, DIALOGS)
PIECES = sorted({word for kind in KINDS if kind.words for word in kind.words.words})
KNOWN = st.lists(
    st.one_of(
        st.sampled_from(PIECES),
        st.sampled_from(["\n", " ", "has-", "-on", "s", "ary", "3", "Ads", "评论", "comentários"]),
        st.text("adorst-_ É1", max_size=4),
    ),
    max_size=5,
).map("".join)


def read_name(name: str) -> int:
    """Return the bits of the kinds that a class or id matches."""
    words = [word for word in name.lower().split() if not match_state(word)]
    return sum(
        1 << number
        for number, kind in enumerate(KINDS)
        if kind.words and any(map(kind.words.regex.search, words))
    )


@given(st.lists(st.one_of(KNOWN, KNOWN.map(str.upper), KNOWN.map(str.title)), max_size=9))
@settings(max_examples=400)
def test_containers_are_those_of_all_names(names: list[str]) -> None:
    """No name that a pattern matches is left out."""
    finder, empty = ContainerFinder(KINDS), [""] * len(names)
    expected = [(place, bits) for place, bits in enumerate(map(read_name, names)) if bits]
    for classes, ids in ((names, empty), (empty, names), (names, names)):
        elements = Elements(["p"] * len(names), classes=classes, ids=ids, roles=empty)
        assert finder.find_containers(Page(elements, Leaves())) == expected


MATCHED = "comment disqus-thread reader-posts readerposts commentsForm comment--header respond "
MATCHED += (
    "reply_form relatedLinks read-also readnext see_also most-viewed share-box shareBar ads ad "
)
MATCHED += "modal-body cky-bar qc-cmp2 cookie-banner cookiesPopUp sp_message_1 borlabs-cookie "
MATCHED += "have-your_say sign-up subscribe factsbox pie_de-foto weitere-artikel 留言 comentários"


@pytest.mark.parametrize("name", MATCHED.split())
def test_names_that_match(name: str) -> None:
    elements = Elements(["p", "p"], classes=[name, "x"], ids=["", ""], roles=["", ""])
    bits = read_name(name)
    assert bits
    assert ContainerFinder(KINDS).find_containers(Page(elements, Leaves())) == [(0, bits)]


def test_words_are_long_enough_to_be_rare() -> None:
    assert min(map(len, PIECES)) >= 2


ALTERNATIVES = {
    "comment(?!ary|ator)": ["comment"],
    "a-?b[-_]c": ["a-b-c", "a-b_c", "ab-c", "ab_c"],
    "sub(?:be|ption)?s": ["subbes", "subptions", "subs"],
    "ab[-_]*c": ["ab"],
    "abc+": ["ab"],
    "ab{2}": ["a"],
    "ab?(?<![a-z])": ["ab", "a"],
    "a(?:b|c?)": ["a"],
    "a.b": ["a"],
}


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_words_of_a_pattern(alternative: str) -> None:
    assert list_prefixes(alternative) == ALTERNATIVES[alternative]


WRAPPED = st.recursive(
    st.sampled_from(["<p>one two three</p>", "<h2>four</h2>", "five <i>six seven</i>", ""]),
    lambda inner: st.tuples(
        st.sampled_from(["comments", "related", "modal", "x", "figure-caption"]),
        st.lists(inner, max_size=4),
    ).map(lambda part: f"<div class={part[0]}>{''.join(part[1])}</div>"),
    max_leaves=12,
)


def find_kind(
    page: Page, labeling: Labeling, containers: list[tuple[int, int]], shares: list[float], n: int
) -> int:
    """Return the kind of the innermost container around the n-th block that may have one."""

    def list_inside(blocks: BoolArray, element: int) -> list[int]:
        ends, own = page.elements.ends, page.blocks.elements.tolist()
        return [
            block for block in blocks.nonzero()[0].tolist() if element <= own[block] < ends[element]
        ]

    total = max(1, page.words[labeling.content].sum())
    inner, kind = int(page.inner_elements[n]), NO_KIND
    for element, number in containers:
        words = page.words[list_inside(labeling.content, element)].sum()
        is_named = not list_inside(labeling.having(Label.HEADLINE), element)
        if is_named and words / total <= shares[number]:
            kind = number if element <= inner < page.elements.ends[element] else kind
    return kind


@given(WRAPPED, st.lists(st.sampled_from(list(Label)), min_size=1, max_size=7), st.booleans())
@settings(max_examples=200)
def test_kinds_of_blocks(html: str, labels: list[Label], of_content: bool) -> None:
    page = page_of(f"<body>{html}<p>eight")
    labeling = Labeling.blank(len(page))
    for block in range(len(page)):
        where = page.words * 0 == 1
        where[block] = True
        labeling = labeling.relabel(where, labels[block % len(labels)], "")
    by_name = LabelsByContainer(kinds=OTHER_LABEL_KINDS)
    containers, shares = by_name.find_containers(page), list(by_name._max_shares)
    skipped = ~labeling.content if of_content else labeling.having(Label.HEADLINE)
    kinds, present = by_name.find_kinds(page, labeling, skipped)
    assert kinds.tolist() == [
        NO_KIND if skip else find_kind(page, labeling, containers, shares, block)
        for block, skip in enumerate(skipped)
    ]
    assert present == sum(1 << kind for kind in set(kinds.tolist()) - {NO_KIND})


@pytest.mark.parametrize("containers", [[(1, 4)], [(9, 0)]])
def test_containers_that_are_not_there(containers: list[tuple[int, int]]) -> None:
    elements, blocks = array("q", [0, 0, 2, 2]), array("q", [1, 1])
    with pytest.raises(IndexError):
        find_kinds(
            *(containers, array("d", [1])),
            *(elements[:2], elements[2:], blocks, blocks, blocks, bytes(2), bytes(2)),
        )
