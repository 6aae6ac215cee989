"""Pages that a worker reads for their site: the same documents as in one process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from scrapy_boilerplate.document import Document
from scrapy_boilerplate.extraction import SiteExtraction
from scrapy_boilerplate.page.limits import Limits
from scrapy_boilerplate.site.knowledge import VIEW_COLUMNS
from scrapy_boilerplate.site.registry import SiteRegistry
from scrapy_boilerplate.workers.serialization import (
    RemotePage,
    dump_view,
    load_document,
    load_view,
)
from scrapy_boilerplate.workers.worker import KEPT_PAGES, PageHandler, PageRequest
from tests.builders import document, sentences

URL = "http://news.example/{}"


def number_words(topic: str, start: int) -> str:
    """Forty words that no other page has: near-duplicates do not vote."""
    return " ".join(f"{topic}{number}" for number in range(start, start + 40))


def story(topic: str) -> bytes:
    """A page whose second paragraph is on every page of the site."""
    texts = (number_words(topic, 0), sentences(40, "owner"), number_words(topic, 40))
    paragraphs = "".join(f"<p class=text>{text}</p>" for text in texts)
    return document(f"<h1>The {topic}</h1><div>{paragraphs}</div>", topic).encode()


TOPICS = "tide frost ferry mill bridge orchard quarry lantern harbour".split()
PAGES = {URL.format(topic): story(topic) for topic in TOPICS}


def ask(handler: PageHandler, url: str, **options: Any) -> tuple[dict[str, Any], bytes]:
    """The answer to a page of PAGES."""
    request = PageRequest(
        url=url,
        body=PAGES[url],
        encoding="utf-8",
        extractor="num-words",
        favor="balanced",
        wanted_fields=("blocks",),
        **options,
    ).for_worker()
    return handler({**request.header}, request.body)


def learn_and_read(handlers: Sequence[PageHandler]) -> list[Document]:
    """The documents of a crawl that learns all pages, then reads them; `handlers` take turns."""
    site, known = SiteExtraction(SiteRegistry()), []
    for url in PAGES:
        header, body = ask(handlers[0], url, site_steps=())
        page = RemotePage.load(header["site_page"], body)
        site.learn(url, page.record)
        known.append((url, page))
    documents = []
    for turn, (url, page) in enumerate(known):
        view = dump_view(*site.view(url, page.record, page.signatures))
        header, _ = ask(handlers[turn % len(handlers)], url, site_steps=(), site_view=view)
        documents.append(load_document(header["document"]))
    return documents


@pytest.mark.parametrize("workers", [1, 2])
def test_documents_are_those_of_one_process(workers: int) -> None:
    site = SiteExtraction(SiteRegistry())
    observed = [site.read_and_learn(PAGES[url], url, "num-words") for url in PAGES]
    expected = [site.build_document(page, "num-words") for page in observed]
    documents = learn_and_read([PageHandler() for _ in range(workers)])
    assert documents == expected
    assert [one.blocks for one in documents] == [one.blocks for one in expected]
    assert all(one.site_pages == len(PAGES) - 1 for one in documents)
    assert not any("owner" in one.text for one in documents)


def test_few_pages_are_kept_and_each_once() -> None:
    handler = PageHandler()
    for url in [*PAGES] * 2:
        ask(handler, url, site_steps=())
    assert len(handler._observed) == KEPT_PAGES < len(PAGES)


def test_a_page_past_its_time_is_partial_and_learned() -> None:
    url = next(iter(PAGES))
    header, body = ask(PageHandler(), url, site_steps=(), limits=Limits(milliseconds=0.0001))
    page = RemotePage.load(header["site_page"], body)
    site = SiteExtraction(SiteRegistry())
    site.learn(url, page.record)
    view = dump_view(*site.view(url, page.record, page.signatures))
    limits = Limits(milliseconds=0.0001)
    header, _ = ask(PageHandler(), url, site_steps=(), site_view=view, limits=limits)
    assert load_document(header["document"]).partial == "milliseconds"
    assert site.known_pages(url) == 1


def test_columns_of_a_view_are_those_that_were_sent() -> None:
    site = SiteExtraction(SiteRegistry())
    observed = [site.read_and_learn(html, url, "num-words") for url, html in PAGES.items()]
    view, names = site.view(URL.format("tide"), observed[0].record, observed[0].signatures)
    loaded, loaded_names = load_view(*dump_view(view, names))
    assert (loaded.pages, loaded_names) == (view.pages, names)
    for name in VIEW_COLUMNS:
        np.testing.assert_array_equal(getattr(loaded, name), getattr(view, name))
