"""The annotator's web application: for this machine alone, and for who knows the token.

It listens on the loopback address only, on a port the system chooses. Each address starts with a
random token; the headers Host and Origin must be its own, so that no other web site can reach it
through the browser.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from html import escape
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from scrapy_boilerplate.report.annotator import Annotator, BadActionError
from scrapy_boilerplate.report.html import (
    as_data,
    filled,
    labels,
    policy,
    script,
    template,
    variables,
)

LOOPBACK = "127.0.0.1"
TOKEN_BYTES = 24
MAX_BODY = 5_000_000
"""Bytes of a request (our choice: 100,000 actions on a page)."""
SCRIPTS = ("pane.js", "annotate.js")


class AnnotatorServer(ThreadingHTTPServer):
    """Serves an annotator until it is shut down; `address` is what to open in the browser."""

    daemon_threads = True

    def __init__(self, annotator: Annotator) -> None:
        super().__init__((LOOPBACK, 0), _Handler)
        self.annotator = annotator
        self.token = secrets.token_urlsafe(TOKEN_BYTES)

    @property
    def host(self) -> str:
        """What the headers Host and Origin must name."""
        return f"{LOOPBACK}:{self.server_port}"

    @property
    def address(self) -> str:
        """Where the application is."""
        return f"http://{self.host}/{self.token}/"


class _Refused(Exception):  # noqa: N818 - an answer, no error
    """An answer other than 200."""

    def __init__(self, status: HTTPStatus, told: str) -> None:
        super().__init__(told)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    server: AnnotatorServer
    server_version = "scrapy-boilerplate"
    sys_version = ""

    def do_GET(self) -> None:
        self._answer(self._get)

    def do_POST(self) -> None:
        self._answer(self._post)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base has it so
        """Nothing is printed for a request."""

    def _answer(self, find: Callable[[list[str]], tuple[str, str]]) -> None:
        try:
            kind, body = find(self._path())
            self._send(HTTPStatus.OK, kind, body)
        except _Refused as refusal:
            self._send(refusal.status, "application/json", json.dumps({"error": str(refusal)}))
        except (ValueError, KeyError, RecursionError) as error:
            told = json.dumps({"error": f"{type(error).__name__}: {error}"})
            self._send(HTTPStatus.BAD_REQUEST, "application/json", told)
        except OSError as error:  # the disk is full, the folder gone: say so and go on
            told = json.dumps({"error": f"cannot be written: {error}"})
            self._send(HTTPStatus.INTERNAL_SERVER_ERROR, "application/json", told)

    def _path(self) -> list[str]:
        """The parts of the address behind the token. Raises _Refused."""
        if self.headers.get("Host") != self.server.host:
            raise _Refused(HTTPStatus.FORBIDDEN, "another host is asked for")
        _, token, *parts = self.path.partition("?")[0].split("/")
        if not secrets.compare_digest(token.encode(), self.server.token.encode()):
            raise _Refused(HTTPStatus.NOT_FOUND, "nothing is here")
        return parts

    def _get(self, parts: list[str]) -> tuple[str, str]:
        if parts == [""]:
            return "text/html", self._page()
        if parts == ["progress"]:
            return "application/json", json.dumps(self.server.annotator.progress())
        if len(parts) == 2 and parts[0] == "page":
            view = self.server.annotator.view(self._number(parts[1]))
            return "application/json", json.dumps(view)
        raise _Refused(HTTPStatus.NOT_FOUND, "nothing is here")

    def _post(self, parts: list[str]) -> tuple[str, str]:
        annotator = self.server.annotator
        if self.headers.get("Origin") != f"http://{self.server.host}":
            raise _Refused(HTTPStatus.FORBIDDEN, "another site asks")
        if self.headers.get("Content-Type") != "application/json":
            raise _Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "JSON is asked for")
        todo = {"draft": annotator.keep, "save": annotator.save}
        if len(parts) != 3 or parts[0] != "page" or parts[2] not in todo:
            raise _Refused(HTTPStatus.NOT_FOUND, "nothing is here")
        number = self._number(parts[1])
        todo[parts[2]](number, self._body())
        return "application/json", json.dumps(annotator.progress())

    def _number(self, written: str) -> int:
        if not written.isdecimal() or int(written) >= len(self.server.annotator.pages):
            raise _Refused(HTTPStatus.NOT_FOUND, "there is no such page")
        return int(written)

    def _body(self) -> Any:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > MAX_BODY:
            raise _Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too much at once")
        sent = json.loads(self.rfile.read(int(length)))
        if not isinstance(sent, dict):
            raise BadActionError("an object with actions is asked for")
        return sent["actions"]

    def _page(self) -> str:
        code = script(SCRIPTS)
        return filled(
            "annotate.html",
            annotator=escape(self.server.annotator.name),
            style=variables() + template("look.css") + template("annotate.css"),
            data=as_data({"labels": labels(), **self.server.annotator.progress()}),
            script=code,
        )

    def _send(self, status: HTTPStatus, kind: str, body: str) -> None:
        content = body.encode("utf-8", "replace")
        self.send_response(status)
        for name, value in {
            "Content-Type": f"{kind}; charset=utf-8",
            "Content-Length": str(len(content)),
            "Content-Security-Policy": policy(script(SCRIPTS), connect=True)
            + "; frame-ancestors 'none'",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Cache-Control": "no-store",
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)
