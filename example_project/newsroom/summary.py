"""Print a table of the items of a crawl: `python -m newsroom.summary articles.jsonl`."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any
from unicodedata import combining, east_asian_width

HEADLINE_WIDTH = 37
LABEL_LETTERS = 5
"""Letters of a label above its column: the table fits a terminal of 100 columns."""


def main() -> None:
    """Print the table for the file named on the command line."""
    path = Path(sys.argv[1] if len(sys.argv) > 1 else "articles.jsonl")
    with path.open(encoding="utf-8") as lines:
        items = [json.loads(line) for line in lines]
    for line in format_table(items):
        print(line)


def format_table(items: list[dict[str, Any]]) -> list[str]:
    """Return the lines of the table: a header, a rule, a row per item and a row of sums."""
    counts = [Counter(str(b.get("label")) for b in item.get("blocks") or []) for item in items]
    labels = sorted(set().union(*counts))
    words = [count_words(item.get("text") or "") for item in items]
    columns = [
        name if len(name) <= LABEL_LETTERS else name[: LABEL_LETTERS - 1] + "." for name in labels
    ]
    rows = [["headline", "words", *columns, "lang.", "conf."]]
    for item, count, number in zip(items, counts, words, strict=True):
        headline = fit(item.get("headline") or item["url"], HEADLINE_WIDTH)
        numbers = [str(number), *(str(count[label]) for label in labels)]
        rows.append([headline, *numbers, item.get("language") or "-", format_confidence(item)])
    sums = [str(sum(count[label] for count in counts)) for label in labels]
    rows.append([f"{len(items)} articles", str(sum(words)), *sums, "", ""])
    widths = [max(measure_width(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(pad, row, widths, range(len(row)))).rstrip() for row in rows]
    rule = "-" * measure_width(max(lines, key=measure_width))
    return [lines[0], rule, *lines[1:-1], rule, lines[-1]]


def format_confidence(item: dict[str, Any]) -> str:
    """Return the confidence with two decimals, or a dash."""
    value = item.get("confidence")
    return "-" if value is None else f"{float(value):.2f}"


def count_words(text: str) -> int:
    """Count words; where a script writes without spaces, every character is one."""
    wide = sum(is_wide(char) and char.isalnum() for char in text)
    rest = "".join(" " if is_wide(char) else char for char in text)
    return wide + len(rest.split())


def is_wide(char: str) -> bool:
    """Whether a terminal gives the character two columns."""
    return east_asian_width(char) in "WF"


def measure_width(text: str) -> int:
    """Return the number of terminal columns a text takes."""
    return sum(0 if combining(char) else 1 + is_wide(char) for char in text)


def fit(text: str, columns: int) -> str:
    """Shorten a text to a number of columns."""
    if measure_width(text) <= columns:
        return text
    while measure_width(text) >= columns:
        text = text[:-1]
    return text.rstrip() + "…"


def pad(text: str, columns: int, index: int) -> str:
    """Fill a cell with spaces: the first column on the right, the others on the left."""
    spaces = " " * (columns - measure_width(text))
    return text + spaces if index == 0 else spaces + text


if __name__ == "__main__":
    main()
