"""Print the items of a crawl: `python -m newsroom.summary articles.jsonl`."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from textwrap import shorten
from typing import Any
from unicodedata import combining, east_asian_width

HEADLINE_WIDTH = 50
# Characters of a line of the text, and its first paragraphs that are printed.
TEXT_WIDTH, PARAGRAPHS = 90, 3


def main() -> None:
    """Print a table of the file named on the command line, and the start of one text."""
    path = Path(sys.argv[1] if len(sys.argv) > 1 else "articles.jsonl")
    with path.open(encoding="utf-8") as lines:
        items = [json.loads(line) for line in lines]
    print("\n".join([*format_table(items), "", *format_text(items[0]), "", *format_labels(items)]))
    print(f"All items, one per line: {path.resolve()}")


def format_table(items: list[dict[str, Any]]) -> list[str]:
    """Return the lines of the table: a header, a rule, a row per item and a row of sums."""
    words = [count_words(item.get("text") or "") for item in items]
    rows = [["headline", "words", "blocks", "language", "confidence"]]
    for item, number in zip(items, words, strict=True):
        headline = fit(item.get("headline") or item["url"], HEADLINE_WIDTH)
        numbers = [str(number), str(len(item.get("blocks") or []))]
        rows.append([headline, *numbers, item.get("language") or "-", format_confidence(item)])
    blocks = sum(len(item.get("blocks") or []) for item in items)
    rows.append([f"{len(items)} articles", str(sum(words)), str(blocks), "", ""])
    widths = [max(measure_width(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(pad, row, widths, range(len(row)))).rstrip() for row in rows]
    rule = "-" * measure_width(max(lines, key=measure_width))
    return [lines[0], rule, *lines[1:-1], rule, lines[-1]]


def format_text(item: dict[str, Any]) -> list[str]:
    """Return the headline of an item and the first paragraphs of its text, a line each."""
    paragraphs = (item.get("text") or "").split("\n\n")[:PARAGRAPHS]
    lines = [shorten(paragraph, TEXT_WIDTH, placeholder=" …") for paragraph in paragraphs]
    return [item.get("headline") or item["url"], *(f"    {line}" for line in lines)]


def format_labels(items: list[dict[str, Any]]) -> list[str]:
    """Return a line with the number of blocks of each label."""
    counts = Counter(str(b.get("label")) for item in items for b in item.get("blocks") or [])
    if not counts:
        return []
    named = ", ".join(f"{number} {label}" for label, number in counts.most_common())
    return [f"Blocks by label: {named}"]


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
