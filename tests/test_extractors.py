"""Every extractor by name, on pages as small as they come."""

import pickle
import subprocess
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from scrapy_boilerplate import EXTRACTORS, Label, UnknownExtractorError, extract
from scrapy_boilerplate.extractors import (
    MODULES,
    find_model_folder,
    get_extractor,
)
from tests.builders import document, filler, page_of, paragraphs, step_of, trace_steps

PROMISED = (
    "news container keep-everything min-10-words density-1r num-words density largest-content "
    "main-content boilerpipe-article boilerpipe-default grandparent"
).split()

SMALL_PAGES = {
    "0 blocks": "",
    "1 block": "<p>one</p>",
    "1 block without words": "<p>|</p>",
    "1 block of links": paragraphs((30, 30)),
    "1 block in comments": f"<div class=comments>{paragraphs(30)}</div>",
    "2 long blocks": paragraphs(100, 100),
    "2 lines": "one<br>two",
    "2 blocks, one the headline": document("<h1>Rain</h1><p>two</p>", title="Rain"),
}


def test_extractors_keep_their_documented_names() -> None:
    assert set(PROMISED) <= set(EXTRACTORS)
    assert all(name == extractor.name for name, extractor in EXTRACTORS.items())


def test_default_is_in_the_catalog_and_used() -> None:
    assert extract("<p>one").extractor == EXTRACTORS["news"].name == "news"


@pytest.mark.parametrize("name", EXTRACTORS)
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


@pytest.mark.parametrize("name", [*EXTRACTORS, str(find_model_folder("news"))])
def test_a_used_extractor_can_be_pickled(name: str) -> None:
    extractor = get_extractor(name)
    body = f"<h1>Rain</h1>{paragraphs(60, 5, (9, 9), 70)}<div class=comments>{paragraphs(30)}</div>"
    page = extractor.segmenter(page_of(document(body, title="Rain")))
    labels = extractor.label(page).labels.tolist()
    copied = pickle.loads(pickle.dumps(extractor))  # noqa: S301 - our own bytes
    assert copied.label(page).labels.tolist() == labels
    # the heading marks comments on an old page
    body = f"<h1>Rain</h1>{paragraphs(60, 5, (9, 9), 70)}<h3>Comments</h3>{paragraphs(30)}"
    old = extractor.segmenter(page_of(f"<title>Rain</title>{body}<h3>Related</h3>{paragraphs(20)}"))
    everything = get_extractor("keep-everything").label(old)
    for step, other in zip(extractor.steps, copied.steps, strict=True):
        labels = step(old, everything).labels.tolist()
        assert other(old, everything).labels.tolist() == labels, step.name


def test_unknown_name_is_answered_with_the_nearest() -> None:
    for name, hint in [
        ("", "write one of: news, container, "),
        ("nonsense", "write one of: news, container, "),
        ("Container", "did you mean 'container'?"),
        ("num_words", "did you mean 'num-words'?"),
        ("nwes", "did you mean 'news'?"),
    ]:
        with pytest.raises(UnknownExtractorError) as raised:
            extract("<p>one", extractor=name)
        message = str(raised.value)
        assert message.startswith(f"no extractor is called {name!r}; {hint}")
        assert "scrapy-boilerplate extractors" in message
        assert len(message) < 200
    for unknown in (None, 3, ["news"]):
        with pytest.raises(UnknownExtractorError):
            get_extractor(unknown)  # type: ignore[arg-type]


def test_the_folder_of_a_model_is_answered_with_a_slash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my-news").symlink_to(find_model_folder("news"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnknownExtractorError, match=r"write '\./my-news'"):
        get_extractor("my-news")
    assert get_extractor("./my-news").name == "./my-news"


def test_what_cannot_be_favored_is_told_with_the_three_words() -> None:
    with pytest.raises(UnknownExtractorError, match="'balanced', 'precision' or 'recall'"):
        extract("<p>one", favor="x")
    with pytest.raises(UnknownExtractorError, match="'container' cannot favor recall"):
        extract("<p>one", extractor="container", favor="recall")


def test_the_tree_filter_goes_over_any_extractor() -> None:
    for name, base, depth in [
        ("grandparent-1", "num-words", 1),
        ("grandparent-5", "num-words", 5),
        ("density+grandparent", "density", 2),
        ("boilerpipe-article+grandparent-5", "boilerpipe-article", 5),
    ]:
        extractor = get_extractor(name)
        assert extractor.name == name
        tree_filter = replace(step_of("grandparent", "grandparent-filter"), depth=depth)
        assert extractor.steps == (*EXTRACTORS[base].steps, tree_filter)
        assert extract("<p>one", extractor=name).extractor == name
    for name in (
        "grandparent-0",
        "grandparent-6",
        "grandparent-",
        "no+grandparent",
        "+grandparent",
    ):
        with pytest.raises(UnknownExtractorError, match="grandparent-DEPTH \\(1 to 5\\)"):
            get_extractor(name)


def test_baselines_keep_the_blocks_of_their_rule() -> None:
    for name, kept in [
        ("keep-everything", [9, 10, 11, 200]),
        ("min-10-words", [10, 11, 200]),
        ("density-1r", [11, 200]),  # density 10.5 and more
        ("largest-content", [9, 10, 11, 200]),  # one run
    ]:
        text = extract(paragraphs(9, 10, 11, 200), extractor=name).text
        assert text == "\n\n".join(map(filler, kept))


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
