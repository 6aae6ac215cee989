"""Information gain, words by class, and the mixture of short and long texts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from scrapy_boilerplate import Label
from scrapy_boilerplate.cli import main
from scrapy_boilerplate.training.analysis import (
    analyse_blocks,
    compute_information_gain,
    fit_geometric,
)
from scrapy_boilerplate.training.corpora import read_pages
from scrapy_boilerplate.training.gold import read_gold
from tests.training.labelled_pages import PAGES


def test_information_gain_in_bits() -> None:
    for column, classes, bits in [
        ([1, 2, 1, 2], [0, 1, 0, 1], 1.0),  # all information
        ([1, 2, 1, 2], [0, 0, 1, 1], 0.0),  # no information
        ([5, 5, 5, 5], [0, 1, 0, 1], 0.0),  # one value
        ([1, 1, 1, 2], [0, 0, 1, 1], 0.3113),  # some information
        ([3, 1], [0, 0], 0.0),  # one class
    ]:
        gain = compute_information_gain(np.array(column), np.array(classes), np.ones(len(column)))
        assert gain == pytest.approx(bits, abs=1e-4)


def count_lengths(ends: list[float], weights: list[float]) -> np.ndarray:
    x = np.arange(400)
    shares = sum(w * p * (1 - p) ** x for p, w in zip(ends, weights, strict=True))
    lengths: np.ndarray = np.rint(1_000_000 * np.asarray(shares)).astype(np.int64)
    return lengths


def test_two_parts_are_found_with_the_short_texts_first() -> None:
    fit = fit_geometric(count_lengths([0.04, 0.4], [0.25, 0.75]), parts=2)
    assert fit.ends == pytest.approx((0.4, 0.04), rel=0.03)
    assert fit.weights == pytest.approx((0.75, 0.25), abs=0.01)
    assert fit.r2 > 0.9999
    assert fit.shares(400).sum() == pytest.approx(1, abs=1e-3)
    for few in ([], [3], [0, 0, 5]):
        fit = fit_geometric(np.array(few, dtype=np.int64), parts=2)
        assert np.isfinite([*fit.weights, *fit.ends, fit.r2, fit.rmse]).all()


def test_the_analysis_covers_every_column_label_and_block(corpus: Path) -> None:
    analysis = analyse_blocks([read_gold(page) for page in read_pages(corpus)])
    assert len(analysis.gains) == 67
    assert list(analysis.gains.values()) == sorted(analysis.gains.values(), reverse=True)
    assert analysis.gains["words"] > analysis.gains["in_h1"] > 0
    assert analysis.gains["in_h6"] == 0
    labels = analysis.count_by_label(analysis.column("words").astype(np.int64), words=False)
    assert set(labels) == set(Label)
    assert labels[Label.FULL_TEXT].sum() == 2 * PAGES
    assert analysis.lengths.sum() == len(analysis.examples)


def test_the_command_prints_tables_and_writes_pictures(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    assert main(["analyse", str(corpus), "--plot", str(tmp_path / "plots")]) == 0
    printed = capsys.readouterr().out
    assert "information gain" in printed
    assert "words at text density" in printed
    assert "short and long text" in printed
    names = {"information-gain", "words-by-class", "text-density-by-class", "block-lengths"}
    assert {file.stem for file in (tmp_path / "plots").iterdir()} == names
