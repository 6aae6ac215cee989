"""docs/systems/: a page for each system of the literature agrees with the code."""

from __future__ import annotations

import ast
import re
from collections import Counter
from fractions import Fraction
from functools import reduce
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from scrapy_boilerplate.extractors import MODULES
from tests.conftest import REPO

FOLDER = REPO / "docs" / "systems"
INDEX = REPO / "docs" / "systems.md"
PAGES = sorted(FOLDER.glob("*.md"))


def read_head(page: Path, name: str) -> list[str]:
    """The code words of a line at the start of a page: ``- Extractors: `bte`, `mss```."""
    [item] = re.findall(rf"^- {name}: (.*(?:\n  .*)*)$", page.read_text("utf-8"), re.MULTILINE)
    return re.findall(r"`([^`]+)`", item)


def read_section(page: Path, heading: str) -> str:
    _, *parts = re.split(r"^## (.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))[heading]


def read_index() -> dict[str, list[str]]:
    """Return the extractors by the page that a row of the index links to."""
    rows = re.findall(
        r"^\| \[[^]]+\]\(([^)]+)\) \| ([^|]+) \|", INDEX.read_text("utf-8"), re.MULTILINE
    )
    return {target: re.findall(r"`([^`]+)`", cell) for target, cell in rows}


def test_every_extractor_is_listed_once() -> None:
    listed = Counter(name for names in read_index().values() for name in names)
    assert listed == Counter(dict.fromkeys(MODULES, 1))


def test_a_page_names_the_modules_of_its_extractors() -> None:
    for page in PAGES:
        modules = read_head(page, "Modules")
        assert all((REPO / "scrapy_boilerplate" / module).is_file() for module in modules), page
        for name in read_head(page, "Extractors"):
            assert f"{MODULES[name].replace('.', '/')}.py" in modules, name


def find_value(modules: list[str], name: str) -> Any:
    """The value of ``CONSTANT`` or ``Step.field`` (its default) in the first module with it."""
    head, *rest = name.split(".")
    for module in modules:
        path = module.removesuffix(".py").replace("/", ".")
        found = getattr(import_module(f"scrapy_boilerplate.{path}"), head, None)
        if found is not None:
            return reduce(getattr, rest, found)
    raise AssertionError(f"no {name} in {modules}")


def read_value(cell: str) -> Any:
    return float(Fraction(cell)) if re.fullmatch(r"\d+/\d+", cell) else ast.literal_eval(cell)


def test_parameters_have_the_values_of_the_code() -> None:
    for page in PAGES:
        section, modules = read_section(page, "Parameters"), read_head(page, "Modules")
        rows = re.findall(r"^- `([\w.]+)` \((.+?)\): ", section, re.MULTILINE)
        assert 0 < len(rows) == section.count("\n- "), page
        for name, value in rows:
            assert find_value(modules, name) == read_value(value), (page, name)


def test_figures_are_on_the_linked_pages() -> None:
    """Commands write the figures of the linked pages."""
    for page in PAGES:
        section = read_section(page, "Figures")
        sources = {target.partition("#")[0] for target in re.findall(r"\]\(([^)]+)\)", section)}
        assert sources, page
        measured = " ".join((FOLDER / source).read_text(encoding="utf-8") for source in sources)
        for figure in re.findall(r"(?<![\w.-])\d*\.?\d+", re.sub(r"\]\([^)]+\)", "]", section)):
            assert re.search(rf"(?<![\d.]){re.escape(figure)}(?!\d)", measured), (page, figure)


def test_the_example_prints_its_last_lines(capsys: pytest.CaptureFixture[str]) -> None:
    [code] = re.findall(r"^```python\n(.*?)^```$", INDEX.read_text("utf-8"), re.S | re.M)
    exec(compile(code, INDEX.name, "exec"), {})  # noqa: S102 - our own documentation
    printed = [line for line in capsys.readouterr().out.splitlines() if line]
    assert printed == [
        line.removeprefix("# ") for line in code.splitlines() if line.startswith("# ")
    ]
