"""docs/systems/: a page for each system of the literature agrees with the code."""

import ast
import re
from collections import Counter
from fractions import Fraction
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from scrapy_boilerplate import EXTRACTORS
from tests.conftest import REPO

FOLDER = REPO / "docs" / "systems"
INDEX = REPO / "docs" / "systems.md"
PAGES = sorted(FOLDER.glob("*.md"))


def read_head(page: Path, name: str) -> list[str]:
    """The code words of a line at the start of a page: ``- Extractors: `bte`, `mss```."""
    [item] = re.findall(rf"^- {name}: (.*(?:\n  .*)*)$", page.read_text("utf-8"), re.MULTILINE)
    return re.findall(r"`([^`]+)`", item)


def load(module: str) -> Any:
    return import_module(f"scrapy_boilerplate.{module[:-3].replace('/', '.')}")


def test_every_extractor_is_listed_once() -> None:
    rows = re.findall(r"^\| \[[^]]+\]\([^)]+\) \| ([^|]+) \|", INDEX.read_text("utf-8"), re.M)
    listed = Counter(name for cell in rows for name in re.findall(r"`([^`]+)`", cell))
    assert listed == Counter(dict.fromkeys(EXTRACTORS, 1))


def test_a_page_names_the_modules_of_its_extractors() -> None:
    for page in PAGES:
        modules = read_head(page, "Modules")
        assert all((REPO / "scrapy_boilerplate" / module).is_file() for module in modules), page
        rows = [row.name for module in modules for row in getattr(load(module), "ROWS", ())]
        assert set(read_head(page, "Extractors")) <= set(rows), page


def find_value(modules: list[str], name: str) -> Any:
    """The value of ``CONSTANT`` or ``Step.field`` (its default) in the first module with it."""
    for module in modules:
        found = load(module)
        if hasattr(found, name.partition(".")[0]):
            return attrgetter(name)(found)
    raise AssertionError(f"no {name} in {modules}")


def test_parameters_have_the_values_of_the_code() -> None:
    for page in PAGES:
        section = page.read_text("utf-8").partition("\n## Parameters\n")[2].partition("\n## ")[0]
        modules = read_head(page, "Modules")
        rows = re.findall(r"^- `([\w.]+)` \((.+?)\): ", section, re.MULTILINE)
        assert 0 < len(rows) == section.count("\n- "), page
        for name, cell in rows:
            is_fraction = re.fullmatch(r"\d+/\d+", cell)
            value = float(Fraction(cell)) if is_fraction else ast.literal_eval(cell)
            assert find_value(modules, name) == value, (page, name)


def test_the_example_prints_its_last_lines(capsys: pytest.CaptureFixture[str]) -> None:
    [code] = re.findall(r"^```python\n(.*?)^```$", INDEX.read_text("utf-8"), re.S | re.M)
    exec(compile(code, INDEX.name, "exec"), {})  # noqa: S102 - our own documentation
    printed = [line for line in capsys.readouterr().out.splitlines() if line]
    assert printed == [
        line.removeprefix("# ") for line in code.splitlines() if line.startswith("# ")
    ]
