"""Addresses as arguments, fetched from a server of this machine."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import ClassVar

import pytest
from scrapy.http import HtmlResponse

from scrapy_boilerplate.cli import main
from scrapy_boilerplate.cli.fetching import MAX_REDIRECTS, FetchError, fetch
from scrapy_boilerplate.cli.sources import SourceError, fetch_source
from scrapy_boilerplate.extraction import extract
from tests.builders import document, filler

HTML = document(f"<h1>Rain in May</h1><p>{filler(120)} <a href=/sea>naïve</a></p>", title="Rain")
TEXT = f"{filler(120)} naïve"
UTF8 = "text/html; charset=utf-8"

# path to type and body
BODIES: dict[str, tuple[str, bytes]] = {
    "/page": (UTF8, HTML.encode()),
    "/untyped": ("", HTML.encode()),
    "/octets": ("application/octet-stream", HTML.encode()),
    "/utf-16": ("text/html; charset=utf-16-le", HTML.encode("utf-16-le")),
    "/wrong": ("text/html; charset=iso-8859-1", b"<meta charset=utf-8><p>na\xefve"),
    "/nonsense": ("text/html; charset=klingon", b"<meta charset=iso-8859-1><p>na\xefve"),
    "/undeclared": ("text/html", "<p>naïve".encode()),
    "/report": ("text/html", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3"),
    "/typed-pdf": ("application/pdf", b"<p>x"),
}
MOVED = {
    "/moved": (308, "/page"),
    "/twice": (302, "/moved"),
    "/ftp": (302, "ftp://127.0.0.1/page"),
    **{f"/long{n}": (302, f"/long{n + 1}") for n in range(MAX_REDIRECTS + 2)},
}


class Handler(BaseHTTPRequestHandler):
    """Answers the paths above, and some that misbehave."""

    agents: ClassVar[list[str]] = []
    stop: ClassVar[Event] = Event()

    def do_GET(self) -> None:
        self.agents.append(self.headers["User-Agent"])
        if self.path in BODIES:
            content_type, body = BODIES[self.path]
            self.answer(body, content_type)
        elif self.path in MOVED:
            status, target = MOVED[self.path]
            self.send_response(status)
            self.send_header("Location", target)
            self.end_headers()
        elif self.path == "/packed":
            self.answer(gzip.compress(HTML.encode()), UTF8, "gzip")
        elif self.path == "/bomb":
            self.answer(gzip.compress(b"a" * 50_000), UTF8, "gzip")
        elif self.path == "/endless":
            self.send_response(200)
            self.end_headers()
            self.drip(b"a" * 10_000, every=0)
        elif self.path == "/endlessly-moved":
            self.send_response(302)
            self.send_header("Location", "/page")
            self.end_headers()
            self.drip(b"a" * 10_000, every=0)
        elif self.path == "/silent":
            self.stop.wait(20)
        elif self.path == "/dripping":
            self.send_response(200)
            self.flush_headers()
            self.drip(b"a", every=0.1)
        elif self.path == "/cut":
            self.answer(HTML.encode(), UTF8, length=100_000)
        else:
            status = int(self.path[1:4])
            self.send_response(status, "\x1b[31mNo\x07")
            self.end_headers()

    def answer(
        self, body: bytes, content_type: str, coding: str = "", length: int | None = None
    ) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(length or len(body)))
        for name, value in (("Content-Type", content_type), ("Content-Encoding", coding)):
            if value:
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def drip(self, part: bytes, every: float) -> None:
        try:
            while not self.stop.wait(every):
                self.wfile.write(part)
        except OSError:
            pass  # the client has gone

    def log_message(self, *_arguments: object) -> None:
        pass


@pytest.fixture(autouse=True)
def without_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    Handler.stop.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        Handler.stop.set()
        server.shutdown()


@pytest.mark.parametrize(
    "path", ["/packed", "/untyped", "/octets", "/utf-16", "/twice", "/endlessly-moved"]
)
def test_an_address_is_fetched(site: str, path: str, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("nh3")
    assert main(["extract", "--format", "json", "--add", "html", site + path]) == 0
    record = json.loads(capsys.readouterr().out)
    reached = "/page" if path in MOVED or path == "/endlessly-moved" else path
    assert (record["id"], record["url"]) == (site + path, site + reached)
    assert (record["text"], record["headline"]) == (TEXT, "Rain in May")
    assert f'href="{site}/sea"' in record["html"]


@pytest.mark.parametrize("path", ["/wrong", "/nonsense", "/undeclared", "/utf-16"])
def test_the_encoding_is_that_of_a_crawl(site: str, path: str) -> None:
    content_type, body = BODIES[path]
    response = HtmlResponse(site + path, body=body, headers={"Content-Type": content_type})
    source = fetch_source(site + path)
    ours, crawled = (extract(page, None, "keep-everything") for page in (source.html, response))
    assert ours.text == crawled.text
    assert "naïve" in ours.text


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/404", "cannot be fetched: the server answers 404 Not Found"),
        ("/302", "a redirect without a Location"),
        ("/long0", "a redirect loop, too many redirects"),
        ("/ftp", "or a redirect to another scheme"),
        ("/cut", "the response is cut off"),
        ("/report", "/report is a PDF: give an HTML page"),
        ("/typed-pdf", "is of the type application/pdf"),
    ],
)
def test_what_is_no_page_is_an_error_of_one_line(
    site: str, path: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["extract", site + path]) == 1
    output = capsys.readouterr()
    assert (output.out, output.err.count("\n")) == ("", 1)
    assert message in output.err
    assert output.err[:-1].isprintable()


@pytest.mark.parametrize("path", ["/silent", "/dripping"])
def test_a_slow_server_ends_at_the_time_limit(
    site: str, path: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["extract", "--timeout", "1", site + path, f"{site}/page"]) == 1
    output = capsys.readouterr()
    assert "no complete response within 1 s" in output.err
    assert output.out == f"{TEXT}\n"


@pytest.mark.parametrize("path", ["/page", "/endless", "/bomb"])
def test_a_page_that_is_too_large_is_not_read_on(site: str, path: str) -> None:
    with pytest.raises(FetchError, match="the page has more than 600 bytes"):
        fetch(site + path, limit=600)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("http://127.0.0.1:9/", "refused"),
        ("http://", "cannot be fetched: no host given"),
        ("http://127.0.0.1:port/", "cannot be fetched: "),
        ("http://nowhere.invalid/", "cannot be fetched: "),
    ],
)
def test_addresses_that_lead_nowhere(address: str, message: str) -> None:
    with pytest.raises(SourceError, match=message):
        fetch_source(address, seconds=5)
