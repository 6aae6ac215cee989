"""When a native twin runs, and what is said where it does not."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from types import SimpleNamespace
from typing import Any

import pytest
from lxml import etree

from scrapy_boilerplate import native
from scrapy_boilerplate.native import NOT_COMPILED, SWITCHED_OFF, VARIABLE, describe, load_twin

walk: Any = pytest.importorskip("scrapy_boilerplate.native._walk")


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is loaded, and the tests run where native code is switched off, too."""
    monkeypatch.setattr(native, "_obstacles", {})
    monkeypatch.delenv(VARIABLE, raising=False)


def agree(_: Any) -> bool:
    return True


def fail(_: Any) -> bool:
    raise ZeroDivisionError("by zero")


def test_a_twin_runs(caplog: pytest.LogCaptureFixture) -> None:
    assert load_twin("walk", agree) is walk
    assert describe() == "native code for walk"
    assert not caplog.records


def test_switched_off(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setenv(VARIABLE, "0")
    assert load_twin("walk", fail) is None
    assert describe() == f"Python for walk: {SWITCHED_OFF}"
    assert not caplog.records


def test_not_compiled(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setitem(native.TWINS, "nothing", "nothing")
    assert load_twin("nothing", agree) is None
    assert load_twin("walk", agree) is walk
    assert describe() == f"native code for walk; Python for nothing: {NOT_COMPILED}"
    assert not caplog.records


@pytest.mark.parametrize(
    ("agrees", "obstacle"),
    [
        pytest.param(lambda _: False, "its results differ from those of Python", id="differs"),
        pytest.param(fail, "ZeroDivisionError: by zero", id="raises"),
    ],
)
def test_one_line_if_the_check_fails(
    agrees: Any, obstacle: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert load_twin("walk", agrees) is None
    assert describe() == f"Python for walk: {obstacle}"
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert record.getMessage() == (f"Native code of the walk over the tree is not used: {obstacle}")


def test_one_line_from_several_threads(caplog: pytest.LogCaptureFixture) -> None:
    together = Barrier(4)

    def differ(_: Any) -> bool:
        together.wait(10)
        return False

    with ThreadPoolExecutor(together.parties) as threads:
        loaded = threads.map(lambda _: load_twin("walk", differ), range(together.parties))
    assert list(loaded) == [None] * together.parties
    assert len(caplog.records) == 1


def test_one_line_if_it_cannot_be_loaded(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(_: str) -> None:
        raise ImportError("undefined symbol: x")

    monkeypatch.setattr(native, "import_module", refuse)
    assert load_twin("walk", agree) is None
    assert len(caplog.records) == 1
    assert describe() == "Python for walk: it cannot be loaded: undefined symbol: x"


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
        pytest.param({"LXML_VERSION": (7, 0, 0, 0)}, "lxml 7.0.0.0 is unknown", id="new lxml"),
        pytest.param({"LIBXML_VERSION": (2, 8, 9)}, "libxml2 2.8.9 is unknown", id="old libxml2"),
        pytest.param({"LIBXML_VERSION": (2, 16, 0)}, "libxml2 2.16.0 is unknown", id="new libxml2"),
        pytest.param({"LIBXML_VERSION": (3, 0, 0)}, "libxml2 3.0.0 is unknown", id="libxml2 3"),
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


def test_the_loader_asks_for_obstacles(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(native, "etree", lxml_with(LXML_VERSION=(9, 0, 0, 0)))
    assert load_twin("walk", fail) is None
    assert "lxml 9.0.0.0 is unknown" in caplog.text


@pytest.mark.parametrize("value", ["0", "1", ""])
def test_version_tells_which_runs(value: str) -> None:
    environment = {**os.environ, VARIABLE: value}
    arguments = [sys.executable, "-m", "scrapy_boilerplate", "--version"]
    output = subprocess.run(arguments, env=environment, capture_output=True, check=True).stdout
    assert (SWITCHED_OFF in output.decode()) == (value == "0")
    assert ("native code for " in output.decode()) == (value != "0")
