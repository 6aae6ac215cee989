"""The parts of docs/reference/ that are generated; ``python -m tests.reference`` writes them."""

import ast
import inspect
import re
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

from scrapy_boilerplate import ArticleItem, Document
from scrapy_boilerplate.crawl.settings import CrawlSettings

REFERENCE = Path(__file__).parents[1] / "docs" / "reference"
FIELDS_PAGE = REFERENCE / "fields.md"
SETTINGS_PAGE = REFERENCE / "settings.md"
STATS_PAGE = REFERENCE / "stats.md"

ITEM_FIELDS = {field.name: field for field in fields(ArticleItem)}
SETTINGS = {f"BOILERPLATE_{field.name.upper()}": field for field in fields(CrawlSettings)}
DEFAULTS_IN_WORDS = {
    "BOILERPLATE_FIELDS": "all fields that are not optional",
    "BOILERPLATE_ITEM_URL": '`"url"`, else `"link"`, else `"article_url"`',
    "BOILERPLATE_WORKERS": "cores − 1",
    "BOILERPLATE_SITES": "none",
    "BOILERPLATE_RESERVED_DROP": "none",
}

# The value of the fields of a document that need no row of their own.
AS_OF_ITEMS = "as of items"

Row = tuple[str, ...]


def find_rows(heading: str) -> re.Match[str]:
    """The rows of the first table under a heading, without the row of titles."""
    text = FIELDS_PAGE.read_text(encoding="utf-8")
    table = re.compile(r"(?<=-\|\n)(?:^\|.*\|\n)+", re.MULTILINE)
    rows = table.search(text, text.index(f"\n## {heading}\n"))
    assert rows, f"no table under {heading}"
    return rows


def read_table(heading: str) -> list[Row]:
    lines = find_rows(heading)[0].splitlines()
    return [tuple(cell.strip() for cell in line.strip("|").split(" | ")) for line in lines]


def write_table(heading: str, rows: Sequence[Row]) -> None:
    old, lines = find_rows(heading), "".join(f"| {' | '.join(row)} |\n" for row in rows)
    text = old.string[: old.start()] + lines + old.string[old.end() :]
    FIELDS_PAGE.write_text(text, encoding="utf-8")


def build_item_rows() -> list[Row]:
    """Name, type and meaning of every item field; the page states `or None` once."""
    rows: list[Row] = []
    docstrings = read_docstrings()
    for name, field in ITEM_FIELDS.items():
        type_name = str(field.type).removesuffix(" | None").replace(" | ", " or ")
        rows.append((f"`{name}`", f"`{type_name}`", docstrings[name]))
    return rows


def read_docstrings() -> dict[str, str]:
    """Field to the text below its line in the class, on one line, in Markdown."""
    [tree] = ast.parse(inspect.getsource(ArticleItem)).body
    assert isinstance(tree, ast.ClassDef)
    docstrings = {}
    for row, below in zip(tree.body, tree.body[1:], strict=False):
        if isinstance(row, ast.AnnAssign):
            assert isinstance(row.target, ast.Name)
            assert isinstance(below, ast.Expr), f"{row.target.id} needs a docstring"
            assert isinstance(below.value, ast.Constant), f"{row.target.id} needs a docstring"
            docstrings[row.target.id] = " ".join(str(below.value.value).split())
    return docstrings


def build_settings() -> list[Row]:
    """Name, default and meaning of every setting."""
    meanings = {name: str(field.metadata["meaning"]) for name, field in SETTINGS.items()}
    return [
        (name, format_setting_default(name), f"{meaning[0].upper()}{meaning[1:]}.")
        for name, meaning in meanings.items()
    ]


def read_settings() -> list[Row]:
    """The same as the page has them: heading, default, first paragraph."""
    text = SETTINGS_PAGE.read_text(encoding="utf-8")
    return re.findall(r"^### (\w+)\n\nDefault: (.*)\n\n(.*)$", text, re.MULTILINE)


def write_settings() -> None:
    """Replace defaults and meanings; a new setting follows the one before it in the code."""
    text, end = SETTINGS_PAGE.read_text(encoding="utf-8"), 0
    for name, default, meaning in build_settings():
        section = re.compile(rf"^### {name}\n\nDefault: .*\n\n.*\n", re.MULTILINE).search(text)
        following = re.compile(r"^##|\Z", re.MULTILINE).search(text, end)
        assert following
        start, end = section.span() if section else 2 * (following.start(),)
        written = f"### {name}\n\nDefault: {default}\n\n{meaning}\n"
        if not section:
            written = f"\n{written}\n"
        text, end = text[:start] + written + text[end:], start + len(written)
    text = re.sub(r"\n{3,}", "\n\n", text).rstrip("\n") + "\n"
    SETTINGS_PAGE.write_text(text, encoding="utf-8")


def read_stats() -> re.Pattern[str]:
    """A pattern of the stats of the page; in a row `...` means the first one without its end."""
    names = []
    for cell in re.findall(r"^\| (`.*?) \|", STATS_PAGE.read_text(encoding="utf-8"), re.MULTILINE):
        first, *others = re.findall(r"`(.*?)`", cell)
        names += [first, *(other.replace("...", first.rpartition("/")[0]) for other in others)]
    patterns = (re.sub("<.*?>", ".+", name) for name in names)
    return re.compile("|".join(patterns))


def build_document_rows() -> list[Row]:
    """Names and value of the fields of a document; item fields without a row join the others."""
    rows, document = read_table("Documents"), Document()
    named = {name for names, _ in rows for name in names.split(", ")}
    shared = [f"`{name}`" for name in ITEM_FIELDS if hasattr(document, name)]
    missing = [name for name in shared if name not in named]
    return [
        (", ".join([names, *missing]) if value == AS_OF_ITEMS else names, value)
        for names, value in rows
    ]


def format_setting_default(name: str) -> str:
    default = SETTINGS[name].default
    is_large = isinstance(default, int) and default >= 10_000
    written = f"{default:_}" if is_large else repr(default).replace("'", '"')
    return DEFAULTS_IN_WORDS.get(name, f"`{written}`")


if __name__ == "__main__":
    write_table("Item fields", build_item_rows())
    write_settings()
    write_table("Documents", build_document_rows())
