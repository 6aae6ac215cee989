"""Information gain and words by class."""

from pathlib import Path

import numpy as np
import pytest

from scrapy_boilerplate import Label
from scrapy_boilerplate.cli import main
from scrapy_boilerplate.training.analysis import analyse_blocks, compute_information_gain
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
