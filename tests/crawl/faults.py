"""A server with faults: it sends raw bytes, or nothing."""

from __future__ import annotations

import gzip
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from tests.crawl.pages import article

Fault = Callable[[socket.socket], None]

STALL = 60
"""Seconds of silence: longer than the crawl waits."""
GIGABYTE = 1 << 30
RESET = struct.pack("ii", 1, 0)
"""SO_LINGER on, no time: closing the socket resets the connection."""


def answer(body: bytes, content_type: str = "text/html; charset=utf-8", *extra: str) -> bytes:
    """A whole HTTP answer."""
    return _head(len(body), content_type, *extra) + body


def _head(length: int, content_type: str, *extra: str) -> bytes:
    lines = ("HTTP/1.1 200 OK", f"Content-Type: {content_type}", f"Content-Length: {length}")
    return "\r\n".join((*lines, *extra, "Connection: close", "", "")).encode()


def bomb() -> bytes:
    """A gigabyte of spaces, packed to a megabyte."""
    part = b" " * (1 << 20)
    packed = gzip.compress(b"<html><body>")
    # a gzip file can have several members
    return packed + gzip.compress(part) * (GIGABYTE // len(part))


def stall(connection: socket.socket) -> None:
    """Half a page, then nothing."""
    connection.sendall(_head(10_000, "text/html") + b"<html><body><p>Half a page")
    time.sleep(STALL)


def reset(connection: socket.socket) -> None:
    """Half a page, then the connection is gone."""
    connection.sendall(_head(10_000, "text/html") + b"<html><body><p>Half a page")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)


def silence(connection: socket.socket) -> None:
    """No answer at all."""


def sending(content: bytes) -> Fault:
    """The server sends these bytes."""
    return lambda connection: connection.sendall(content)


@contextmanager
def faulty(pages: Mapping[str, Fault]) -> Iterator[str]:
    """The address of a server that does `pages` (path to fault) while the block runs."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as server:
        threading.Thread(target=_serve, args=(server, pages), daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def _serve(server: socket.socket, pages: Mapping[str, Fault]) -> None:
    while True:
        try:
            connection, _ = server.accept()
        except OSError:  # closed: the test is over
            return
        threading.Thread(target=_answer, args=(connection, pages), daemon=True).start()


def _answer(connection: socket.socket, pages: Mapping[str, Fault]) -> None:
    with connection:
        asked = connection.recv(65_536).split(b" ")
        try:
            pages[asked[1].decode()](connection)
        except OSError:  # the crawl has given up
            return


def longer_than_declared(body: bytes) -> bytes:
    """The declared length is half of the body: the rest follows the answer."""
    return _head(len(body) // 2, "text/html; charset=utf-8") + body


def shorter_than_declared(body: bytes) -> bytes:
    """The declared length is too large; then the connection is closed."""
    return _head(len(body) * 2, "text/html; charset=utf-8") + body


ARTICLE = article()
"""The text of the readable pages."""
