"""The annotator's web application, for users of this machine who know the token.

It listens on the loopback address only, on a port that the system chooses. Each URL starts with a
random token. The headers Host and Origin must name this server, so that no other web site can reach
it through the browser.
"""

import json
import secrets
import sys
from collections.abc import Callable
from html import escape
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from scrapy_boilerplate.report.annotator import ActionError, Annotator
from scrapy_boilerplate.report.templates import (
    build_policy,
    build_style,
    describe_labels,
    dump_data,
    fill_template,
    join_scripts,
)

LOOPBACK = "127.0.0.1"
TOKEN_BYTES = 24
# Maximum bytes of a request: 100,000 actions on a page.
MAX_BODY = 5_000_000
# Seconds that a connection may be idle.
IDLE_SECONDS = 10.0
SCRIPTS = ("pane.js", "annotate.js")
JSON = "application/json"


class AnnotatorServer(ThreadingHTTPServer):
    """Serves an annotator until it is shut down; `url` is the URL for the browser."""

    daemon_threads = True

    def __init__(self, annotator: Annotator) -> None:
        super().__init__((LOOPBACK, 0), _Handler)
        self.annotator = annotator
        self.token = secrets.token_urlsafe(TOKEN_BYTES)

    @property
    def host(self) -> str:
        """The required value of the header Host."""
        return f"{LOOPBACK}:{self.server_port}"

    @property
    def url(self) -> str:
        """URL of the application."""
        return f"http://{self.host}/{self.token}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing for a connection that was idle or ended."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class _RefusedError(Exception):
    """An answer other than 200."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    server: AnnotatorServer
    timeout = IDLE_SECONDS
    server_version = "scrapy-boilerplate"
    sys_version = ""

    def do_GET(self) -> None:
        self._respond(self._get)

    def do_POST(self) -> None:
        self._respond(self._post)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base has it so
        """Print nothing for a request."""

    def _respond(self, handle: Callable[[list[str]], tuple[str, str]]) -> None:
        status, kind = HTTPStatus.OK, JSON
        try:
            kind, body = handle(self._parse_path())
        except _RefusedError as error:
            status, body = error.status, json.dumps({"error": str(error)})
        except (ValueError, KeyError, RecursionError) as error:
            status = HTTPStatus.BAD_REQUEST
            body = json.dumps({"error": f"{type(error).__name__}: {error}"})
        except TimeoutError:
            status, body = HTTPStatus.REQUEST_TIMEOUT, json.dumps({"error": "timeout"})
        except OSError as error:  # for example a full disk
            status = HTTPStatus.INTERNAL_SERVER_ERROR
            body = json.dumps({"error": f"the labels cannot be written: {error}"})
        content = body.encode("utf-8", "replace")
        policy = build_policy(join_scripts(SCRIPTS), connect=True)
        self.send_response(status)
        for name, value in {
            "Content-Type": f"{kind}; charset=utf-8",
            "Content-Length": str(len(content)),
            "Content-Security-Policy": f"{policy}; frame-ancestors 'none'",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Cache-Control": "no-store",
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def _parse_path(self) -> list[str]:
        if self.headers.get("Host") != self.server.host:
            raise _RefusedError(HTTPStatus.FORBIDDEN, "wrong Host header")
        _, token, *parts = self.path.partition("?")[0].split("/")
        if not secrets.compare_digest(token.encode(), self.server.token.encode()):
            raise _RefusedError(HTTPStatus.NOT_FOUND, "not found")
        return parts

    def _get(self, parts: list[str]) -> tuple[str, str]:
        annotator = self.server.annotator
        if parts == [""]:
            return "text/html", fill_template(
                "annotate.html",
                annotator=escape(annotator.name),
                style=build_style("annotate.css"),
                data=dump_data({"labels": describe_labels(), **annotator.progress()}),
                script=join_scripts(SCRIPTS),
            )
        if parts == ["progress"]:
            return JSON, json.dumps(annotator.progress())
        if len(parts) == 2 and parts[0] == "page":
            return JSON, json.dumps(annotator.view(self._parse_number(parts[1])))
        raise _RefusedError(HTTPStatus.NOT_FOUND, "not found")

    def _post(self, parts: list[str]) -> tuple[str, str]:
        annotator = self.server.annotator
        if self.headers.get("Origin") != f"http://{self.server.host}":
            raise _RefusedError(HTTPStatus.FORBIDDEN, "wrong Origin header")
        if self.headers.get("Content-Type") != JSON:
            raise _RefusedError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "the body must be JSON")
        methods = {"draft": annotator.save_draft, "save": annotator.save}
        if len(parts) != 3 or parts[0] != "page" or parts[2] not in methods:
            raise _RefusedError(HTTPStatus.NOT_FOUND, "not found")
        number = self._parse_number(parts[1])
        methods[parts[2]](number, self._read_actions())
        return JSON, json.dumps(annotator.progress())

    def _parse_number(self, text: str) -> int:
        if not text.isdecimal() or int(text) >= len(self.server.annotator.pages):
            raise _RefusedError(HTTPStatus.NOT_FOUND, "no such page")
        return int(text)

    def _read_actions(self) -> Any:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > MAX_BODY:
            raise _RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "the request is too large")
        body = json.loads(self.rfile.read(int(length)))
        if not isinstance(body, dict):
            raise ActionError("the body must be a JSON object with actions")
        return body["actions"]
