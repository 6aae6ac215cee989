"""Which compiled modules run, and the log about the others."""

import os
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from lxml import etree

walk: Any = pytest.importorskip("scrapy_boilerplate.native._walk")

DESCRIBE = "from scrapy_boilerplate import native; print(native.describe())"
NAMES = "walk, text, features, net, steps, near"
MISSING = "import sys; sys.modules['scrapy_boilerplate.native._walk'] = None"
BROKEN = """
import sys
class Finder:
    def find_spec(name, *_):
        if name.endswith("._walk"):
            raise ImportError("undefined symbol: x")
sys.meta_path.insert(0, Finder)
"""
OTHER_LXML = "from lxml import etree; etree.LXML_VERSION = (9, 0, 0, 0)"
UNKNOWN = "lxml 9.0.0.0 is unknown"


@pytest.mark.parametrize(
    ("setup", "switch", "description", "warning"),
    [
        ("", "1", f"native code for {NAMES}", ""),
        ("", "0", f"Python for {NAMES}: switched off by SCRAPY_BOILERPLATE_NATIVE=0", ""),
        (MISSING, "1", "Python for walk: not compiled", ""),
        (BROKEN, "1", "Python for walk: undefined symbol: x", "undefined symbol: x"),
        (OTHER_LXML, "1", f"Python for walk: {UNKNOWN}", UNKNOWN),
    ],
)
def test_what_runs_is_described(setup: str, switch: str, description: str, warning: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"{setup}\n{DESCRIBE}"],
        env={**os.environ, "SCRAPY_BOILERPLATE_NATIVE": switch},
        capture_output=True,
        text=True,
        check=True,
    )
    assert description in done.stdout
    told = f"The compiled module 'walk' is not used: {warning}\n"
    assert done.stderr == (told if warning else "")


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
