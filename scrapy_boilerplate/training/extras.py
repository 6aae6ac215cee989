"""Packages of extras such as [evaluate] and [train]: imported when needed, missed in a sentence."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class MissingExtraError(ImportError):
    """A package of an extra is not installed; the message says what to install."""


def optional(module: str, purpose: str, extra: str = "evaluate") -> Any:
    """The module `module`; `purpose` says what needs it. Raises MissingExtraError."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f"{purpose} needs {module.partition('.')[0]}: pip install 'scrapy-boilerplate[{extra}]'"
        ) from error
