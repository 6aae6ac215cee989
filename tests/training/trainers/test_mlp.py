"""texrex's vectors."""

from __future__ import annotations

from pathlib import Path

import pytest

from scrapy_boilerplate.training.corpora import CorpusError
from scrapy_boilerplate.training.trainers.mlp import read_vectors


def test_the_vectors_of_a_file_are_read(tmp_path: Path) -> None:
    path = tmp_path / "boilerplate.xx.dat"
    path.write_text("2 3 1\n.1 .2 .3\n1\n.4 .5 .6\n0\n")
    vectors = read_vectors(path)
    assert vectors.language == "xx"
    assert vectors.features.tolist() == [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]]
    assert vectors.boilerplate.tolist() == [True, False]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: 0 numbers, 3 expected"),
        ("1 3 1\n.1 .2\n1\n", "line 2: 2 numbers, 3 expected"),
        ("1 3 1\n.1 .2 x\n1\n", "line 2: could not convert"),
        ("1 3 1\n.1 .2 .3\n", "line 3: 0 numbers, 1 expected"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "boilerplate.xx.dat"
    path.write_text(text)
    with pytest.raises(CorpusError, match=message):
        read_vectors(path)


def test_the_shares_of_boilerplate_are_those_of_the_released_files(corpora: Path) -> None:
    vectors = read_vectors(corpora / "texrex" / "boilerplate.sv.dat.xz")
    assert vectors.language == "sv"
    assert vectors.features.shape == (11250, 37)
    assert vectors.boilerplate.mean() == pytest.approx(0.866, abs=0.0005)
