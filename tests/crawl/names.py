"""The fields of an item as the documentation has them, written out once."""

from __future__ import annotations

from typing import Any

EMPTY: dict[str, Any] = {
    "headline": None,
    "text": "",
    "blocks": [],
    "comments": [],
    "description": None,
    "date_published": None,
    "date_modified": None,
    "authors": [],
    "language": None,
    "main_image": None,
    "section": None,
    "tags": [],
    "confidence": 0.0,
    "extractor": "",
}
"""The values of the item of a page without content, except `extractor`."""
FAILED: dict[str, Any] = dict.fromkeys(EMPTY)
"""The values of the item of an unreadable page."""
NAMES = list(EMPTY)
"""Fields that items get by default, in order."""


def names_but(*names: str) -> list[str]:
    """`NAMES` without some."""
    return [name for name in NAMES if name not in names]
