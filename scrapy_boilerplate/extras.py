"""Packages of the extras: imported when they are needed."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any


class MissingExtraError(ImportError):
    """A package of an extra is not installed; the message says what to install."""


def import_optional(module: str, purpose: str, extra: str) -> Any:
    """Return the module `module`, which `purpose` needs. Raises MissingExtraError."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f"{purpose} needs {module.partition('.')[0]}: in the checkout of scrapy_boilerplate, "
            f"pip install -e '.[{extra}]'"
        ) from error


def is_installed(module: str) -> bool:
    """Return whether a module can be imported, without importing it."""
    return find_spec(module) is not None
