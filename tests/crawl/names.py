"""The fields of an item as the documentation has them, written out once."""

from __future__ import annotations

from typing import Any

NAMES = (
    "headline text blocks comments description date_published date_modified authors language "
    "main_image section tags confidence extractor"
).split()
"""Fields that items get by default, in order."""
FAILED: dict[str, Any] = dict.fromkeys(NAMES)
"""What the item of an unreadable page gets."""


def names_but(*names: str) -> list[str]:
    """`NAMES` without some."""
    return [name for name in NAMES if name not in names]
