"""Stored models become extractors, or are refused before the first page."""

from dataclasses import replace
from itertools import product
from math import exp
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scrapy_boilerplate import Label, Labeling, UnknownExtractorError, extract
from scrapy_boilerplate.extractors import (
    build_from_model,
    find_model_folder,
    get_extractor,
    load_extractor,
)
from scrapy_boilerplate.steps.model_store import ModelError, StoredModel, load_shipped, save_model
from scrapy_boilerplate.systems.shallow.classifiers import LOCAL
from scrapy_boilerplate.systems.texrex import TEXREX
from scrapy_boilerplate.systems.victor import CODES, VICTOR
from tests.builders import document, page_of, paragraphs, sentences
from tests.systems.pages import text_nodes

SHALLOW, NET = LOCAL.names, TEXREX.names
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


def test_the_net_of_the_declared_or_detected_language_decides() -> None:
    extractor = build_from_model(NETS)
    german = "Die Fähre nach der Insel fährt heute nicht, weil der Sturm zu stark ist."
    for start, text in [("<html lang=de>", german), ("<html lang=fr>", ""), ("", german)]:
        assert extract(f"{start}<p>{german}", extractor=extractor).text == text


def test_models_that_do_not_fit() -> None:
    for left, right, column in [
        ([0, 1, 2], [2, 1, 2], 0),  # a root that leads to itself
        ([1, 0, 2], [2, 2, 2], 0),  # backwards
        ([1, 1, 2], [9, 1, 2], 0),  # out of the tree
        ([-1, 1, 2], [2, 1, 2], 0),  # negative
        ([1, 1, 2], [2, 1, 2], 64),  # no such column
    ]:
        names = {"left": left, "right": right, "features": [column, 0, 0]}
        arrays = {name: np.array(values, np.int16) for name, values in names.items()}
        with pytest.raises(ModelError, match="are not a tree"):
            build_from_model(replace(TREE, arrays={**TREE.arrays, **arrays}))
    wide: dict[str, Any] = {"hidden.pooled": np.zeros((38, 2000)), "output.pooled": np.zeros(2001)}
    with pytest.raises(ModelError, match="has 2,000 numbers a row, 1,024 at most: train it again"):
        build_from_model(replace(NETS, arrays={**NETS.arrays, **wide}))
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


MENU = "".join(f"<li><a href=/{name}>{name}</a></li>" for name in "Home News Sport Jobs".split())
PAGE = document(
    f"<ul>{MENU}</ul><div><h1>Rain</h1><p>{sentences(60, 'rain')}</p>"
    f"<p>{sentences(40, 'wind')}</p></div><div><a href=/>Log in</a> <a href=/>Terms</a></div>"
)


@pytest.mark.parametrize("kind", ["crf", "web2text", "ncleaner"])
def test_what_ships_tells_text_from_menus(kind: str) -> None:
    text = extract(PAGE, extractor=kind).text
    assert sentences(60, "rain") in text
    assert "Sport" not in text
    assert "Log in" not in text


def test_what_does_not_fit_is_refused_at_once(tmp_path: Path) -> None:
    trigrams = load_shipped(find_model_folder("ncleaner")).arrays["dirty_trigrams"]
    changes: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
        ("web2text", "stop words", {"stop_words": 3}, {}),
        ("ncleaner", "do not fit", {}, {"dirty_trigrams": trigrams + 10_000_000}),
        ("ncleaner", "no alphabet", {"alphabet": "aa"}, {}),
        ("ncleaner", "too large", {"alphabet": "".join(map(chr, range(65, 400)))}, {}),
    ]
    for kind, reason, facts, arrays in changes:
        model = load_shipped(find_model_folder(kind))
        all_facts, all_arrays = {**model.facts, **facts}, {**model.arrays, **arrays}
        save_model(tmp_path / "model", replace(model, facts=all_facts, arrays=all_arrays))
        with pytest.raises(UnknownExtractorError, match=reason):
            get_extractor(f"{tmp_path}/model")


def test_a_chain_by_hand() -> None:
    columns = VICTOR.names
    state = np.zeros((len(columns), CODES, 2), np.float32)
    state[columns.index("in_a"), 1] = [2, 0]
    state[columns.index("sentences"), 1] = [0, 3]
    model = StoredModel(
        kind="crf",
        columns=columns,
        facts=TWO,
        arrays={"state": state, "transition": np.array([[1.0, 0.0], [0.0, 1.0]], np.float32)},
    )
    page = text_nodes("<p>One.</p><p><a href=x>link</a></p><p>Two.</p>")
    labeling = build_from_model(model).steps[0](page, Labeling.blank(3))
    assert labeling.labels[[0, 2]].tolist() == [Label.FULL_TEXT] * 2
    # weights of the eight chains: blocks 0 3 | 2 0 | 0 3, two equal neighbours 1
    chains = {
        (a, b, c): 3 * a + 2 * (1 - b) + 3 * c + (a == b) + (b == c)
        for a, b, c in product((0, 1), repeat=3)
    }
    total = sum(map(exp, chains.values()))
    for block in range(3):
        share = sum(exp(score) for chain, score in chains.items() if chain[block]) / total
        assert labeling.scores[block, Label.FULL_TEXT] == pytest.approx(share)
