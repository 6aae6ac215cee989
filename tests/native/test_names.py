"""The native search over names against Python: words, names of all kinds, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scrapy_boilerplate import native
from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.page.columns import Elements
from scrapy_boilerplate.page.labels import Label, Labeling, one_hot
from scrapy_boilerplate.page.parsing import parse_html
from scrapy_boilerplate.page.reading import read_tree
from scrapy_boilerplate.steps import named_containers as module
from scrapy_boilerplate.steps.class_names import list_words
from scrapy_boilerplate.steps.named_containers import (
    CONSENT,
    DIALOGS,
    NON_ARTICLE_KINDS,
    OTHER_LABEL_KINDS,
    ContainerFinder,
    LabelsByContainer,
)

if native.names is None:
    pytest.skip(native.obstacles["names"], allow_module_level=True)


LETTERS = st.text("abcAB-_", min_size=1, max_size=5)
WORDS = st.lists(st.text("abc-_", min_size=1, max_size=4), max_size=8)
NAMES = st.lists(st.one_of(LETTERS, st.text(max_size=8)), max_size=12)


def find_unknown(words: list[str], names: list[str]) -> list[str]:
    """Return the names that hold a word, of classes that no bits are known of."""
    empty = [""] * len(names)
    containers, unknown = native.names.NameSearch(words).find_containers(
        *(names, empty, empty, empty), {}, {}, {}
    )
    assert containers == []
    found: list[str] = unknown
    return found


@given(WORDS, NAMES)
@example(["ab", "b"], ["a", "AB", "\ud800", "", "\x00b"])
def test_names_that_hold_a_word(words: list[str], names: list[str]) -> None:
    expected = [
        name for name in names if not name.isascii() or any(word in name.lower() for word in words)
    ]
    assert find_unknown(words, names) == expected


@given(NAMES, st.dictionaries(LETTERS, st.integers(0, 3)), st.integers(0, 3))
def test_names_with_bits(names: list[str], bits: dict[str, int], column: int) -> None:
    names += ["ab", *bits, *names]  # the same str twice
    columns = [[""] * len(names) for _ in range(4)]
    columns[column] = names
    tables: list[dict[str, int]] = [{}, {}, {}]
    tables[max(column - 1, 0)] = bits
    containers, _ = native.names.NameSearch(["a", "b", "c"]).find_containers(*columns, *tables)
    expected = [(place, bits[name]) for place, name in enumerate(names) if bits.get(name)]
    if column < 2:  # names are searched first
        expected = [
            (place, value) for place, value in expected if set(names[place].lower()) & {*"abc"}
        ]
    assert containers == expected


def test_more_names_than_are_remembered() -> None:
    names = [f"{'cd' if number % 7 else 'ab'}{number}" for number in range(5_000)] * 2
    assert find_unknown(["ab"], names) == [name for name in names if "ab" in name]
    bits, empty = dict.fromkeys(names[::7], 1), [""] * len(names)
    containers, _ = native.names.NameSearch(["ab"]).find_containers(
        *(empty, empty, names, empty), {}, bits, {}
    )
    assert containers == [(place, 1) for place, name in enumerate(names) if name in bits]


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


@given(st.lists(st.one_of(KNOWN, KNOWN.map(str.upper), KNOWN.map(str.title)), max_size=9))
@settings(max_examples=400)
def test_containers_are_those_of_all_names(names: list[str]) -> None:
    """No name that a pattern matches is left out."""
    finder, everything = ContainerFinder(KINDS), ContainerFinder(KINDS)
    empty = [""] * len(names)
    tags = ["h2", "nav", "p"] * len(names)
    for columns in ((names, empty), (empty, names), (names, names[::-1])):
        elements = Elements(tags[: len(names)], classes=columns[0], ids=columns[1], roles=empty)
        assert finder.find_containers(elements) == everything._find_in_python(elements)


MATCHED = "comment disqus-thread reader-posts readerposts commentsForm comment--header respond "
MATCHED += (
    "reply_form relatedLinks read-also readnext see_also most-viewed share-box shareBar ads ad "
)
MATCHED += "modal-body cky-bar qc-cmp2 cookie-banner cookiesPopUp sp_message_1 borlabs-cookie "
MATCHED += "have-your_say sign-up subscribe factsbox pie_de-foto weitere-artikel 留言 comentários"


@pytest.mark.parametrize("name", MATCHED.split())
def test_names_that_match(name: str) -> None:
    finder = ContainerFinder(KINDS)
    (bits,) = finder._read_all([name])
    assert bits
    elements = Elements(["p", "p"], classes=[name, "x"], ids=["", ""], roles=["", ""])
    assert finder.find_containers(elements) == [(0, bits)]


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
    assert list_words(alternative) == ALTERNATIVES[alternative]


@pytest.mark.parametrize("word", ["", "A", "é", "a b", "1", "a\n"])
def test_other_words_are_refused(word: str) -> None:
    with pytest.raises(ValueError, match="a word"):
        native.names.NameSearch([word])


@pytest.mark.parametrize("names", [[None], [b"a"], [1], None, ("a",)])
def test_other_names_are_refused(names: Any) -> None:
    with pytest.raises(TypeError):
        native.names.NameSearch(["a"]).find_containers(names, [""], [""], [""], {}, {}, {})


WRAPPED = st.recursive(
    st.sampled_from(["<p>one two three</p>", "<h2>four</h2>", "five <i>six seven</i>", ""]),
    lambda inner: st.tuples(
        st.sampled_from(["comments", "related", "modal", "x", "figure-caption"]),
        st.lists(inner, max_size=4),
    ).map(lambda part: f"<div class={part[0]}>{''.join(part[1])}</div>"),
    max_leaves=12,
)


@given(WRAPPED, st.lists(st.sampled_from(list(Label)), min_size=1, max_size=7), st.booleans())
@settings(max_examples=300)
def test_kinds_of_blocks(html: str, labels: list[Label], of_content: bool) -> None:
    page = AtomicBlocks()(read_tree(parse_html(f"<body>{html}<p>eight")))
    codes = np.resize(np.array(labels, dtype=np.int64), len(page))
    labeling = Labeling.blank(len(page)).predict(codes, one_hot(codes), "")
    labels_by_name = LabelsByContainer(kinds=OTHER_LABEL_KINDS, max_share=0.4)
    containers = labels_by_name.find_containers(page)
    inputs = (page, labeling, containers, labels_by_name._max_shares, of_content)
    expected, present = module.find_kinds_in_python(*inputs)
    kinds, bits = module.find_kinds_natively(*inputs)
    assert (kinds.tolist(), bits) == (expected.tolist(), present)


@pytest.mark.parametrize(
    ("containers", "error"),
    [([(1, 4)], IndexError), ([(1, -1)], IndexError), ([(9, 0)], IndexError), ([1], TypeError)],
)
def test_containers_that_are_not_there(containers: list[Any], error: type[Exception]) -> None:
    page = AtomicBlocks()(read_tree(parse_html("<div><p>one")))
    labeling = Labeling.blank(len(page))
    shares = np.ones(4)
    with pytest.raises(error):
        module.find_kinds_natively(page, labeling, containers, shares, False)
