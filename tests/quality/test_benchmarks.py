"""Parts of the benchmarks: rows without an extractor, generated pages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks import markdown, systems
from benchmarks.folds import LEFT_OUT, Part
from benchmarks.left_out import Variant, score_variants
from benchmarks.tables import find_unexplained
from scrapy_boilerplate.news.extractor import MODELS
from scrapy_boilerplate.steps.model_store import load_model, save_model
from scrapy_boilerplate.training.corpora import LabelledPage
from scrapy_boilerplate.training.evaluation import Score
from scrapy_boilerplate.training.metrics.table import METRICS
from tests.builders import document, sentences


def score_of(f1: float) -> Score:
    """A score of one page with that F1."""
    rows = np.array([[f1, f1, f1]])
    return Score("x", METRICS["tokens"], rows, [np.array([0])])


ROW = systems.PublishedRow(system="x", extractor="x", source="s", corpus="c", paper=(90.0, 95.0))


def test_a_figure_that_agrees_or_is_explained() -> None:
    for row, f1 in [(ROW, 0.912), (ROW, 0.886), (replace(ROW, why="because"), 0.5)]:
        assert find_unexplained(row, score_of(f1)) is None


def test_a_difference_without_a_word_is_refused() -> None:
    assert find_unexplained(ROW, score_of(0.884)) == "x on c differs by -1.6; say why"


def test_measured_figures_are_written_into_the_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "learned.csv").write_bytes((systems.DATA / "learned.csv").read_bytes())
    monkeypatch.setattr(systems, "DATA", tmp_path)
    before = systems.read_learned()
    systems.update_learned({"victor": ("86.5", "87.5")})
    after = systems.read_learned()
    assert after["victor"].cells[5] == "86.5"
    assert after["victor"].cells[-1] == "note 5; 87.5"
    del before["victor"], after["victor"]
    assert before == after


def test_a_page_keeps_its_words_when_its_blocks_are_replaced() -> None:
    page = "One <!-- n -->1<!-- /n --> two\n\n<!-- table -->\n\n| old |\n\n<!-- /table -->\nend"
    new = markdown.replace_blocks(page, {"n": "7", "table": "| new |"})
    assert new == page.replace("-->1<", "-->7<").replace("old", "new")
    assert markdown.read_blocks(new) == {"n": "7", "table": "| new |"}
    with pytest.raises(KeyError, match="no <!-- other -->"):
        markdown.replace_blocks(page, {"other": ""})


def test_a_template_needs_all_its_values_and_no_others() -> None:
    assert "`x` is a model" in markdown.fill_template("comparison_left_out", name="x")
    with pytest.raises(ValueError, match="comparison_left_out"):
        markdown.fill_template("comparison_left_out", nonsense="x")


def test_every_row_names_figures_that_its_metric_has(corpora: Path) -> None:
    names = {file.name.partition(".")[0] for file in corpora.iterdir()}
    for row in systems.read_published():
        assert row.corpus in names, row
        assert row.metric in METRICS
        assert not row.paper or len(row.paper) == len(row.figures), row


def test_variants_of_news_differ_by_their_steps_and_seeds_are_averaged(tmp_path: Path) -> None:
    part, model = Part(corpus="fundus"), load_model(MODELS / "news")
    save_model(tmp_path / part.folder, replace(model, facts={**model.facts, LEFT_OUT: part.fact}))
    text = sentences(90, "ferry")
    html = document(f"<h1>The ferry</h1><article><p>{text}</p><p>{text}</p></article>")
    page = LabelledPage(id="1", dataset="fundus", html=html, text=f"{text} {text}")
    whole = Variant(tmp_path)
    nothing = Variant(tmp_path, ("expected-f1", "otherwise-by-rules"))
    sides = {"whole": [whole], "nothing": [nothing], "both": [whole, nothing]}
    scores = score_variants(page, sides, "tokens").rows
    f1 = {name: scores[name, "tokens"][2] for name in sides}
    assert f1 == pytest.approx({"whole": 1, "nothing": 0, "both": 0.5})
