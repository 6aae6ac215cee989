"""Imports of optional packages, and what to install if one is missing."""

from __future__ import annotations

import os
import re
import sys
import warnings
from importlib import import_module
from importlib.util import find_spec
from typing import Any

DISTRIBUTION = "scrapy-boilerplate-removal"
NAMESAKE_WARNING = "The project scrapy-boilerplate is installed"
"""Start of the warning. Worker processes ignore it, because their parent shows it."""

# The folder of its metadata, as wheels, eggs and old versions of pip write it
_is_namesake = re.compile(
    r"scrapy[-_.]boilerplate-\d.*\.(?:dist|egg)-info", re.IGNORECASE
).fullmatch


class MissingExtraError(ImportError):
    """A package of an extra is not installed; the message says what to install."""


def import_optional(module: str, purpose: str, extra: str) -> Any:
    """Return the module `module`, which `purpose` needs. Raises MissingExtraError."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f"{purpose} needs {module.partition('.')[0]}: pip install '{DISTRIBUTION}[{extra}]'"
        ) from error


def is_installed(module: str) -> bool:
    """Return whether a module can be imported, without importing it."""
    return find_spec(module) is not None


def warn_of_namesake() -> None:
    """Warn if another installed project has a module `scrapy_boilerplate`.

    It lists the folders of `sys.path`, because importing `importlib.metadata` takes longer than
    importing this package.
    """
    for folder in sys.path:
        try:
            names = os.listdir(folder or ".")  # noqa: PTH208 - twice as fast
        except OSError:  # a path entry may be a zip file, or nothing
            continue
        if any(map(_is_namesake, names)):
            warnings.warn(
                f"{NAMESAKE_WARNING}, and its module has the same name as the module of "
                f"{DISTRIBUTION}: one hides the other. Run pip uninstall scrapy-boilerplate",
                stacklevel=3,
            )
            return
