"""The vectors that texrex's nets were trained on (Schaefer 2017; rsling/texrex, BSD-2).

FANN's text form: a line with the number of blocks, of features and of outputs; then for each block
a line of features and a line with 1 for boilerplate, 0 for content.
"""

from __future__ import annotations

import lzma
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from scrapy_boilerplate.page.labels import BoolArray, FloatArray
from scrapy_boilerplate.training.corpora import CorpusError

SUFFIX = ".dat.xz"


@dataclass(frozen=True, eq=False)
class Vectors:
    """The blocks of one language: `features` float[n, 37], `boilerplate` bool[n]."""

    language: str
    features: FloatArray
    boilerplate: BoolArray


def read_vectors(path: Path) -> Vectors:
    """The vectors of ``boilerplate.LANGUAGE.dat.xz`` (or not compressed).

    Raises CorpusError for a missing or broken file.
    """
    lines = _lines(path)
    blocks, features, outputs = (int(number) for number in _numbers(path, lines, 0, 3))
    rows = np.empty((blocks, features))
    answers = np.empty((blocks, outputs))
    for block in range(blocks):
        rows[block] = _numbers(path, lines, 2 * block + 1, features)
        answers[block] = _numbers(path, lines, 2 * block + 2, outputs)
    return Vectors(
        path.name.split(".")[-3 if path.suffix == ".xz" else -2], rows, answers[:, 0] > 0
    )


def _lines(path: Path) -> list[str]:
    if not path.is_file():
        raise CorpusError(f"no vectors at {path}: give a {SUFFIX} file of texrex")
    data = path.read_bytes()
    try:
        return (lzma.decompress(data) if path.suffix == ".xz" else data).decode("ascii").split("\n")
    except (lzma.LZMAError, EOFError, UnicodeDecodeError) as error:
        raise CorpusError(f"{path}, line 1: cannot be read ({error})") from error


def _numbers(path: Path, lines: list[str], index: int, count: int) -> list[float]:
    fields = lines[index].split() if index < len(lines) else []
    try:
        numbers = [float(field) for field in fields]
    except ValueError as error:
        raise CorpusError(f"{path}, line {index + 1}: {error}") from error
    if len(numbers) != count:
        raise CorpusError(f"{path}, line {index + 1}: {len(numbers)} numbers, {count} expected")
    return numbers
