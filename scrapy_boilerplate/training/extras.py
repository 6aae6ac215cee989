"""Packages of extras such as [evaluate] and [train]: imported when needed, missed in a sentence."""

from __future__ import annotations

from typing import Any

from scrapy_boilerplate import extras
from scrapy_boilerplate.extras import MissingExtraError

__all__ = ["MissingExtraError", "optional"]


def optional(module: str, purpose: str, extra: str = "evaluate") -> Any:
    """As `extras.optional`, for the extra [evaluate] unless told otherwise."""
    return extras.optional(module, purpose, extra)
