"""Packages of the extra [train]: imported when they are needed, missed in a sentence."""

from __future__ import annotations

from typing import Any

from scrapy_boilerplate import extras
from scrapy_boilerplate.extras import MissingExtraError

__all__ = ["MissingExtraError", "optional"]


def optional(module: str, purpose: str, extra: str = "train") -> Any:
    """As `extras.optional`, for the extra [train] unless told otherwise."""
    return extras.optional(module, purpose, extra)
