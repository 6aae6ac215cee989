"""Messages over a pipe: some JSON and some bytes. Nothing is ever unpickled."""

from __future__ import annotations

import json
from collections.abc import Mapping
from struct import Struct
from typing import Any, BinaryIO

LENGTHS = Struct(">QQ")
"""Before every message: bytes of the JSON, bytes of what follows it."""


def write_frame(pipe: BinaryIO, told: Mapping[str, Any], body: bytes = b"") -> None:
    """Send one message. Raises OSError or ValueError if nobody listens any more."""
    packed = json.dumps(told).encode("ascii")
    pipe.write(LENGTHS.pack(len(packed), len(body)))
    pipe.write(packed)
    pipe.write(body)
    pipe.flush()


def read_frame(pipe: BinaryIO) -> tuple[dict[str, Any], bytes]:
    """Wait for one message. Raises EOFError if the other side is gone, or goes in the middle."""
    n_packed, n_body = LENGTHS.unpack(_exactly(pipe, LENGTHS.size))
    told: dict[str, Any] = json.loads(_exactly(pipe, n_packed))
    return told, _exactly(pipe, n_body)


def _exactly(pipe: BinaryIO, n_bytes: int) -> bytes:
    read = pipe.read(n_bytes)
    if len(read) < n_bytes:
        raise EOFError("the other side is gone")
    return read
