"""A crawl under faults: each page that arrives gives its item, errors count, nothing stops."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from scrapy import Request
from scrapy.http import Response

from tests.crawl import faults
from tests.crawl.crawling import ADDON, Reactor
from tests.crawl.faults import ARTICLE, answer, faulty, sending
from tests.crawl.pages import PARAGRAPHS, text_of

BODY = ARTICLE.encode()
DEEP = 5_000
CYRILLIC = "Паром вернулся на остров после одиннадцати месяцев ремонта, сообщил капитан порта. " * 5
UNCLOSED = ARTICLE.replace("</title>", "").replace("<article>", "<p>.</p>" * 150 + "<article>")

READABLE = {
    "/good": answer(BODY),
    "/longer-than-declared": faults.longer_than_declared(BODY + b" " * len(BODY)),
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
    "/unclosed-title": answer(UNCLOSED.encode()),
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
    "/stall": faults.stall,
    "/reset": faults.reset,
    "/silence": faults.silence,
    "/shorter-than-declared": sending(faults.shorter_than_declared(BODY)),
    "/not-http": sending(b"I am no HTTP server\r\n\r\n"),
    "/gigabyte": sending(answer(faults.bomb(), "text/html", "Content-Encoding: gzip")),
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

    def parse(response: Response) -> Any:
        yield {"url": response.url}

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
        assert PARAGRAPHS[0].split()[-3:] == _first_paragraph(items[path]), path
    assert items["/good"]["text"] == text_of()
    assert items["/many-elements"]["partial"] == "elements"
    assert items["/long"]["partial"] == "bytes"
    assert crawled.counts["partial/elements"] >= 1
    assert crawled.counts["partial/bytes"] == 1
    errors = {name: n for name, n in crawled.counts.items() if name.startswith("errors/")}
    assert errors == {"errors/page": 2}, "/only-nul and /no-html are binary files"
    assert "exceeded DOWNLOAD_MAXSIZE" in lost["/gigabyte"]
    assert crawled.messages(logging.CRITICAL) == []


def _first_paragraph(item: dict[str, Any]) -> list[str]:
    words: list[str] = item["text"].split("\n\n")[0].split()
    return words[-3:]
