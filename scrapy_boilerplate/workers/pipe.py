"""Messages over a pipe, and the loop of a worker process that answers them.

A message has a header of JSON and a body of bytes. Nothing is ever unpickled.
"""

import json
import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module
from struct import Struct
from typing import Any, BinaryIO

from scrapy_boilerplate import is_installed

# Start of every message: bytes of the header, bytes of the body.
LENGTHS = Struct(">QQ")
# Seconds beyond its timeout after which a worker ends itself, in case the process that would end it
# is gone.
LAST_RESORT = 10
# Seconds; above the timeout of any page.
LONGEST_TIMER = 10_000_000

Handler = Callable[[dict[str, Any], bytes], tuple[Mapping[str, Any], bytes]]


_orjson: Any = import_module("orjson") if is_installed("orjson") else None


def encode_json(value: Any) -> bytes:
    """Return compact JSON in UTF-8: by orjson where it is installed. Raises TypeError."""
    if _orjson is not None:
        with suppress(TypeError):  # lone surrogates, integers of more than 64 bits
            return bytes(_orjson.dumps(value))
    return json.dumps(value, separators=(",", ":")).encode("ascii")


def decode_record(line: bytes) -> Any:
    """Return the value of JSON, by orjson where it is installed. Raises ValueError.

    orjson makes floats of integers of more than 64 bits: only the `id` of a record may be one.
    """
    if _orjson is not None:
        with suppress(ValueError):
            record = _orjson.loads(line)
            if isinstance(record, dict) and isinstance(record.get("id"), str | int | None):
                return record
    return json.loads(line)


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


def serve(create_handler: Callable[[], Handler]) -> None:
    """Answer requests from standard input on standard output until it is closed.

    The first message reports that the handler is ready.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C and ends this process
    requests, responses = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of libraries must not mix with the responses
    handle = create_handler()
    header: Mapping[str, Any] = {}
    body = b""
    while True:
        try:
            write_frame(responses, header, body)
            request, request_body = read_frame(requests)
        except EOFError:
            return
        except OSError:
            os._exit(1)  # the parent is gone
        _set_timer(request.pop("timeout") + LAST_RESORT)
        header, body = handle(request, request_body)
        _set_timer(0)


def _set_timer(seconds: float) -> None:
    if hasattr(signal, "setitimer"):  # not on Windows
        signal.setitimer(signal.ITIMER_REAL, min(seconds, LONGEST_TIMER))
