"""Messages over a pipe: a header of JSON and a body of bytes. Nothing is ever unpickled."""

from __future__ import annotations

import json
from collections.abc import Mapping
from struct import Struct
from typing import Any, BinaryIO

from scrapy_boilerplate.workers.codec import encode_json

# Start of every message: bytes of the header, bytes of the body.
LENGTHS = Struct(">QQ")


def write_frame(pipe: BinaryIO, header: Mapping[str, Any], body: bytes = b"") -> None:
    """Send one message. Raises OSError or ValueError if the other side is closed."""
    encoded = encode_json(header)
    pipe.write(LENGTHS.pack(len(encoded), len(body)))
    pipe.write(encoded)
    pipe.write(body)
    pipe.flush()


def read_frame(pipe: BinaryIO) -> tuple[dict[str, Any], bytes]:
    """Wait for one message. Raises EOFError if the pipe is closed before its last byte."""
    header_length, body_length = LENGTHS.unpack(_read_exactly(pipe, LENGTHS.size))
    header: dict[str, Any] = json.loads(_read_exactly(pipe, header_length))
    return header, _read_exactly(pipe, body_length)


def _read_exactly(pipe: BinaryIO, n_bytes: int) -> bytes:
    content = pipe.read(n_bytes)
    if len(content) < n_bytes:
        raise EOFError("the pipe is closed")
    return content
