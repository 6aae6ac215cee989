"""URLs as arguments, fetched from a server of this machine."""

import gzip
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import ClassVar

import pytest

from scrapy_boilerplate.cli import main
from tests.builders import document, filler

HTML = document(f"<h1>Rain in May</h1><p>{filler(120)} <a href=/sea>naïve</a></p>", title="Rain")
TEXT = f"{filler(120)} naïve"
UTF8 = "text/html; charset=utf-8"

PAGE = HTML.encode()
GZIP = {"Content-Type": UTF8, "Content-Encoding": "gzip"}

# path to status, headers and body
ANSWERS: dict[str, tuple[int, dict[str, str], bytes]] = {
    "/page": (200, {"Content-Type": UTF8}, PAGE),
    "/untyped": (200, {}, PAGE),
    "/octets": (200, {"Content-Type": "application/octet-stream"}, PAGE),
    "/utf-16": (200, {"Content-Type": "text/html; charset=utf-16-le"}, HTML.encode("utf-16-le")),
    "/packed": (200, GZIP, gzip.compress(PAGE)),
    "/bomb": (200, GZIP, gzip.compress(b"a" * 50_000_001)),
    "/cut": (200, {"Content-Type": UTF8, "Content-Length": "100000"}, PAGE),
    "/report": (200, {"Content-Type": "text/html"}, b"%PDF-1.7\n%\xe2\xe3\xcf\xd3"),
    "/typed-pdf": (200, {"Content-Type": "application/pdf"}, b"<p>x"),
    "/endless": (200, {}, b"<p>"),
    "/dripping": (200, {}, b"<p>"),
    "/moved": (308, {"Location": "/page"}, b""),
    "/twice": (302, {"Location": "/moved"}, b""),
    "/endlessly-moved": (302, {"Location": "/page"}, b""),
    "/ftp": (302, {"Location": "ftp://127.0.0.1/page"}, b""),
    "/nowhere": (302, {}, b""),
    **{f"/long{n}": (302, {"Location": f"/long{n + 1}"}, b"") for n in range(99)},
}


class Handler(BaseHTTPRequestHandler):
    """Answers the paths above, and some that misbehave."""

    stop: ClassVar[Event] = Event()

    def do_GET(self) -> None:
        if self.path == "/silent":
            self.stop.wait(20)
            return
        status, headers, body = ANSWERS.get(self.path, (404, {}, b""))
        self.send_response(status, None if self.path in ANSWERS else "\x1b[31mNo\x07")
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        if self.path.startswith("/endless"):
            self.drip(b"a" * 1_000_000, every=0)
        if self.path == "/dripping":
            self.drip(b"a", every=0.1)

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
def test_a_url_is_fetched(site: str, path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["extract", "--format", "json", "--add", "html", site + path]) == 0
    record = json.loads(capsys.readouterr().out)
    reached = "/page" if ANSWERS[path][0] > 300 else path
    assert (record["id"], record["url"]) == (site + path, site + reached)
    assert (record["text"], record["headline"]) == (TEXT, "Rain in May")
    assert f'href="{site}/sea"' in record["html"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/404", "cannot be fetched: the server answers 404 Not Found"),
        ("/nowhere", "a redirect without a Location"),
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
    assert output.out == f"==> {site}/page <==\n{TEXT}\n"


@pytest.mark.parametrize("path", ["/endless", "/bomb"])
def test_a_page_that_is_too_large_is_not_read_on(
    site: str, path: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["extract", site + path]) == 1
    assert "the page has more than 50,000,000 bytes" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("http://127.0.0.1:9/", "refused"),
        ("http://", "cannot be fetched: no host given"),
        ("http://127.0.0.1:port/", "cannot be fetched: "),
        ("http://nowhere.invalid/", "cannot be fetched: "),
    ],
)
def test_urls_that_lead_nowhere(url: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["extract", "--timeout", "5", url]) == 1
    assert message in capsys.readouterr().err
