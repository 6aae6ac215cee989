"""Markdown: tables, figures, templates, and the generated blocks of a page.

A page of docs/ holds its prose; what a benchmark measures stands between ``<!-- NAME -->`` and
``<!-- /NAME -->`` and is replaced by `replace_blocks`. A page whose prose depends on the run is a
template of benchmarks/templates with ``{{name}}`` where `fill_template` puts text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy_boilerplate.training.evaluation import Score

TEMPLATES = Path(__file__).parent / "templates"
DOCS = Path(__file__).parents[1] / "docs"


def format_table(rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table; the first row is its head."""
    table = list(rows)
    head, *body = [f"| {' | '.join(map(str, row))} |" for row in table]
    return "\n".join([head, f"|{'---|' * len(table[0])}", *body])


def replace_blocks(page: str, blocks: Mapping[str, str]) -> str:
    """Return a page with new text in its generated blocks.

    A block whose opening marker ends a line keeps blank lines around its text, any other stands in
    its line. Raises KeyError, naming the block, if the page has no such markers.
    """
    for name, text in blocks.items():
        first, last = f"<!-- {name} -->", f"<!-- /{name} -->"
        before, opening, rest = page.partition(first)
        _, closing, after = rest.partition(last)
        if not opening or not closing:
            raise KeyError(f"the page has no {first} ... {last}")
        inner = f"\n\n{text}\n\n" if rest.startswith("\n") else text
        page = f"{before}{first}{inner}{last}{after}"
    return page


def read_blocks(page: str) -> dict[str, str]:
    """Return the generated blocks of a page by name."""
    pattern = re.compile(r"<!-- ([\w-]+) -->(.*?)<!-- /\1 -->", re.DOTALL)
    return {name: text.strip() for name, text in pattern.findall(page)}


def update_page(page: Path, output: Path, blocks: Mapping[str, str]) -> None:
    """Write `page` with new blocks to `output`, which may be the same file."""
    source = output if output.exists() else page
    text = replace_blocks(source.read_text(encoding="utf-8"), blocks)
    output.write_text(text, encoding="utf-8")


def fill_template(template: str, /, **values: object) -> str:
    """Return the template of that name with its ``{{...}}`` filled.

    Raises ValueError if a value is missing, or one is given that the template does not have.
    """
    text = (TEMPLATES / f"{template}.md").read_text(encoding="utf-8").rstrip("\n")
    names = set(re.findall(r"\{\{(\w+)\}\}", text))
    if names != set(values):
        raise ValueError(f"{template}.md has {sorted(names)}, but {sorted(values)} are given")
    return re.sub(r"\{\{(\w+)\}\}", lambda match: str(values[match[1]]), text)


def format_percent(share: float, digits: int = 2) -> str:
    """Return a share in percent, without the sign."""
    return f"{100 * share:.{digits}f}"


def format_signed(difference: float, interval: tuple[float, float]) -> str:
    """Return a difference of shares and its interval in percentage points, one decimal."""
    low, high = interval
    return f"{100 * difference:+.1f} ({100 * low:+.1f} to {100 * high:+.1f})"


def format_difference(score: Score, base: Score, figure: str) -> str:
    """Return the paired difference of two scores, in percentage points."""
    return format_signed(*score.difference(base, figure))


def interval_sign(interval: tuple[float, float]) -> int:
    """Return 1 or -1 where an interval lies above or below 0, else 0."""
    low, high = interval
    return int(low > 0) - int(high < 0)
