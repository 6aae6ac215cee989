"""The one loader of stop words."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from scrapy_boilerplate.systems.common import stop_words as module
from scrapy_boilerplate.systems.common.stop_words import JUSTEXT_NAMES, get_stop_words

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


def test_no_list() -> None:
    """Codes as in `Page.language`: lower case, without a region."""
    for language in [None, "zh", "xx", "en-GB"]:
        assert get_stop_words(language) is None


def test_every_name_is_a_list_of_justext() -> None:
    assert set(JUSTEXT_NAMES.values()) <= justext.get_stoplists()


def test_without_justext_there_is_no_list(no_cache: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda _: None)
    assert get_stop_words("en") is None
