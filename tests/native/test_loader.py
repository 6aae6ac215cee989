"""Which compiled modules run, and the log about the others."""

from __future__ import annotations

import os
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

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


def refuse(_: str) -> None:
    raise ImportError("undefined symbol: x")


def lack(_: str) -> None:
    raise ModuleNotFoundError


@pytest.mark.parametrize(
    ("value", "load", "reason"),
    [
        pytest.param("0", lack, SWITCHED_OFF, id="switched off"),
        pytest.param("1", lack, NOT_COMPILED, id="not compiled"),
        pytest.param("1", refuse, "undefined symbol: x", id="broken"),
    ],
)
def test_python_runs(
    value: str,
    load: Any,
    reason: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv(VARIABLE, value)
    monkeypatch.setattr(native, "import_module", load)
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


@pytest.mark.parametrize(
    ("values", "obstacle"),
    [
        pytest.param({}, "", id="this one"),
        pytest.param({"LXML_VERSION": (4, 8, 0, 0)}, "lxml 4.8.0.0 is unknown", id="old lxml"),
        pytest.param({"LIBXML_VERSION": (2, 8, 9)}, "libxml2 2.8.9 is unknown", id="old libxml2"),
        pytest.param({"LIBXML_VERSION": (2, 16, 0)}, "libxml2 2.16.0 is unknown", id="new libxml2"),
        pytest.param({"_Element": Larger}, "elements of lxml have 48 bytes", id="size"),
        pytest.param(
            {"HTML": lambda _: Other()},
            "elements of lxml do not begin with their document",
            id="another order of fields",
        ),
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


@pytest.mark.parametrize("value", ["0", ""])
def test_version_tells_which_runs(value: str) -> None:
    environment = {**os.environ, VARIABLE: value}
    arguments = [sys.executable, "-m", "scrapy_boilerplate.cli", "--version"]
    output = subprocess.run(arguments, env=environment, capture_output=True, check=True).stdout
    assert (SWITCHED_OFF in output.decode()) == (value == "0")
    assert ("native code for " in output.decode()) == (value != "0")
