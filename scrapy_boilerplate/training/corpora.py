"""Readers of labelled pages: one JSON record a line, plain or compressed with xz."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

Record = dict[str, Any]
"""A labelled page: `id`, `url` (may be None), `html`, and what the corpus labels."""


class CorpusError(ValueError):
    """A corpus that is missing or broken; names the file and the line."""


def read_records(path: Path) -> Iterator[Record]:
    """The records of a corpus file, in order.

    Raises CorpusError for a missing file or a line that is no JSON object with `html`.
    """
    if not path.is_file():
        raise CorpusError(f"no corpus at {path}: give the path of a .jsonl or .jsonl.xz file")
    with _open(path) as lines:
        for number, line in enumerate(lines, start=1):
            yield _record(line, path, number)


def _open(path: Path) -> IO[str]:
    if path.suffix == ".xz":
        return lzma.open(path, "rt", encoding="utf-8", errors="surrogatepass")
    return path.open(encoding="utf-8", errors="surrogatepass")


def _record(line: str, path: Path, number: int) -> Record:
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        raise CorpusError(f"{path}, line {number}: no JSON ({error})") from error
    if not isinstance(record, dict) or not isinstance(record.get("html"), str):
        raise CorpusError(f"{path}, line {number}: no JSON object with a text under 'html'")
    return record
