"""Character n-grams and NCleaner by hand."""

import numpy as np
import pytest

from scrapy_boilerplate import Label, Labeling
from scrapy_boilerplate.extractors import build_from_model
from scrapy_boilerplate.steps.model_store import StoredModel
from scrapy_boilerplate.systems.ncleaner import Alphabet, TrigramModel, count_trigrams, is_dirty
from tests.builders import page_of

ALPHABET = Alphabet(" ab")
OTHER, SPACE, A, B = range(4)


def all_logs(*texts: str, q: float) -> np.ndarray:
    """log2 of the probability of the third of any three characters, after the first two."""
    model = TrigramModel(count_trigrams(texts, ALPHABET), len(ALPHABET), q)
    return model(np.arange(len(ALPHABET) ** 3)).reshape((len(ALPHABET),) * 3)


def test_probabilities_by_hand() -> None:
    # counted: "  a" twice, " ab", "ab ", " a "; 5 characters in all, 4 in the alphabet
    logs = all_logs("ab", "a", q=0.5)
    weights = np.array([1, 0.5, 0.25])
    after_both = [1 / 2, 1 / 2, (1 + 1) / 9]  # b after "space a", after "a", after nothing
    assert 2 ** logs[SPACE, A, B] == pytest.approx(weights @ after_both / weights.sum())
    unseen_history = [(0 + 1) / 9]  # b after "b b": neither was seen before a character but space
    only_one = (0.5 * 0 + 0.25 * (1 + 1) / 9) / 0.75
    assert 2 ** logs[B, B, B] == pytest.approx(only_one)
    assert 2 ** logs[OTHER, OTHER, OTHER] == pytest.approx(unseen_history[0])


def test_separators_and_navigation_bars() -> None:
    for text, dirty in [
        ("", True),
        ("* * *", True),
        ("Home | News | Sport", True),
        ("Home » News » Sport » Rain in May", True),
        ("Home | News", False),
        ("One | or the other | is a mark that logicians use for not both of two things", False),
        ("2019", False),
    ]:
        assert is_dirty(text) is dirty


def model(clean: str, dirty: str) -> StoredModel:
    alphabet = Alphabet(" abcdefghijklmnopqrstuvwxyz")
    arrays: dict[str, np.ndarray] = {}
    for name, text in (("clean", clean), ("dirty", dirty)):
        counts = count_trigrams([text], alphabet)
        numbers = np.flatnonzero(counts)
        arrays |= {f"{name}_trigrams": numbers, f"{name}_counts": counts[numbers]}
    return StoredModel(
        kind="ncleaner", columns=(), facts={"alphabet": alphabet.characters}, arrays=arrays
    )


def test_text_goes_with_the_model_that_knows_it() -> None:
    page = page_of("<p>rain in the rain</p><p>log in here</p><p>rain | log in | rain</p>")
    blank = Labeling.blank(len(page))
    step = build_from_model(model("rain in the mountains", "log in or register here")).steps[0]
    labelled = step(page, blank)
    text, boilerplate = Label.FULL_TEXT, Label.BOILERPLATE
    assert labelled.labels.tolist() == [text, boilerplate, boilerplate]
    assert (labelled.scores.argmax(axis=1) == labelled.labels).all()
    np.testing.assert_allclose(labelled.scores.sum(axis=1), 1)
