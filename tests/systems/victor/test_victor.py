"""Victor's features by hand, on pages of a few words."""

from __future__ import annotations

from scrapy_boilerplate.systems.victor.crf import OUTSIDE, VICTOR
from scrapy_boilerplate.systems.victor.features import (
    COLUMNS,
    PATTERNS,
    TEMPLATE,
    TokenCounts,
    code_bullet,
    code_characters,
    code_patterns,
    compute_codes,
    find_bin,
    to_steps,
)
from tests.systems.pages import text_nodes


def column(name: str, body: str) -> list[int]:
    codes: list[int] = compute_codes(text_nodes(body))[name].tolist()
    return codes


def test_bins_and_shares_in_steps() -> None:
    for number, code in [(0, 0), (1, 1), (2, 2), (3, 2), (4, 3), (7, 3), (127, 7), (999, 8)]:
        assert find_bin("alpha", number) == code
    for part, whole, code in [(0, 5, 0), (1, 11, 1), (1, 12, 0), (5, 10, 5), (9, 9, 10), (0, 0, 0)]:
        assert to_steps(part, whole) == code


def test_tokens() -> None:
    for text, counts, sentences, starts, finishes in [
        ("Rain fell.", (2, 0, 0, 0), 1, True, True),
        ("and rain fell", (2 + 1, 0, 0, 0), 0, False, False),
        ("In 2019, b4 $ 5.", (1, 2, 1, 1), 1, True, True),
        ("Why? Because", (2, 0, 0, 0), 1, True, False),
        ("1.", (0, 1, 0, 0), 1, False, False),
        ("", (0, 0, 0, 0), 0, False, False),
    ]:
        tokens = TokenCounts(text)
        assert tuple(tokens.counts.values()) == counts
        assert tokens.sentences == sentences
        assert (tokens.starts, tokens.finishes) == (starts, finishes)


def test_codes_of_a_text() -> None:
    assert code_characters("ab 1.") == [4, 2, 2, 2, 0]
    assert code_characters("") == [0, 0, 0, 0, 0]
    # words It rained all day: letters 2 6 3 3, mean 3.5, rounded 4: bin 3 of 1 2 4 6 8 10
    # tokens that count: 4 words and 7; runs of words: 1; 5 tokens to a run: bin 4 of 1 2 3 4 6
    codes = TokenCounts("It rained all day 7.").codes()
    assert codes == [1, 3, 1, 0, 0, 8, 2, 0, 0, 0, 0, 3, 4]


def test_patterns_and_bullets() -> None:
    assert list(PATTERNS) == ["url", "date", "time"]
    for text, codes, bullet in [
        ("rain", [0, 0, 0], 0),
        ("see http://a", [1, 0, 0], 0),
        ("at rain.ORG now", [3, 0, 0], 0),
        ("Mon 11-12-2007", [0, 1, 0], 0),
        ("on 11.12.2007", [0, 2, 0], 0),
        ("at 7:30 pm", [0, 6, 1], 0),
        ("1. one", [0, 0, 0], 1),
        ("a) one", [0, 0, 0], 6),
        ("IV/ one", [0, 0, 0], 11),
        ("A - one", [0, 0, 0], 12),
        ("(1) one", [0, 0, 0], 0),
    ]:
        assert (code_patterns(text), code_bullet(text)) == (codes, bullet), text


PAGE = """
<h2>Rain</h2><p>It <b>rained</b>.<br>All day</p><hr>
<table><tr><td><a href=x>Home</a></td><td>one two three</td></tr></table>
"""
# blocks: Rain | It | rained | . | All day | Home | one two three


def test_by_hand() -> None:
    for name, codes in [
        ("in_headers", [1, 0, 0, 0, 0, 0, 0]),
        ("in_p", [0, 1, 1, 1, 1, 0, 0]),
        ("in_a", [0, 0, 0, 0, 0, 1, 0]),
        ("split_block", [1, 2, 0, 0, 0, 2, 2]),
        ("split_inline", [0, 0, 1, 1, 1, 1, 1]),
        ("split_both", [1, 2, 3, 3, 3, 5, 5]),
        ("split_br", [0, 0, 0, 0, 1, 0, 0]),
        # 9 words: 5 outside of cells (5 * 5 // 9 = 2), in the first none unlinked, 3 in the last
        ("td_words", [2, 2, 2, 2, 2, 0, 1]),
        ("max_td_words", [2] * 7),
        ("div_words", [4] * 7),
        ("page_words", [1] * 7),
        ("position", [0, 1, 3, 4, 6, 7, 9]),
        ("twins", [1] * 7),
    ]:
        assert column(name, PAGE) == codes


def test_twins_differ_in_marks_only() -> None:
    body = "<p>More...</p><p>more</p><p>- More</p><p>More!</p>"
    assert column("twins", body) == [3, 1, 3, 3]
    assert column("first_twin", body) == [1, 1, 0, 0]


def test_template() -> None:
    offsets: dict[str, list[int]] = {}
    for name, offset in TEMPLATE:
        offsets.setdefault(name, []).append(offset)
    assert set(offsets) == set(COLUMNS)
    assert offsets["sentences"] == [-3, -2, -1, 0, 1, 2, 3]
    assert offsets["split_br"] == [-2, -1, 0, 1, 2, 3]
    assert offsets["position"] == offsets["first_twin"] == offsets["max_td_words"] == [0]
    codes = VICTOR.compute(text_nodes("<p>One.</p><p>two</p>"))
    assert codes["sentences@-1"].tolist() == [OUTSIDE, 1]
    assert codes["sentences@+1"].tolist() == [0, OUTSIDE]
