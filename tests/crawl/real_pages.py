"""Pages of the corpora on a local site, served in the ways of real servers."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from scrapy_boilerplate.training.corpora import read_records
from tests.crawl.pages import HTML, Answer

CORPORA = {"fundus": 1, "article-extraction": 1, "l3s-gn1": 5}
"""Corpus to step: every page, or every fifth."""

_meta_charset = re.compile(r"<meta[^>]+charset[^>]*>", re.IGNORECASE)
_head = re.compile(r"<head[^>]*>", re.IGNORECASE)


@dataclass(frozen=True)
class RealPage:
    """A page of a corpus and how it is served."""

    path: str
    html: str
    served: str
    answers: dict[str, Answer]

    @property
    def faithful(self) -> bool:
        """Whether a browser would see the page's own characters."""
        return self.served not in ("wrong charset", "legacy encoding")


def declaring(html: str, charset: str) -> str:
    """The page with another charset in its meta tag."""
    bare = _meta_charset.sub("", html)
    return _head.sub(lambda head: f'{head[0]}<meta charset="{charset}">', bare, count=1)


def _answer(html: str, encoding: str = "utf-8", header: str = HTML, **more: str) -> Answer:
    errors = "replace" if encoding == "utf-8" else "xmlcharrefreplace"
    return Answer(html.encode(encoding, errors), headers={"Content-Type": header, **more})


def _gzipped(html: str) -> Answer:
    body = gzip.compress(html.encode("utf-8", "replace"), 1, mtime=0)
    return Answer(body, headers={"Content-Type": HTML, "Content-Encoding": "gzip"})


def _moved(status: int) -> Callable[[str, str], dict[str, Answer]]:
    def answers(path: str, html: str) -> dict[str, Answer]:
        here = Answer(b"<p>Moved.</p>", status, {"Content-Type": HTML, "Location": f"/new{path}"})
        return {path: here, f"/new{path}": _answer(html)}

    return answers


def _here(answer: Callable[[str], Answer]) -> Callable[[str, str], dict[str, Answer]]:
    return lambda path, html: {path: answer(html)}


WAYS: dict[str, Callable[[str, str], dict[str, Answer]]] = {
    "as it should be": _here(_answer),
    "wrong charset": _here(lambda html: _answer(html, header="text/html; charset=iso-8859-5")),
    "no charset": _here(lambda html: _answer(declaring(html, "utf-8"), header="text/html")),
    "gzip": _here(_gzipped),
    "moved for good": _moved(301),
    "moved for now": _moved(302),
    "another charset in the page": _here(lambda html: _answer(declaring(html, "koi8-r"))),
    "legacy encoding": _here(
        lambda html: _answer(declaring(html, "windows-1252"), "cp1252", "text/html")
    ),
}


def real_pages(corpora: Path) -> list[RealPage]:
    """The pages, each served in the way its number gives it: the same for every run."""
    htmls = [
        record["html"]
        for corpus, step in CORPORA.items()
        for record in islice(read_records(corpora / f"{corpus}.jsonl.xz"), 0, None, step)
    ]
    ways = list(WAYS.items())
    pages = []
    for number, html in enumerate(htmls):
        way, answers = ways[number % len(ways)]
        path = f"/page/{number}"
        pages.append(RealPage(path, html, way, answers(path, html)))
    return pages


NO_PAGES = {
    "/paper.pdf": Answer(
        b"%PDF-1.7\n" + bytes(range(256)), headers={"Content-Type": "application/pdf"}
    ),
    "/empty": Answer(b""),
    "/logo.png": Answer(b"\x89PNG\r\n\x1a\n" + bytes(99), headers={"Content-Type": "image/png"}),
}
ROBOTS = {
    "/robots.txt": Answer(
        b"User-agent: *\nDisallow: /private/\n", headers={"Content-Type": "text/plain"}
    )
}
GONE = "/gone"
