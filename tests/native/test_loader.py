"""Which compiled modules run, and the log about the others."""

from __future__ import annotations

import os
import subprocess
import sys
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from lxml import etree

from scrapy_boilerplate import native
from scrapy_boilerplate.native import NOT_COMPILED, SWITCHED_OFF, VARIABLE, describe, load_module

walk: Any = pytest.importorskip("scrapy_boilerplate.native._walk")


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Switch native code on, and load nothing."""
    monkeypatch.setattr(native, "NAMES", ("walk",))
    monkeypatch.setattr(native, "obstacles", {})
    monkeypatch.delenv(VARIABLE, raising=False)


def test_a_module_runs(caplog: pytest.LogCaptureFixture) -> None:
    assert load_module("walk") is walk
    assert describe() == "native code for walk"
    assert not caplog.records


@pytest.mark.parametrize(
    ("value", "error", "reason"),
    [
        ("0", ModuleNotFoundError(), SWITCHED_OFF),
        ("1", ModuleNotFoundError(), NOT_COMPILED),
        ("1", ImportError("undefined symbol: x"), "undefined symbol: x"),
    ],
)
def test_python_runs(
    value: str,
    error: ImportError,
    reason: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv(VARIABLE, value)
    monkeypatch.setattr(native, "import_module", Mock(side_effect=error))
    assert load_module("walk") is None
    assert describe() == f"Python for walk: {reason}"
    is_quiet = reason in (SWITCHED_OFF, NOT_COMPILED)
    warning = f"The compiled module 'walk' is not used: {reason}"
    assert [record.getMessage() for record in caplog.records] == [warning] * (not is_quiet)


def lxml_with(**values: Any) -> SimpleNamespace:
    names = ("LXML_VERSION", "LIBXML_VERSION", "_Element", "HTML")
    return SimpleNamespace(**{name: getattr(etree, name) for name in names} | values)


class Larger(etree._Element):
    __slots__ = ("more",)


class Other:
    """As large as an element."""

    __slots__ = ("one", "three", "two")


ORDER = "elements of lxml do not begin with their document"


@pytest.mark.parametrize(
    ("values", "obstacle"),
    [
        ({}, ""),
        ({"LXML_VERSION": (4, 8, 0, 0)}, "lxml 4.8.0.0 is unknown"),
        ({"LIBXML_VERSION": (2, 8, 9)}, "libxml2 2.8.9 is unknown"),
        ({"LIBXML_VERSION": (2, 16, 0)}, "libxml2 2.16.0 is unknown"),
        ({"_Element": Larger}, "elements of lxml have 48 bytes"),
        ({"HTML": lambda _: Other()}, ORDER),
    ],
)
def test_versions_and_sizes_of_lxml(values: dict[str, Any], obstacle: str) -> None:
    assert walk.find_obstacle(lxml_with(**values)) == obstacle


def test_another_lxml_is_refused(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(native, "etree", lxml_with(LXML_VERSION=(9, 0, 0, 0)))
    assert load_module("walk") is None
    assert "lxml 9.0.0.0 is unknown" in caplog.text


def test_the_switch() -> None:
    program = "from scrapy_boilerplate import native; print(native.describe())"
    environment = {**os.environ, VARIABLE: "0"}
    output = subprocess.check_output([sys.executable, "-c", program], env=environment, text=True)
    assert output == f"Python for walk, text, features, net, steps, near: {SWITCHED_OFF}\n"
