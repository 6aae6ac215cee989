"""A crawl under faults: each page that arrives gives its item, errors count, nothing stops."""

import gzip
import logging
import socket
import struct
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from threading import Thread
from typing import Any

import pytest
from scrapy import Request

from tests.crawl.conftest import items_of
from tests.crawl.crawling import ADDON, Reactor
from tests.crawl.pages import HTML, PARAGRAPHS, article, text_of

Fault = Callable[[socket.socket], None]
"""What a server does with a connection."""
STALL = 60
"""Seconds of silence: longer than the crawl waits."""
GIGABYTE = 1 << 30
RESET = struct.pack("ii", 1, 0)
"""SO_LINGER on, no time: closing the socket resets the connection."""


def answer(body: bytes, content_type: str = HTML, *more: str, length: int | None = None) -> bytes:
    """A whole HTTP answer, which may declare another length."""
    length = len(body) if length is None else length
    lines = ("HTTP/1.1 200 OK", f"Content-Type: {content_type}", f"Content-Length: {length}")
    return "\r\n".join((*lines, *more, "Connection: close", "", "")).encode() + body


def bomb() -> bytes:
    """A gigabyte of spaces, packed to a megabyte."""
    part = b" " * (1 << 20)
    # a gzip file can have several members
    return gzip.compress(b"<html><body>") + gzip.compress(part) * (GIGABYTE // len(part))


def stall(connection: socket.socket) -> None:
    """Half a page, then nothing."""
    connection.sendall(answer(b"<p>Half a page", length=10_000))
    time.sleep(STALL)


def reset(connection: socket.socket) -> None:
    """Half a page, then the connection is gone."""
    connection.sendall(answer(b"<p>Half a page", length=10_000))
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)


def silence(_connection: socket.socket) -> None:
    """No answer at all."""


def sending(content: bytes) -> Fault:
    return lambda connection: connection.sendall(content)


@contextmanager
def faulty(pages: Mapping[str, Fault]) -> Iterator[str]:
    """The URL of a server that does `pages` (path to fault) while the block runs."""

    def serve() -> None:
        with suppress(OSError):  # closed: the test is over
            while True:
                connection, _ = server.accept()
                Thread(target=reply, args=(connection,), daemon=True).start()

    def reply(connection: socket.socket) -> None:
        with connection, suppress(OSError):  # the crawl has given up
            pages[connection.recv(65_536).split(b" ")[1].decode()](connection)

    with socket.create_server(("127.0.0.1", 0), backlog=64) as server:
        Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


BODY = article().encode()
DEEP = 5_000
CYRILLIC = "Паром вернулся на остров после одиннадцати месяцев ремонта, сообщил капитан порта. " * 5
UNCLOSED = BODY.replace(b"</title>", b"").replace(b"<article>", b"<p>.</p>" * 150 + b"<article>")

READABLE = {
    "/good": answer(BODY),
    "/longer-than-declared": answer(BODY + b" " * len(BODY), length=len(BODY)),
    "/nul-bytes": answer(BODY.replace(b" ", b" \x00")),
    "/no-such-charset": answer(BODY, "text/html; charset=klingon"),
    "/charset-of-no-text": answer(BODY, "text/html; charset=hex"),
    "/punycode": answer(b"<meta charset=punycode>" + BODY, "text/html"),
    "/wrong-charset": answer(BODY, "text/html; charset=utf-16"),
    "/latin-in-utf-8": answer(BODY.replace(b"brass", b"br\xe4ss")),
    "/mixed-encodings": answer(
        f"<p>{CYRILLIC}</p>".encode() + f"<p>{CYRILLIC}</p>".encode("cp1251") + BODY
    ),
    "/deep": answer(b"<div>" * DEEP + BODY),
    "/unclosed-title": answer(UNCLOSED),
    "/only-nul": answer(b"\x00" * 100),
    "/no-html": answer(b"\x89PNG\r\n" + bytes(range(256)) * 20),
    "/many-elements": answer(BODY + b"<b>x</b>" * 3_000),
    "/long": answer(BODY + b" x" * 500_000),
}
"""Pages that arrive, whatever is in them."""
WITH_ARTICLE = frozenset(
    "/good /longer-than-declared /nul-bytes /no-such-charset /charset-of-no-text /punycode "
    "/unclosed-title /latin-in-utf-8".split()
)
LOST = {
    "/stall": stall,
    "/reset": reset,
    "/silence": silence,
    "/shorter-than-declared": sending(answer(BODY, length=2 * len(BODY))),
    "/not-http": sending(b"I am no HTTP server\r\n\r\n"),
    "/gigabyte": sending(answer(bomb(), "text/html", "Content-Encoding: gzip")),
    "/torn-gzip": sending(answer(b"\x1f\x8b\x08 torn", "text/html", "Content-Encoding: gzip")),
}
"""Pages that Scrapy gives up."""
PATIENCE = 2
"""Seconds the crawl waits for the server that stalls; for others more, on a busy machine."""
SETTINGS = {
    **ADDON,
    "CONCURRENT_REQUESTS": 8,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
    "DOWNLOAD_TIMEOUT": 50,
    "DOWNLOAD_MAXSIZE": 5_000_000,
    "RETRY_ENABLED": False,
    "BOILERPLATE_MAX_BYTES": 500_000,
    "BOILERPLATE_MAX_ELEMENTS": 2_000,
    "BOILERPLATE_FIELDS": {"partial": True, "html": True},
}


@pytest.mark.parametrize("executor", ["inline", "process"])
def test_a_crawl_under_faults(executor: str, reactor: Reactor) -> None:
    lost: dict[str, str] = {}

    parse = items_of(dict)

    def gone(failure: Any) -> None:
        lost["/" + failure.request.url.rpartition("/")[2]] = str(failure.value)

    pages = {**{path: sending(content) for path, content in READABLE.items()}, **LOST}
    with faulty(pages) as site:
        wanted = [Request(site + path, callback=parse, errback=gone) for path in pages]
        wanted[list(pages).index("/stall")].meta["download_timeout"] = PATIENCE
        # Scrapy's MetaRefreshMiddleware fails at it, and the page never gets to a spider
        wanted[list(pages).index("/charset-of-no-text")].meta["dont_redirect"] = True
        settings = {**SETTINGS, "BOILERPLATE_EXECUTOR": executor}
        crawled = reactor.crawl(wanted, parse, settings)
    items = {"/" + item["url"].rpartition("/")[2]: item for item in crawled.items}
    readable = {path for path in items if path in READABLE}
    assert readable | set(lost) == set(pages)
    assert readable >= READABLE.keys() - {"/no-html"}
    assert crawled.stats["finish_reason"] == "finished"
    for path in WITH_ARTICLE:
        assert items[path]["text"].split("\n\n")[0].split()[-3:] == PARAGRAPHS[0].split()[-3:], path
    assert items["/good"]["text"] == text_of()
    assert items["/many-elements"]["partial"] == "elements"
    assert items["/long"]["partial"] == "bytes"
    assert crawled.counts["partial/elements"] >= 1
    assert crawled.counts["partial/bytes"] == 1
    errors = {name: n for name, n in crawled.counts.items() if name.startswith("errors/")}
    assert errors == {"errors/page": 2}, "/only-nul and /no-html are binary files"
    assert "exceeded DOWNLOAD_MAXSIZE" in lost["/gigabyte"]
    assert crawled.messages(logging.CRITICAL) == []
