"""Native twins: compiled modules that compute what Python functions beside them compute.

A twin is a file `_<name>.pyx` of this folder, compiled where the machine that installs the package
has a C compiler. Everything works without it. `load_twin` is the only way to one: it gives the
module, or None where Python's own function runs.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from logging import getLogger
from threading import Lock
from typing import Any

from lxml import etree

logger = getLogger(__name__)

# the environment variable that switches every twin off with "0"
VARIABLE = "SCRAPY_BOILERPLATE_NATIVE"

# the twins by name: what they compute
TWINS = {
    "utf8": "the check of UTF-8",
    "walk": "the walk over the tree",
    "text": "texts and words of blocks",
    "net": "the nets of news",
    "scores": "the scores of news",
    "features": "the features of news",
    "names": "the search for named containers",
    "steps": "steps of news",
}

# why a twin that was asked for does not run; "" if it runs
_obstacles: dict[str, str] = {}
_lock = Lock()

SWITCHED_OFF = f"switched off by {VARIABLE}=0"
NOT_COMPILED = "not compiled when the package was installed"


def load_twin(name: str, agrees: Callable[[Any], bool]) -> Any | None:
    """Return the compiled module of `name`, one of TWINS; None where its Python function runs.

    `agrees` is given the module, and returns whether it computes what the Python function computes
    on a small example. Call this once, at first use. A module that is compiled and does not run is
    logged in one line; results never depend on it.
    """
    module: Any = None
    obstacle = SWITCHED_OFF if is_switched_off() else ""
    if not obstacle:
        try:
            module = import_module(f"{__name__}._{name}")
        except ImportError as error:
            missing = isinstance(error, ModuleNotFoundError)
            obstacle = NOT_COMPILED if missing else f"it cannot be loaded: {error}"
    if module is not None:
        obstacle = find_obstacle(module, agrees)
    with _lock:  # threads that ask at once load it at once
        is_known = _obstacles.get(name) == obstacle
        _obstacles[name] = obstacle
    if not is_known and obstacle not in ("", SWITCHED_OFF, NOT_COMPILED):
        logger.warning("Native code of %s is not used: %s", TWINS[name], obstacle)
    return None if obstacle else module


def is_switched_off() -> bool:
    """Return whether the environment switches native code off."""
    return os.environ.get(VARIABLE) == "0"


def find_obstacle(module: Any, agrees: Callable[[Any], bool]) -> str:
    """Return why a compiled module cannot be used, or ""."""
    try:
        obstacle: str = getattr(module, "find_obstacle", lambda _: "")(etree)
        if not obstacle and not agrees(module):
            obstacle = "its results differ from those of Python"
    except Exception as error:  # noqa: BLE001 - whatever it is, Python's function works
        obstacle = f"{type(error).__name__}: {error}"
    return obstacle


def describe() -> str:
    """Return which of the twins that were loaded so far run, in a line for people."""
    running = ", ".join(name for name in TWINS if _obstacles.get(name) == "")
    reasons = {obstacle: "" for obstacle in _obstacles.values() if obstacle}
    parts = [f"native code for {running}"] if running else []
    for reason in reasons:
        names = ", ".join(name for name in TWINS if _obstacles.get(name) == reason)
        parts.append(f"Python for {names}: {reason}")
    return "; ".join(parts)
