"""Code that is compiled if pip finds a C compiler; the choice is made at import.

`walk`, `net` and `near` are compiled modules, or None: `choose` then returns a Python function that
computes the same. `text`, `features` and `steps` are Python modules, compiled or interpreted.
SCRAPY_BOILERPLATE_NATIVE=0 in the environment switches all compiled code off.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, SourceFileLoader
from logging import getLogger
from typing import Any, TypeVar

from lxml import etree

logger = getLogger(__name__)

T = TypeVar("T")

VARIABLE = "SCRAPY_BOILERPLATE_NATIVE"
SWITCHED_OFF = f"switched off by {VARIABLE}=0"
NOT_COMPILED = "not compiled when the package was installed"

NAMES = ("walk", "text", "features", "net", "steps", "near")

if os.environ.get(VARIABLE) == "0":
    # Python prefers a compiled module to a source of the same name; this finder only finds sources
    folder = __path__[0]
    sys.path_importer_cache[folder] = FileFinder(folder, (SourceFileLoader, SOURCE_SUFFIXES))

# name of a module to the reason why it does not run
obstacles: dict[str, str] = {}


def explain_absence() -> str:
    """Return why nothing is compiled."""
    return SWITCHED_OFF if os.environ.get(VARIABLE) == "0" else NOT_COMPILED


def load_module(name: str) -> Any:
    """Return the compiled module `name`, or None; log a module that exists but cannot run."""
    try:
        module = import_module(f"{__name__}._{name}")
        obstacle = module.find_obstacle(etree) if name == "walk" else ""
    except ModuleNotFoundError:
        obstacles[name] = explain_absence()
        return None
    except ImportError as error:
        obstacle = str(error)
    if not obstacle:
        return module
    obstacles[name] = obstacle
    logger.warning("The compiled module %r is not used: %s", name, obstacle)
    return None


def choose(name: str, compiled: T, interpreted: T) -> T:
    """Return the function of the compiled module `name`, or the Python function for it."""
    return interpreted if name in obstacles else compiled


def describe() -> str:
    """Return in one line which modules run natively, and why others do not."""
    running = ", ".join(name for name in NAMES if name not in obstacles)
    parts = [f"native code for {running}"] if running else []
    for reason in dict.fromkeys(obstacles.values()):
        names = ", ".join(name for name in NAMES if obstacles.get(name) == reason)
        parts.append(f"Python for {names}: {reason}")
    return "; ".join(parts)


walk = load_module("walk")
net = load_module("net")
near = load_module("near")
for name in ("text", "features", "steps"):
    if not import_module(f"{__name__}.{name}").COMPILED:
        obstacles[name] = explain_absence()
