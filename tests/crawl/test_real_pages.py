"""A crawl over real pages of the corpora, served in the ways that real servers have."""

import gzip
import re
from collections.abc import Callable
from itertools import cycle, islice
from logging import ERROR, WARNING
from pathlib import Path

from scrapy_boilerplate import extract
from tests.builders import read_corpus
from tests.crawl.conftest import items_of
from tests.crawl.crawling import ADDON, Reactor
from tests.crawl.pages import HTML, Answer
from tests.crawl.site import Site

STEPS = {"fundus": 3, "article-extraction": 3, "l3s-gn1": 15}
"""Corpus to step: every third page, or every 15th."""
LEAST_WITH_TEXT = 0.97
"""Of 365 pages, three had no text: one that scripts fill, one whose title is never closed, and a
list of links."""

_meta_charset = re.compile(r"<meta[^>]+charset[^>]*>", re.IGNORECASE)
_head = re.compile(r"<head[^>]*>", re.IGNORECASE)


def declaring(html: str, charset: str) -> str:
    """The page with another charset in its meta tag."""
    bare = _meta_charset.sub("", html)
    return _head.sub(lambda head: f'{head[0]}<meta charset="{charset}">', bare, count=1)


def answer(html: str, encoding: str = "utf-8", header: str = HTML) -> Answer:
    errors = "replace" if encoding == "utf-8" else "xmlcharrefreplace"
    return Answer(html.encode(encoding, errors), headers={"Content-Type": header})


def pack(html: str) -> Answer:
    body = gzip.compress(html.encode("utf-8", "replace"), 1, mtime=0)
    return Answer(body, headers={"Content-Type": HTML, "Content-Encoding": "gzip"})


FAITHFUL: list[Callable[[str], Answer]] = [
    answer,
    pack,
    lambda html: answer(declaring(html, "utf-8"), header="text/html"),
    lambda html: answer(declaring(html, "koi8-r")),
]
"""Ways in which a browser sees the characters of the page."""
WAYS: list[Callable[[str], Answer]] = [
    *FAITHFUL,
    lambda html: answer(html, header="text/html; charset=iso-8859-5"),
    lambda html: answer(declaring(html, "windows-1252"), "cp1252", "text/html"),
]
MOVED = 5
"""One in so many pages has moved."""


def test_every_page_has_its_item(corpora: Path, site: Site, reactor: Reactor) -> None:
    """With the text of the page, however it was served."""
    htmls = [
        record["html"]
        for corpus, step in STEPS.items()
        for record in islice(read_corpus(corpora / f"{corpus}.jsonl.xz"), 0, None, step)
    ]
    assert len(htmls) >= 100
    faithful: dict[str, str] = {}
    wanted = []
    for number, (html, way) in enumerate(zip(htmls, cycle(WAYS), strict=False)):
        path = f"/page/{number}"
        site.pages[path] = way(html)
        wanted.append(path)
        if number % MOVED == 0:
            wanted[-1] = f"/old/{number}"
            moved = {"Content-Type": HTML, "Location": path}
            site.pages[wanted[-1]] = Answer(b"<p>Moved.</p>", 301 + number % 2, moved)
        if way in FAITHFUL:
            faithful[site.url(path)] = html.encode("utf-8", "replace").decode()
    requests = [site.request(path) for path in wanted]
    settings = {**ADDON, "BOILERPLATE_EXTRACTOR": "news"}
    crawled = reactor.crawl(requests, items_of(dict), settings)

    pages = [site.url(f"/page/{number}") for number in range(len(htmls))]
    assert sorted(item["url"] for item in crawled.items) == sorted(pages)
    assert crawled.messages(WARNING) == crawled.messages(ERROR) == []
    items = {item["url"]: item for item in crawled.items}
    texts = [items[url]["text"] for url in pages]
    assert sum(map(bool, texts)) >= LEAST_WITH_TEXT * len(htmls)
    counts = {
        "responses": len(htmls),
        "documents": len(htmls),
        "documents/news": len(htmls),
        "documents/empty": texts.count(""),
        "items/filled": len(htmls),
    }
    assert crawled.counts == {name: n for name, n in counts.items() if n}
    for url, html in list(faithful.items())[::5]:
        document = extract(html, url)
        assert (items[url]["text"], items[url]["headline"]) == (document.text, document.headline)
