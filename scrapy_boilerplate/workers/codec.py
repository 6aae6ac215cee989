"""JSON of rows and messages: by orjson where it is installed, with the same values."""

from __future__ import annotations

import json
from contextlib import suppress
from importlib import import_module
from typing import Any

from scrapy_boilerplate import is_installed

_orjson: Any = import_module("orjson") if is_installed("orjson") else None


def encode_json(value: Any) -> bytes:
    """Return compact JSON in UTF-8. Raises TypeError for what is no value of JSON."""
    if _orjson is not None:
        with suppress(TypeError):  # lone surrogates, integers of more than 64 bits
            return bytes(_orjson.dumps(value))
    return json.dumps(value, separators=(",", ":")).encode("ascii")
