"""crf, web2text and ncleaner: what ships loads and decides, what does not fit is refused."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import exp
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.extractors import (
    UnknownExtractorError,
    build_from_model,
    find_model_folder,
    get_extractor,
)
from scrapy_boilerplate.page.labels import Label, Labeling
from scrapy_boilerplate.steps.model_store import StoredModel, load_shipped, save_model
from scrapy_boilerplate.systems.victor.crf import CODES, VICTOR
from tests.builders import document, sentences
from tests.systems.pages import text_nodes

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
    def refuse(kind: str, reason: str, *, arrays: Any = None, **facts: object) -> None:
        model = load_shipped(find_model_folder(kind))
        model = replace(model, facts=model.facts | facts, arrays={**model.arrays, **(arrays or {})})
        save_model(tmp_path / "model", model)
        with pytest.raises(UnknownExtractorError, match=reason):
            get_extractor(f"{tmp_path}/model")

    refuse("web2text", "stop words", stop_words=3)
    trigrams = load_shipped(find_model_folder("ncleaner")).arrays["dirty_trigrams"]
    refuse("ncleaner", "do not fit", arrays={"dirty_trigrams": trigrams + 10_000_000})
    refuse("ncleaner", "no alphabet", alphabet="aa")
    refuse("ncleaner", "too large", alphabet="".join(map(chr, range(65, 400))))


def test_a_chain_by_hand() -> None:
    columns = tuple(VICTOR.about)
    state = np.zeros((len(columns), CODES, 2), np.float32)
    state[columns.index("in_a"), 1] = [2, 0]
    state[columns.index("sentences"), 1] = [0, 3]
    model = StoredModel(
        kind="crf",
        columns=columns,
        facts={"classes": ["boilerplate", "full_text"]},
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
