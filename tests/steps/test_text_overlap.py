"""Runs of words: which texts have them, and where."""

from scrapy_boilerplate.steps.text_overlap import RunIndex, list_runs

SAME = [
    ("The ferry ran, twice a day.", "the FERRY ran - twice a day"),
    ("It didn't run on Monday", "It didn\u2019t run on Monday"),
    ("Die Fähre fuhr „zweimal“ am Tag", "die fähre fuhr zweimal am tag"),
    ("渡船每天开两次，从早上到晚上。", "渡船每天开两次 从早上到晚上"),
    ("Day one", "DAY ONE!"),
    ("* * *", "***"),
]


def test_texts_with_the_same_runs() -> None:
    for text, other in SAME:
        assert list_runs(text) == list_runs(other)


def test_the_share_of_the_runs_of_a_text() -> None:
    for n_new, has_text in [(2, True), (3, False)]:
        words = [f"word{number}" for number in range(13)]  # 10 runs
        copied = " ".join([*words[: 13 - n_new], *"xyz"[:n_new]])
        assert RunIndex([" ".join(words)]).has(list_runs(copied), 0.8) is has_text


def test_the_texts_of_runs() -> None:
    index = RunIndex(["one two three four five", "six seven eight nine", "ten one two three four"])
    assert index.locate(list_runs("two three four five and six seven eight nine")) == [0, 1]
    assert index.locate(list_runs("one two three four")) == [], "two texts have it"


def test_a_full_index_takes_no_more_texts() -> None:
    index = RunIndex([" ".join(map(str, range(100_003))), "six seven eight nine"])
    assert index.is_full
    assert not index.has(list_runs("six seven eight nine"), 0.5)
