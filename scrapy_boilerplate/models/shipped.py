"""The models that come with the package."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from scrapy_boilerplate.models.store import StoredModel, load_model

DATA = Path(__file__).parent / "data"
"""One folder a model: model.json, weights.npz, CARD.md."""


@cache
def shipped(name: str) -> StoredModel:
    """The model `name` of the package, read once a process. Raises ModelError."""
    return load_model(DATA / name)
