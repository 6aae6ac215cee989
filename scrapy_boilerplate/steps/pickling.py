"""Pickling of dataclasses with cached properties."""

from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True)
class PickledFields:
    """Base of dataclasses that are pickled without the values that they have cached."""

    def __getstate__(self) -> dict[str, Any]:
        return {row.name: getattr(self, row.name) for row in fields(self)}
