"""Checks beyond linters: swallowed errors, heavy imports, the public names.

Import directions, cycles and who may import Scrapy are in setup.cfg ([importlinter]); ruff checks
docstrings, complexity and that nothing is unpickled.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import scrapy_boilerplate

NAME = "scrapy_boilerplate"
PACKAGE = Path(__file__).resolve().parents[1] / NAME
MODULES = sorted(PACKAGE.rglob("*.py"))
MAX_ENTRIES = 20
HEAVY = ("numpy", "lxml", "parsel", "scrapy", "twisted", "sklearn", "torch")


def test_the_top_level_of_the_package_is_small() -> None:
    folders = {path.relative_to(PACKAGE).parts[0] for path in MODULES}
    assert len(MODULES) > MAX_ENTRIES >= len(folders)


def test_exceptions_are_not_swallowed() -> None:
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ExceptHandler):
                where = f"{path}, line {node.lineno}"
                assert node.type is not None, f"{where}: a bare except"
                assert not isinstance(node.body[0], ast.Pass), f"{where}: pass"


def test_only_the_loader_imports_compiled_modules() -> None:
    """import-linter does not see modules that are not Python."""
    assert not [path for path in MODULES if "native._" in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        pytest.param(f"import {NAME}", HEAVY, id="the package"),
        pytest.param(f"import {NAME}.cli", HEAVY, id="the command line"),
        pytest.param(f"from {NAME} import extract", ("scrapy", "twisted", "sklearn"), id="core"),
        pytest.param(f"import {NAME}.training.corpora", ("scrapy", "lxml"), id="corpora"),
        pytest.param(
            f"import {NAME}.training.trainers",
            ("scrapy", "sklearn", "torch"),
            id="trainers",
        ),
    ],
)
def test_imports_are_light(statement: str, absent: tuple[str, ...]) -> None:
    code = f"{statement}; import sys; print(*sys.modules)"
    output = subprocess.run(
        [sys.executable, "-c", code], cwd=PACKAGE.parent, capture_output=True, text=True, check=True
    )
    loaded = {name.split(".")[0] for name in output.stdout.split()}
    assert NAME in loaded
    assert not loaded & set(absent)


def test_public_names_resolve() -> None:
    assert all(getattr(scrapy_boilerplate, name) is not None for name in scrapy_boilerplate.__all__)


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = scrapy_boilerplate.nonsense
