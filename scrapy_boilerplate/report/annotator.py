"""Pages to label, the least confident first, and the requests of the annotator's browser."""

import json
import secrets
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from html import escape
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

from scrapy_boilerplate.extraction import LoadedPage, extract_page, load_page
from scrapy_boilerplate.extractors import Options
from scrapy_boilerplate.markup.leaves import find_leaf_xpaths
from scrapy_boilerplate.markup.snapshot import build_snapshot
from scrapy_boilerplate.page.labels import Label
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.report import templates
from scrapy_boilerplate.report.label_store import Action, Draft, LabelStore
from scrapy_boilerplate.steps.extractor import Extractor

LABEL_CODES = frozenset(map(int, Label))
# Characters of an id or a class in the name of an element.
NAME_LENGTH = 40


class ActionError(ValueError):
    """An action is not possible on a page."""


@dataclass(frozen=True, kw_only=True)
class QueuedPage:
    """A page in the queue; `confidence` comes from the extractor."""

    name: str
    html: str
    url: str | None = None
    confidence: float = 0.0

    @cached_property
    def digest(self) -> str:
        """Key of the page in the labels folder."""
        page = f"{self.url or ''}\n{self.html}"
        return sha256(page.encode("utf-8", "surrogatepass")).hexdigest()


def sort_by_confidence(
    pages: Iterable[tuple[str, str, str | None]], extractor: Extractor
) -> list[QueuedPage]:
    """Return the queue of pages (name, HTML, URL): the least confident first, each once."""
    queue: dict[str, QueuedPage] = {}
    for name, html, url in pages:
        document = extract_page(html, url, Options(extractor=extractor))
        queued = QueuedPage(name=name, html=html, url=url, confidence=document.confidence)
        queue.setdefault(queued.digest, queued)
    return sorted(queue.values(), key=lambda page: page.confidence)


@dataclass(frozen=True, eq=False, kw_only=True)
class Annotator:
    """The queue of pages, the extractor of their first labels, the label store, and the user."""

    pages: Sequence[QueuedPage]
    extractor: Extractor
    store: LabelStore
    name: str

    def progress(self) -> dict[str, Any]:
        """Return the progress: one entry per page, in the order of the queue."""
        return {
            "pages": [
                {
                    "name": page.name,
                    "confidence": page.confidence,
                    "saved": self.store.is_saved(page.digest),
                }
                for page in self.pages
            ]
        }

    def view(self, number: int) -> dict[str, Any]:
        """Return the data to display a page. Raises IndexError."""
        queued = self.pages[number]
        loaded = load_page(queued.html, queued.url)
        page = self.extractor.segmenter(loaded.page)
        draft = self._draft(queued, loaded)
        nodes, leaf_nodes = build_nodes(page)
        return {
            "number": number,
            "name": queued.name,
            "url": queued.url,
            "confidence": queued.confidence,
            "saved": self.store.is_saved(queued.digest),
            "frame": templates.build_frame_document(build_snapshot(loaded.page, loaded.tree)),
            "leaves": len(page.leaves),
            "starts": page.blocks.first_leaf.tolist(),
            "labels": list(draft.labels),
            "actions": list(draft.actions),
            "nodes": nodes,
            "nodeOf": leaf_nodes,
        }

    def save_draft(self, number: int, actions: Any) -> None:
        """Save the actions so far as a draft. Raises IndexError, ActionError."""
        queued = self.pages[number]
        draft = self._changed_draft(queued, load_page(queued.html, queued.url), actions)
        self.store.save_draft(queued.digest, draft)

    def save(self, number: int, actions: Any) -> None:
        """Save the labels of the page as a line. Raises IndexError, ActionError."""
        queued = self.pages[number]
        loaded = load_page(queued.html, queued.url)
        labels = self._changed_draft(queued, loaded, actions).apply()
        paths = find_leaf_xpaths(loaded.page, loaded.tree)
        self.store.save(
            {
                "id": queued.name,
                "digest": queued.digest,
                "url": queued.url,
                "annotator": self.name,
                "extractor": self.extractor.name,
                "html": queued.html,
                "leaves": [
                    {"path": path, "label": Label(label).text}
                    for path, label in zip(paths, labels, strict=True)
                ],
            }
        )

    def _changed_draft(self, queued: QueuedPage, loaded: LoadedPage, actions: Any) -> Draft:
        draft = self._draft(queued, loaded)
        return Draft(draft.labels, check_actions(actions, len(loaded.page.leaves)))

    def _draft(self, queued: QueuedPage, loaded: LoadedPage) -> Draft:
        n_leaves = len(loaded.page.leaves)
        draft = self.store.load_draft(queued.digest)
        if draft is not None and len(draft.labels) == n_leaves:
            return draft
        saved = self.store.load_saved(queued.digest)
        if saved is not None and len(saved["leaves"]) == n_leaves:
            codes = {label.text: int(label) for label in Label}
            return Draft([codes[leaf["label"]] for leaf in saved["leaves"]])
        document = extract_page(loaded, queued.url, Options(extractor=self.extractor))
        page, labeling = document.get_page()
        return Draft(labeling.labels[page.leaf_blocks].tolist())


def check_actions(actions: Any, n_leaves: int) -> list[Action]:
    """Return the actions that a browser sent. Raises ActionError for others."""
    if not isinstance(actions, list):
        raise ActionError("actions must be a list")
    checked = []
    for action in actions:
        is_triple = isinstance(action, list) and list(map(type, action)) == [int, int, int]
        if (
            not is_triple
            or not 0 <= action[0] < action[1] <= n_leaves
            or action[2] not in LABEL_CODES
        ):
            raise ActionError(f"{action!r} is not [first leaf, end leaf, label]")
        checked.append((action[0], action[1], action[2]))
    return checked


def build_nodes(page: Page) -> tuple[list[list[Any]], list[int]]:
    """Return the elements that contain leaves, and the number of the element of each leaf.

    A node is [parent, first leaf, end leaf, name]. An element with the same leaves as one of its
    descendants is left out, because it selects the same text. Linear time.
    """
    elements, leaves = page.elements, page.leaves
    first_leaves: dict[int, int] = {}  # in each element
    for leaf, holder in enumerate(leaves.elements):
        element = holder
        while element >= 0 and element not in first_leaves:
            first_leaves[element] = leaf
            element = elements.parents[element]
    counts = elements.count_inside(leaves.elements)
    holders = set(leaves.elements)
    numbers: dict[int, int] = {}
    nodes: list[list[Any]] = []
    for element in np.flatnonzero(counts).tolist():
        parent = numbers.get(elements.parents[element], -1)
        count = int(counts[element])
        if parent >= 0 and nodes[parent][2] - nodes[parent][1] == count and element not in holders:
            numbers[element] = parent
            continue
        numbers[element] = len(nodes)
        first = first_leaves[element]
        nodes.append([parent, first, first + count, _name_element(page, element)])
    return nodes, [numbers[element] for element in leaves.elements]


def _name_element(page: Page, element: int) -> str:
    elements = page.elements
    name = elements.tags[element]
    for sign, values in (("#", elements.ids[element]), (".", elements.classes[element])):
        name += "".join(sign + value[:NAME_LENGTH] for value in values.split()[:1])
    return name


# The annotator's web application, for users of this machine who know the token. It listens on the
# loopback address only, on a port that the system chooses. Each URL starts with a random token.
# The headers Host and Origin must name this server, so that no other web site can reach it
# through the browser.

LOOPBACK = "127.0.0.1"
TOKEN_BYTES = 24
# Maximum bytes of a request: 100,000 actions on a page.
MAX_BODY = 5_000_000
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
        return f"{LOOPBACK}:{self.server_port}"

    @property
    def url(self) -> str:
        return f"http://{self.host}/{self.token}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing for a connection that was idle or ended."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class _RefusedError(Exception):
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
        policy = templates.build_policy(templates.join_scripts(SCRIPTS), connect=True)
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
            return "text/html", templates.fill_template(
                "annotate.html",
                annotator=escape(annotator.name),
                style=templates.build_style("annotate.css"),
                data=templates.dump_data(
                    {"labels": templates.describe_labels(), **annotator.progress()}
                ),
                script=templates.join_scripts(SCRIPTS),
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
