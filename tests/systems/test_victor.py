"""Victor's features by hand, on pages of a few words."""

from scrapy_boilerplate.systems.victor import VICTOR
from tests.systems.pages import text_nodes

TOKENS = "alpha num mixed other".split()
MARKS = ("sentence_not_started", "sentence_not_finished")
CHARACTERS = [f"{kind}_characters" for kind in "alpha num punct white other".split()]
# The code of the blocks before the first and after the last.
OUTSIDE = 13


def column(name: str, body: str) -> list[int]:
    codes: list[int] = VICTOR.compute(text_nodes(body))[name].tolist()
    return codes


def codes_of(text: str, *names: str) -> list[int]:
    columns = VICTOR.compute(text_nodes(f"<p>{text}</p>"))
    return [int(columns[name][0]) for name in names]


def test_bins_and_shares_in_steps() -> None:
    for words, code in [(0, 0), (1, 1), (2, 2), (3, 2), (4, 3), (7, 3), (127, 7), (999, 8)]:
        assert codes_of("a " * words + "1", "alpha") == [code]
    for words, tokens, code in [(0, 5, 0), (1, 11, 1), (1, 12, 0), (5, 10, 5), (9, 9, 10)]:
        assert codes_of("a " * words + "1 " * (tokens - words), "alpha_share") == [code]
    assert codes_of(".", "alpha_share") == [0]


def test_tokens() -> None:
    for text, tokens, sentences, marks in [
        ("Rain fell.", [2, 0, 0, 0], 1, [0, 0]),
        ("and rain fell in it", [3, 0, 0, 0], 0, [1, 1]),
        ("In 2019, b4 $ 5.", [1, 2, 1, 1], 1, [0, 0]),
        ("Why? Because", [2, 0, 0, 0], 1, [0, 1]),
        ("1.", [0, 1, 0, 0], 1, [1, 1]),
    ]:
        assert codes_of(text, *TOKENS) == tokens, text
        assert codes_of(text, "sentences", *MARKS) == [sentences, *marks], text


def test_codes_of_a_text() -> None:
    assert codes_of("ab 1.", *CHARACTERS) == [4, 2, 2, 2, 0]
    # words It rained all day: letters 2 6 3 3, mean 3.5, rounded 4: bin 3 of 1 2 4 6 8 10
    # tokens that count: 4 words and 7; runs of words: 1; 5 tokens to a run: bin 4 of 1 2 3 4 6
    shares = [f"{kind}_share" for kind in TOKENS]
    names = ("sentences", *TOKENS, *shares, *MARKS, "word_length", "word_run")
    assert codes_of("It rained all day 7.", *names) == [1, 3, 1, 0, 0, 8, 2, 0, 0, 0, 0, 3, 4]


def test_patterns_and_bullets() -> None:
    for text, codes in [
        ("rain", [0, 0, 0, 0]),
        ("see http://a", [1, 0, 0, 0]),
        ("at rain.ORG now", [3, 0, 0, 0]),
        ("Mon 11-12-2007", [0, 1, 0, 0]),
        ("on 11.12.2007", [0, 2, 0, 0]),
        ("at 7:30 pm", [0, 6, 1, 0]),
        ("1. one", [0, 0, 0, 1]),
        ("a) one", [0, 0, 0, 6]),
        ("IV/ one", [0, 0, 0, 11]),
        ("A - one", [0, 0, 0, 12]),
        ("(1) one", [0, 0, 0, 0]),
    ]:
        assert codes_of(text, "url", "date", "time", "bullet") == codes, text


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
    for name in VICTOR.names:
        column_name, _, offset = name.partition("@")
        offsets.setdefault(column_name, []).append(int(offset or 0))
    assert offsets["sentences"] == [-3, -2, -1, 0, 1, 2, 3]
    assert offsets["split_br"] == [-2, -1, 0, 1, 2, 3]
    assert offsets["position"] == offsets["first_twin"] == offsets["max_td_words"] == [0]
    codes = VICTOR.compute(text_nodes("<p>One.</p><p>two</p>"))
    assert codes["sentences@-1"].tolist() == [OUTSIDE, 1]
    assert codes["sentences@+1"].tolist() == [0, OUTSIDE]
