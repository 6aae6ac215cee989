"""The server of the annotator under attack: idle connections, other sites, hostile names."""

import http.client
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from scrapy_boilerplate.extractors import get_extractor
from scrapy_boilerplate.report.annotator import (
    LOOPBACK,
    Annotator,
    AnnotatorServer,
    QueuedPage,
    _Handler,
)
from scrapy_boilerplate.report.label_store import LabelStore

IDLE_SECONDS = 0.5
MARKUP = "</script><script>alert(1)</script>"


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[AnnotatorServer]:
    monkeypatch.setattr(_Handler, "timeout", IDLE_SECONDS)
    annotator = Annotator(
        pages=[QueuedPage(name=f"../{MARKUP}", html="<p>a")],
        extractor=get_extractor("container"),
        store=LabelStore(tmp_path / "labels"),
        name=MARKUP,
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


def read_all(connection: socket.socket) -> bytes:
    with connection, connection.makefile("rb") as file:
        return file.read()


@pytest.mark.parametrize("content", [b"", b"GET / HTTP/1.1\r\nHost: x\r\n"])
def test_an_idle_connection_is_ended(content: bytes, server: AnnotatorServer) -> None:
    started = time.monotonic()
    assert b"200" not in read_all(connect(server, content))
    assert time.monotonic() - started < 10 * IDLE_SECONDS
    assert send(server, "GET", "progress")[0] == 200


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


def send(
    server: AnnotatorServer, method: str, path: str, body: str = "", **headers: str
) -> tuple[int, str]:
    """Send a request and return status and body.

    A path without a slash at the start is after the token; PORT is replaced by the port.
    """
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    named = {k: v.replace("PORT", str(server.server_port)) for k, v in named.items()}
    connection = http.client.HTTPConnection(LOOPBACK, server.server_port, timeout=20)
    absolute = path if path.startswith("/") else f"/{server.token}/{path}"
    connection.request(method, absolute, body, named)
    response = connection.getresponse()
    return response.status, response.read().decode()


OWN = {"Origin": "http://127.0.0.1:PORT", "Content_Type": "application/json"}
DRAFT = "page/0/draft"


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("GET", "progress", {"Host": "evil.example:PORT"}, 403),  # DNS rebinding
        ("GET", "progress", {"Host": "localhost:PORT"}, 403),
        ("POST", DRAFT, OWN | {"Origin": "null"}, 403),  # a sandboxed frame
        ("POST", DRAFT, OWN | {"Origin": "http://evil.example"}, 403),
        ("POST", DRAFT, {"Content_Type": "application/json"}, 403),
        ("POST", DRAFT, OWN | {"Content_Type": "text/plain"}, 415),  # a form of HTML
        ("POST", DRAFT, OWN | {"Content_Length": "9" * 12}, 413),
        ("GET", "/", {}, 404),  # no token
        ("GET", "/guessed/", {}, 404),
        ("GET", "page/7", {}, 404),
        ("GET", "page/../../labels.jsonl", {}, 404),
        ("GET", "page/" + "9" * 5_000, {}, 400),
    ],
)
def test_an_attack_is_refused(
    method: str, path: str, headers: dict[str, str], status: int, server: AnnotatorServer
) -> None:
    assert send(server, method, path, **headers)[0] == status
    assert not list(server.annotator.store.folder.glob("drafts/*"))
    assert send(server, "GET", "progress")[0] == 200


def test_actions_of_a_draft_are_checked(server: AnnotatorServer) -> None:
    for wrong in ("[", '{"actions": [[0, 999, 2]]}', '{"actions": [[0, 1, 9]]}', "[]"):
        assert send(server, "POST", "page/0/draft", wrong, **OWN)[0] == 400
    assert send(server, "POST", "page/0/draft", '{"actions": [[0, 1, 2]]}', **OWN)[0] == 200


def test_markup_in_names_is_text(server: AnnotatorServer) -> None:
    status, page = send(server, "GET", "")
    assert status == 200
    assert page.count("<script") == page.count("</script>") == 2
    assert send(server, "POST", "page/0/save", '{"actions": []}', **OWN)[0] == 200
    names = {path.name for path in server.annotator.store.folder.iterdir()}
    assert names == {"drafts", "labels.jsonl"}
