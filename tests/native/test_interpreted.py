"""The modules that Cython compiles give what the same modules give where Python runs them."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_boilerplate import Label, native
from scrapy_boilerplate.native import features, steps, text
from scrapy_boilerplate.news.features import COLUMNS
from scrapy_boilerplate.steps.class_names import STATE_WORDS, drop_states
from scrapy_boilerplate.steps.named_containers import NEWS_KINDS, LabelsByContainer
from tests.builders import page_of
from tests.news.test_features import WEIGHTS
from tests.test_extraction_properties import SOUP

COMPILED = SimpleNamespace(text=text, features=features, steps=steps)
if {"text", "features", "steps"} & native.obstacles.keys():
    pytest.skip("not compiled", allow_module_level=True)


def load_in_python() -> SimpleNamespace:
    """The four modules from their sources; `features` imports from `text`."""
    loaded: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as patch:
        for name in ("text", "features", "steps"):
            path = Path(native.__path__[0]) / f"{name}.py"
            spec = spec_from_file_location(f"{native.__name__}.{name}", path)
            assert spec is not None
            assert spec.loader is not None
            loaded[name] = module_from_spec(spec)
            patch.setitem(sys.modules, spec.name, loaded[name])
            spec.loader.exec_module(loaded[name])
            assert not loaded[name].COMPILED
    return SimpleNamespace(**loaded)


INTERPRETED = load_in_python()
BOTH = (COMPILED, INTERPRETED)
WORDS = [kind.words.words for kind in NEWS_KINDS]
SEARCHES = [kind.words.regex.search for kind in NEWS_KINDS]


def read_page(modules: Any, html: str, codes: list[int]) -> list[Any]:
    """What the modules find on a page whose blocks have labels of these codes."""
    page = page_of(html)
    elements, leaves, n = page.elements, page.leaves, len(page)
    labels = np.resize(np.array(codes, np.int64), n)
    by_name = LabelsByContainer()
    of_page = (
        *(elements.parent_column, elements.end_column, page.blocks.elements),
        *(page.inner_elements, page.words, page.link_words, labels),
    )
    rows = [(k.max_share, k.min_words, k.max_link_density, int(k.label)) for k in by_name.kinds]
    found = labels.copy()
    matches = modules.steps.BlockMatch(rows).label_blocks(
        of_page, by_name.find_containers(page), by_name.finder.find_headings(page), found, False
    )
    search = modules.steps.WordSearch([*WORDS, STATE_WORDS])
    marked = by_name.finder.find_containers(page)
    mask = (labels == Label.FULL_TEXT).view(np.uint8)
    return [
        [
            list(map(modules.text.collapse, leaves.texts)),
            list(map(modules.text.scan_words, leaves.texts)),
        ],
        [matches, found.tolist()],
        search.match_names(elements.names.strings, SEARCHES, drop_states),
        modules.steps.find_bits_around(marked, elements.end_column, page.inner_elements, mask),
        modules.text.read_blocks(
            leaves.texts,
            leaves.breaks,
            leaves.in_link,
            page.blocks.first_leaf.tobytes(),
            page.blocks.end_leaf.tobytes(),
        ),
    ]


def compute_rows(modules: Any, html: str) -> tuple[np.ndarray, list[int]]:
    """The features of a page, and the groups of its blocks."""
    page = page_of(html)
    if not len(page):
        return np.zeros(0), []
    names = {
        word: (WEIGHTS.names.get(word, 0.0), WEIGHTS.comments.get(word, 0.0))
        for word in (*WEIGHTS.names, *WEIGHTS.comments)
    }
    scores = modules.features.WordScores(WEIGHTS.first, names)
    computed = modules.features.compute_matrix(page, len(page) // 2, scores, len(COLUMNS))
    return np.frombuffer(computed.matrix, np.float32), computed.groups.tolist()


@given(SOUP, st.lists(st.sampled_from(list(Label)), min_size=1, max_size=5))
def test_pages(html: str, codes: list[int]) -> None:
    compiled, interpreted = (read_page(modules, html, codes) for modules in BOTH)
    assert compiled == interpreted
    (rows, groups), (expected, expected_groups) = (compute_rows(modules, html) for modules in BOTH)
    np.testing.assert_allclose(rows, expected, rtol=1e-5, atol=1e-6)
    assert groups == expected_groups
