"""Metrics: hand-computed examples from each definition, and what must not count."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import precision_recall_fscore_support, roc_auc_score

from scrapy_boilerplate import Label
from scrapy_boilerplate.cli import main
from scrapy_boilerplate.training import metrics as blocks
from scrapy_boilerplate.training.metrics import draw_sites, percentile_interval, resample
from tests.training.builders import write_corpus

B, H, F, S, R, C = Label
ONE_HOT = np.eye(len(Label))


def evaluate(folder: Path, capsys: Any, metric: str, *pages: dict[str, Any]) -> dict[str, float]:
    corpus = write_corpus(folder / "mine.jsonl", *pages)
    command = ["evaluate", str(corpus), "--extractor", "keep-everything", "--text", "own"]
    assert main([*command, "--metric", metric, "--format", "json"]) == 0
    return {row["figure"]: row["value"] for row in json.loads(capsys.readouterr().out)}


TOKENS = {
    # text, gold text, F1
    "case and marks": ("The cat, the CAT!", "the cat the cat", 1),
    "apostrophes and stops": ("don't 3.5", "don t 3 5", 1),
    "Greek": ("Ελλάδα snake_case", "ελλάδα SNAKE_CASE", 1),
    "each character of Chinese": ("今日はOK。", "今 日 は ok", 1),
    "each character of Thai": ("ไทย a", "ไ ท ย a", 1),
    "bags": ("a a b", "a b b", 2 / 3),
    "more": ("a b c d", "a b", 2 / 3),
    "precision of a third": ("a b c", "a", 0.5),
    "nothing": ("", "a", 0),
    "half of the characters": ("汉字", "汉", 2 / 3),
}


@pytest.mark.parametrize(("text", "gold", "f1"), TOKENS.values(), ids=TOKENS)
def test_token_f1(text: str, gold: str, f1: float, tmp_path: Path, capsys: Any) -> None:
    page = {"html": f"<p>{text}", "text": gold}
    assert evaluate(tmp_path, capsys, "tokens", page)["f1"] == pytest.approx(f1)


FIGURES: dict[str, tuple[str, list[dict[str, Any]], dict[str, float]]] = {
    # metric, pages, figures
    "parts of tokens": (
        "characters",
        [{"html": "<p>long words stay", "text": "long wordy"}],
        {"precision": 4 / 13, "recall": 4 / 9},
    ),
    "bags of four words": (  # a third of the shingles of both is shared
        "shingles",
        [{"html": "<p>a b c d e", "text": "a b c d x"}],
        {"precision": 0.5, "recall": 0.5},
    ),
    "shingles of right, half wrong, empty and unwanted pages": (
        "shingles",
        [
            {"html": "<p>a b", "text": "a b"},
            {"html": "<p>a b c d e", "text": "a b c d"},
            {"html": "<p>|", "text": "a b"},
            {"html": "<p>a b", "text": ""},
        ],
        {"precision": 1.5 / 3, "recall": 2 / 3, "accuracy": 0.25, "f1": 4 / 7},
    ),
    "snippets": (
        "segments",
        [
            {"html": "<p>One two<p>three", "with": ["two three", "four"], "without": ["One", "5"]},
            {"html": "<p>One", "with": ["One"], "without": ["two"]},
        ],
        {"precision": 2 / 3, "recall": 2 / 3, "f1": 2 / 3, "accuracy": 4 / 6},
    ),
}


@pytest.mark.parametrize(("metric", "pages", "expected"), FIGURES.values(), ids=FIGURES)
def test_figures(
    metric: str,
    pages: list[dict[str, Any]],
    expected: dict[str, float],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    figures = evaluate(tmp_path, capsys, metric, *pages)
    assert {name: figures[name] for name in expected} == pytest.approx(expected, abs=1e-4)


def test_always_content_has_the_figures_of_the_papers_first_row() -> None:
    gold = np.array([B, F])
    labels = np.array([F, F])
    words = np.array([362, 638])
    counts = blocks.count_confusions(blocks.TWO_CLASSES, gold, labels, ONE_HOT[labels], words)
    figures = blocks.summarize_blocks(blocks.TWO_CLASSES, counts[None])
    # Table 2, "ZeroR (baseline; predict Content)": P 40.7, R 63.8, F1 49.7, FP rate 63.8
    expected = {"precision": 0.407, "recall": 0.638, "f1": 0.497, "false_positive_rate": 0.638}
    assert {name: round(figures[name], 3) for name in expected} == expected
    assert figures["roc_auc"] == 0.5


@pytest.mark.parametrize("classes", [blocks.TWO_CLASSES, blocks.SIX_CLASSES])
def test_block_figures_agree_with_scikit_learn(classes: blocks.Classes) -> None:
    generator = np.random.default_rng(0)
    gold, labels = generator.integers(6, size=(2, 400))
    words = generator.integers(1, 50, size=400)
    scores = ONE_HOT[labels]
    scores[::3] = 1 / 6
    rows = np.stack(
        [
            blocks.count_confusions(classes, gold[part], labels[part], scores[part], words[part])
            for part in (slice(0, 150), slice(150, 400))
        ]
    )
    figures = blocks.summarize_blocks(classes, rows)
    code = np.array([next(i for i, group in enumerate(classes) if x in group) for x in Label])
    precision, recall, f1, _ = precision_recall_fscore_support(
        code[gold], code[labels], average="weighted", sample_weight=words, zero_division=0
    )
    assert figures["precision"] == pytest.approx(precision)
    assert figures["recall"] == pytest.approx(recall)
    assert figures["f1"] == pytest.approx(f1)
    area = sum(
        words[code[gold] == index].sum()
        / words.sum()
        * roc_auc_score(
            code[gold] == index, scores[:, sorted(group)].sum(axis=1), sample_weight=words
        )
        for index, group in enumerate(classes)
    )
    assert figures["roc_auc"] == pytest.approx(area, abs=0.01)


def test_unknown_blocks_do_not_count() -> None:
    gold, labels = np.array([F, -1]), np.array([F, B])
    words = np.array([5, 100])
    counts = blocks.count_confusions(blocks.SIX_CLASSES, gold, labels, ONE_HOT[labels], words)
    assert counts[:36].sum() == 5


def test_intervals_are_wider_when_pages_of_a_site_are_alike() -> None:
    rows = np.repeat([0.0, 1.0] * 5, 20)[:, None]

    def width(sites: list[str]) -> float:
        samples = resample(lambda sample: {"mean": float(sample.mean())}, rows, draw_sites(sites))
        low, high = percentile_interval(samples["mean"])
        assert low < 0.5 < high
        return high - low

    by_page, by_site = ([str(i) for i in range(200)], [str(i // 20) for i in range(200)])
    assert width(by_page) == pytest.approx(2 * 1.96 * 0.5 / 200**0.5, rel=0.1)
    assert width(by_site) > 3 * width(by_page)
