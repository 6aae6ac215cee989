"""Stored models become extractors, or are refused before the first page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.extractors import (
    UnknownExtractorError,
    build_from_model,
    get_extractor,
    load_extractor,
)
from scrapy_boilerplate.page.labels import Label
from scrapy_boilerplate.steps.model_store import ModelError, StoredModel, save_model
from scrapy_boilerplate.systems.shallow.features import LOCAL
from scrapy_boilerplate.systems.texrex.features import TEXREX
from tests.builders import page_of, paragraphs

SHALLOW, NET = tuple(LOCAL.about), tuple(TEXREX.about)
TWO = {"classes": ["boilerplate", "full_text"]}
WORDS = SHALLOW.index("words")

TREE = StoredModel(
    kind="c48",
    columns=SHALLOW,
    facts=TWO,
    arrays={
        "features": np.array([WORDS, 0, 0], np.int16),
        "thresholds": np.array([5.0, 0, 0]),
        "left": np.array([1, 1, 2], np.int16),
        "right": np.array([2, 1, 2], np.int16),
        "shares": np.array([[0.5, 0.5], [0.9, 0.1], [0.2, 0.8]], np.float32),
    },
)


def net(language: str, bias: float) -> dict[str, Any]:
    """A net that says the same of every block: boilerplate if `bias` is positive."""
    output = np.array([0, 0, bias], np.float32)
    return {
        f"means.{language}": np.zeros(37, np.float32),
        f"scales.{language}": np.ones(37, np.float32),
        f"hidden.{language}": np.zeros((38, 2), np.float32),
        f"output.{language}": output,
    }


NETS = StoredModel(
    kind="mlp",
    columns=NET,
    facts={"languages": ["pooled", "de"]},
    arrays={**net("pooled", 3), **net("de", -3)},
)


def test_six_words_are_text_five_are_not() -> None:
    labeling = build_from_model(TREE).decide_content(page_of(paragraphs(4, 6)))
    assert labeling.content.tolist() == [False, True]
    assert labeling.scores[:, Label.FULL_TEXT] == pytest.approx([0.1, 0.8])
    assert set(labeling.decided_by) == {"c48"}


def test_the_net_of_the_declared_or_detected_language_decides(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("scrapy_boilerplate.systems.texrex.mlp.detect_language", lambda _text: "de")
    extractor = build_from_model(NETS)
    for start, text in [("<html lang=de>", "one"), ("<html lang=fr>", ""), ("", "one")]:
        assert extract(f"{start}<p>one", extractor=extractor).text == text


def test_arrays_that_are_no_tree() -> None:
    for left, right, features in [
        ([0, 1, 2], [2, 1, 2], [0, 0, 0]),  # a root that leads to itself
        ([1, 0, 2], [2, 2, 2], [0, 0, 0]),  # backwards
        ([1, 1, 2], [9, 1, 2], [0, 0, 0]),  # out of the tree
        ([-1, 1, 2], [2, 1, 2], [0, 0, 0]),  # negative
        ([1, 1, 2], [2, 1, 2], [64, 0, 0]),  # no such column
    ]:
        names = {"left": left, "right": right, "features": features}
        arrays = {name: np.array(values, np.int16) for name, values in names.items()}
        with pytest.raises(ModelError, match="are not a tree"):
            build_from_model(replace(TREE, arrays={**TREE.arrays, **arrays}))


def test_a_net_that_would_take_all_memory_is_refused() -> None:
    wide: dict[str, Any] = {
        "hidden.pooled": np.zeros((38, 2000), np.int8),
        "output.pooled": np.zeros(2001),
    }
    with pytest.raises(ModelError, match="has 2,000 numbers a row, 1,024 at most: train it again"):
        build_from_model(replace(NETS, arrays={**NETS.arrays, **wide}))


def test_classes_that_are_no_labels() -> None:
    for classes in (["boilerplate", [1]], ["boilerplate"] * 2, ["boilerplate"], ["poetry"], "x"):
        with pytest.raises(ModelError, match="does not map its classes to labels: train it again"):
            build_from_model(replace(TREE, facts={"classes": classes}))


def test_what_is_no_model_is_an_error(tmp_path: Path) -> None:
    save_model(tmp_path, replace(TREE, kind="oracle"))
    with pytest.raises(UnknownExtractorError, match="'oracle'"):
        get_extractor(str(tmp_path))
    paths = {"./a\0b": "null", "./" + "a" * 5000: "too long", "./\ud800": "surrogates"}
    for path, reason in paths.items():
        with pytest.raises(UnknownExtractorError, match=f"cannot be read .*{reason}"):
            get_extractor(path)
    with pytest.raises(ModelError, match=r"cannot be read .*No such file"):
        load_extractor("./nowhere")
