"""Measures the learned systems, for docs/learned.md: ``python -m benchmarks.learning``."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Section:
    """A block of docs/learned.md, if any, and two figures by key for data/learned.csv."""

    text: str = ""
    learned: Mapping[str, tuple[str, str]] = field(default_factory=dict)
