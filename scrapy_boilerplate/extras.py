"""Packages of the extras: imported when they are needed, missed in a sentence."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any


class MissingExtraError(ImportError):
    """A package of an extra is not installed; the message says what to install."""


def optional(module: str, purpose: str, extra: str) -> Any:
    """The module `module`; `purpose` says what needs it. Raises MissingExtraError."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f"{purpose} needs {module.partition('.')[0]}: in the checkout of scrapy_boilerplate, "
            f"pip install -e '.[{extra}]'"
        ) from error


def is_installed(module: str) -> bool:
    """Whether a module can be imported; it is not imported for that."""
    return find_spec(module) is not None
