"""Training of `article`: its pages, its probabilities, and the command."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scrapy_boilerplate.article.article_probability import COLUMNS, read_article_model
from scrapy_boilerplate.cli import main
from scrapy_boilerplate.steps.model_store import load_model
from scrapy_boilerplate.training.corpora import site_fold
from scrapy_boilerplate.training.metrics import compute_roc_auc
from scrapy_boilerplate.training.trainers.article import (
    TypedPages,
    fit_article_model,
    score_out_of_fold,
    summarize_folds,
)
from tests.builders import document, sentences
from tests.training.builders import write_corpus


def test_roc_auc_of_small_examples() -> None:
    for scores, positive, auc in [
        ([0.1, 0.9], [0, 1], 1.0),
        ([0.9, 0.1], [0, 1], 0.0),
        ([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1], 0.75),
        ([0.1, 0.5, 0.5, 0.8], [0, 0, 1, 1], 0.875),
        ([2.0, 1.0, 3.0], [1, 0, 0], 0.5),
        ([1.0, 1.0], [1, 1], np.nan),  # one class
        ([1.0, 1.0], [0, 0], np.nan),
    ]:
        assert compute_roc_auc(
            np.array(scores), np.array(positive, dtype=np.bool_)
        ) == pytest.approx(auc, nan_ok=True)


def typed(n: int, sites: int) -> TypedPages:
    """Pages of which every second is an article; the first column says so, the second nothing."""
    articles = np.arange(n) % 2 == 0
    rows = np.ones((n, len(COLUMNS)))
    rows[:, :2] = np.stack([articles + 0.0, np.arange(n) % 3 / 1.0], axis=1)
    types = ["article" if is_article else "forum" for is_article in articles.tolist()]
    return TypedPages(rows, types, [f"s{number % sites}.example" for number in range(n)])


def test_no_page_is_scored_by_a_model_that_saw_its_site() -> None:
    pages = typed(60, 30)
    seen: list[set[str]] = []

    def fit(training: TypedPages) -> Any:
        seen.append(set(training.sites))
        model = fit_article_model(training)
        return lambda row: len(seen) + model(row)

    folds = np.array([site_fold(site, 5) for site in pages.sites])
    models = np.floor(score_out_of_fold(pages, fit)).astype(int) - 1
    assert sorted(set(folds.tolist())) == list(range(5))
    for site, model in zip(pages.sites, models.tolist(), strict=True):
        assert site not in seen[model]


def test_scores_by_folds() -> None:
    pages = typed(60, 60)
    scores = summarize_folds(pages, score_out_of_fold(pages, fit_article_model))
    assert (scores["auc"], scores["low"], scores["high"]) == (1.0, 1.0, 1.0)
    assert (scores["pages"], scores["sites"]) == (60, 60)
    assert scores["types"] == {"article": [30, 1.0], "forum": [30, 0.0]}
    one_site = typed(8, 1)
    assert summarize_folds(one_site, score_out_of_fold(one_site, fit_article_model)) == {}


STORY = document(f"<h1>Rain</h1><p>{sentences(60, 'rain')}</p><p>{sentences(60, 'sea')}</p>")
SHOP = document("<ul>" + "<li class=price><a href=/x>A hat</a> $5</li>" * 20 + "</ul>")


def test_train_writes_a_model_and_a_card(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = [
        {"id": f"{kind}{i}", "url": f"http://{kind}{i}.com/", "html": html, "page_type": kind}
        for i in range(8)
        for kind, html in (("article", STORY), ("product", SHOP), (None, "<p>x"))
    ]
    corpus, out = write_corpus(tmp_path / "typed.jsonl", *records), tmp_path / "mine"
    arguments = ["--corpus", str(corpus), "--out", str(out), "--held-out", "0"]
    assert main(["train", "article", *arguments]) == 0
    output = capsys.readouterr().out
    assert "ROC AUC by folds of the training sites: 1.0000 (1.0000 to 1.0000)" in output
    assert "not an extractor" in output
    model = load_model(out)
    assert model.facts["scores"]["pages"] == 16
    assert len(read_article_model(model).weights) == len(model.columns)
    assert "| product | 8 | 0.000 |" in (out / "CARD.md").read_text()


def test_train_needs_pages_of_both_kinds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = [{"id": str(i), "html": STORY, "page_type": "article"} for i in range(3)]
    corpus = write_corpus(tmp_path / "one.jsonl", *records)
    arguments = ["--corpus", str(corpus), "--out", str(tmp_path / "x"), "--held-out", "0"]
    assert main(["train", "article", *arguments]) == 1
    assert "pages of the page_type 'article' and of another type" in capsys.readouterr().err
