"""A local server of pages in a process of its own, and the settings of a crawl of it."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import IO, Any, cast

from benchmarks.corpora import read_mixed_records

CONCURRENT = 32
HTML = "text/html; charset=utf-8"

# Body, ``Content-Type``, ``Content-Encoding``.
Page = tuple[bytes, str, str]


@contextmanager
def start_server(module: str) -> Iterator[int]:
    """Run ``module --serve`` with the options of this process; yield its port."""
    command = [sys.executable, "-m", module, *sys.argv[1:], "--serve"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            yield int(cast("IO[str]", server.stdout).readline())
        finally:
            server.terminate()


def serve(pages: Sequence[Page]) -> None:
    """Print the port; serve pages under ``/0``, ``/1``, ... and again from the first."""
    # only imported in the server's process, and untyped
    resource, web, twisted = (
        cast("Any", import_module(f"twisted.{name}"))
        for name in ("web.resource", "web.server", "internet.reactor")
    )

    def render(request: Any) -> bytes:
        number = int(request.path.rpartition(b"/")[2])
        body, kind, coding = pages[number % len(pages)]
        request.setHeader(b"Content-Type", kind.encode())
        if coding:
            request.setHeader(b"Content-Encoding", coding.encode())
        return body

    root = resource.Resource()
    root.isLeaf, root.render = True, render
    print(twisted.listenTCP(0, web.Site(root), interface="127.0.0.1").getHost().port, flush=True)
    twisted.run()


def read_html(corpora: Path, n_pages: int) -> Iterator[bytes]:
    """Yield up to `n_pages` pages, from each corpus in turn."""
    for record in read_mixed_records(corpora, n_pages):
        yield record["html"].encode("utf-8", "replace")
