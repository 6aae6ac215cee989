"""Parts of the benchmarks: published figures, tables of the documentation, variants of `news`."""

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import systems, tables
from benchmarks.folds import LEFT_OUT, Part
from benchmarks.left_out import Variant, score_variants
from benchmarks.markdown import read_blocks
from scrapy_boilerplate.news.extractor import MODELS
from scrapy_boilerplate.steps.model_store import load_model, save_model
from scrapy_boilerplate.training.corpora import LabelledPage
from scrapy_boilerplate.training.metrics import METRICS
from tests.builders import document, sentences


def test_every_row_names_figures_that_its_metric_has(corpora: Path) -> None:
    names = {file.name.partition(".")[0] for file in corpora.iterdir()}
    for row in systems.read_published():
        assert row.corpus in names, row
        assert row.metric in METRICS
        assert not row.paper or len(row.paper) == len(row.figures), row


def test_the_tables_without_measurements_are_up_to_date() -> None:
    blocks = read_blocks(tables.TARGET.read_text(encoding="utf-8"))
    assert blocks["learned"] == tables.format_learned(), "docs/systems.md is stale: make tables"
    assert blocks["index"] == tables.format_index(), "docs/systems.md is stale: make tables"


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
