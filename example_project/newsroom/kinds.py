"""Print the items of the spider `dispatch`: `python -m newsroom.kinds dispatch.jsonl`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from newsroom.summary import HEADLINE_WIDTH, count_words, fit, measure_width, pad

COLUMNS = ("headline", "words", "pages", "entries", "stub")


def main() -> None:
    """Print the table for the file named on the command line."""
    path = Path(sys.argv[1] if len(sys.argv) > 1 else "dispatch.jsonl")
    with path.open(encoding="utf-8") as lines:
        rows = [COLUMNS, *map(format_row, map(json.loads, lines))]
    widths = [max(map(measure_width, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(map(pad, row, widths, range(len(row)))).rstrip())


def format_row(item: dict[str, Any]) -> tuple[str, ...]:
    """Return the cells of an item."""
    return (
        fit(item["headline"] or item["url"], HEADLINE_WIDTH),
        str(count_words(item["text"] or "")),
        str(len(item["pages"]) or 1),
        str(len(item["entries"]) or "-"),
        item["stub"] or "-",
    )


if __name__ == "__main__":
    main()
