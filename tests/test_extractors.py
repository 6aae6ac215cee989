"""Every extractor by name, on pages as small as they come."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import numpy as np
import pytest

import scrapy_boilerplate
from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.extractors import (
    DEFAULT,
    EXTRACTORS,
    MODULES,
    UnknownExtractorError,
    UnknownFavorError,
    get_extractor,
)
from scrapy_boilerplate.page.labels import Label
from scrapy_boilerplate.systems.grandparent import GrandparentFilter
from tests.builders import document, filler, page_of, paragraphs, trace_steps

PROMISED = (
    "container keep-everything min-10-words density-1r num-words density largest-content "
    "main-content boilerpipe-article boilerpipe-default grandparent"
).split()

SMALL_PAGES = {
    "0 blocks": "",
    "0 blocks but a title": "<title>Rain in May</title>",
    "1 block": "<p>one</p>",
    "1 block without words": "<p>|</p>",
    "1 long block": paragraphs(200),
    "1 block of links": paragraphs((30, 30)),
    "1 block in comments": f"<div class=comments>{paragraphs(30)}</div>",
    "2 blocks": paragraphs(3, 3),
    "2 long blocks": paragraphs(100, 100),
    "2 lines": "one<br>two",
    "2 blocks, one the headline": document("<h1>Rain</h1><p>two</p>", title="Rain"),
}
EVERY = pytest.mark.parametrize("name", EXTRACTORS)


@pytest.mark.parametrize("name", PROMISED)
def test_extractors_keep_their_documented_names(name: str) -> None:
    assert get_extractor(name).name == name


@EVERY
def test_each_extractor_says_what_it_is(name: str) -> None:
    extractor = EXTRACTORS[name]
    assert extractor.name == name
    assert extractor.source
    assert extractor.summary
    assert "\n" not in extractor.summary
    assert name == name.lower().replace("_", "-")


def test_default_is_in_the_catalog_and_used() -> None:
    assert extract("<p>one").extractor == EXTRACTORS[DEFAULT].name == DEFAULT


@EVERY
def test_every_extractor_labels_small_pages_and_names_its_steps(name: str) -> None:
    extractor = EXTRACTORS[name]
    names = [step.name for step in (*extractor.steps, *extractor.finish)]
    for kind, html in SMALL_PAGES.items():
        page = extractor.segmenter(page_of(html))
        labeling = extractor.label(page)
        extracted = extract(html, extractor=name)
        assert len(labeling) == len(page) == len(extracted.blocks) == len(labeling.scores), kind
        assert np.isin(labeling.labels, list(Label)).all(), kind
        assert all(labeling.decided_by), kind
        assert np.allclose(labeling.scores.sum(axis=1), 1), kind
        assert 0 <= extracted.confidence <= 1, kind
        assert not extracted.text or extracted.confidence or not page.words.sum(), kind
        trace = trace_steps(extractor, page)
        assert [step for step, _ in trace] == names
        assert trace[-1][1].labels.tolist() == labeling.labels.tolist()
        decided = trace[len(extractor.steps) - 1][1]
        assert decided.labels.tolist() == extractor.decide_content(page).labels.tolist()
    page = page_of(document(f"<h1>Rain</h1>{paragraphs(60, 5, (9, 9), 70)}", title="Rain"))
    assert set(extractor.label(page).decided_by) <= {*names, "block-fusion"}


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("", "write one of: news, container, "),
        ("nonsense", "write one of: news, container, "),
        ("Container", "did you mean 'container'?"),
        ("num_words", "did you mean 'num-words'?"),
        ("nwes", "did you mean 'news'?"),
    ],
)
def test_unknown_name_is_answered_with_the_nearest(name: str, hint: str) -> None:
    with pytest.raises(UnknownExtractorError) as raised:
        extract("<p>one", extractor=name)
    message = str(raised.value)
    assert message.startswith(f"no extractor is called {name!r}; {hint}")
    assert "scrapy-boilerplate extractors" in message
    assert len(message) < 200
    assert isinstance(raised.value, ValueError)


def test_what_cannot_be_favored_is_told_with_the_three_words() -> None:
    with pytest.raises(UnknownFavorError, match="'balanced', 'precision' or 'recall'"):
        extract("<p>one", favor="x")
    with pytest.raises(UnknownFavorError, match="'container' cannot favor recall"):
        extract("<p>one", extractor="container", favor="recall")


@pytest.mark.parametrize("name", [None, 3, []])
def test_a_name_that_is_no_text_is_unknown(name: object) -> None:
    with pytest.raises(UnknownExtractorError):
        get_extractor(name)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "base", "depth"),
    [
        *((f"grandparent-{depth}", "num-words", depth) for depth in range(1, 6)),
        ("density+grandparent", "density", 2),
        ("boilerpipe-article+grandparent-5", "boilerpipe-article", 5),
        ("keep-everything+grandparent-1", "keep-everything", 1),
    ],
)
def test_the_tree_filter_goes_over_any_extractor(name: str, base: str, depth: int) -> None:
    extractor = get_extractor(name)
    assert extractor.name == name
    assert extractor.steps == (*EXTRACTORS[base].steps, GrandparentFilter(depth=depth))
    assert extract("<p>one", extractor=name).extractor == name


@pytest.mark.parametrize(
    "name",
    ["grandparent-0", "grandparent-6", "grandparent-", "nonsense+grandparent", "+grandparent"],
)
def test_a_tree_filter_of_another_depth_or_base_is_unknown(name: str) -> None:
    with pytest.raises(UnknownExtractorError, match="grandparent-DEPTH \\(1 to 5\\)"):
        get_extractor(name)


def test_catalog_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        EXTRACTORS["x"] = EXTRACTORS[DEFAULT]  # type: ignore[index]


def test_extract_takes_an_extractor_or_its_name() -> None:
    assert extract("<p>one", extractor=EXTRACTORS["keep-everything"]).text == "one"
    assert scrapy_boilerplate.extract("<p>one", extractor="keep-everything").text == "one"


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        pytest.param("keep-everything", "9 10 11 200", id="all"),
        pytest.param("min-10-words", "10 11 200", id="ten words and more"),
        pytest.param("density-1r", "11 200", id="density 10.5 and more"),
        pytest.param("largest-content", "9 10 11 200", id="one run"),
    ],
)
def test_baselines_keep_the_blocks_of_their_rule(name: str, kept: str) -> None:
    text = extract(paragraphs(9, 10, 11, 200), extractor=name).text
    assert text == "\n\n".join(filler(int(words)) for words in kept.split())


def test_an_extractor_is_made_once_so_that_its_model_is_read_once() -> None:
    assert get_extractor("news") is get_extractor("news")
    assert get_extractor("news", "recall") != get_extractor("news")


def test_the_table_of_modules_names_every_row_of_its_modules() -> None:
    for module in dict.fromkeys(MODULES.values()):
        rows = [row.name for row in import_module(f"scrapy_boilerplate.{module}").ROWS]
        listed = [name for name, home in MODULES.items() if home == module]
        assert rows == listed, module


def test_no_system_is_loaded_before_it_is_asked_for() -> None:
    code = (
        "import sys, scrapy_boilerplate as s; s.extract('<p>x', extractor='news');"
        "print([m for m in sys.modules if '.systems.' in m])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"
