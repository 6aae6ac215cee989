"""The searches over names and the kinds of blocks, against slower functions."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scrapy_boilerplate import Page
from scrapy_boilerplate.native.steps import WordSearch
from scrapy_boilerplate.page.columns import Elements, Leaves
from scrapy_boilerplate.steps.class_names import drop_states, list_prefixes
from scrapy_boilerplate.steps.named_containers import (
    CONSENT,
    DIALOGS,
    NON_ARTICLE_KINDS,
    ContainerFinder,
)

LETTERS = st.text("abcAB-_", min_size=1, max_size=5)
WORDS = st.lists(st.text("abc-_", min_size=1, max_size=4), max_size=8)
NAMES = st.lists(st.one_of(LETTERS, st.text(max_size=8)), max_size=12)


@given(WORDS, NAMES)
@example(["ab", "b"], ["a", "AB", "\ud800", "", "\x00b"])
def test_names_that_hold_a_word(words: list[str], names: list[str]) -> None:
    expected = [
        name for name in names if not name.isascii() or any(word in name.lower() for word in words)
    ]
    search = WordSearch([words])
    assert list(filter(search.find_kinds, names)) == expected
    search = WordSearch([words, []])
    matched = search.match_names(names, [lambda _: True], lambda _, name: name)
    assert matched == [(n, 1) for n, x in enumerate(names) if x in expected]


@pytest.mark.parametrize("word", ["A", "é", "a b", "1", "a\n"])
def test_other_words_are_refused(word: str) -> None:
    with pytest.raises(ValueError, match="not found"):
        WordSearch([[word]])


KINDS = (*NON_ARTICLE_KINDS, CONSENT, DIALOGS)
PIECES = sorted({word for kind in KINDS for word in kind.words.words})
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
    words = drop_states("", name.lower()).split()
    return sum(
        1 << number for number, kind in enumerate(KINDS) if any(map(kind.words.regex.search, words))
    )


@given(st.lists(st.one_of(KNOWN, KNOWN.map(str.upper), KNOWN.map(str.title)), max_size=9))
@settings(max_examples=200)
def test_containers_are_those_of_all_names(names: list[str]) -> None:
    """No name that a pattern matches is left out."""
    finder, empty = ContainerFinder(KINDS), [""] * len(names)
    expected = [(place, bits) for place, bits in enumerate(map(read_name, names)) if bits]
    for classes, ids in ((names, empty), (empty, names), (names, names)):
        elements = Elements(["p"] * len(names), classes=classes, ids=ids, roles=empty)
        assert finder.find_containers(Page(elements, Leaves())) == expected


MATCHED = (
    *"comment disqus-thread reader-posts readerposts commentsForm comment--header respond".split(),
    *"reply_form relatedLinks read-also readnext see_also most-viewed share-box shareBar".split(),
    *"ads ad modal-body cky-bar qc-cmp2 cookie-banner cookiesPopUp sp_message_1 sign-up".split(),
    *"borlabs-cookie have-your_say subscribe factsbox pie_de-foto weitere-artikel 留言".split(),
)


def test_names_that_match() -> None:
    assert [name for name in MATCHED if not read_name(name)] == []


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


def test_words_of_a_pattern() -> None:
    for alternative, words in ALTERNATIVES.items():
        assert list_prefixes(alternative) == words
    assert min(map(len, PIECES)) >= 2, "long enough to be rare"
