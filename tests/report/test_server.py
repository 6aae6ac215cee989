"""The server of the annotator beside connections that say nothing, or too little."""

from __future__ import annotations

import http.client
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from scrapy_boilerplate.extractors import get_extractor
from scrapy_boilerplate.report.annotator import Annotator, QueuedPage
from scrapy_boilerplate.report.label_store import LabelStore
from scrapy_boilerplate.report.server import LOOPBACK, MAX_CONNECTIONS, AnnotatorServer, _Handler

IDLE_SECONDS = 0.5


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[AnnotatorServer]:
    monkeypatch.setattr(_Handler, "timeout", IDLE_SECONDS)
    annotator = Annotator(
        pages=[QueuedPage(name="a", html="<p>a")],
        extractor=get_extractor("container"),
        store=LabelStore(tmp_path / "labels"),
        name="Ada",
    )
    with AnnotatorServer(annotator) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def connect(server: AnnotatorServer, content: bytes = b"") -> socket.socket:
    connection = socket.create_connection((LOOPBACK, server.server_port), timeout=20)
    connection.sendall(content)
    return connection


def get_progress(server: AnnotatorServer) -> int:
    connection = http.client.HTTPConnection(LOOPBACK, server.server_port, timeout=20)
    connection.request("GET", f"/{server.token}/progress")
    status = connection.getresponse().status
    connection.close()
    return status


def read_all(connection: socket.socket) -> bytes:
    """Return what the server sends until it ends the connection."""
    with connection, connection.makefile("rb") as file:
        return file.read()


@pytest.mark.parametrize("content", [b"", b"GET /", b"GET / HTTP/1.1\r\nHost: x\r\n"])
def test_an_idle_connection_is_ended(content: bytes, server: AnnotatorServer) -> None:
    started = time.monotonic()
    assert b"200" not in read_all(connect(server, content))
    assert time.monotonic() - started < 10 * IDLE_SECONDS
    assert get_progress(server) == 200


def test_a_body_that_does_not_come_is_answered(
    server: AnnotatorServer, capfd: pytest.CaptureFixture[str]
) -> None:
    head = (
        f"POST /{server.token}/page/0/save HTTP/1.1\r\nHost: {server.host}\r\n"
        f"Origin: http://{server.host}\r\nContent-Type: application/json\r\n"
        "Content-Length: 99\r\n\r\n{"
    )
    assert b" 408 " in read_all(connect(server, head.encode())).splitlines()[0]
    assert capfd.readouterr().err == ""


def test_the_oldest_of_too_many_connections_is_ended(
    server: AnnotatorServer, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(_Handler, "timeout", 60)
    before = threading.active_count()
    connections = [connect(server, b"GET /") for _ in range(3 * MAX_CONNECTIONS)]
    assert get_progress(server) == 200
    assert threading.active_count() - before <= MAX_CONNECTIONS + 2
    assert read_all(connections[0]) == b""
    connections[-1].sendall(b"x HTTP/1.0\r\n\r\n")
    assert b"403" in read_all(connections[-1]), "the newest go on"
    for connection in connections:
        connection.close()
    assert "Traceback" not in capfd.readouterr().err
