"""Checks beyond linters: swallowed errors, heavy imports, the public names.

Import directions, cycles and who may import Scrapy are in setup.cfg ([importlinter]); ruff checks
docstrings, complexity and that nothing is unpickled.
"""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import scrapy_boilerplate

NAME = "scrapy_boilerplate"
PACKAGE = Path(__file__).resolve().parents[1] / NAME
MODULES = sorted(PACKAGE.rglob("*.py"))
HEAVY = ("numpy", "lxml", "parsel", "scrapy", "twisted", "sklearn", "torch")
NETWORK = ("asyncio", "email", "http", "ssl")
PAGE = "<h1>A title</h1>" + "<p>Words, and then some more. " * 40


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
        (f"import {NAME}", HEAVY),
        (f"import {NAME}.cli", HEAVY),
        (f"import {NAME}.cli.batch, {NAME}.batch.job", (*HEAVY, *NETWORK)),
        (f"import {NAME}.batch.worker", ("parsel", "scrapy", *NETWORK)),
        (f"import {NAME}.workers.worker", ("parsel", "scrapy", *NETWORK)),
        (f"from {NAME} import extract; extract({PAGE!r})", ("parsel", "scrapy", *NETWORK)),
        (f"import {NAME}.training.corpora", ("scrapy", "lxml")),
        (f"import {NAME}.training.trainers", ("scrapy", "sklearn", "torch")),
    ],
)
def test_imports_are_light(statement: str, absent: tuple[str, ...]) -> None:
    code = f"{statement}; import sys; print(*sys.modules)"
    output = subprocess.run(
        [sys.executable, "-c", code], cwd=PACKAGE.parent, capture_output=True, text=True, check=True
    )
    loaded = set(output.stdout.split())
    assert NAME in loaded
    # numpy imports it at the first call of some of its functions
    assert "numpy.ma" not in loaded
    assert not loaded & set(absent)


def test_public_names() -> None:
    assert all(getattr(scrapy_boilerplate, name) is not None for name in scrapy_boilerplate.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = scrapy_boilerplate.nonsense
