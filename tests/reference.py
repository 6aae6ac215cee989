"""The tables of docs/reference.md."""

from __future__ import annotations

import re
from pathlib import Path

REFERENCE = Path(__file__).parents[1] / "docs" / "reference.md"


def table_rows(heading: str) -> list[tuple[str, ...]]:
    """The cells of the first table under a heading, row by row, without the row of titles."""
    _, _, section = REFERENCE.read_text(encoding="utf-8").partition(f"\n## {heading}\n")
    table = re.search(r"(?:^\|.*\|\n)+", section, re.MULTILINE)
    assert table, f"no table under {heading}"
    lines = table[0].splitlines()[2:]
    return [tuple(cell.strip() for cell in line.strip("|").split(" | ")) for line in lines]
