"""Markdown: tables, figures, templates, and the generated blocks of a page.

A page of docs/ contains its prose. `replace_blocks` replaces the figures between ``<!-- NAME -->``
and ``<!-- /NAME -->``. A page whose prose depends on the run is a template of benchmarks/templates;
`fill_template` replaces its ``{{name}}``.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

TEMPLATES = Path(__file__).parent / "templates"
DOCS = Path(__file__).parents[1] / "docs"


def format_table(rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table; the first row is its head."""
    table = list(rows)
    head, *body = [f"| {' | '.join(map(str, row))} |" for row in table]
    return "\n".join([head, f"|{'---|' * len(table[0])}", *body])


def describe_errors(errors: Mapping[str, Mapping[str, int]]) -> str:
    """Return a sentence on the pages on which each system raised each error."""
    raised = [
        f"{system} on {count} page{'s' if count > 1 else ''} ({error})"
        for system, counts in errors.items()
        for error, count in sorted(counts.items())
    ]
    return f"Errors raised: {'; '.join(raised)}." if raised else "No system raised an error."


def replace_blocks(page: str, blocks: Mapping[str, str]) -> str:
    """Return a page with new text in its generated blocks.

    A block whose opening marker ends a line keeps blank lines around its text. Any other block is
    part of its line. Raises KeyError, naming the block, if the page has no such markers.
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

    Raises ValueError if the names of the values and of the template differ.
    """
    text = (TEMPLATES / f"{template}.md").read_text(encoding="utf-8").rstrip("\n")
    names = set(re.findall(r"\{\{(\w+)\}\}", text))
    if names != set(values):
        raise ValueError(f"{template}.md has {sorted(names)}, but {sorted(values)} are given")
    return re.sub(r"\{\{(\w+)\}\}", lambda match: str(values[match[1]]), text)


def format_percent(share: float, digits: int = 2) -> str:
    return f"{100 * share:.{digits}f}"
