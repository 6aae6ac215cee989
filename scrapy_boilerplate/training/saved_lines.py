"""The lines of a labels file that count: of each page the one that was saved last."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

FILE = "labels.jsonl"
"""The name that ``scrapy-boilerplate annotate`` gives its file."""


def is_labels_file(path: Path) -> bool:
    """Whether the annotator wrote it."""
    return path.name == FILE


def counting_lines(path: Path) -> frozenset[int]:
    """Numbers, from 1, of the lines that count; not a last line that a crash has torn.

    A line that is no JSON counts: its reader says what is wrong with it.
    """
    return frozenset(dict(_lines(path)).values())


def _lines(path: Path) -> Iterator[tuple[str, int]]:
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                record = json.loads(line)
            except ValueError:
                record = None
                if not line.endswith(b"\n"):
                    continue
            digest = record.get("digest") if isinstance(record, dict) else None
            yield str(digest or number), number
