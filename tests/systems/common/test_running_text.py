"""Stop words by language, and what counts as a clause in several scripts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from scrapy_boilerplate.systems.common import running_text as module
from scrapy_boilerplate.systems.common.running_text import (
    JUSTEXT_NAMES,
    get_stop_words,
    has_clause,
)

justext = pytest.importorskip("justext", reason="the stop words come from the package jusText")


@pytest.fixture
def no_cache() -> Iterator[None]:
    """What a test makes of the lists is forgotten before and after it."""
    module._load_list.cache_clear()
    yield
    module._load_list.cache_clear()


def test_a_list_holds_the_words_of_its_language() -> None:
    for language, word, foreign in [
        ("en", "the", "nicht"),
        ("de", "und", "which"),
        ("nb", "ikke", "nicht"),
        ("no", "ikke", "nicht"),
        ("iw", "של", "which"),
    ]:
        listed = get_stop_words(language)
        assert listed is not None
        assert word in listed
        assert foreign not in listed


def test_every_name_is_a_list_of_justext() -> None:
    assert set(JUSTEXT_NAMES.values()) <= justext.get_stoplists()


def test_without_justext_there_is_no_list(no_cache: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda _: None)
    assert get_stop_words("en") is None


def test_clause() -> None:
    for text, expected in [
        ("one two three four five.", True),
        ("one two three four.", False),
        ("one two three four five", False),
        ("one, two three four five six! Seven", True),
        ("one two, three four, five six.", False),
        ("one two three four five.) six", False),  # a bracket after the mark
        ('"one two three four five."', False),
        ("one two three four five ...", False),  # no letter before the mark
        ("version 1.2 of four five six", False),
        ("एक दो तीन चार पाँच।", True),
        ("واحد اثنان ثلاثة أربعة خمسة؟", True),
        ("这是一个关于城市的故事。", True),
        ("这是。一个。关于。", False),
        ("คนในเมืองนี้บอกว่าเขาทำงานที่นี่ทุกวัน แล้ว", True),
        ("ข่าว กีฬา บันเทิง ธุรกิจ เทคโนโลยี", False),
        ("", False),
        ("." * 50_000, False),
    ]:
        assert has_clause(text) is expected
