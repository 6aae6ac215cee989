"""JSON between processes and in rows: by orjson where it is installed, with the same values."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

from scrapy_boilerplate import is_installed

_orjson: Any = import_module("orjson") if is_installed("orjson") else None


def encode_json(value: Any) -> bytes:
    """Return compact JSON in UTF-8. Raises TypeError for what is no value of JSON."""
    if _orjson is not None:
        try:
            encoded: bytes = _orjson.dumps(value)
        except TypeError:  # lone surrogates, integers of more than 64 bits
            pass
        else:
            return encoded
    return json.dumps(value, separators=(",", ":")).encode("ascii")


def decode_json(content: bytes) -> Any:
    """Return the value of JSON. Raises ValueError."""
    if _orjson is not None:
        try:
            return _orjson.loads(content)
        except ValueError:  # lone surrogates
            return json.loads(content)
    return json.loads(content)
